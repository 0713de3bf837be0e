"""TimeStress: the paper's rules on hand-made facts, and on the almanac."""

import csv
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date as calendar
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from asof.benchmarks import build, read_benchmark
from asof.benchmarks.timestress import TimeStress
from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.runs.scores.timestress import TimeStressScores
from asof.sources import open_source
from asof.timeline import Date, Interval, parse_date, verdict
from asof.wording import Wording

Make = Callable[..., FactStore]

FACTS = [
    ("Betty Ford", "P26", "Gerald Ford", "1948-10-15", "2006-12-26"),
    ("Beirut", "P17", "Ottoman Empire", "1520", "1918"),
    ("Roman emperor", "P1308", "Augustus", "-0027-01-16", "0014-08-19"),
    ("Michael Jordan", "P54", "Chicago Bulls", "1984", "1993"),  # two spells: left out
    ("Michael Jordan", "P54", "Chicago Bulls", "1995", "1998"),
    ("Italy", "P6", "Mario Draghi", "2021-02-13", "2022-10-22"),  # too short, and after 2020
    ("Italy", "P6", "Giorgia Meloni", "2022-10-22", "ongoing"),  # no end
    ("Marie Curie", "P166", "Nobel Prize", "1900", "1910"),  # an instant by its wording
    ("Rome", "P9999", "nobody", "1900", "1910"),  # no words for it
]


def items_of(store: FactStore, **settings: object) -> list[dict[str, object]]:
    kind = TimeStress(**settings)  # type: ignore[arg-type]
    return [{"id": item.id, "prompt": item.prompt, "answers": item.answers, "group": item.group} | item.tags
            for item in kind.items(store, Wording())]  # fmt: skip


def test_facts_are_chosen_as_the_paper_says(base_of: Make) -> None:
    rows = items_of(base_of(FACTS))
    assert {row["subject"] for row in rows} == {"Betty Ford", "Beirut", "Roman emperor"}


def test_statements_read_as_in_the_paper(base_of: Make) -> None:
    rows = items_of(base_of(FACTS))
    ford = [row for row in rows if row["subject"] == "Betty Ford"]
    by_year = next(row for row in ford if row["date"] == "1983")
    assert by_year["answers"] == ("Gerald Ford",)
    assert str(by_year["prompt"]).startswith("In 1983, ") and str(by_year["prompt"]).endswith("?")
    days = [str(row["prompt"]) for row in ford if row["precision"] == "day"]
    assert all(prompt.startswith("On ") for prompt in days)
    augustus = [str(row["prompt"]) for row in rows if row["subject"] == "Roman emperor"]
    assert any(prompt.startswith(("In 27 BCE, ", "In 26 BCE, ")) for prompt in augustus)
    assert not any("-" in prompt.split(",")[0] for prompt in augustus)


def test_every_precision_has_as_many_right_and_wrong_dates(base_of: Make) -> None:
    counts: defaultdict[object, Counter[object]] = defaultdict(Counter)
    for row in items_of(base_of(FACTS)):
        if row["verdict"] != "transitional":
            counts[row["group"], row["verdict"]][row["precision"]] += 1
    for found in counts.values():
        assert found["year"] == found["month"] == found["day"] > 0


