"""The answer to a comparison: which of two is ahead, as far as their dates tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asof.reading.facts.answer import AnswerItem, FactEvidence, FactsAnswer, Holds, Status
from asof.reading.facts.comparison import By, SentencePair
from asof.reading.facts.duration import days_in_words
from asof.reading.facts.extremes import Amount, amount, foremost
from asof.reading.facts.holding import in_order, judged
from asof.reading.facts.lookup import FactMatch, Lookup
from asof.reading.facts.phrases import Extreme, Phrases, Role
from asof.reading.facts.readings import Reading
from asof.reading.facts.titles import with_title
from asof.timeline import Date

_ORDERS: dict[By, Extreme] = {"longer": "longest", "more often": "most", "earlier": "shortest", "later": "longest"}


@dataclass(frozen=True)
class FactsComparison:
    """Compares the facts of two sentences."""

    question: str
    comparison: SentencePair
    readings: tuple[Reading, Reading]
    lookup: Lookup
    phrases: Phrases
    today: Date

    def answer(self) -> FactsAnswer | None:
        """Return the answer; nothing where the two do not speak of the same, or of none."""
        rows = [self._facts(reading) for reading in self.readings]
        if self.comparison.by != "then":
            rows = [self._then(row) for row in rows]
        shared = set.intersection(*({one.fact.relation for one in row} for row in rows))
        rows = [in_order((one for one in row if one.fact.relation in shared), self._known_by) for row in rows]
        end = _differing_end(rows)
        if not shared or end is None:
            return None
        if self.comparison.by == "then":  # "who was president in 1985, Reagan or Carter"
            held = [self._then(row) for row in rows]
            items = [self._item(row, end, Holds.ALWAYS) for row in held if row]
            return self._made(items, {}, held, end) if items and self.readings[0].times else None
        amounts = {str(index): self._amount(row) for index, row in enumerate(rows)}
        best = foremost(amounts, _ORDERS[self.comparison.by])
        if self.comparison.yes_or_no:
            alike = amounts["0"] == amounts["1"] and amounts["0"].least == amounts["0"].most
            said = "no" if best == {"1"} or alike else "yes" if best == {"0"} else "possibly"
            item = AnswerItem(said, Holds.ALWAYS, _evidence([*rows[0], *rows[1]]))
            return self._made([item], amounts, rows, end)
        sure = len(best) == 1
        items = [self._item(rows[int(index)], end, Holds.ALWAYS if sure else Holds.POSSIBLY) for index in sorted(best)]
        return self._made(items, amounts, rows, end)

    def _facts(self, reading: Reading) -> list[FactMatch]:
        found = with_title(reading.found, reading.sense.said, self.lookup, self.phrases)
        return self.lookup.labelled(found)

    def _then(self, row: Sequence[FactMatch]) -> list[FactMatch]:
        """Keep the facts of the time that is asked about."""
        return [one for one in row if judged(one.fact, self.readings[0].times, None, self._known_by)]

    def _amount(self, row: Sequence[FactMatch]) -> Amount:
        if self.comparison.by in ("longer", "more often"):
            return amount(row, _ORDERS[self.comparison.by], self.today, self._known_by)
        bounds = [one.fact.interval.bounds(known_by=self._known_by) for one in row]
        pick = min if self.comparison.by == "earlier" else max
        return Amount(pick(one.earliest_start for one in bounds), pick(one.latest_start for one in bounds))

    def _item(self, row: Sequence[FactMatch], end: Role, holds: Holds) -> AnswerItem:
        fact = row[0].fact
        text, id = (fact.subject_label, fact.subject) if end == "subject" else (fact.object_label, fact.object)
        return AnswerItem(text or id, holds, _evidence(row), id)

    def _made(
        self, items: list[AnswerItem], amounts: dict[str, Amount], rows: Sequence[list[FactMatch]], end: Role
    ) -> FactsAnswer:
        shown = [evidence.fact for item in items for evidence in item.evidence]
        others = [one for row in rows for one in row if one.fact not in shown]
        notes = [f"As far as {self.lookup.store.manifest.name} knows them."]
        if self.comparison.by == "longer":
            told = (f"{self._item(rows[int(index)], end, Holds.ALWAYS).text}: {days_in_words(one.least, one.most)}"
                    for index, one in amounts.items())  # fmt: skip
            notes.insert(0, "; ".join(told) + ".")
        read_as = {"kind": "comparison", "sentences": " / ".join(self.comparison.sentences), "by": self.comparison.by}
        return FactsAnswer(
            question=self.question,
            status=Status.ANSWERED,
            items=tuple(items),
            notes=(*notes, *self.lookup.notes),
            near=_evidence(others),
            read_as=read_as,
        )

    @property
    def _known_by(self) -> Date | None:
        return self.lookup.store.known_by


def _evidence(row: Sequence[FactMatch]) -> tuple[FactEvidence, ...]:
    return tuple(FactEvidence(one.fact, Holds.ALWAYS) for one in row)


def _differing_end(rows: Sequence[Sequence[FactMatch]]) -> Role | None:
    """Return the end in which the facts of the two differ."""
    ends: tuple[Role, ...] = ("object", "subject")
    for end in ends:
        one, other = ({getattr(found.fact, end) for found in row} for row in rows)
        if len(one) == len(other) == 1 and one != other:
            return end
    return None
