"""One set of definitions: compared with plain Python, and the same rows on DuckDB and on a real local Spark."""

import csv
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asof import registry
from asof.errors import UserError
from asof.facts import Fact, FactStore, FactTable
from asof.facts import definitions as define
from asof.facts.definitions.tables import Tables, in_order
from asof.facts.engines import Engine, open_engine
from asof.facts.recipes import select
from asof.timeline import Date, Granularity, Interval, Period
from tests.conftest import TINY
from tests.timeline.strategies import intervals

Make = Callable[..., FactStore]
Row = tuple[str, str, str, str, str]
COLUMNS = ("subject", "relation", "object", "start", "end")
TABLES = Tables()
FIRST, LAST = Period.parse("2019-Q3"), Period.parse("2022-Q2")
BEFORE_CHRIST = Period.parse("-0002-11"), Period.parse("0002-02")


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """One small Spark for all tests; its plans are interpreted, as compiling them takes longer than running them."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'asof[spark]'")
    if not shutil.which("java") and not os.environ.get("JAVA_HOME"):
        pytest.skip("there is no Java here: bash scripts/java.sh")
    patch = pytest.MonkeyPatch()
    conf = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("spark")),
    }
    words = " ".join(f"--conf {key}={value}" for key, value in conf.items())
    patch.setenv("PYSPARK_SUBMIT_ARGS", f"--master local[2] {words} pyspark-shell")
    engine = open_engine("spark")
    engine.session.conf.set("spark.sql.shuffle.partitions", 2)  # type: ignore[attr-defined]
    yield engine
    engine.session.stop()  # type: ignore[attr-defined]
    patch.undo()


def random_rows(count: int, seed: int) -> list[Row]:
    """Facts of few subjects, around two turns of an era and before Christ, of all precisions, with all open ends."""
    random = Random(seed)

    def date(year: int) -> str:
        written = f"{year:04d}" if year > 0 else f"-{1 - year:04d}"
        return written + random.choice(["", f"-{random.randint(1, 12):02d}", "-03-15"])

    rows = []
    for _ in range(count):
        year = random.choice([random.randint(2018, 2023), random.randint(-4, 3)])
        start = random.choice([date(year), date(year), "", "unknown"])
        end = random.choice([date(year + random.randint(1, 3)), "ongoing", "unknown", ""])
        rows.append((f"s{random.randint(0, 9)}", f"P{random.randint(1, 3)}", random.choice("abcdé漢"), start, end))
    return rows


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> list[FactStore]:
    """Two versions of one base: the hand-checked facts and random ones, some of them other in the second."""
    from asof.facts import InversionPolicy, write_base
    from asof.sources import open_source

    folder = tmp_path_factory.mktemp("mixed")
    with TINY.open(encoding="utf-8") as file:
        checked = [tuple(row[name] for name in COLUMNS) for row in csv.DictReader(file, delimiter="\t")]
    stores = []
    for version, rows in enumerate((random_rows(300, 1), random_rows(250, 1) + random_rows(50, 2))):
        table = folder / f"rows{version}.tsv"
        with table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter="\t")
            writer.writerow((*COLUMNS, "subject_label", "object_label"))
            writer.writerows((*row, f"The {row[0]}", f"The {row[2]}") for row in (*checked, *rows))
        known_by = Date.parse("2023-06-30")
        write_base(
            folder / f"base{version}", [open_source(str(table))], inverted=InversionPolicy.KEEP, known_by=known_by
        )
        stores.append(FactStore(folder / f"base{version}"))
    return stores


def expressions() -> dict[str, object]:
    """Every definition, with a total order."""
    facts = TABLES.facts
    worlds = [define.snapshot(facts, period) for period in (FIRST, LAST)]
    by_pair = in_order("subject", "relation")
    return {
        "possibly": define.facts_in_order(define.holding(facts, Date.parse("2021-03-15"))),
        "throughout": define.facts_in_order(define.holding(facts, Date.parse("2021"), throughout=True)),
        "histories": define.histories(facts).order_by(by_pair),
        "snapshot": define.snapshot(facts, FIRST, surely=True).order_by(by_pair),
        "difference": define.difference(*worlds),
        "steps": define.steps(facts, *BEFORE_CHRIST),
        "items": define.items(TABLES, FIRST, LAST),
    }


@pytest.mark.parametrize("name", expressions())
def test_spark_gives_the_rows_of_duckdb(spark: Engine, mixed: list[FactStore], name: str) -> None:
    expression = expressions()[name]
    found = spark.table(expression, mixed[0])  # type: ignore[arg-type]
    assert found.num_rows > 5
    assert found.equals(open_engine().table(expression, mixed[0]))  # type: ignore[arg-type]


def test_spark_compares_versions_as_duckdb_does(spark: Engine, mixed: list[FactStore]) -> None:
    compared = define.version_difference(Tables("old_").facts, Tables("new_").facts)
    bases = dict(zip(("old_", "new_"), mixed, strict=True))
    found = spark.table(compared, bases)
    assert found.equals(open_engine().table(compared, bases))
    assert {"new", "gone"} <= set(found["change"].to_pylist())


@pytest.mark.parametrize("name", [name for name in registry.recipes.names() if name != "dynamic-templama"])
def test_recipes_select_the_same_facts_on_spark(spark: Engine, mixed: list[FactStore], name: str) -> None:
    rules = list(registry.recipes.get(name)().rules(TABLES))
    selected = define.facts_in_order(rules[-1].facts)
    found = spark.table(selected, mixed[0])
    assert found.num_rows
    assert found.equals(open_engine().table(selected, mixed[0]))


def test_a_base_selected_by_spark_is_the_same_to_the_byte(
    spark: Engine, mixed: list[FactStore], tmp_path: Path
) -> None:
    recipe = registry.recipes.get("timeqa")(per_relation=4, histories=9)
    one, other = (
        select(recipe, mixed[0], engine, tmp_path / engine.name / "base") for engine in (spark, open_engine())
    )
    assert one == other
    assert one.manifest and one.manifest.rows("facts")
    assert sorted(path.name for path in (tmp_path / "spark").iterdir()) == ["base"]  # nothing is left beside it


def test_dynamic_templama_has_the_same_items_on_spark(spark: Engine, mixed: list[FactStore]) -> None:
    from asof.benchmarks.dynamic_templama import DynamicTempLama
    from asof.wording import Wording

    kind = DynamicTempLama(first="2019-Q3", relations="P6,P54", subjects=3)
    found = list(kind.items(mixed[0], Wording(), engine=spark))
    assert len(found) > 5
    assert found == list(kind.items(mixed[0], Wording()))


@pytest.mark.parametrize("name", ["duckdb", "spark"])
def test_many_rows_go_to_a_folder_of_parts(
    request: pytest.FixtureRequest, mixed: list[FactStore], tmp_path: Path, name: str
) -> None:
    engine = request.getfixturevalue("spark") if name == "spark" else open_engine()
    changes = define.steps(TABLES.facts, FIRST, LAST)
    rows = engine.write_parts(changes, mixed[0], tmp_path / "parts")
    key = lambda row: (row["index"], row["subject"], row["relation"])  # noqa: E731
    read = sorted(pq.read_table(tmp_path / "parts").to_pylist(), key=key)
    assert len(read) == rows
    assert read == sorted(open_engine().table(changes, mixed[0]).to_pylist(), key=key)
    with pytest.raises(UserError, match="already exists"):
        engine.write_parts(changes, mixed[0], tmp_path / "parts")


def test_a_base_that_was_damaged_is_named_in_one_line(spark: Engine, base_of: Make) -> None:
    store = base_of([("Italy", "P6", "Draghi", "2021", "2022")])
    for part in store.manifest.tables["facts"]:
        (store.folder / part.path).unlink()
    with pytest.raises(UserError, match=r"Spark did not finish: .*facts-"):
        spark.table(define.facts_in_order(TABLES.facts), store)


def test_a_plain_function_is_mapped_by_spark(spark: Engine) -> None:
    from asof.sources.wikidata_dump.on_spark import map_on_spark

    assert [result for step in map_on_spark(len, ["one", "three"]) for result in step] == [3, 5]
    with pytest.raises(UserError, match=r"(?s)Spark did not finish: .*Finished work is kept"):
        list(map_on_spark(len, [1]))  # type: ignore[arg-type, list-item]


def test_spark_mines_a_dump_to_the_same_base_as_processes(
    spark: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real function on several stretches, by the command; Spark's workers are processes of their own."""
    from bench.generated_dump import Plan, write_dump
    from click.testing import CliRunner

    from asof.cli.mine import command
    from asof.sources.wikidata_dump import work

    monkeypatch.setattr(work, "_SMALLEST", 20_000)
    dump = tmp_path / "entities.json.gz"
    write_dump(dump, Plan(entities=300, seed=5, line_bytes=1_000, temporal=0.5, batch=60, broken=3))
    assert dump.stat().st_size > 40_000
    files = {}
    for engine in ("processes", "spark"):
        base = tmp_path / engine / "base"
        base.parent.mkdir()
        ran = CliRunner().invoke(command, [str(dump), "--to", str(base), "--engine", engine, "--processes", "1"])
        assert ran.exit_code == 0, ran.output
        files[engine] = {path.name: path.read_bytes() for path in base.iterdir() if path.name != ".lock"}
    assert files["spark"] == files["processes"]
    refused = CliRunner().invoke(command, [str(TINY), "--to", str(tmp_path / "tiny"), "--engine", "spark"])
    assert "tiny.tsv is not a Wikidata dump, and Spark mines nothing else" in str(refused.exception)


