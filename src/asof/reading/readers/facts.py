"""The reader ``facts``: answers from a base instead of the document, so that both can be measured alike."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from asof.errors import UserError
from asof.facts import FactStore
from asof.reading.answers import Answer, Evidence
from asof.reading.ask.answer import FactEvidence, Holds
from asof.reading.ask.reader import QuestionReader
from asof.reading.documents import Document
from asof.registry import readers
from asof.sources.almanac import almanac_base

_ORDER = list(Holds)  # of those who held a post in a time, the one that held it throughout
_SURE = {Holds.POSSIBLY: 0.5}  # a fact that may hold; the others are stated


@readers.register("facts")
class FactsOfABase:
    """Answers from the facts of a base, with those facts as evidence; the document is not looked at."""

    needs_document = False

    def __init__(self, location: str | Path) -> None:
        base = str(location)
        if not base:
            raise UserError("Which base? Give facts:almanac, or facts:FOLDER with a folder that 'asof mine' wrote.")
        self.name = f"facts:{base}"
        store = FactStore(almanac_base() if base == "almanac" else base)
        self._hash = store.manifest.hash
        self._reader = QuestionReader(store)

    def describe(self) -> dict[str, str]:
        """Return what identifies the reader."""
        return {"kind": "facts", "reader": self.name, "base": self._hash}

    def read(self, question: str, document: Document) -> Answer:
        """Answer one question; "" when the base does not know, or the question was not understood."""
        try:
            items = self._reader.ask(question).items
        except UserError:
            items = ()
        if not items:
            return Answer("", 1.0)
        best = min(items, key=lambda item: _ORDER.index(item.holds))
        return Answer(best.text, _SURE.get(best.holds, 1.0), evidence=tuple(map(_evidence, best.evidence)))

    def read_many(self, questions: Sequence[str], document: Document) -> list[Answer]:
        """Answer questions in their order."""
        return [self.read(question, document) for question in questions]


def _evidence(evidence: FactEvidence) -> Evidence:
    fact = evidence.fact
    sentence = f"{fact.subject_label}, {fact.relation_label}: {fact.object_label}"
    candidate = fact.object_label or fact.object
    return Evidence(
        candidate, sentence, fact.source, str(fact.interval), str(evidence.holds), _SURE.get(evidence.holds, 1.0)
    )
