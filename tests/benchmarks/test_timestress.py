"""TimeStress: the paper's rules on hand-made facts, and on the almanac."""

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from asof.benchmarks import build, read_benchmark
from asof.benchmarks.timestress import TimeStress
from asof.errors import UserError
from asof.facts import FactStore
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
    if whole:
        first, last = float(start.first), float(end.last)
    else:
        first, last = (start.first + start.last) / 2, (end.first + end.last) / 2
    middle, length = (first + last) / 2, last - first
    scanned = {
        Date.from_day(int((middle + step * 0.05 * length) // 1)).year for step in range(-100, 101)
    }  # plain Python, one step at a time
    years = [row for row in rows if row["precision"] == "year"]
    assert {parse_date(str(row["date"])).year for row in years} == {year for year in scanned if year <= 2020}
    for row in rows:
        date = parse_date(str(row["date"]))
        year = Date.of(date.year)
        assert row["verdict"] == str(verdict(year, interval, whole_ends=whole))
        assert row["alpha"] == pytest.approx(((date.first + date.last) / 2 - middle) / length)
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
    with pytest.raises(UserError, match=r"line 2: 'no question' is no question"):
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


def test_no_fact_and_broken_folders_are_told(base_of: Make, tmp_path: Path, almanac: FactStore) -> None:
    with pytest.raises(UserError, match="has no fact that fits timestress"):
        build(tmp_path / "none", TimeStress(), base_of([FACTS[5]]), Wording())
    with pytest.raises(UserError, match="is no benchmark"):
        read_benchmark(tmp_path / "none")
    made = build(tmp_path / "cut", TimeStress(facts=2), almanac, Wording())
    items = made.folder / "items.parquet"
    items.write_bytes(items.read_bytes()[:-10])
    with pytest.raises(UserError, match=r"is not the file that benchmark\.toml speaks of"):
        read_benchmark(made.folder)
