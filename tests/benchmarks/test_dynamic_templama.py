"""DynamicTempLAMA: the paper's table 3, its splits by hand, and every item against plain Python."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asof.benchmarks import Item, build, read_benchmark
from asof.benchmarks._folder import items_of as items_of_table
from asof.benchmarks.dynamic_templama import DynamicTempLama
from asof.benchmarks.dynamic_templama.spells import AnswerSpells, spells
from asof.benchmarks.templama import TempLama
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.facts import definitions as define
from asof.facts.definitions.tables import Tables
from asof.facts.engines import open_engine
from asof.sources import open_source
from asof.timeline import Date, Granularity, Interval, Period
from asof.wording import Wording
from tests.timeline.strategies import intervals

Make = Callable[..., FactStore]
RONALDO, ITALY, BRITAIN = "Cristiano Ronaldo plays for _X_.", "_X_ is the head of the government of Italy.", "Q145|P6"
EVERYBODY = 10**9


def items_of(store: FactStore, **chosen: object) -> list[Item]:
    kind = DynamicTempLama(**chosen)  # type: ignore[arg-type]
    return list(kind.items(store, Wording()))


def named_base(folder: Path, rows: Sequence[tuple[str, ...]], subject_label: str = "") -> FactStore:
    """Write a base whose entities have names of their own, which the paper's choice of facts asks for."""
    lines = [("subject", "relation", "object", "start", "end", "subject_label", "object_label")]
    lines += [(f"{s}.", r, f"{o}.", start, end, subject_label or s, o) for s, r, o, start, end in rows]
    table = folder / "named.tsv"
    table.write_text("\n".join("\t".join(line) for line in lines) + "\n", encoding="utf-8")
    write_base(folder / "named", [open_source(str(table))])
    return FactStore(folder / "named")


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(asof, ["build", *map(str, words)], catch_exceptions=False)


def test_table_3_of_the_paper(almanac: FactStore) -> None:
    found = items_of(almanac, protocol="margatina2023", relations="P54,P6")
    printed = {
        (RONALDO, "2021-Q2"): ("Juventus FC",),
        (RONALDO, "2021-Q3"): ("Juventus FC", "Manchester United F.C."),
        (RONALDO, "2021-Q4"): ("Manchester United F.C.",),
        (ITALY, "2020-Q4"): ("Giuseppe Conte",),
        (ITALY, "2021-Q1"): ("Giuseppe Conte", "Mario Draghi"),
        (ITALY, "2021-Q2"): ("Mario Draghi",),
        ("_X_ is the head of the government of the United Kingdom.", "2019-Q3"): ("Theresa May", "Boris Johnson"),
    }
    answers = {(item.prompt, item.tags["period"]): item.answers for item in found}
    assert {key: answers[key] for key in printed} == printed


def test_all_answers_and_their_aliases_are_right(almanac: FactStore) -> None:
    found = {item.id: item for item in items_of(almanac, relations="P54, head of government")}
    both = found["Q11571 P54 @ 2021-Q3"]
    assert both.answers[:3] == ("Portugal national football team", "Juventus FC", "Manchester United F.C.")
    assert {"Juve", "Man Utd"} <= set(both.answers[3:])
    assert both.tags["labels"] == 3
    assert both.group == "Q11571|P54"
    period = Period.parse("2021-Q3")
    assert found["Q38 P6 @ 2021-Q3"].tags == {
        "subject": "Q38",
        "relation": "P6",
        "subject_label": "Italy",
        "relation_label": "head of government",
        "period": "2021-Q3",
        "first_day": period.first,
        "last_day": period.last,
        "split": "unchanged",
        "previous": "Giuseppe Conte",
        "since": "2021-Q2",
        "labels": 1,
    }
    assert found["Q38 P6 @ 2019-Q1"].tags["split"] is None
    assert found["Q38 P6 @ 2019-Q1"].tags["since"] == "2018-Q3"  # before the range


CHANGES = [
    ("Italy", "P6", "Conte", "2018-06-01", "2021-02-13"),
    ("Italy", "P6", "Draghi", "2021-02-13", "2022-10-22"),
    ("Ghent", "P6", "A", "2018", "2019-06-30"),  # nobody from July to September
    ("Ghent", "P6", "B", "2019-10-01", "2020-01-15"),
    ("Ghent", "P6", "A", "2020-01-15", "2020-06-30"),  # A again
    ("Ronaldo", "P54", "Portugal", "2003", "ongoing"),
    ("Ronaldo", "P54", "Juventus", "2018-07-10", "2019-08-31"),
    ("Oslo", "P6", "C", "2015", "2019-05-01"),  # a second term is no change
    ("Oslo", "P6", "C", "2019-05-02", "2025"),
    ("Bern", "P6", "D", "2019-07-01", "2025"),
    ("Bern", "P6", "E", "", ""),  # no date at all
]


