"""LAMA-TK: the statements that the paper prints, every item against plain Python, samples, hostile names."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asof.benchmarks import Item, build, read_benchmark
from asof.benchmarks.lama_tk import LamaTk
from asof.cli import asof
from asof.errors import UserError
from asof.facts import Fact, FactStore, write_base
from asof.sources import open_source
from asof.timeline import Date, End, Interval, Precision
from asof.timeline.words import at
from asof.wording import Wording, templates
from tests.conftest import shared
from tests.timeline.strategies import intervals

Make = Callable[..., FactStore]
SAY = Wording(paper="lama-tk")

PAPER = [  # tables 1 and 9, figures 1 and 3; where the paper gives no second date, one of ours
    ("Michael Jordan", "P54", "Chicago Bulls", "1984", "1993"),
    ("Michael Jordan", "P54", "Chicago Bulls", "1995", "1998"),
    ("Michael Jordan", "P54", "Washington Wizards", "2001", "2003"),
    ("John Bardeen", "P166", "Nobel Prize in Physics", "1956", "1956"),
    ("John Bardeen", "P166", "Nobel Prize in Physics", "1972", "1972"),
    ("Philip Showalter Hench", "P69", "University of Freiburg", "1928", "1929"),
    ("Bernhard Neumann", "P69", "University of Freiburg", "1928", "1929"),
    ("Murray Hill", "P39", "Minister for Transport", "1968", "1970"),
    ("Murray Hill", "P39", "Minister of Roads", "1968", "1970"),
    ("Emiliano Aguirre", "P108", "University of Granada", "1971", "1974"),
    ("Sidney Lumet", "P26", "Rita Gam", "1949", "1955"),
    ("Pasquale Brignoli", "P27", "Kingdom of Italy", "1861", "1884"),
    ("Barack Obama", "P39", "president of the United States", "2009", "2017"),
    ("Barack Obama", "P39", "United States senator", "2007", "2008"),
    ("Barack Obama", "P166", "Nobel Peace Prize", "2009", "2009"),
]


def items_of(store: FactStore, **chosen: object) -> list[Item]:
    return list(LamaTk(**chosen).items(store, Wording()))  # type: ignore[arg-type]


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(asof, ["build", "lama-tk", *map(str, words)], catch_exceptions=False)


def test_the_statements_of_the_paper(base_of: Make) -> None:
    found = {item.prompt: item.answers for item in items_of(base_of(PAPER))}
    printed = {
        "Michael Jordan played for _X_ from 1995 to 1998.": ("Chicago Bulls",),
        "Michael Jordan played for Chicago Bulls from 1984 to _X_.": ("1993",),
        "Murray Hill held the position of _X_ from 1968 to 1970.": ("Minister for Transport", "Minister of Roads"),
        "Emiliano Aguirre worked for University of Granada from _X_ to 1974.": ("1971",),
        "_X_ and Rita Gam were spouses from 1949 to 1955.": ("Sidney Lumet",),
        "Pasquale Brignoli was a citizen of _X_ from 1861 to 1884.": ("Kingdom of Italy",),
        "_X_ held the position of the president of the United States from 2009 to 2017.": ("Barack Obama",),
    }
    assert {prompt: tuple(sorted(found[prompt])) for prompt in printed} == printed
    both = [set(found[f"_X_ studied at University of Freiburg from 1928 to {1929}."])]
    assert both == [{"Philip Showalter Hench", "Bernhard Neumann"}]


def test_each_answer_is_left_out_once_and_comes_first(base_of: Make) -> None:
    prompt = "John Bardeen received Nobel Prize in Physics in _X_."
    asked = [item for item in items_of(base_of(PAPER)) if item.prompt == prompt]
    assert [item.answers for item in asked] == [("1956", "1972"), ("1972", "1956")]
    assert [item.tags["answer_ids"] for item in asked] == ["1956|1972", "1972|1956"]
    assert asked[0].tags | {"subject": ""} == {
        "query": "recite", "place": "start", "subject": "", "relation": "P166", "object": "Nobel Prize in Physics",
        "relation_label": "award received", "start": "1956", "end": "1956", "answer_id": "1956",
        "answer_ids": "1956|1972", "answer_count": 2, "number": "multiple", "one_to_one": True, "conflicts": 1,
    }  # fmt: skip


def test_four_items_for_a_fact_and_three_for_a_moment(base_of: Make) -> None:
    found = defaultdict(list)
    for item in items_of(base_of(PAPER)):
        found[item.group].append(item.tags["place"])
    assert len(found) == len(PAPER)
    for group, places in found.items():
        assert places == ["subject", "object", "start", *([] if " P166 " in group else ["end"])]


def test_the_boundary_queries_of_the_paper(base_of: Make) -> None:
    found = {item.prompt: item.answers for item in items_of(base_of(PAPER), query="boundary")}
    assert found["Barack Obama was elected the president of the United States in _X_."] == ("2009",)
    assert found["Barack Obama resigned from the president of the United States in _X_."] == ("2017",)
    assert set(found["Michael Jordan started to play for Chicago Bulls in _X_."]) == {"1984", "1995"}
    assert not any("Nobel" in prompt for prompt in found)


def test_what_held_in_between_with_distractors(base_of: Make) -> None:
    found = items_of(base_of(PAPER), query="implicit", relations="position held, member of sports team")
    by_query = {(item.tags["query"], item.tags["object"]): item for item in found}
    obama = by_query["implicit-original", "president of the United States"]
    year = int(str(obama.tags["when"]))
    assert 2009 < year < 2017
    assert obama.prompt == f"Barack Obama held the position of _X_ in {year}."
    assert obama.tags["distractors"] == 1  # the prize is of a relation that was not chosen
    new = by_query["implicit-new", "president of the United States"]
    assert new.prompt == f"Barack Obama served as _X_ in {year}."
    assert by_query["implicit-original", "Washington Wizards"].prompt == "Michael Jordan played for _X_ in 2002."
    assert ("implicit-original", "United States senator") not in by_query  # no year inside
    (all_of_them,) = [item for item in items_of(base_of(PAPER), query="implicit") if item.id == obama.id]
    assert all_of_them.tags["distractors"] == 2


def test_without_conflicts_every_prompt_has_one_answer(base_of: Make) -> None:
    store = base_of(PAPER)
    every, alone = items_of(store), items_of(store, conflicts=False)
    assert alone == [item for item in every if item.tags["number"] == "single"]
    assert len({item.prompt for item in alone}) == len(alone) < len(every)
    kept = LamaTk(conflicts=False, relations="P166").made(base_of(PAPER[3:5]), Wording())
    assert not kept.account.left_out  # both facts still have a subject to ask for


# ---- plain Python


def coarse(end: End, by: str) -> End:
    if not isinstance(end, Date) or end.precision <= Precision[by.upper()]:
        return end
    return Date.of(end.year) if by == "year" else Date.of(end.year, end.month)


def chosen_facts(store: FactStore, by: str, *, keep_open_ends: bool) -> dict[tuple[str, ...], tuple[str, Fact]]:
    """Choose facts by the rules, one after the other; by what they say: the id and the coarse form."""
    found: dict[tuple[str, ...], tuple[str, Fact]] = {}
    for fact in store.facts():
        start, end = coarse(fact.start, by), coarse(fact.end, by)
        instant = say_of(store).template(fact.relation).instant
        dates = [one for one in (start, end) if isinstance(one, Date)]
        if not dates or (len(dates) < 2 and not instant and not keep_open_ends) or fact.interval.inverted:
            continue
        if instant:
            start = end = dates[0]
        said = Fact(
            subject=fact.subject, relation=fact.relation, object=fact.object, interval=Interval(start, end),
            subject_label=fact.subject_label, object_label=fact.object_label,
        )  # fmt: skip
        found.setdefault((fact.subject, fact.relation, fact.object, str(start), str(end)), (fact.id, said))
    return found


def say_of(store: FactStore) -> Wording:
    return Wording(paper="lama-tk", labels={id: one.label for id, one in store.relations.items()})


def masks_of(fact: Fact) -> dict[str, str]:
    """Return what may be left out: place and id of the answer."""
    found = {"subject": fact.subject, "object": fact.object}
    found |= {"start": str(fact.start)} if isinstance(fact.start, Date) else {}
    same = fact.start == fact.end
    return found | ({"end": str(fact.end)} if isinstance(fact.end, Date) and not same else {})


names = st.sampled_from(["Ann", "Bob", "Italy", "United Kingdom", "Le Havre", "the", "{object}", "P54"])
rows = st.lists(
    st.tuples(names, st.sampled_from(["P54", "P36", "P1376", "P166", "P39", "hasFlag"]), names, intervals(near=True)),
    min_size=1, max_size=10,
)  # fmt: skip
lenient = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
SURE = ("Ann", "P54", "Bob", Interval.parse("1990", "1995"))


def store_of(base_of: Make, drawn: Sequence[tuple[str, str, str, Interval]]) -> FactStore:
    return base_of([(s, r, o, str(i.start), str(i.end)) for s, r, o, i in [SURE, *drawn]])


@lenient
@given(rows, st.sampled_from(["year", "month", "day"]), st.booleans(), st.booleans())
def test_items_are_those_of_plain_python(
    base_of: Make, drawn: list[tuple[str, str, str, Interval]], by: str, conflicts: bool, keep_open_ends: bool
) -> None:
    store = store_of(base_of, drawn)
    say, right = say_of(store), defaultdict(set)
    expected = {}
    for id, fact in chosen_facts(store, by, keep_open_ends=keep_open_ends).values():
        for place, answer in masks_of(fact).items():
            prompt = say.cloze(fact, blank=place, mask="_X_")  # type: ignore[arg-type]
            expected[f"{id} {place}"] = (prompt, answer)
            right[prompt].add(answer)
    kept = {id: both for id, both in expected.items() if conflicts or len(right[both[0]]) == 1}
    found = items_of(store, by=by, conflicts=conflicts, keep_open_ends=keep_open_ends)
    assert {item.id: (item.prompt, item.tags["answer_id"]) for item in found} == kept
    for item in found:
        ids = str(item.tags["answer_ids"]).split("|")
        assert ids[0] == item.tags["answer_id"] and set(ids) == right[item.prompt]
        assert len(ids) == len(set(ids)) == len(item.answers) == item.tags["answer_count"]
        siblings = [expected[id][0] for id in expected if id.rpartition(" ")[0] == item.group]
        assert item.tags["conflicts"] == sum(len(right[prompt]) > 1 for prompt in siblings)


@lenient
@given(rows, st.sampled_from(["year", "month"]), st.integers(0, 3))
def test_implicit_items_are_those_of_plain_python(
    base_of: Make, drawn: list[tuple[str, str, str, Interval]], by: str, seed: int
) -> None:
    store = store_of(base_of, [*drawn, ("Ann", "P54", "Italy", Interval.parse("1980", "1999"))])
    say = say_of(store)
    facts = list(chosen_facts(store, by, keep_open_ends=False).values())
    found = {item.id: item for item in items_of(store, query="implicit", by=by, seed=seed)}
    for id, fact in facts:
        first, last = (unit(day, by) for day in (fact.start.last, fact.end.first))  # type: ignore[union-attr]
        if last - first < 2:
            continue
        lot = int.from_bytes(hashlib.sha256(f"{seed} {id}".encode()).digest()[:7], "big")
        time = date_of(first + 1 + lot % (last - first - 1), by)
        objects = {other.object for _, other in facts if other.subject == fact.subject}
        if not objects - right_at(say, facts, fact, "past", time):
            continue
        for query, name in (("implicit-original", "past"), ("implicit-new", "paraphrase")):
            item = found.pop(f"{id} @ {time} {query}")
            right = right_at(say, facts, fact, name, time)
            assert item.prompt == f"{spoken(say, fact, name)} {at(time)}."
            assert set(str(item.tags["answer_ids"]).split("|")) == right and item.answers[0] == fact.object
            assert item.tags["distractors"] == len(objects - right_at(say, facts, fact, "past", time))
    assert found == {}


def right_at(say: Wording, facts: list[tuple[str, Fact]], asked: Fact, name: str, time: Date) -> set[str]:
    """Return the objects of all facts that say the same, but for the object, and hold at a time."""
    return {
        fact.object
        for _, fact in facts
        if say.template(fact.relation).has(name) and spoken(say, fact, name) == spoken(say, asked, name)
        and fact.start.first <= time.last and time.first <= fact.end.last  # type: ignore[union-attr]
    }  # fmt: skip


def spoken(say: Wording, fact: Fact, name: str) -> str:
    text = say.template(fact.relation).sentence(name)
    before, after = text.split("{object}")
    known = {"subject": fact.subject, "object": ""}
    return say.grammar.fill(before, known) + "_X_" + say.grammar.fill(after, known, opening=not before)


def unit(day: int, by: str) -> int:
    date = Date.from_day(day)
    return date.year if by == "year" else date.year * 12 + date.month - 1


def date_of(number: int, by: str) -> Date:
    return Date.of(number) if by == "year" else Date.of(number // 12, number % 12 + 1)


# ---- samples, accounts, files


def test_a_smaller_sample_is_part_of_a_larger_one(almanac: FactStore) -> None:
    groups = []
    for size in (50, 200, 800):
        tables = LamaTk(facts=size, seed=3).made(almanac, Wording()).tables
        groups.append({group for table in tables for group in table["group"].to_pylist()})
    assert [len(one) for one in groups] == [50, 200, 800]
    assert groups[0] < groups[1] < groups[2]
    other = {group for table in LamaTk(facts=50, seed=4).made(almanac, Wording()).tables for group in
             table["group"].to_pylist()}  # fmt: skip
    assert other != groups[0]


def test_all_queries_are_about_the_same_sample(almanac: FactStore) -> None:
    asked = {query: {item.group for item in items_of(almanac, query=query, facts=300)} for query in
             ("recite", "boundary", "implicit")}  # fmt: skip
    assert asked["implicit"] < asked["boundary"] < asked["recite"]


@pytest.mark.parametrize("query", ["recite", "boundary", "implicit"])
def test_every_fact_is_in_an_item_or_accounted_for(tiny: FactStore, query: str) -> None:
    made = LamaTk(query=query).made(tiny, Wording())  # type: ignore[arg-type]
    groups = {group for table in made.tables for group in table["group"].to_pylist()}
    assert len(groups) + sum(told.count for told in made.account.left_out.values()) == tiny.manifest.rows("facts")
    assert made.account.left_out["that end before they start"].count == 1
    assert made.statistics is not None
    assert made.statistics["facts"].to_pylist()[-1] == len(groups)


def test_dates_before_christ_and_coarse_ones_are_time_points(base_of: Make) -> None:
    ur = ("Ur", "P17", "Sumer", "26th century BCE", "24th century BCE")
    store = base_of([("Caesar", "P39", "dictator", "-0049-10", "-0044-03-15"), ur])
    found = {item.prompt: (item.answers, item.tags["answer_id"]) for item in items_of(store)}
    assert found["Caesar held the position of dictator from _X_ to 44 BCE."] == (("49 BCE",), "-0049")
    assert found["Ur belonged to Sumer from the 26th century BCE to _X_."] == (
        ("the 24th century BCE",), "24th century BCE",
    )  # fmt: skip
    by_day = {item.prompt for item in items_of(store, by="day")}
    assert "Caesar held the position of dictator from October 49 BCE to _X_." in by_day
    years = {item.tags["when"] for item in items_of(base_of([*HELD, *HELD_ALSO]), query="implicit")}
    assert years <= {"-0048", "-0047", "-0046", "-0045"} and years


HELD = [("Caesar", "P39", "dictator", "-0049", "-0044")]
HELD_ALSO = [("Caesar", "P39", "consul", "-0059", "-0059")]


def test_facts_that_say_the_same_in_years_are_one(base_of: Make) -> None:
    twice = [
        ("A", "P54", "B", "2001-01", "2003"),
        ("A", "P54", "B", "2001-03", "2003"),
        ("A", "P54", "B", "2001", "2004"),
    ]
    made = LamaTk().made(base_of(twice), Wording())
    ((reason, told),) = made.account.left_out.items()
    assert (reason, told.count) == ("that say the same as another one, by year", 1)
    assert told.example == "A, member of sports team: B, 2001 to 2003"
    assert len(items_of(base_of(twice))) == 8 and len(items_of(base_of(twice), by="month")) == 12


def test_hostile_names_neither_break_prompts_nor_pass_unseen(base_of: Make, tmp_path: Path) -> None:
    names = ["{object}", "%s\\1", "<script>", "𝔘𝔫𝔦 ‮", "a from 1 to 2", "_X_", "A|B", "'\"", "{", "$1"]
    store = base_of([(name, "P54", "Club", "2001", "2003") for name in names])
    build(tmp_path / "hostile", LamaTk(), store, Wording())
    made = read_benchmark(tmp_path / "hostile")
    assert {reason: told.count for reason, told in made.account.left_out.items()} == {
        "with _X_ in a name or | in an id": 2
    }
    found = list(made.items())
    assert {item.prompt.count("_X_") for item in found} == {1}
    (asked,) = {item.prompt for item in found if item.tags["place"] == "subject"}
    assert asked == "_X_ played for Club from 2001 to 2003."
    assert {item.answers[0] for item in found if item.tags["place"] == "subject"} == {
        name.removesuffix(" \u202e")  # marks that nobody sees are taken off where a table is read
        for name in names
        if name not in ("_X_", "A|B")
    }


def test_two_of_one_name_are_two_answers(tmp_path: Path) -> None:
    lines = ["subject\trelation\tobject\tstart\tend\tsubject_label"]
    lines += [f"Q{n}\tP54\tQ9\t2001\t2003\tJohn Smith" for n in (1, 2)]
    (tmp_path / "two.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_base(tmp_path / "base", [open_source(str(tmp_path / "two.tsv"))])
    found = [item for item in items_of(FactStore(tmp_path / "base")) if item.tags["place"] == "subject"]
    assert [item.answers for item in found] == [("John Smith", "John Smith")] * 2
    assert [item.tags["answer_ids"] for item in found] == ["Q1|Q2", "Q2|Q1"]


def test_relations_without_words_are_said_by_their_label(base_of: Make, tmp_path: Path) -> None:
    store = base_of([("Chad", "hasFlagOf", "Mali", "2001", "2003")])
    assert items_of(store)[1].prompt == "Chad, has flag of: _X_ from 2001 to 2003."
    with pytest.raises(UserError, match=r"(?s)no facts for lama-tk.*relations without a sentence"):
        build(tmp_path / "none", LamaTk(plain_labels=False), store, Wording())


def test_built_twice_it_is_the_same_to_the_byte(almanac: FactStore, tmp_path: Path) -> None:
    for name in ("one", "two"):
        build(tmp_path / name, LamaTk(facts=2000), almanac, Wording())
    for file in ("items.parquet", "benchmark.toml", "statistics.tsv"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_sentences_by_columns_are_those_of_wording_in_french_too(almanac: FactStore) -> None:
    say = Wording(language="fr", paper="lama-tk")
    facts = {fact.id: fact for fact in almanac.facts(relation="P6")}
    found = [
        item for table in [LamaTk(relations="P6", by="day")] for item in table.items(almanac, Wording(language="fr"))
    ]
    assert len(found) > 1000
    for item in found:
        blank = str(item.tags["place"])
        assert item.prompt == say.cloze(facts[item.group], blank=blank, mask="_X_")  # type: ignore[arg-type]


# ---- the command


def test_sizes_make_a_folder_each(tmp_path: Path) -> None:
    said = run("--sizes", "100, 200", "-o", tmp_path / "curve", "--set", "conflicts=false", "--json")
    told = [json.loads(line) for line in said.stdout.splitlines()]
    assert [(Path(one["folder"]).name, one["facts"]) for one in told] == [("100", 100), ("200", 200)]
    assert read_benchmark(tmp_path / "curve" / "200").settings["facts"] == 200
    assert [row["relation"] for row in told[0]["statistics"]][-1] == "all"


def test_the_command_says_what_it_counted(tmp_path: Path) -> None:
    said = run("--limit", "300", "--query", "implicit", "-o", tmp_path / "between")
    assert "with no year strictly inside" in said.stderr and "time points." in said.stderr
    assert "several right answers" in said.stderr
    assert said.stdout.splitlines()[0].startswith("relation\tlabel\tfacts")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--query", "boundry"], "query='boundry' is not one of recite, boundary, implicit. Did you mean 'boundary'?"),
        (["--by", "quarter"], "by='quarter' is not one of day, month, year."),
        (["--sizes", "10,many"], "'many' is not a number of facts"),
        (["--sizes", "10", "--limit", "5"], "Omit --limit"),
        (["--set", "relations=,"], "No relation is named"),
    ],
)
def test_wrong_settings_are_told(words: list[str], told: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        run(*words, "-o", tmp_path / "none")
    assert told in str(error.value)
    assert not (tmp_path / "none").exists()


def test_yago11k_whole(tmp_path: Path) -> None:
    write_base(tmp_path / "yago", [open_source(str(shared("YAGO11k")))])
    made = LamaTk().made(FactStore(tmp_path / "yago"), Wording())
    counts = made.statistics.to_pylist()[-1]  # type: ignore[union-attr]
    assert (counts["facts"], counts["items"], counts["multiple"]) == (16148, 54370, 3648)


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_relation_that_lasts_can_be_said_in_new_words(language: str) -> None:
    for id, template in templates(language).items():
        if not template.instant:
            assert template.paraphrase and template.paraphrase not in (template.past, template.present), id
            assert template.paraphrase.startswith("{")
