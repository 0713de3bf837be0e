"""Never an answer that the facts do not support: questions from all templates, held against plain loops over facts."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from asof.facts import Fact, FactStore, FactTable
from asof.reading.ask.answer import FactsAnswer, Holds, Status
from asof.reading.ask.reader import QuestionReader
from asof.reading.ask.spoken import spoken
from asof.timeline import MAX_DAY, MIN_DAY, Date
from asof.timeline.date import MONTHS
from asof.wording import templates

BOTH_WAYS = {"P26", "P451"}


TODAY = Date.parse("2024-12-01")


@dataclass(frozen=True)
class Asked:
    question: str
    relation: str
    given: str
    role: str
    first: int
    last: int
    inner: tuple[int, int]  # what a fact must cover to hold the whole time


def all_facts(store: FactStore) -> list[Fact]:
    rows = store.sql("SELECT * EXCLUDE (earliest_start, latest_start, earliest_end, latest_end) FROM facts")
    return list(FactTable(store.with_labels(rows, subject="entity", object="entity", relation="relation")))


def specifiers(year: int, month: int, chance: random.Random) -> Iterator[tuple[str, int, int]]:
    """Times in words, and their days worked out without the reader; "from A to B" stands apart."""
    later = year + chance.randint(0, 15)
    whole, end = Date.of(year), Date.of(later)
    name, part = MONTHS[month - 1], Date.of(year, month)
    yield f"in {year}", whole.first, whole.last
    yield f"in {name} {year}", part.first, part.last
    yield f"on {year}-{month:02d}-15", part.first + 14, part.first + 14
    yield f"on {name} 15, {year}", part.first + 14, part.first + 14
    yield f"between {year} and {later}", whole.first, end.last
    yield f"before {year}", MIN_DAY, whole.first - 1
    yield f"after {name} {year}", part.last + 1, MAX_DAY
    yield f"since {year}", whole.first, MAX_DAY
    yield f"until {year}", MIN_DAY, whole.last
    decade = year - year % 10
    yield f"in the {decade}s" if decade % 100 else f"in {year}", *_ten_years(decade, year)
    yield f"in the late {decade}s" if decade % 100 else f"in {year}", *_late_years(decade, year)


def _ten_years(decade: int, year: int) -> tuple[int, int]:
    return (
        (Date.of(decade).first, Date.of(decade + 9).last) if decade % 100 else (Date.of(year).first, Date.of(year).last)
    )


def _late_years(decade: int, year: int) -> tuple[int, int]:
    return (
        (Date.of(decade + 7).first, Date.of(decade + 9).last)
        if decade % 100
        else (Date.of(year).first, Date.of(year).last)
    )


def generated(facts: list[Fact], store: FactStore, number: int, seed: int) -> Iterator[Asked]:
    """Draw facts of every relation alike, a template, a time near the fact, and put them together in two orders."""
    chance = random.Random(seed)
    by_relation: dict[str, list[Fact]] = {}
    for fact in facts:
        by_relation.setdefault(fact.relation, []).append(fact)
    relations = sorted(by_relation.keys() & templates().keys())
    names = Counter(row["name"] for row in store.sql("SELECT name FROM names").to_pylist())
    while number:
        fact = chance.choice(by_relation[chance.choice(relations)])
        template = templates()[fact.relation]
        role = chance.choice(["subject", "object"])
        text = chance.choice(template.questions if role == "subject" else template.subject_questions)
        label = (fact.subject_label if role == "subject" else fact.object_label) or ""
        near = next((end for end in (fact.start, fact.end) if isinstance(end, Date)), Date.of(1990))
        year = max(200, near.year + chance.randint(-3, 25))
        if names[label.casefold()] != 1 or any(letter.isdigit() for letter in label) or len(spoken(label)) < 3:
            continue
        month = chance.randint(1, 12)
        times = [(when, first, last, (first, last)) for when, first, last in specifiers(year, month, chance)]
        begins, ends = Date.of(year, month), Date.of(year + chance.randint(1, 16))
        words = f"from {MONTHS[month - 1]} {year} to {ends.year}"
        times.append((words, begins.first, ends.last, (begins.last, ends.first)))
        when, first, last, inner = chance.choice(times)
        question = text.replace("{subject}", label).replace("{object}", label)
        asked = f"{when[0].upper()}{when[1:]}, {question}" if chance.random() < 0.5 else f"{question[:-1]} {when}?"
        given = fact.subject if role == "subject" else fact.object
        yield Asked(asked, fact.relation, given, role, first, last, inner)
        number -= 1


def holds(fact: Fact, one: Asked, known_by: Date | None) -> Holds | None:
    """The as-of truth in four comparisons."""
    bounds = fact.interval.bounds(known_by=known_by)
    if bounds.earliest_start > one.last or bounds.latest_end < one.first:
        return None
    if bounds.latest_start <= one.inner[0] and one.inner[1] <= bounds.earliest_end:
        return Holds.WHOLE
    if bounds.latest_start <= one.last and one.first <= bounds.earliest_end:
        return Holds.PART
    return Holds.POSSIBLY


def by_ends(facts: list[Fact]) -> dict[tuple[str, str, str], list[tuple[Fact, str]]]:
    """The facts by relation, the end that is given and its id, with the other end."""
    table: dict[tuple[str, str, str], list[tuple[Fact, str]]] = {}
    for fact in facts:
        roles = (("subject", fact.subject, fact.object), ("object", fact.object, fact.subject))
        for role, given, other in roles:
            for asked in ("subject", "object") if fact.relation in BOTH_WAYS else (role,):
                table.setdefault((fact.relation, asked, given), []).append((fact, other))
    return table


def expected(
    table: dict[tuple[str, str, str], list[tuple[Fact, str]]], one: Asked, known_by: Date | None
) -> set[tuple[str, Holds]]:
    facts = table.get((one.relation, one.role, one.given), [])
    found = {(other, how) for fact, other in facts if (how := holds(fact, one, known_by))}
    ahead = one.first > TODAY.last  # of the future nothing is said that is not sure
    return {(other, how) for other, how in found if not ahead or how is not Holds.POSSIBLY}


def given_answers(answer: FactsAnswer, relation: str) -> set[tuple[str, Holds]]:
    return {
        (item.id or "", fact.holds) for item in answer.items for fact in item.evidence if fact.fact.relation == relation
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_generated_questions_have_the_answers_of_plain_loops(almanac: FactStore, seed: int) -> None:
    facts = all_facts(almanac)
    table, there = by_ends(facts), {str(fact) for fact in facts}
    reader = QuestionReader(almanac, today=TODAY)
    for one in generated(facts, almanac, 100, seed):
        answer = reader.ask(one.question)
        wanted = expected(table, one, almanac.known_by)
        if answer.status is Status.AMBIGUOUS:
            continue  # two of one name in the same relation: listed, not chosen
        assert given_answers(answer, one.relation) == wanted, one.question
        assert answer.status is (Status.ANSWERED if answer.items else Status.UNKNOWN), one.question
        for fact in (evidence for item in answer.items for evidence in item.evidence):
            assert str(fact.fact) in there
            assert fact.holds is holds(fact.fact, one, almanac.known_by), one.question
