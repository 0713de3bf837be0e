"""A fact as it is taught: a question in several wordings, its answer, when that is right, and the other answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from asof.errors import UserError
from asof.facts import Fact, FactStore
from asof.teaching.wordings import questions_for
from asof.timeline import Date, Interval, Span, Verdict, verdict
from asof.wording import Wording


@dataclass(frozen=True)
class DatedAnswer:
    """An answer to a question, and all the times in which it is right."""

    object: str
    text: str
    intervals: tuple[Interval, ...]
    known_by: Date | None = None

    def verdict(self, date: Span) -> Verdict:
        """Judge a date: right if it surely lies in one of the times, wrong if it touches none."""
        found = [verdict(date, interval, known_by=self.known_by) for interval in self.intervals]
        return max(found, default=Verdict.INCORRECT)


@dataclass(frozen=True)
class TeachingFact:
    """A fact to be taught.

    Args:
        id: That of the fact in its base.
        pair: Subject and relation, which other facts may share.
        questions: They follow a date, so they begin in lower case.
        rivals: The other answers that the base has for the question, each with its times.
    """

    id: str
    pair: str
    relation: str
    in_names: str
    questions: tuple[str, ...]
    answer: DatedAnswer
    rivals: tuple[DatedAnswer, ...] = ()

    def right_at(self, date: Span) -> list[DatedAnswer]:
        """Return every answer that is surely right at a date."""
        return [one for one in (self.answer, *self.rivals) if one.verdict(date) is Verdict.CORRECT]

    def wrong_at(self, date: Span) -> list[DatedAnswer]:
        """Return every answer that is surely wrong at a date."""
        return [one for one in (self.answer, *self.rivals) if one.verdict(date) is Verdict.INCORRECT]


@dataclass(frozen=True, kw_only=True)
class FactsWanted:
    """Which facts of a base are meant.

    Args:
        relation: Only those of this relation, by id or name.
        groups: Only those that a run is about: ids of facts, or subject and relation with a bar between them.
        since: Only facts that began at this date or later, where another answer was right before.
    """

    relation: str | None = None
    groups: frozenset[str] | None = None
    since: Date | None = None
    seed: int = 0


def facts_of(store: FactStore, say: Wording, wanted: FactsWanted) -> Iterator[TeachingFact]:
    """Go through facts that fit, in an order drawn by seed, so that the first ones are a sample."""
    for subject, relation, object in _keys(store, wanted):
        known = list(store.facts(subject=subject, relation=relation))
        fact = _taught(known, object, store, say)
        if fact and _fits(fact, known, object, wanted):
            yield fact


def _keys(store: FactStore, wanted: FactsWanted) -> Iterable[tuple[str, str, str]]:
    """Draw subject, relation and object of facts with a date, each once."""
    where = "(start_first IS NOT NULL OR end_first IS NOT NULL)"
    params: dict[str, str] = {"seed": str(wanted.seed)}
    tables = {}
    if wanted.relation is not None:
        where += " AND relation = $relation"
        params["relation"] = _relation(store, wanted.relation)
    if wanted.groups is not None:
        where += f" AND ({_IN_GROUPS})"
        tables["wanted"] = pa.table({"id": pa.array(sorted(wanted.groups), pa.string())})
    query = (
        f"SELECT subject, relation, object FROM (SELECT DISTINCT subject, relation, object FROM facts WHERE {where}) "
        "ORDER BY md5(concat_ws('|', subject, relation, object, $seed)), subject, relation, object"
    )
    found = store.sql(query, params, tables=tables)
    return zip(*(found[name].to_pylist() for name in ("subject", "relation", "object")), strict=True)


# A group is the id of a fact (its statement's, or its three ids and its time), or its subject and relation.
_IN_GROUPS = """
    statement IN (SELECT id FROM wanted) OR concat_ws('|', subject, relation) IN (SELECT id FROM wanted)
    OR (statement IS NULL AND EXISTS (
        SELECT 1 FROM wanted WHERE starts_with(wanted.id, concat(subject, ' ', relation, ' ', object, ' '))
    ))
"""


def _relation(store: FactStore, relation: str) -> str:
    from asof.facts.names import find_relation

    return relation if relation in store.relations else find_relation(store, relation).id


def _taught(known: Sequence[Fact], object: str, store: FactStore, say: Wording) -> TeachingFact | None:
    """Put the facts of a subject and a relation together around one object; None where it has no name of its own."""
    own = [fact for fact in known if fact.object == object]
    if not own or not (own[0].object_label or "").strip():
        return None
    answers = {
        one: DatedAnswer(
            one,
            next(fact.object_label or one for fact in known if fact.object == one),
            tuple(fact.interval for fact in known if fact.object == one),
            store.known_by,
        )
        for one in dict.fromkeys(fact.object for fact in known)
    }
    mine = answers.pop(object)
    rivals = tuple(one for one in answers.values() if one.text != mine.text)
    first = own[0]
    pair = f"{first.subject}|{first.relation}"
    return TeachingFact(first.id, pair, first.relation, first.in_names, questions_for(first, say), mine, rivals)


def _fits(fact: TeachingFact, known: Sequence[Fact], object: str, wanted: FactsWanted) -> bool:
    if wanted.groups is not None:
        ids = {one.id for one in known if one.object == object}
        if not ids & wanted.groups and fact.pair not in wanted.groups:
            return False
    if wanted.since is None:
        return True
    starts = [one.start for one in fact.answer.intervals]
    began = all(isinstance(start, Date) and start.first >= wanted.since.first for start in starts)
    day_before = Date.from_day(wanted.since.first - 1)
    return began and any(one.verdict(day_before) is Verdict.CORRECT for one in fact.rivals)


def refuse_none(facts: Sequence[TeachingFact], base: str, left_out: dict[str, int]) -> None:
    """Raise an error where no fact is left to teach."""
    if not facts:
        reasons = "; ".join(f"{count:,} {reason}" for reason, count in left_out.items()) or "none fits the selection"
        raise UserError(f"{base} has no fact to teach: {reasons}. Choose others with --relation, --run or --base.")
