"""The first page: what the base holds, where to begin, and what is found for a name."""

from __future__ import annotations

from dataclasses import dataclass

from asof.facts import Fact, FactStore
from asof.facts.names import near_entities
from asof.facts.row import written
from asof.reading.ask.answer import Status
from asof.reading.ask.reader import QuestionReader
from asof.timeline import Date, in_words
from asof.web.suggestions import LONGEST, Suggestion, Suggestions
from asof.wording import Wording

_FOUND = 50
_EXAMPLES = 8
_QUESTIONS = 4
_LABEL_WORDS = 6  # an example with a longer name is no pleasant one

# One of each kind, the commonest kinds first; of a kind the best known, then the one with the most to tell.
_BEST_KNOWN = """
    WITH told AS (
        SELECT id, count(*) AS facts, count(DISTINCT relation) AS relations FROM (
            SELECT subject AS id, relation FROM facts UNION ALL SELECT object, relation FROM facts
        ) GROUP BY id
    ), ranked AS (
        SELECT id, label, kind, description, count(*) OVER (PARTITION BY kind) AS of_kind, row_number() OVER (
            PARTITION BY kind ORDER BY popularity DESC NULLS LAST, relations DESC, facts DESC, id
        ) AS rank
        FROM entities JOIN told USING (id) WHERE kind IS DISTINCT FROM 'name'
    )
    SELECT id, label, kind, description FROM ranked ORDER BY rank, of_kind DESC, id LIMIT $most
"""
_USED = "SELECT relation AS id, count(*) AS facts FROM facts GROUP BY relation ORDER BY facts DESC, id"


@dataclass(frozen=True)
class RelationCount:
    """A relation and how many facts it has."""

    id: str
    label: str
    facts: int


@dataclass(frozen=True)
class Overview:
    """What a base holds, and examples to begin with; ``known_to_note`` says where that day is from, if not stated."""

    name: str
    known_to: str | None
    known_to_note: str | None
    facts: int
    entities: int
    examples: list[Suggestion]
    questions: list[str]
    relations: list[RelationCount]


@dataclass(frozen=True)
class HomePage:
    """The base, and what is found for the text that was looked for; ``near`` are names that are nearly so."""

    base: Overview
    query: str
    found: list[Suggestion]
    near: list[Suggestion]


def overview(store: FactStore, reader: QuestionReader) -> Overview:
    """Describe a base; done once, it never changes while it is open."""
    known = store.sql(_BEST_KNOWN, {"most": 4 * _EXAMPLES}).to_pylist()
    best = [Suggestion(**row) for row in known if len(row["label"].split()) <= _LABEL_WORDS]
    counts = store.sql(_USED).to_pylist()
    return Overview(
        name=store.manifest.name,
        known_to=written(store.known_by),
        known_to_note=None if store.known_by is None else store.known_by_note,
        facts=store.facts_count,
        entities=store.manifest.rows("entities"),
        examples=best[:_EXAMPLES],
        questions=_questions(store, reader, best),
        relations=[RelationCount(row["id"], store.relations[row["id"]].label, row["facts"]) for row in counts],
    )


def home_page(store: FactStore, base: Overview, suggestions: Suggestions, query: str) -> HomePage:
    """Look for a name; where nothing begins so, for names that are nearly so."""
    found = suggestions.of(query, limit=_FOUND) if query.strip() else []
    near = [] if found or not query.strip() else near_entities(store, query[:LONGEST])
    return HomePage(base, query, found, [Suggestion(one.id, one.label, one.kind, one.description) for one in near])


def _questions(store: FactStore, reader: QuestionReader, subjects: list[Suggestion]) -> list[str]:
    """Ask for facts of some subjects in the words of our templates; only questions that are answered are examples."""
    say, asked = Wording(), []
    seen: set[str] = set()
    for subject in subjects:
        for fact in store.facts(subject=subject.id):
            dated = isinstance(fact.start, Date) and isinstance(fact.end, Date)
            if not dated or fact.relation in seen or not say.can_say(fact.relation):
                continue
            asking = say.question(fact).rstrip("?")
            question = f"{asking[:1].upper()}{asking[1:]} in {_middle_year(fact)}?"
            if not asking.endswith(" in") and reader.ask(question).status is Status.ANSWERED:
                asked.append(question)
                seen.add(fact.relation)
                break
        if len(asked) == _QUESTIONS:
            break
    return asked


def _middle_year(fact: Fact) -> str:
    bounds = fact.interval.bounds()
    return in_words(Date.of(Date.from_day((bounds.earliest_start + bounds.latest_end) // 2).year))
