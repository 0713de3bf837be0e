"""TimeQA: what is asked, that listed answers are exactly the right ones, and that the published rules are kept."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.benchmarks import Item, build, documents, read_benchmark
from asof.benchmarks.timeqa import TimeQa
from asof.benchmarks.timeqa.chen2021 import published_questions
from asof.benchmarks.timeqa.corrected import answers, sound_questions
from asof.benchmarks.timeqa.files import FROM_TO, timeqa_file
from asof.benchmarks.timeqa.history import History, Segment, TimedObject, sure_bounds
from asof.benchmarks.timeqa.times import QuestionTime, month_index
from asof.errors import UserError
from asof.facts import Fact, FactStore
from asof.timeline import MAX_DAY, MIN_DAY, Date, Interval, Open, parse_date
from asof.wording import Wording
from tests.conftest import SHARED_DATA

Make = Callable[..., FactStore]

ANNOTATED = SHARED_DATA / "TimeQA" / "human_annotated_train.json"
EASY, HARD = (SHARED_DATA / "TimeQA" / f"human_train.{level}.json.gzip" for level in ("easy", "hard"))
needs_files = pytest.mark.skipif(not ANNOTATED.is_file(), reason="the published TimeQA files are not here")

FACTS = [
    ("LeBron James", "P54", "Cleveland Cavaliers", "2003", "2010-07"),
    ("LeBron James", "P54", "Miami Heat", "2010-07", "2014-07-11"),
    ("LeBron James", "P54", "Cleveland Cavaliers", "2014-07-11", "2018-07-01"),
    ("LeBron James", "P54", "Los Angeles Lakers", "2018-07-01", "ongoing"),
    ("Italy", "P36", "Turin", "1861-03-17", "1865-02-03"),
    ("Italy", "P36", "Florence", "1865-02-03", "1871"),
    ("Italy", "P36", "Rome", "1871", "ongoing"),
    ("Marie Curie", "P166", "Nobel Prize in Physics", "1903", "1903"),
    ("Marie Curie", "P166", "Nobel Prize in Chemistry", "1911", "1911"),
    ("Nowhere", "P36", "Atown", "1990", ""),  # nobody knows when it ended: nothing after 1990 is certain
    ("Nowhere", "P36", "Betown", "1995", "2000"),
    ("Once", "P36", "Here", "1990", "2000"),  # does not change: no history
]


def items_of(store: FactStore, **settings: object) -> list[Item]:
    return list(TimeQa(**settings).items(store, Wording()))  # type: ignore[arg-type]


# What is right, from the words of a question and with plain loops: nothing here uses the program's own arithmetic.

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DATE = rf"(?:(?:{'|'.join(_MONTHS)}) )?[0-9]{{1,4}}(?: BCE)?"
_TIME = re.compile(
    rf"(?:(from|between) ({_DATE}) (?:to|and) ({_DATE})|in the (early|late) ([0-9]+)s|(in|before|after) ({_DATE}))\?$"
)


def days_of(words: str) -> tuple[int, int]:
    date = parse_date(words)
    return date.first, date.last


@lru_cache
def time_of(question: str) -> tuple[bool, tuple[int, int], tuple[int, int]]:
    """Whether a question asks what held throughout, and the first and the last day or days of its time."""
    match = _TIME.search(question)
    assert match, question
    if match[1] == "from":
        return True, days_of(match[2]), days_of(match[3])
    if match[1]:
        first, last = days_of(match[2])[0], days_of(match[3])[1]
    elif match[4]:
        decade = int(match[5])
        years = (decade, decade + 3) if match[4] == "early" else (decade + 7, decade + 9)
        first, last = Date.of(years[0]).first, Date.of(years[1]).last
    else:
        one, other = days_of(match[7])
        first, last = {"in": (one, other), "before": (MIN_DAY, one - 1), "after": (other + 1, MAX_DAY)}[match[6]]
    return False, (first, first), (last, last)


def is_asked(question: str, start: int, end: int) -> bool:
    """Whether what held from one day to another is asked for."""
    throughout, (a1, a2), (b1, b2) = time_of(question)
    if throughout:
        ones = [day for day in (a1, a2, start) if a1 <= day <= a2]
        others = [day for day in (b1, b2, end) if b1 <= day <= b2]
        return any(start <= one <= other <= end for one in ones for other in others)
    return any(a1 <= day <= b1 and start <= day <= end for day in (a1, b1, start, end))


def worlds(interval: Interval, known_by: Date | None) -> list[tuple[int, int]]:
    """The corners of what an interval can have been."""
    far = MAX_DAY - 1
    starts = [interval.start.first, interval.start.last] if isinstance(interval.start, Date) else [MIN_DAY + 1, far]
    if isinstance(interval.end, Date):
        ends = [interval.end.first, interval.end.last]
    elif interval.end is Open.ONGOING:
        ends = [known_by.last if known_by else far, far]
        if not isinstance(interval.start, Date):
            starts = [MIN_DAY + 1, ends[0]]  # it had begun by then
        elif min(starts) > ends[0]:
            ends[0] = min(starts)  # the base knows of a later day than it says
    else:
        ends = [min(starts), far]
    return [(start, end) for start in starts for end in ends if start <= end]


def wrong_items(items: Iterable[Item], facts: Iterable[Fact], known_by: Date | None) -> list[str]:
    """The items whose answers are not exactly the objects that are right, in every corner of what may have been."""
    held: defaultdict[str, defaultdict[str, list[Interval]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts:
        interval = fact.interval
        if fact.relation == "P166":
            interval = Interval(interval.start, interval.start)
        held[f"{fact.subject}|{fact.relation}"][fact.object_label or fact.object].append(interval)
    wrong = []
    for item in items:
        for name, intervals in held[item.group].items():
            seen = [[is_asked(item.prompt, *world) for world in worlds(one, known_by)] for one in intervals]
            surely = any(all(found) for found in seen)
            possibly = any(any(found) for found in seen)
            if possibly != surely or surely != (name in item.answers):
                wrong.append(f"{item.prompt} {item.answers}: {name}")
        if set(item.answers) - held[item.group].keys():
            wrong.append(f"{item.prompt} {item.answers}")
    return wrong


def test_questions_read_as_people_ask(base_of: Make) -> None:
    items = items_of(base_of(FACTS, known_by=Date.parse("2024-12-31")))
    easy = [item for item in items if item.group == "LeBron James|P54" and item.tags["level"] == "easy"]
    assert [item.tags["time"] for item in easy[:4]] == [
        "from 2003 to July 2010", "from July 2010 to July 2014", "from July 2014 to July 2018", "after July 2018",
    ]  # fmt: skip
    assert [item.answers for item in easy[:4]] == [
        ("Cleveland Cavaliers",), ("Miami Heat",), ("Cleveland Cavaliers",), ("Los Angeles Lakers",),
    ]  # fmt: skip
    for item in items:
        assert item.prompt[0].isupper() and item.prompt.endswith(f" {item.tags['time']}?")
        assert item.prompt.count("?") == 1 and str(item.tags["subject_label"]) in item.prompt
        assert item.tags["answerable"] == bool(item.answers)
    wordings = {item.prompt.removesuffix(f" {item.tags['time']}?") for item in items if item.tags["relation"] == "P54"}
    assert len(wordings) > 2
    assert not [item for item in items if item.group == "Once|P36"]


def test_what_an_imprecise_date_decides_is_not_asked(base_of: Make) -> None:
    nowhere = [item for item in items_of(base_of(FACTS), seed=1) if item.group == "Nowhere|P36"]
    assert all("Betown" not in item.answers for item in nowhere)
    moments = [item for item in items_of(base_of(FACTS)) if item.group == "Marie Curie|P166"]
    assert ("in 1903", ("Nobel Prize in Physics",)) in {(item.tags["time"], item.answers) for item in moments}


@pytest.mark.parametrize("seed", range(5))
def test_answers_are_exactly_the_right_ones(base_of: Make, seed: int) -> None:
    store = base_of(FACTS)
    items = items_of(store, seed=seed)
    assert len(items) > 15
    assert wrong_items(items, store.facts(), store.known_by) == []


def test_answers_are_exactly_the_right_ones_in_the_almanac(almanac: FactStore) -> None:
    items = items_of(almanac, facts=120, per_relation=5)
    groups = {item.group for item in items}
    facts = [fact for fact in almanac.facts() if f"{fact.subject}|{fact.relation}" in groups]
    assert len(groups) > 100 and len(items) > 1000
    assert wrong_items(items, facts, almanac.known_by) == []
    assert {item.tags["specifier"] for item in items} == {"in", "from", "between", "before", "after", "early", "late"}
    share = sum(not item.answers for item in items) / len(items)
    assert 0.05 < share < 0.16


@needs_files
def test_answers_are_exactly_the_right_ones_in_the_published_histories(base_of: Make) -> None:
    store = base_of(FACTS)
    found = timeqa_file(ANNOTATED)
    items = items_of(store, files=str(ANNOTATED), most_answers=50)
    by_group: defaultdict[str, list[History]] = defaultdict(list)
    for history in found.histories:
        by_group[history.group].append(history)
    checked = 0
    for item in items:
        (history,) = by_group[item.group]
        right = set()
        for segment in history.given:
            if isinstance(segment, Segment) and segment.end and segment.start.first <= segment.end.last:
                interval = Interval(segment.start, segment.end)
                words = f"? {item.tags['time']}?"
                seen = [is_asked(words, *world) for world in worlds(interval, None)]
                assert all(seen) or not any(seen) or {one.object for one in segment.held} <= right | set(item.answers)
                if all(seen):
                    right |= {one.said for one in segment.held}
        if item.answers:
            assert right == set(item.answers)
        else:
            assert right <= {""}
        checked += 1
    assert checked > 2000


@st.composite
def drawn_histories(draw: st.DrawFn) -> History:
    held = []
    for number in range(draw(st.integers(1, 6))):
        start = _drawn_date(draw, draw(st.integers(1900, 1960)))
        end = _drawn_date(draw, draw(st.integers(start.year, 1990)))
        interval = Interval(start, draw(st.sampled_from([end, end, end, Open.ONGOING, Open.UNKNOWN, Open.NOT_STATED])))
        if interval.inverted:
            interval = Interval(end, start)
        object = f"o{draw(st.integers(0, number))}"
        held.append(TimedObject(object, (object,), interval, sure_bounds(interval, Date.of(2000, 6, 15))))
    return History("s", "P36", "s", "capital", tuple(held))


def _drawn_date(draw: st.DrawFn, year: int) -> Date:
    kind = draw(st.integers(0, 2))
    month, day = draw(st.integers(1, 12)), draw(st.integers(1, 28))
    return (Date.of(year), Date.of(year, month), Date.of(year, month, day))[kind]


@given(drawn_histories(), st.integers(0, 1000), st.sampled_from(["easy", "hard"]))
def test_answers_are_exactly_the_right_ones_in_any_history(history: History, seed: int, level: str) -> None:
    known_by = Date.of(2000, 6, 15)
    asked = list(
        sound_questions(history, level, Random(seed), most_answers=9, unanswerable=0.3, known_by=known_by)  # type: ignore[arg-type]
    )
    facts = [Fact(subject="s", relation="P36", object=held.object, interval=held.interval) for held in history.held]
    items = [
        Item(id="", prompt=f"Which {q.specifier}?", answers=tuple(one.object for one in q.held), group="s|P36")
        for q in asked
    ]
    assert wrong_items(items, facts, known_by) == []
    for question in asked:
        if question.segment and question.specifier and question.specifier.kind in ("before", "after"):
            segment = question.segment
            assert isinstance(segment, Segment)
            one = question.specifier.one
            if question.specifier.kind == "before":
                assert segment.end is not None and one.last > segment.end.last
            elif level == "hard":
                assert one.first < segment.start.first


def test_published_rules_on_one_history() -> None:
    spells = [("Peter", "1811", "1827"), ("Baker", "1916", "1920"), ("Fox", "1975-05", "1975-06")]
    held = tuple(
        TimedObject(name, (name,), Interval.parse(start, end), sure_bounds(Interval.parse(start, end)))
        for name, start, end in spells
    )
    history = History("house", "P466", "house", "occupant", held)
    easy = [str(question.specifier) for question in published_questions(history, "easy", Random(0))]
    assert easy == ["from 1811 to 1827", "from 1916 to 1920", "in May 1975"]
    seen: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for seed in range(600):
        for number, question in enumerate(published_questions(history, "hard", Random(seed))):
            time = question.specifier
            assert time is not None and len(question.held) == 1
            seen[number][time.kind] += 1
            if time.kind in ("in", "before", "between") and number < 2:
                start, end = (month_index(parse_date(text)) for text in spells[number][1:])
                assert start < month_index(time.one) <= end
                assert time.other is None or month_index(time.one) <= month_index(time.other) <= end
    assert set(seen[0]) == {"in", "between", "before", "early", "late"}
    assert set(seen[1]) == {"in", "between", "late"}  # 1916-1920: 1920 is too early for "early 1920s"
    assert set(seen[2]) == {"in"}
    assert abs(seen[0]["before"] - 200) < 50 and abs(seen[1]["between"] - 300) < 60


def test_short_histories_are_filled_up_under_the_published_rules(base_of: Make) -> None:
    items = items_of(base_of(FACTS), protocol="chen2021", levels="hard")
    counts = Counter(item.group for item in items)
    assert counts["Italy|P36"] == 3 and counts["Marie Curie|P166"] == 3
    assert [item.answers for item in items if item.group == "Italy|P36"][2] == ()
    assert all(item.tags["level"] == "hard" for item in items)


@needs_files
def test_the_mix_of_times_is_the_published_one() -> None:
    """Under chen2021 the kinds of times are drawn as in the published hard file: chi-square against 30 drawings."""
    histories = timeqa_file(ANNOTATED).histories
    published = timeqa_file(HARD).questions
    written = [segment.question for history in histories for segment in history.given]
    kinds = Counter(_published_kind(old, new.question) for old, new in zip(written, published, strict=True) if old)
    drawings = 30
    expected: Counter[str] = Counter()
    for seed in range(drawings):
        random = Random(seed)
        for history in histories:
            for question in published_questions(history, "hard", random):
                expected[question.specifier.kind if question.specifier else "none"] += 1
    assert expected.total() == drawings * kinds.total() == drawings * 1171
    assert expected["none"] == drawings * kinds["none"] == drawings * 121
    names = ("in", "between", "before", "after", "early", "late")
    chi_square = sum((kinds[name] - expected[name] / drawings) ** 2 / (expected[name] / drawings) for name in names)
    assert chi_square < 15.09, (kinds, expected)  # the 1 % point with five degrees of freedom


def _published_kind(written: str, question: str) -> str:
    match = FROM_TO.search(written)
    if not match:
        assert question == written
        return "none"
    words = question[match.start() :].split()
    return words[1] if words[1] in ("early", "late") else words[0].lower()


@needs_files
def test_published_files_become_a_benchmark(base_of: Make, tmp_path: Path) -> None:
    store = base_of(FACTS)
    made = build(tmp_path / "b", TimeQa(files=f"{EASY},{HARD}"), store, Wording())
    assert (made.items_count, made.groups_count) == (2342, 320)
    assert made.base == "human_train.easy.json.gzip, human_train.hard.json.gzip"
    texts = documents(made)
    for item in made.items():
        said = [
            texts[str(item.tags["document"])].paragraphs[int(place[1])][int(place[2]) : int(place[3])]
            for place in re.finditer(r"(\d+):(\d+)-(\d+)", str(item.tags["spans"]))
        ]
        assert tuple(said) == item.answers
    some = list(made.items(limit=3))
    assert some == [item for item in made.items() if item.group in {one.group for one in some}]  # no fact is cut in two
    assert len({item.group for item in some}) == 3 and {item.tags["level"] for item in some} == {"easy", "hard"}
    first = next(iter(made.items()))
    assert first.prompt == "Who owned the Newton D. Baker House in Washington DC from 1811 to 1827?"
    assert first.answers == ("George Peter",)
    assert (first.tags["first_day"], first.tags["last_day"]) == (Date.of(1811).first, Date.of(1827).last)


def test_the_folder_is_the_same_to_the_byte_and_tells_damage(base_of: Make, tmp_path: Path) -> None:
    store = base_of(FACTS)
    (tmp_path / "pages").mkdir()
    page = "He joined the Cleveland Cavaliers in 2003, the Miami Heat in 2010 and the Los Angeles Lakers in 2018."
    (tmp_path / "pages" / "LeBron James.txt").write_text(page, encoding="utf-8")
    for name in ("one", "two"):
        build(tmp_path / name, TimeQa(pages=str(tmp_path / "pages")), store, Wording())
    for file in ("items.parquet", "documents.parquet", "benchmark.toml", "statistics.tsv"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert [text.title for text in documents(read_benchmark(tmp_path / "one")).values()] == ["LeBron James"]
    (tmp_path / "one" / "documents.parquet").write_bytes(b"cut")
    with pytest.raises(UserError, match=r"does not match its hash in benchmark\.toml"):
        documents(read_benchmark(tmp_path / "one"))
    build(tmp_path / "two", TimeQa(), store, Wording())
    assert documents(read_benchmark(tmp_path / "two")) == {}
    assert not (tmp_path / "two" / "documents.parquet").exists()


def test_other_settings(base_of: Make) -> None:
    store = base_of(FACTS)
    assert {item.tags["relation"] for item in items_of(store, relations="P54")} == {"P54"}
    with pytest.raises(UserError, match=r"a share from 0 to below 1, not 1\.5"):
        TimeQa(unanswerable=1.5)
    with pytest.raises(UserError, match="in English only"):
        list(TimeQa().items(store, Wording(language="fr")))
    assert all(item.answers for item in items_of(store, unanswerable=0.0))


def test_broken_files_are_told(tmp_path: Path) -> None:
    for name, text, why in (
        ("a.json", "", "is empty"),
        ("b.json", "[{", "is not valid JSON"),
        ("c.json", '[{"index": 1}]', "entry 1 is neither"),
        ("d.json", '{"idx": "a#b#c", "question": "q"}\n', "line 1 is neither"),
        ("e.gzip", "\x1f", "is empty|is no JSON"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match=why):
            timeqa_file(tmp_path / name)
    with pytest.raises(UserError, match="Could not read"):
        timeqa_file(tmp_path / "nowhere.json")


def test_a_doubtful_fact_makes_no_answer_of_its_own() -> None:
    sure, unsure = Interval.parse("1990", "2000"), Interval.parse("1995", "")
    history = History(
        "s", "P36", "s", "capital",
        (TimedObject("a", ("a",), sure, sure_bounds(sure)), TimedObject("b", ("b",), unsure, sure_bounds(unsure))),
    )  # fmt: skip
    assert [one.object for one in answers(history, QuestionTime("in", Date.of(1993))) or ()] == ["a"]
    assert answers(history, QuestionTime("in", Date.of(1997))) is None
    assert answers(history, QuestionTime("before", Date.of(1980))) == ()
