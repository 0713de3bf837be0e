"""The longest and the shortest, held against plain loops; comparisons that must not be drawn."""

from collections import defaultdict

import pytest

from asof.facts import Fact, FactStore
from asof.reading.ask.answer import Holds, Status
from asof.reading.ask.reader import QuestionReader
from asof.timeline import Date

TODAY = Date.parse("2024-12-01")


def days_held(facts: list[Fact]) -> tuple[int, int]:
    """Return how many days facts surely and possibly held, counted day by day."""
    sure: set[int] = set()
    possible: set[int] = set()
    for fact in facts:
        bounds = fact.interval.bounds(known_by=Date.parse("2024-12-31"))
        sure |= set(range(bounds.latest_start, min(bounds.earliest_end, TODAY.last)))
        possible |= set(range(bounds.earliest_start, min(bounds.latest_end, TODAY.last)))
    return len(sure), len(possible)


def test_the_longest_is_that_of_plain_loops(almanac: FactStore, reader: QuestionReader) -> None:
    by_place: dict[str, dict[str, list[Fact]]] = defaultdict(lambda: defaultdict(list))
    for fact in almanac.facts(relation="P6"):
        if isinstance(fact.start, Date):
            by_place[str(fact.subject_label)][str(fact.object_label)].append(fact)
    asked = 0
    for place, holders in by_place.items():
        answer = reader.ask(f"Who was the longest-serving head of government of {place}?")
        if answer.status is not Status.ANSWERED:
            continue  # the name of the place is not clear
        asked += 1
        held = {holder: days_held(facts) for holder, facts in holders.items()}
        most = max(sure for sure, _ in held.values())
        assert set(answer.texts) == {holder for holder, (_, possible) in held.items() if possible >= most}, place
        assert len(answer.items) == 1 or answer.items[0].holds in (Holds.POSSIBLY, Holds.ALWAYS)
    assert asked > 60


@pytest.mark.parametrize(
    "question",
    [
        "Who was taller, Lincoln or Obama?",
        "Was Lincoln taller than Obama?",
        "Which is bigger, France or Germany?",
        "Who was the shortest US president?",
        "What is the longest name of Germany?",
        "the second longest-serving chancellor of Germany",
        "Who is the longest-serving current US senator?",
        "Who was the first woman to win the Booker Prize?",
        "Which players have played for both Real Madrid and Barcelona?",
        "who was vice president under Nehru",
        "Who was president longer, Bush or Clinton?",
    ],
)
def test_what_facts_do_not_tell_is_not_answered(question: str, reader: QuestionReader) -> None:
    assert reader.ask(question).status is not Status.ANSWERED


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Did France leave NATO?", ["no"]),
        ("who left the EU", ["United Kingdom"]),
        ("Who was the coach of the Lakers when Shaq joined?", ["Del Harris"]),
        ("Did Messi play for Barcelona before PSG?", ["yes"]),
        ("Who was prime minister of Italy first, Renzi or Letta?", ["Enrico Letta"]),
        ("Was Merkel chancellor for longer than Bismarck?", ["no"]),
    ],
)
def test_what_was_once_answered_wrongly(question: str, texts: list[str], reader: QuestionReader) -> None:
    assert reader.ask(question).texts == texts
