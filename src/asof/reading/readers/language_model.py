"""Any language model as a reader: it is shown the best passages of the document, or nothing, and writes the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from asof.errors import UserError
from asof.models import open_model
from asof.probes.write_answer import answer_in, prompt_for
from asof.reading.answers import Answer, Evidence
from asof.reading.documents import Document
from asof.reading.retrieval import Passages
from asof.registry import readers

_WITHOUT = "without-document:"
_PASSAGES = 3  # of a hundred words: small models lose the thread in more
_MOST_TOKENS = 24


@readers.register("language-model")
class LanguageModelReader:
    """Asks a language model, with the best passages of the document or (without-document:MODEL) with none.

    How sure the model is would take a second reading of everything shown, and not every server tells: it is not said.
    """

    def __init__(self, place: str, *, model: Any = None) -> None:
        self.needs_document = not place.startswith(_WITHOUT)
        name = place.removeprefix(_WITHOUT)
        if not name and model is None:
            raise UserError("Which model? Give language-model:MODEL, or language-model:without-document:MODEL.")
        self.name = f"language-model:{place}"
        self._model: Any = model or open_model(name)
        if "write" not in self._model.can:
            raise UserError(f"{name} writes no text, so it cannot answer. Use a causal or sequence-to-sequence model.")

    def describe(self) -> dict[str, str]:
        """Return what identifies the reader."""
        shown = "best passages" if self.needs_document else "nothing"
        return {"kind": "language-model", "shown": shown} | dict(self._model.describe())

    def read(self, question: str, document: Document) -> Answer:
        """Answer one question."""
        return self.read_many([question], document)[0]

    def read_many(self, questions: Sequence[str], document: Document) -> list[Answer]:
        """Answer questions about one document, in their order."""
        shown = [self._shown(question, document) for question in questions]
        prompts = [prompt_for(question, texts) for question, texts in zip(questions, shown, strict=True)]
        written = self._model.write(prompts, most_tokens=_MOST_TOKENS, stop=["\n"])
        return [
            Answer(answer, None, None, tuple(Evidence(answer, text, "", "", "shown", None) for text in texts))
            for answer, texts in zip(map(answer_in, written), shown, strict=True)
        ]

    def _shown(self, question: str, document: Document) -> list[str]:
        if not self.needs_document or not document.paragraphs:
            return []
        return [found.passage.text for found in Passages([document]).search(question, most=_PASSAGES)]