def test_splits_by_hand(base_of: Make, tmp_path: Path) -> None:
    found = items_of(base_of(CHANGES), first="2019-Q1", last="2020-Q4")
    told = {item.id: tuple(item.tags[name] for name in ("split", "previous", "since")) for item in found}
    assert told["Oslo P6 @ 2019-Q2"] == ("unchanged", None, "2015-Q1")
    assert [told.get(f"Ghent P6 @ 2019-Q{quarter}") for quarter in (1, 2, 3, 4)] == [
        (None, None, "2018-Q1"),
        ("unchanged", None, "2018-Q1"),
        None,  # deleted: no answer is right, so there is nothing to ask
        ("new", "A", "2019-Q4"),
    ]
    assert told["Ghent P6 @ 2020-Q1"] == ("updated", None, "2020-Q1")  # A is right again, so no answer is outdated
    assert told["Ghent P6 @ 2020-Q2"] == ("updated", "B", "2020-Q2")
    assert "Ghent P6 @ 2020-Q3" not in told
    assert told["Ronaldo P54 @ 2019-Q4"] == ("updated", "Juventus", "2019-Q4")  # one is gone, none has come
    assert told["Bern P6 @ 2019-Q3"] == ("new", None, "2019-Q3")
    by_paper = items_of(named_base(tmp_path, CHANGES), protocol="margatina2023", **HALF)
    splits = {item.id: item.tags["split"] for item in by_paper}
    assert splits["Ghent. P6 @ 2020-Q1"] == "updated"
    assert splits["Ghent. P6 @ 2020-Q2"] == "unchanged"  # the paper sees only labels that come


HALF = {"first": "2019-Q1", "last": "2020-Q4"}


def test_statistics_by_hand(tmp_path: Path) -> None:
    store = named_base(tmp_path, CHANGES)
    table = build(tmp_path / "ours", DynamicTempLama(**HALF), store, Wording()).statistics()  # type: ignore[arg-type]
    assert table is not None
    rows = {row.pop("period"): row for row in table.to_pylist()}
    keys = ("facts", "unchanged", "updated", "new", "deleted", "gone")
    assert tuple(rows["2019-Q1"].values()) == (4, None, None, None, None, None)
    assert rows["2019-Q3"] == dict(zip(keys, (4, 4, 0, 1, 1, 0), strict=True))  # Ghent without, Bern with a head
    assert rows["2019-Q4"] == dict(zip(keys, (5, 4, 0, 1, 0, 1), strict=True))  # Juventus gone, B new
    assert rows["2020-Q1"] == dict(zip(keys, (5, 5, 1, 0, 0, 0), strict=True))  # A beside B
    kind = DynamicTempLama(protocol="margatina2023", **HALF)  # type: ignore[arg-type]
    paper = build(tmp_path / "paper", kind, store, Wording()).statistics()
    assert paper is not None and paper.column_names == ["period", *keys[:-1]]


def test_the_published_program_ends_years_in_june_and_merges_names(tmp_path: Path) -> None:
    store = named_base(tmp_path, [("Italy", "P6", "A", "2018", "2019"), ("Italy", "P6", "B", "2020", "2022")])
    for protocol, answers in (("margatina2023", ("A",)), ("margatina2023-program", None)):
        found = {item.id: item.answers for item in items_of(store, protocol=protocol)}
        assert found["Italy. P6 @ 2019-Q2"] == ("A",)
        assert found.get("Italy. P6 @ 2019-Q3") == answers
    two = [("Q1", "A", "2018", "2020"), ("Q1", "B", "2020", "2022"), ("Q2", "C", "2018", "2020")]
    two.append(("Q2", "D", "2020", "2022"))
    same = named_base(tmp_path, [(id, "P6", *rest) for id, *rest in two], subject_label="Springfield")
    apart = {item.group: set(item.answers) for item in items_of(same, protocol="margatina2023", last="2019-Q1")}
    assert apart == {"Q1.|P6": {"A"}, "Q2.|P6": {"C"}}
    merged = items_of(same, protocol="margatina2023-program", last="2019-Q1")
    assert [(item.group, set(item.answers)) for item in merged] == [("Q1.|P6", {"A", "C"})]


