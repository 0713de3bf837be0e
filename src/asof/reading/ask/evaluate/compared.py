"""The answer to a comparison: which of two is ahead, as far as their dates tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from asof.reading.ask.answer import AnswerItem, FactEvidence, FactsAnswer, Holds, Status
from asof.reading.ask.evaluate.choice import Choice
from asof.reading.ask.evaluate.facts import FactLookup, FoundFact
from asof.reading.ask.evaluate.holding import in_order
from asof.reading.ask.evaluate.lengths import days_in_words
from asof.reading.ask.evaluate.order import Amount, Most, amount, foremost
from asof.reading.ask.query import By, Compare, End
from asof.reading.ask.query_words import in_words
from asof.timeline import Date

_ORDERS: dict[By, Most] = {
    "longer": "longest", "more often": "most often", "shorter": "shortest", "earlier": "shortest", "later": "longest",
}  # fmt: skip
_BY_LENGTH = ("longer", "shorter")


@dataclass(frozen=True)
class FactsComparison:
    """Compares the facts of two look-ups."""

    query: Compare
    lookup: FactLookup
    today: Date

    def answer(self) -> FactsAnswer:
        """Return the answer; unknown where one of the two has no facts, or the two do not differ in one end."""
        rows, end = self._rows, _differing_end(self._rows)
        if end is None:
            return self._unknown()
        amounts = {str(position): self._amount(row) for position, row in enumerate(rows)}
        best = foremost(amounts, _ORDERS[self.query.by])
        if self.query.yes_no:
            item = AnswerItem(_whether(amounts, best), Holds.ALWAYS, _evidence([*rows[0], *rows[1]]))
            return self._made([item], amounts, end)
        holds = Holds.ALWAYS if len(best) == 1 else Holds.POSSIBLY
        items = [_item(rows[int(position)], end, holds) for position in sorted(best)]
        return self._made(items, amounts, end)

    @cached_property
    def _rows(self) -> list[list[FoundFact]]:
        """The facts of each, of relations that both have."""
        choices = [Choice(one, self.lookup, self.today) for one in (self.query.one, self.query.other)]
        rows = [self.lookup.labelled(one.found for one in choice.kept) for choice in choices]
        shared = set.intersection(*({one.fact.relation for one in row} for row in rows))
        return [in_order((one for one in row if one.fact.relation in shared), self._known_by) for row in rows]

    def _amount(self, row: Sequence[FoundFact]) -> Amount:
        if self.query.by not in ("earlier", "later"):
            return amount(row, _ORDERS[self.query.by], self.today, self._known_by)
        bounds = [one.fact.interval.bounds(known_by=self._known_by) for one in row]
        pick = min if self.query.by == "earlier" else max
        return Amount(pick(one.earliest_start for one in bounds), pick(one.latest_start for one in bounds))

    def _made(self, items: list[AnswerItem], amounts: dict[str, Amount], end: End) -> FactsAnswer:
        shown = [evidence.fact for item in items for evidence in item.evidence]
        others = [one for row in self._rows for one in row if one.fact not in shown]
        notes = [f"As far as {self.lookup.store.manifest.name} knows them."]
        if self.query.by in _BY_LENGTH:
            told = (
                f"{_item(self._rows[int(position)], end, Holds.ALWAYS).text}: {days_in_words(one.least, one.most)}"
                for position, one in amounts.items()
            )
            notes.insert(0, "; ".join(told) + ".")
        return self._with(Status.ANSWERED, items, (*notes, *self.lookup.names.notes), others)

    def _unknown(self) -> FactsAnswer:
        base, row = self.lookup.store.manifest.name, [one for row in self._rows for one in row]
        note = f"{base} has no facts of both by which they could be compared."
        return self._with(Status.UNKNOWN, [], (note, *self.lookup.names.notes), row)

    def _with(
        self, status: Status, items: Sequence[AnswerItem], notes: tuple[str, ...], near: Sequence[FoundFact]
    ) -> FactsAnswer:
        said = {
            "kind": "comparison", "sentences": f"{in_words(self.query.one)} / {in_words(self.query.other)}",
            "by": self.query.by,
        }  # fmt: skip
        return FactsAnswer(
            question="", status=status, items=tuple(items), notes=notes, near=_evidence(near), read_as=said
        )

    @property
    def _known_by(self) -> Date | None:
        return self.lookup.store.known_by


def _whether(amounts: dict[str, Amount], best: set[str]) -> str:
    alike = amounts["0"] == amounts["1"] and amounts["0"].least == amounts["0"].most
    return "no" if best == {"1"} or alike else "yes" if best == {"0"} else "possibly"


def _item(row: Sequence[FoundFact], end: End, holds: Holds) -> AnswerItem:
    fact = row[0].fact
    text, id = (fact.subject_label, fact.subject) if end == "subject" else (fact.object_label, fact.object)
    return AnswerItem(text or id, holds, _evidence(row), id)


def _evidence(row: Sequence[FoundFact]) -> tuple[FactEvidence, ...]:
    return tuple(FactEvidence(one.fact, Holds.ALWAYS) for one in row)


def _differing_end(rows: Sequence[Sequence[FoundFact]]) -> End | None:
    """Return the end in which the facts of the two differ."""
    ends: tuple[End, ...] = ("object", "subject")
    for end in ends:
        one, other = ({getattr(found.fact, end) for found in row} for row in rows)
        if len(one) == len(other) == 1 and one != other:
            return end
    return None
