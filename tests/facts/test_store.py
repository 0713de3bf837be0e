"""Asking a base: as of a date, during a period, by name; compared with plain Python over the same rows."""

import csv
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UserError
from asof.facts import FactStore, find_entity, find_relation
from asof.timeline import Date, Interval, Period, Verdict, verdict
from tests.conftest import TINY
from tests.timeline.strategies import dates, periods

with TINY.open(encoding="utf-8") as file:
    ROWS = [
        (row["subject"], row["relation"], row["object"], Interval.parse(row["start"], row["end"]))
        for row in csv.DictReader(file, delimiter="\t")
    ]


def objects(store: FactStore, **query: object) -> list[str]:
    return [fact.object for fact in store.facts(**query)]  # type: ignore[arg-type]


def test_a_base_holds_every_row_as_it_was(tiny: FactStore) -> None:
    stored = {(fact.subject, fact.relation, fact.object, fact.interval) for fact in tiny.facts()}
    assert stored == set(ROWS)
    assert tiny.manifest.rows("facts") == len(ROWS) == 60


@given(dates(st.integers(1990, 2026)) | dates() | periods())
def test_facts_on_a_date_are_those_whose_verdict_is_not_incorrect(tiny: FactStore, date: Date | Period) -> None:
    found = tiny.facts(on=date)
    expected = {
        (subject, relation, object, interval): verdict(date, interval, known_by=tiny.known_by)
        for subject, relation, object, interval in ROWS
        if verdict(date, interval, known_by=tiny.known_by) is not Verdict.INCORRECT
    }
    got = {
        (fact.subject, fact.relation, fact.object, fact.interval): judged
        for fact, judged in zip(found, found.verdicts, strict=True)
    }
    assert got == expected
    sure = {(fact.subject, fact.relation, fact.object, fact.interval) for fact in tiny.facts(on=date, surely=True)}
    assert sure == {key for key, judged in expected.items() if judged is Verdict.CORRECT}


@given(st.sampled_from(sorted({row[0] for row in ROWS})), dates() | periods(), st.booleans())
def test_facts_of_one_subject_are_those_that_a_scan_finds(
    tiny: FactStore, subject: str, date: Date | Period, surely: bool
) -> None:
    for query in ({"on": date}, {"during": date}, {}):
        picked = tiny.facts(subject=subject, surely=surely, **query)  # type: ignore[arg-type]
        scanned = tiny.facts(surely=surely, **query)  # type: ignore[arg-type]
        assert list(picked) == [fact for fact in scanned if fact.subject == subject]


@given(periods() | dates(st.integers(1990, 2026)))
def test_facts_during_a_period_meet_it(tiny: FactStore, period: Period) -> None:
    possible = {row for row in ROWS if row[3].bounds(known_by=tiny.known_by).possibly_meets(period)}
    sure = {row for row in ROWS if row[3].bounds(known_by=tiny.known_by).surely_meets(period) and row in possible}
    found = {(fact.subject, fact.relation, fact.object, fact.interval) for fact in tiny.facts(during=period)}
    surely = {(f.subject, f.relation, f.object, f.interval) for f in tiny.facts(during=period, surely=True)}
    assert found == possible
    assert surely - {row for row in ROWS if row[3].inverted} == sure - {row for row in ROWS if row[3].inverted}


def test_italy_in_the_spring_of_2021(tiny: FactStore) -> None:
    assert objects(tiny, subject="Italy", on="2021-03") == ["Mario Draghi"]
    february = tiny.facts(subject="Italy", on="2021-02")
    assert [fact.object for fact in february] == ["Giuseppe Conte", "Mario Draghi"]
    assert february.verdicts == [Verdict.TRANSITIONAL, Verdict.TRANSITIONAL]
    assert objects(tiny, subject="Italy", on="2021-Q1") == ["Giuseppe Conte", "Mario Draghi"]
    assert objects(tiny, subject="Italy", on="2021-02", surely=True) == []
    assert objects(tiny, subject="Italy", during="2021-02", surely=True) == ["Giuseppe Conte", "Mario Draghi"]


def test_years_before_christ_are_asked_like_any_other(tiny: FactStore) -> None:
    assert objects(tiny, relation="P1308", on="44 BC") == ["Cleopatra", "Julius Caesar"]
    assert objects(tiny, relation="P1308", on="10 BC") == ["Augustus"]


def test_ongoing_facts_are_only_possible_after_the_base_was_made(base_of: Callable[..., FactStore]) -> None:
    rows = [("Italy", "P6", "Giorgia Meloni", "2022-10-22", "ongoing")]
    store = base_of(rows, known_by=Date.parse("2024-12-31"))
    assert store.known_by == Date.parse("2024-12-31")
    assert store.facts(on="2024").verdicts == [Verdict.CORRECT]
    assert store.facts(on="2026").verdicts == [Verdict.TRANSITIONAL]
    assert len(store.facts(on="2026", surely=True)) == 0


def test_a_name_with_quotes_and_markup_is_just_a_name(base_of: Callable[..., FactStore]) -> None:
    name = "Robert'); DROP TABLE facts;--<b>"
    store = base_of([(name, "P26", "O'Hara", "1990", "1995")])
    assert objects(store, subject=name) == ["O'Hara"]
    assert find_entity(store, name.upper()).id == name


def test_limit_and_double_time(tiny: FactStore) -> None:
    assert len(tiny.facts(limit=7)) == 7
    with pytest.raises(UserError, match="either a date"):
        tiny.facts(on="2011", during="2011")


def test_names_are_found_by_label_alias_case_and_accent(almanac: FactStore) -> None:
    for name in ("Barack Obama", "barack obama", "Obama", "Q76"):
        assert find_entity(almanac, name).id == "Q76"
    assert find_relation(almanac, "Head of Government").id == "P6"
    assert find_relation(almanac, "prime minister").id == "P6"


def test_a_typing_error_gets_a_suggestion(almanac: FactStore) -> None:
    with pytest.raises(UserError, match=r"(?s)has nothing called 'Barak Obama'.*Did you mean.*Q76\s+Barack Obama"):
        find_entity(almanac, "Barak Obama")
    with pytest.raises(UserError, match=r"has no relation 'hed of government'. Did you mean 'head of government'"):
        find_relation(almanac, "hed of government")
    for typed in ("presidnt", "persident", "presidentt"):  # a letter missing, two exchanged, one too many
        with pytest.raises(UserError, match=rf"'{typed}'. Did you mean 'head of state' \(president\), .*'head of gov"):
            find_relation(almanac, typed)
    with pytest.raises(UserError, match=r"'captial'. Did you mean 'capital'\?"):
        find_relation(almanac, "captial")
    with pytest.raises(UserError, match=r"has no relation 'xyzzy'. See: asof relations"):
        find_relation(almanac, "xyzzy")


def test_an_ambiguous_name_lists_the_candidates(base_of: Callable[..., FactStore], tmp_path: object) -> None:
    store = base_of(
        [("Georgia", "P36", "Atlanta", "1868", "ongoing"), ("Géorgia", "P36", "Tbilisi", "1991", "ongoing")]
    )
    assert find_entity(store, "Georgia").id == "Georgia"  # an id goes before a name
    with pytest.raises(UserError, match=r"(?s)'georgia' is ambiguous; it may be one of 2:.*Give the id"):
        find_entity(store, "georgia")