held = st.lists(st.tuples(*(st.integers(0, most) for most in (2, 3, 9, 9))), max_size=12)


@given(held, st.integers(0, 9))
def test_spells_are_those_of_plain_python(rows: list[tuple[int, ...]], last: int) -> None:
    columns = np.array(sorted(rows, key=lambda row: (row[0], row[2], row[3])), np.int64).reshape(-1, 4).T
    found = spells(AnswerSpells(*columns), last)
    answers: defaultdict[int, set[int]] = defaultdict(set)
    for spell, answer in zip(found.spell_of.tolist(), found.answer.tolist(), strict=True):
        assert answer not in answers[spell]
        answers[spell].add(answer)
    seen = {}
    for spell, (pair, start, end) in enumerate(zip(found.pair, found.start, found.end, strict=True)):
        now, before = answers[spell], answers[spell - 1] if spell and found.pair[spell - 1] == pair else set()
        assert now != before
        assert (found.size[spell], found.before[spell]) == (len(now), len(before))
        assert (found.entered[spell], found.left[spell]) == (len(now - before), len(before - now))
        seen |= {(int(pair), period): now for period in range(start, end + 1)}
    for pair in range(3):
        for period in range(last + 1):
            right = {answer for owner, answer, start, end in rows if owner == pair and start <= period <= end}
            assert seen.get((pair, period), set()) == right


histories = st.lists(
    st.tuples(st.sampled_from("st"), st.sampled_from(["P6", "P54"]), st.sampled_from("abc"), intervals(near=True)),
    max_size=9,
)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories, st.sampled_from(Granularity), st.booleans())
def test_items_are_those_of_plain_python(
    base_of: Make, rows: list[tuple[str, str, str, Interval]], by: Granularity, surely: bool
) -> None:
    """Answers are the objects whose interval touches the period; splits, since and previous follow from them."""
    rows = [("t", "P54", "z", Interval.parse("1995", "2001")), *rows]
    known_by = Date.parse("2002-12-31")
    store = base_of([(s, r, o, str(i.start), str(i.end)) for s, r, o, i in rows], known_by=known_by)
    known: defaultdict[tuple[str, str], list[tuple[str, Interval]]] = defaultdict(list)
    for subject, relation, answer, interval in rows:
        if isinstance(interval.start, Date) or isinstance(interval.end, Date):
            known[subject, relation].append((answer, interval))

    def world(pair: tuple[str, str], index: int) -> set[str]:
        period = Period(by, index)
        return {
            answer
            for answer, interval in known[pair]
            for bounds in [interval.bounds(known_by=known_by)]
            if (bounds.surely_meets if surely else bounds.possibly_meets)(period)
        }

    def turns(pair: tuple[str, str]) -> set[int]:
        days = [day for _, interval in known[pair] for day in interval.bounds(known_by=known_by)]
        indexes = {Period.containing(day, by).index for day in days}
        return indexes | {index + 1 for index in indexes}

    first, last = (Period.containing(Date.parse(day).first, by) for day in ("1999-12-31", "2002-02-01"))
    kind = DynamicTempLama(first=str(first), last=str(last), by=str(by), surely=surely)  # type: ignore[arg-type]
    made = kind.made(store, Wording())
    found = {item.id: item for table in made.tables for item in items_of_table(table)}
    counts = {row["period"]: row for row in made.statistics.to_pylist()}  # type: ignore[union-attr]
    expected = 0
    for period in first.to(last):
        counted: Counter[str] = Counter()
        for pair in known:
            now, before = world(pair, period.index), world(pair, period.index - 1)
            expected += bool(now)
            if now:
                counted.update(facts=1, unchanged=len(now & before), gone=len(before - now))
                counted["updated" if before else "new"] += len(now - before)
                _check(found[f"{pair[0]} {pair[1]} @ {period}"], now, before, period, first, world, turns(pair), pair)
            else:
                counted["deleted"] += len(before)
        row = counts[str(period)]
        assert row["facts"] == counted["facts"]
        if period != first:
            assert {name: row[name] for name in row if name != "period"} == {
                name: counted[name] for name in row if name != "period"
            }
    assert len(found) == expected