@pytest.mark.parametrize(("protocol", "whole"), [("paper", False), ("program", True)])
def test_dates_verdicts_and_positions_by_hand(base_of: Make, protocol: str, whole: bool) -> None:
    rows = [row for row in items_of(base_of(FACTS), protocol=protocol) if row["subject"] == "Beirut"]
    interval = Interval.parse("1520", "1918")
    start, end = Date.of(1520), Date.of(1918)
    if whole:  # whole days: half of 145,731 is 72,865
        middle, length = float(start.first + (end.last - start.first) // 2), float(end.last - start.first)
    else:
        first, last = (start.first + start.last) / 2, (end.first + end.last) / 2
        middle, length = (first + last) / 2, last - first
    # Plain Python, one step at a time.
    scanned = {Date.from_day(int((middle + step * 0.05 * length) // 1)).year for step in range(-100, 101)}
    if whole:  # 1520 is in the scan, 1519 is not: half a length before the middle, cut towards it
        alphas = np.arange(-5, 5.0001, 0.05).tolist()
        scanned = {Date.from_day(int(middle) + math.trunc(alpha * length)).year for alpha in alphas}
        assert 1520 in scanned and 1519 not in scanned
    years = [row for row in rows if row["precision"] == "year"]
    assert {parse_date(str(row["date"])).year for row in years} == {year for year in scanned if year <= 2020}
    for row in (row for row in rows if row["precision"] != "none"):
        date = parse_date(str(row["date"]))
        year = Date.of(date.year)
        half = (date.last - date.first) // 2 if whole else (date.last - date.first) / 2
        assert row["verdict"] == str(verdict(year, interval, whole_ends=whole))
        assert row["alpha"] == pytest.approx((date.first + half - middle) / length, rel=1e-12, abs=1e-12)
        if row["precision"] != "year":
            assert row["verdict"] == str(verdict(date, interval, whole_ends=whole)) != "transitional"
    touching = {str(row["date"]): row["verdict"] for row in years if str(row["date"]) in ("1520", "1918")}
    assert set(touching.values()) <= ({"correct"} if whole else {"transitional"})


def test_a_month_lies_in_its_year_and_a_day_in_its_month(base_of: Make) -> None:
    rows = items_of(base_of(FACTS))
    for group in {row["group"] for row in rows}:
        dates = {
            precision: [str(row["date"]) for row in rows if row["group"] == group and row["precision"] == precision
                        and row["verdict"] != "transitional"]
            for precision in ("year", "month", "day")
        }  # fmt: skip
        for year, month, day in zip(*dates.values(), strict=True):
            assert month.startswith(year) and day.startswith(month)


def test_questions_from_a_file(base_of: Make, tmp_path: Path) -> None:
    path = tmp_path / "questions.tsv"
    path.write_text("fact\tquestion\nRome P9999 nobody\twho, if anybody, was there?\n", encoding="utf-8")
    rows = items_of(base_of(FACTS), questions=str(path))
    rome = [str(row["prompt"]) for row in rows if row["subject"] == "Rome"]
    assert rome and all(prompt.endswith(", who, if anybody, was there?") for prompt in rome)
    path.write_text("fact\tquestion\nRome P9999 nobody\tno question\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"line 2: 'no question' is not a question"):
        items_of(base_of(FACTS), questions=str(path))
    with pytest.raises(UserError, match="does not exist"):
        items_of(base_of(FACTS), questions=str(tmp_path / "nowhere.tsv"))


def test_built_twice_it_is_the_same_to_the_byte(almanac: FactStore, tmp_path: Path) -> None:
    for name in ("one", "two"):
        build(tmp_path / name, TimeStress(facts=20), almanac, Wording())
    assert (tmp_path / "one/items.parquet").read_bytes() == (tmp_path / "two/items.parquet").read_bytes()
    assert (tmp_path / "one/benchmark.toml").read_bytes() == (tmp_path / "two/benchmark.toml").read_bytes()
    other = build(tmp_path / "three", TimeStress(facts=20, seed=5), almanac, Wording())
    assert other.items_sha256 != read_benchmark(tmp_path / "one").items_sha256


def test_items_come_back_as_they_were_and_a_limit_counts_facts(almanac: FactStore, tmp_path: Path) -> None:
    kind = TimeStress(facts=5)
    made = build(tmp_path / "b", kind, almanac, Wording())
    assert list(made.items()) == list(kind.items(almanac, Wording()))
    assert len({item.group for item in made.items(limit=2)}) == 2
    assert made.groups_count == 5
    rows = range(made.items_count)
    apart = made.table().take([*rows[::2], *rows[1::2]])  # half of a fact's items, and the rest after other facts
    pq.write_table(apart, tmp_path / "b" / "items.parquet")
    some = list(made.items(limit=2))
    facts = list(dict.fromkeys(item.group for item in made.items()))
    assert some == [item for item in made.items() if item.group in facts[:2]] and len(some) < len(list(made.items()))


def test_no_fact_and_broken_folders_are_told(base_of: Make, tmp_path: Path, almanac: FactStore) -> None:
    with pytest.raises(UserError, match="has no facts for timestress"):
        build(tmp_path / "none", TimeStress(), base_of([FACTS[5]]), Wording())
    with pytest.raises(UserError, match="is not a benchmark folder"):
        read_benchmark(tmp_path / "none")
    made = build(tmp_path / "cut", TimeStress(facts=2), almanac, Wording())
    items = made.folder / "items.parquet"
    items.write_bytes(items.read_bytes()[:-10])
    with pytest.raises(UserError, match=r"does not match its hash in benchmark\.toml"):
        read_benchmark(made.folder)


# A table as somebody brings it: ids and labels, dates in several forms, questions of their own, no popularity;
# relations with and without wording of ours. The last four break a rule.
OUTSIDE = [
    ("Q30", "United States of America", "P35", "Q9588", "Richard Nixon", "+1969-01-20T00:00:00Z",
     "+1974-08-09T00:00:00Z", "who was the president of the United States of America?"),
    ("Q128267", "Lauren Bacall", "P26", "Q302335", "Jason Robards", "1961-07-04", "1969-09-10",
     "Who was the spouse of Lauren Bacall?"),
    ("Q189080", "Gareth Barry", "P54", "Q50602", "Manchester City F.C.", "2009", "2014",
     "which football team included Gareth Barry as a player?"),
    ("Q15920", "Metallica", "P527", "Q295537", "Jason Newsted", "1987", "2001-01-17",
     "who was included in Metallica's lineup, of all people?"),
    ("Q1741", "Vienna", "P17", "Q28513", "Austria-Hungary", "1867-03-30", "1918-11-11",
     "which country did Vienna belong to?"),
    ("Q842606", "Roman emperor", "P9998", "Q1405", "Augustus", "-0027-01-16", "0014-08-19",
     "who was the Roman emperor?"),
    ("Q11768", "Egypt", "P9997", "Q1523", "Ramesses II", "-1279", "-1213", "who ruled Egypt?"),
    ("Q1", "Some band", "P9999", "Q2", "Drummer", "2010-03", "2011-09", "who played the drums in Some band?"),
    ("Q15869", "Freddie Mercury", "P9996", "Q15862", "Queen", "1970-06", "1991-11-24", "which band did he sing in?"),
    ("Q38", "Italy", "P6", "Q294", "Mario Draghi", "2021-02-13", "2022-10-22", "who led Italy?"),
    ("Q41421", "Michael Jordan", "P54", "Q128109", "Chicago Bulls", "1984", "1993", "which team was it?"),
    ("Q41421", "Michael Jordan", "P54", "Q128109", "Chicago Bulls", "1995", "1998", "which team was it?"),
    ("Q3", "Rome", "P131", "Q4", "Rome", "1900", "1950", "where did Rome lie?"),
]  # fmt: skip


@pytest.fixture
def outside(tmp_path: Path) -> tuple[FactStore, Path]:
    path = tmp_path / "facts.csv"
    header = ("subject", "subject_label", "relation", "object", "object_label", "start", "end", "question")
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *OUTSIDE])
    write_base(tmp_path / "base", [open_source(str(path))])
    return FactStore(tmp_path / "base"), path


# Independent of asof: the calendar of Python moved by 4,800 years (twelve times 400, after which it repeats), dates as
# pairs of ordinals, and the formulas of section 3 and appendix A.4 word by word.
SHIFT = 4800


def days_of(text: str) -> tuple[int, int]:
    """Return the first and the last day of a date; a year before Christ is written as people count."""
    sign = -1 if text.startswith("-") else 1
    year, *rest = [int(part) for part in text.lstrip("+-").partition("T")[0].split("-")]
    return span(year if sign > 0 else 1 - year, *rest)


def span(year: int, month: int | None = None, day: int | None = None) -> tuple[int, int]:
    moved = year + SHIFT
    if day is not None and month is not None:
        first = last = calendar(moved, month, day).toordinal()
    elif month is not None:
        first = calendar(moved, month, 1).toordinal()
        last = calendar(moved + month // 12, month % 12 + 1, 1).toordinal() - 1
    else:
        first, last = calendar(moved, 1, 1).toordinal(), calendar(moved, 12, 31).toordinal()
    return first, last


def expected_years(start: str, end: str, protocol: str, last_year: int = 2020) -> dict[int, str]:
    """Return every year of the scan with its class."""
    a, b = days_of(start), days_of(end)
    middle, length = (sum(a) + sum(b)) / 4, (sum(b) - sum(a)) / 2
    scan = {calendar.fromordinal(math.floor(middle + step * 0.05 * length)).year - SHIFT for step in range(-100, 101)}
    found = {}
    for year in sorted(program_years(a[0], b[1]) if protocol == "program" else scan):
        if year > last_year:
            continue
        days = set(range(span(year)[0], span(year)[1] + 1))
        if protocol == "program":
            valid, at_ends = set(range(a[0], b[1] + 1)), set()
        else:
            valid, at_ends = set(range(a[1] + 1, b[0])), {*range(a[0], a[1] + 1), *range(b[0], b[1] + 1)}
            if a[0] == a[1]:
                valid, at_ends = valid | {a[0]}, at_ends - {a[0]}  # an end known to the day is no doubt
            if b[0] == b[1]:
                valid, at_ends = valid | {b[0]}, at_ends - {b[0]}
        found[year] = "correct" if days <= valid else "incorrect" if not days & (valid | at_ends) else "transitional"
    return found


def program_years(first: int, last: int) -> set[int]:
    """Return the years between two days (as date.toordinal counts them) as numpy's dates give them, in whole days."""
    start, end = (np.datetime64(day - calendar(1970 + SHIFT, 1, 1).toordinal(), "D") for day in (first, last))
    length = end - start
    points = (start + length / 2) + np.arange(-5, 5 + 0.0001, 0.05) * length  # numpy cuts off parts of days
    return {int(year) + 1970 for year in points.astype("datetime64[Y]").astype(int)}


def said(year: int, month: int | None = None, day: int | None = None) -> str:
    shown = str(year) if year > 0 else f"{1 - year} BCE"
    if month is None:
        return f"In {shown}"
    name = calendar(2000, month, 1).strftime("%B")
    return f"In {name} {shown}" if day is None else f"On {name} {day}, {shown}"


@pytest.mark.parametrize("protocol", ["paper", "program"])
def test_a_table_from_outside_gives_all_its_facts_as_the_paper_computes_them(
    outside: tuple[FactStore, Path], protocol: str
) -> None:
    store, path = outside
    rows = items_of(store, questions=str(path), protocol=protocol)
    by_subject: defaultdict[object, list[dict[str, object]]] = defaultdict(list)
    for row in rows:
        by_subject[row["subject"]].append(row)
    good = OUTSIDE[:-4]
    assert list(by_subject) == [row[1] for row in good]  # all of them, in the order of the file
    for _, subject, _, _, object_label, start, end, question in good:
        items = by_subject[subject]
        years = expected_years(start, end, protocol)
        by_year = [row for row in items if row["precision"] == "year"]
        assert {parse_date(str(row["date"])).year: row["verdict"] for row in by_year} == years
        settled = sorted(year for year, verdict in years.items() if verdict != "transitional")
        for precision in ("month", "day"):
            finer = [row for row in items if row["precision"] == precision]
            assert [parse_date(str(row["date"])).year for row in finer] == settled
            assert all(row["verdict"] == years[parse_date(str(row["date"])).year] for row in finer)
        undated = [row for row in items if row["precision"] == "none"]
        items = [row for row in items if row not in undated]
        if protocol == "program":
            (row,) = undated
            assert row["prompt"] == f"{question[0].lower()}{question[1:]}" and row["answers"] == (object_label,)
            assert (row["verdict"], row["date"], row["alpha"]) == ("no context", None, None)
        else:
            assert not undated
        for row in items:
            first, _ = (date := parse_date(str(row["date"]))).first, date.last
            number = Date.from_day(first)
            parts = [number.year, number.month, number.day][: ["year", "month", "day"].index(str(row["precision"])) + 1]
            assert row["prompt"] == f"{said(*parts)}, {question[0].lower()}{question[1:]}"  # type: ignore[arg-type]
            assert row["answers"] == (object_label,)


def test_what_the_rules_leave_out_is_told(outside: tuple[FactStore, Path], tmp_path: Path) -> None:
    store, path = outside
    made = build(tmp_path / "made", TimeStress(questions=str(path)), store, Wording())
    assert made.groups_count == len(OUTSIDE) - 4
    assert {reason: told.count for reason, told in made.account.left_out.items()} == {
        "with several intervals, so that a date outside one may be right": 2,
        "that end after 2020": 1,
        "whose subject and object have the same name": 1,
    }
    (note,) = made.account.notes
    assert (
        "1 of the facts have no year that is surely right, so they have items and no win rate" in note
    )  # Some band: both its years are transitional
    assert "Skipped 2 facts with several intervals" in str(made.account)
    later = TimeStress(questions=str(path), last_year=2023, longer_than=4)
    told = later.account(store, Wording()).left_out
    assert told["not longer than 4 years"].count == 2  # the band, and Draghi
    first = build(tmp_path / "first", TimeStress(questions=str(path), facts=2), store, Wording())
    assert {str(row["subject"]) for row in first.table().to_pylist()} == {row[1] for row in OUTSIDE[:2]}
    assert first.account.left_out["after the first 2"].count == len(OUTSIDE) - 4 - 2


def test_every_fact_of_a_base_is_chosen_or_accounted_for(base_of: Make, almanac: FactStore) -> None:
    kind = TimeStress(facts=20)
    left_out = kind.account(almanac, Wording()).left_out
    assert sum(told.count for told in left_out.values()) + 20 == almanac.manifest.rows("facts")
    store = base_of([*FACTS, FACTS[0]])  # the same twice is one fact, not two spells
    left_out = TimeStress().account(store, Wording()).left_out
    assert left_out["that are there once more, with the same dates"].count == 1
    assert "Betty Ford" in {row["subject"] for row in items_of(store)}


@pytest.mark.parametrize(
    ("end", "paper", "program"),
    # Lengths by the formulas: paper from 2 July 2009, more than 1,095.75 days; program from 1 January, 1,140 and more.
    [
        ("2012-02-14", False, False),
        ("2012-02-15", False, True),
        ("2012-07-01", False, True),
        ("2012-07-02", True, True),
    ],
)
def test_length_is_measured_as_the_protocol_measures(base_of: Make, end: str, paper: bool, program: bool) -> None:
    first, last = days_of("2009"), days_of(end)
    assert (sum(last) / 2 - sum(first) / 2 > 3 * 365.25) is paper
    assert ((last[1] - first[0]) // 30 > 37) is program
    store = base_of([("Betty Ford", "P26", "Gerald Ford", "2009", end)])
    assert bool(items_of(store)) is paper
    assert bool(items_of(store, protocol="program")) is program


def test_files_of_questions_in_all_their_forms(base_of: Make, tmp_path: Path) -> None:
    store = base_of(FACTS)
    path = tmp_path / "questions.tsv"

    def asked(text: str, **settings: object) -> dict[str, set[str]]:
        path.write_text(text, encoding="utf-8")
        found: defaultdict[str, set[str]] = defaultdict(set)
        for row in items_of(store, questions=str(path), **settings):
            found[str(row["subject"])].add(str(row["prompt"]).split(", ", 1)[1] if row["precision"] == "year" else "")
        return {subject: prompts - {""} for subject, prompts in found.items()}

    by_id = "Betty Ford P26 Gerald Ford 1948-10-15..2006-12-26\tWho was it?\n"
    assert asked("fact\tquestion\n" + by_id) == {"Betty Ford": {"who was it?"}}
    several = "fact\tquestion\n" + "".join(f"Rome P9999 nobody\twho was it {word}?\n" for word in "abcdefgh")
    drawn = {next(iter(asked(several, seed=seed)["Rome"])) for seed in range(30)}
    assert 3 < len(drawn) <= 8  # one at a time, another with another seed
    assert all(len(asked(several, seed=seed)["Rome"]) == 1 for seed in range(3))
    mixed = asked("fact\tquestion\n" + by_id, own_wording=True)
    assert set(mixed) == {"Betty Ford", "Beirut", "Roman emperor"}
    assert mixed["Betty Ford"] == {"who was it?"}
    path.write_text("fact\tquestion\nBetty Ford P26 Gerald Ford 1948..1950\twho?\nRome P9999 nobody\twho?\n")
    (note,) = TimeStress(questions=str(path)).account(store, Wording()).notes
    assert "1 of the 2 facts" in note
    assert "The first: Betty Ford P26 Gerald Ford 1948..1950" in note
    for text, message in [
        (
            "question\nwho?\n",
            "needs the column question, and either fact or subject, relation and object; it has question",
        ),
        ("fact\tquestion\nRome P9999 nobody\t\n", "has no questions"),
    ]:
        path.write_text(text)
        with pytest.raises(UserError, match=message):
            items_of(store, questions=str(path))


def test_the_programs_years_are_those_of_whole_days(base_of: Make) -> None:
    """A year at the edge of the scan hangs on how parts of days are cut: the almanac, and facts drawn at random."""
    random = Random(7)
    rows = []
    for number in range(400):
        start = calendar(1700, 1, 1).toordinal() + random.randrange(100_000)
        end = start + random.randrange(1_200, 30_000)
        days = [calendar.fromordinal(day).isoformat()[: random.choice([4, 7, 10])] for day in (start, end)]
        rows.append((f"S{number}", "P26", f"O{number}", *days))
    store = base_of(rows)
    items = items_of(store, protocol="program", facts=1000, last_year=3000)
    found = defaultdict(set)
    for row in items:
        if row["precision"] == "year":
            found[row["subject"]].add(parse_date(str(row["date"])).year)
    assert len(found) == 400
    floored = 0
    for subject, _, _, start, end in rows:
        first, last = days_of(start)[0], days_of(end)[1]
        assert found[subject] == {year for year in program_years(first, last) if year <= 3000}
        steps = np.floor((first + last) / 2 + np.arange(-100, 101) * 0.05 * (last - first)).astype(int)
        floored += len(found[subject] ^ {calendar.fromordinal(int(day)).year - SHIFT for day in steps})
    assert floored > 0  # else the test could not tell the two apart


def test_a_file_of_questions_may_bring_its_answers(base_of: Make, tmp_path: Path) -> None:
    store = base_of(FACTS)
    path = tmp_path / "questions.tsv"
    subject, relation, object, *_ = next(row for row in FACTS if row[0] == "Betty Ford")
    key = f"{subject} {relation} {object}"
    path.write_text(f"fact\tquestion\tanswer\n{key}\twho was her husband?\tPresident  Ford\n", encoding="utf-8")
    assert {row["answers"] for row in items_of(store, questions=str(path))} == {("President Ford", "Gerald Ford")}
    path.write_text(f"fact\tquestion\tanswer\n{key}\twho was her husband?\t\n", encoding="utf-8")
    assert {row["answers"] for row in items_of(store, questions=str(path))} == {(object,)}


def test_statements_without_a_date_change_no_score(base_of: Make, tmp_path: Path) -> None:
    made = build(tmp_path / "made", TimeStress(protocol="program"), base_of(FACTS), Wording())
    table = made.table()
    table = table.append_column("logprob", pa.array([-float(n % 97) for n in range(table.num_rows)]))
    dated = table.filter(pc.is_valid(table["date"]))
    assert dated.num_rows < table.num_rows
    assert TimeStressScores(table).results() == TimeStressScores(dated).results()
    assert TimeStressScores(table).mean_logprob_by_alpha() == TimeStressScores(dated).mean_logprob_by_alpha()