def test_without_java_spark_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(UserError, match="Spark needs Java 17 or 21"):
        open_engine("spark")


def test_an_unknown_engine_gets_a_guess() -> None:
    with pytest.raises(UserError, match=r"No engine is called 'sparc'. Did you mean 'spark'"):
        open_engine("sparc")


spells = st.lists(
    st.tuples(st.sampled_from("st"), st.sampled_from("PQ"), st.sampled_from("abc"), intervals(near=True)), max_size=10
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spells, st.sampled_from(Granularity), st.booleans())
def test_periods_are_those_of_plain_python(
    base_of: Make, rows: list[tuple[str, str, str, Interval]], granularity: Granularity, surely: bool
) -> None:
    first, last = (Period.containing(Date.parse(day).first, granularity) for day in ("1999-12-31", "2002-02-01"))
    facts = [("t", "Q", "z", Interval.parse("1899", "1950")), *rows]
    store = base_of([(s, r, o, str(i.start), str(i.end)) for s, r, o, i in facts], inverted="keep")
    worlds: dict[int, dict[tuple[str, str], set[str]]] = {}
    for period in first.to(last):
        world = defaultdict(set)
        for subject, relation, object, interval in facts:
            bounds = interval.bounds(known_by=store.known_by)
            if (bounds.surely_meets if surely else bounds.possibly_meets)(period):
                world[subject, relation].add(object)
        worlds[period.index] = dict(world)
    engine = open_engine()
    found = engine.table(define.items(TABLES, first, last, surely=surely), store).to_pylist()
    assert {(row["index"], row["subject"], row["relation"]): row["answers"] for row in found} == {
        (index, *key): sorted(objects) for index, world in worlds.items() for key, objects in world.items()
    }
    assert [row["period"] for row in found] == [str(Period(granularity, row["index"])) for row in found]
    steps = engine.table(define.steps(TABLES.facts, first, last, surely=surely), store).to_pylist()
    assert {row["index"] for row in steps} <= {period.index for period in (first + 1).to(last)}
    world = worlds[first.index]
    for period in (first + 1).to(last):
        for row in (row for row in steps if row["index"] == period.index):
            key, before, after = (row["subject"], row["relation"]), set(row["before"]), set(row["after"])
            assert world.get(key, set()) == before
            status = "new" if not before else "deleted" if not after else "unchanged" if before == after else "updated"
            assert row["status"] == status
            world = world | {key: after}
        world = {key: objects for key, objects in world.items() if objects}
        assert world == worlds[period.index]