def _check(
    item: Item,
    now: set[str],
    before: set[str],
    period: Period,
    first: Period,
    world: Callable[[tuple[str, str], int], set[str]],
    turns: set[int],
    pair: tuple[str, str],
) -> None:
    assert set(item.answers) == now and len(item.answers) == len(now)
    split = "new" if not before else "unchanged" if now == before else "updated"
    assert item.tags["split"] == (None if period == first else split)
    since = Period.parse(str(item.tags["since"])).index
    if world(pair, since - 1) == now:  # nobody stated a start, so that there is no first period
        assert since == first.index
        assert all(world(pair, index) == now for index in turns if index <= period.index)
    assert all(world(pair, index) == now for index in turns if since <= index <= period.index)
    lost: set[str] = set()
    for index in sorted(index for index in turns if index <= period.index):
        lost = (world(pair, index - 1) - world(pair, index)) or lost
    previous = item.tags["previous"]
    assert previous in lost - now if previous else not lost or lost & now


def test_items_are_those_of_the_definitions(almanac: FactStore) -> None:
    """The whole almanac, computed by the engine period by period, as an independent way to the same items."""
    first, last = Period.parse("2019-Q1"), Period.parse("2022-Q2")
    undated = almanac.sql("SELECT DISTINCT subject || '|' || relation AS g FROM facts WHERE start_first IS NULL "
                          "AND end_first IS NULL")["g"].to_pylist()  # fmt: skip
    found = {
        item.id: (sorted(item.answers), item.tags["split"])
        for item in items_of(almanac, subjects=EVERYBODY, aliases=False)
        if item.group not in undated
    }
    say = Wording()
    lasting = {id for id in almanac.relations if say.can_say(id) and not say.template(id).instant}
    rows = open_engine().table(define.items(Tables(), first, last), almanac).to_pylist()
    assert found == {
        row["id"]: (sorted(set(row["answers"])), row["status"])
        for row in rows
        if row["relation"] in lasting and f"{row['subject']}|{row['relation']}" not in undated
    }


def test_built_twice_it_is_the_same_to_the_byte(almanac: FactStore, tmp_path: Path) -> None:
    kind = DynamicTempLama(facts=200, first="2018", last="2020", by="month")
    for name in ("one", "two"):
        made = build(tmp_path / name, kind, almanac, Wording())
    assert made.groups_count == 200
    assert next(iter(made.items())) == next(iter(kind.items(almanac, Wording())))
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["benchmark.toml", "items.parquet", "statistics.tsv"]
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_templama_says_the_year(almanac: FactStore) -> None:
    found = {item.id: item.prompt for item in TempLama(relations="P54,P6,P36", facts=400).items(almanac, Wording())}
    assert found["Q11571 P54 @ 2012"] == "In 2012, Cristiano Ronaldo played for _X_."
    assert found["Q145 P6 @ 2012"] == "In 2012, _X_ was the head of the government of the United Kingdom."
    quarter = DynamicTempLama(dated=True, relations="P6", facts=20, last="2019-Q1").items(almanac, Wording())
    assert all(item.prompt.startswith("In the first quarter of 2019, ") for item in quarter)


def test_own_templates_for_own_relations(base_of: Make, tmp_path: Path) -> None:
    store = base_of([("Ship", "flag", "Panama", "2018", "2020"), ("United Kingdom", "flag", "Union Jack", "1801", "")])
    with pytest.raises(UserError, match=r"(?s)no facts for dynamic-templama .*of relations without a sentence"):
        build(tmp_path / "made", DynamicTempLama(), store, Wording())
    with pytest.raises(UserError, match=r"There is no en wording for relation 'flag'\. Write one in a TOML file"):
        items_of(store, relations="flag")
    good = tmp_path / "good.toml"
    good.write_text(
        '[flag]\npresent = "{subject} flies the flag {object}"\npast = "{subject} flew the flag {object}"\n'
        'starts = "{subject} began to fly the flag {object}"\n',
        encoding="utf-8",
    )
    assert {item.prompt for item in items_of(store, templates=str(good))} == {
        "Ship flies the flag _X_.",
        "The United Kingdom flies the flag _X_.",
    }
    dated = items_of(store, templates=str(good), dated=True, by="year")
    assert {item.prompt for item in dated if item.tags["subject"] == "United Kingdom"} >= {
        "In 2019, the United Kingdom flew the flag _X_."
    }
    bad = tmp_path / "bad.toml"
    bad.write_text(good.read_text(encoding="utf-8").replace("flag {object}", "flag", 1), encoding="utf-8")
    with pytest.raises(UserError, match=r"bad.toml, \[flag\], present: .* must have \{object\} and \{subject\} once"):
        items_of(store, templates=str(bad))


def test_what_cannot_be_is_told_before_anything_runs(almanac: FactStore, tmp_path: Path) -> None:
    for chosen, message in [
        ({"first": "2022-Q2", "last": "2019-Q1"}, "2022-Q2 comes after 2019-Q1: give the earlier period first"),
        ({"by": "quater"}, "'quater' is not a length of a period. Did you mean 'quarter'"),
        ({"first": "soon"}, "'soon' is not a valid period"),
        ({"relations": "P6,P54321"}, "almanac has no relation 'P54321'"),
        ({"relations": " , "}, "No relation is named"),
        (
            {"first": "-3000", "last": "-2999", "relations": "P54"},
            r"(?s)no facts for .* of these relations from \d+ to \d+\.",
        ),
        ({"templates": "nowhere.toml"}, "nowhere.toml could not be read"),
    ]:
        with pytest.raises(UserError, match=message):
            build(tmp_path / "made", DynamicTempLama(**chosen), almanac, Wording())  # type: ignore[arg-type]
        assert not (tmp_path / "made").exists()


def test_the_command(base_of: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    base = base_of(CHANGES, known_by=Date.parse("2020-06-30")).folder
    ran = run("dynamic-templama", "--base", base, "--from", "2019", "--until", "2020", "--by", "year", "--to", "made")
    assert ran.exit_code == 0
    assert "made holds 10 items about 5 subject–relation pairs." in ran.stderr
    assert "Skipped 1 fact without any date, for example: " in ran.stderr
    assert "has data current to 2020-06-30: what was ongoing then counts as right in all of 2020." in ran.stderr
    assert ran.stdout.splitlines()[0] == "period\tfacts\tunchanged\tupdated\tnew\tdeleted\tgone"
    again = run("dynamic-templama", "--base", base, "--until", "2020", "--to", "made", "--overwrite", "--json")
    told = json.loads(again.stdout)
    assert [row["period"] for row in told["statistics"]][::5] == ["2019-Q1", "2020-Q2"]
    assert "has data current to 2020-06-30: later periods are skipped (2020-Q3 to 2020-Q4)." in told["notes"][0]
    assert read_benchmark(Path("made")).probe == "pseudo-likelihood"
    run("timestress", "--limit", "1", "--to", "made", "--overwrite")
    assert read_benchmark(Path("made")).statistics() is None  # those of another benchmark are gone
    for options, message in [
        (["--seed", "3"], "dynamic-templama takes no --seed. Its settings are: first, last, by"),
        (["--protocol", "margatina"], "'margatina' is not one of corrected, margatina2023"),
        (
            ["--from", "2021", "--until", "2022"],
            "has data current to 2020-06-30, so it is not known what was right from 2021-Q1",
        ),
        (["--from", "2019-Q1", "--to", "2022-Q2"], "--to is the folder. For the last period use --until 2022-Q2"),
    ]:
        with pytest.raises(UserError, match=message):
            run("dynamic-templama", "--base", base, *options)
    assert run("dynamic-templama", "--by", "fortnight").exit_code == 2


def test_a_period_without_facts_is_named(base_of: Make) -> None:
    store = base_of([("Ghent", "P6", "A", "2018", "2019-03-31"), ("Ghent", "P6", "B", "2019-10-01", "2020")])
    made = DynamicTempLama(last="2019-Q4").made(store, Wording())
    assert made.account.notes == ("Periods without facts: 2019-Q2, 2019-Q3.",)


def test_subjects_without_a_name_are_told(base_of: Make) -> None:
    store = base_of([("Q77112", "P26", "Q780846", "1991", "2025"), ("Italy", "P6", "A", "2018", "2025")])
    (note,) = DynamicTempLama().made(store, Wording()).account.notes
    assert note.startswith("Without a name for the subject, so that no language model can know them: 1 of 2 facts")


def test_what_comes_after_the_range_changes_no_item(base_of: Callable[..., FactStore]) -> None:
    terms = [
        (f"Town {place}", f"Mayor {place}-{turn}", 1996 + place % 5 + 3 * turn, 1999 + place % 5 + 3 * turn)
        for place in range(12)
        for turn in range(9)
    ]
    as_it_came = [(town, "P6", mayor, f"{start}-03-01", f"{end}-03-01") for town, mayor, start, end in terms]
    otherwise = [
        (town, "P6", mayor if start <= 2015 else "Nobody", f"{start}-03-01", f"{end if end <= 2015 else 2031}-03-01")
        for town, mayor, start, end in terms
    ]
    until_2015 = {"first": "2010-Q1", "last": "2015-Q4"}
    found = items_of(base_of(as_it_came), **until_2015)
    assert len(found) == 12 * 24
    assert items_of(base_of(otherwise), **until_2015) == found