def test_periods_before_christ_are_named_as_periods_are(mixed: list[FactStore]) -> None:
    for granularity in Granularity:
        first, last = (Period.containing(Date.parse(day).first, granularity) for day in ("-0003-11-15", "0002-02-01"))
        found = open_engine().table(define.items(TABLES, first, last), mixed[0]).to_pylist()
        assert {row["period"] for row in found} == {str(period) for period in first.to(last)}


def test_histories_are_in_the_order_of_time(mixed: list[FactStore]) -> None:
    store = mixed[0]
    groups: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in FactTable(store.sql("SELECT * FROM facts")):
        groups[fact.subject, fact.relation].append(fact)
    found = open_engine().table(define.histories(TABLES.facts), store).to_pylist()
    assert len(found) == len(groups)
    for row in found:
        facts = groups[row["subject"], row["relation"]]
        bounds = [fact.interval.bounds(known_by=store.known_by) for fact in facts]
        inorder = sorted((b.earliest_start, b.latest_end, f.object) for f, b in zip(facts, bounds, strict=True))
        assert list(zip(row["starts"], row["ends"], row["objects"], strict=True)) == inorder
        assert row["different"] == len({fact.object for fact in facts})
        assert row["periods"] == len({(b.earliest_start, b.latest_end) for b in bounds})
    evolving = open_engine().table(define.evolving(TABLES.facts), store).to_pylist()
    assert {(row["subject"], row["relation"]) for row in evolving} == {
        (row["subject"], row["relation"]) for row in found if row["different"] > 1 and row["periods"] > 1
    }


def test_facts_that_hold_are_those_of_the_store(almanac: FactStore) -> None:
    for when in (Date.parse("1850"), Period.parse("2021-Q1"), Date.parse("-0044-03-15")):
        for surely in (False, True):
            held = define.facts_in_order(define.holding(TABLES.facts, when, surely=surely))
            asked = almanac.facts(during=when, surely=surely).table
            found = open_engine().table(held, almanac)
            names = ["subject", "relation", "object", "start_first", "end_last"]
            assert found.select(names).to_pylist() == asked.select(names).to_pylist()


def test_periods_of_two_lengths_are_refused() -> None:
    with pytest.raises(UserError, match="is a quarter, 2021 is a year: give two periods of the same length"):
        define.snapshots(TABLES.facts, Period.parse("2020-Q1"), Period.parse("2021"))
    with pytest.raises(UserError, match="2021-Q2 comes after 2021-Q1"):
        define.snapshots(TABLES.facts, Period.parse("2021-Q2"), Period.parse("2021-Q1"))
