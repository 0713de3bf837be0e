"""Any language model as a reader: it is shown the best passages of the document, or nothing, and writes the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from asof.errors import UserError
from asof.models import open_model
from asof.probes.write_answer import STOP, TEXTS_AT_ONCE, WriteAnswer, answer_in, prompt_for
from asof.reading.answers import Answer, Evidence
from asof.reading.documents import Document
from asof.reading.retrieval import Passages
from asof.registry import readers

_WITHOUT = "without-document:"
_DEFAULT = WriteAnswer()
_FEWEST_WORDS = 10  # of a passage that is cut to fit: less tells nothing


@readers.register("language-model")
class LanguageModelReader:
    """Asks a language model, with the best passages of the document or (without-document:MODEL) with none.

    How sure the model is would take a second reading of everything shown, and not every server tells: it is not said.

    Args:
        location: The model's name, after "without-document:" if it is to see none.
        model: The model itself, if it is open.
        passages: How many passages are shown, of a hundred words each, the best first; fewer where a model reads less.
        most_tokens: Where the model is cut off.
    """

    takes_of_probe = ("passages", "most_tokens")  # settings of write-answer that it is opened with

    def __init__(
        self,
        location: str,
        *,
        model: Any = None,
        passages: int = _DEFAULT.passages,
        most_tokens: int = _DEFAULT.most_tokens,
    ) -> None:
        self.needs_document = not location.startswith(_WITHOUT)
        name = location.removeprefix(_WITHOUT)
        if not name and model is None:
            raise UserError("Which model? Give language-model:MODEL, or language-model:without-document:MODEL.")
        self.name = f"language-model:{location}"
        self._passages, self._most_tokens = passages, most_tokens
        self._model: Any = model or open_model(name)
        self.texts_at_once = int(getattr(self._model, "texts_at_once", TEXTS_AT_ONCE))
        if "write" not in self._model.can:
            raise UserError(f"{name} writes no text, so it cannot answer. Use a causal or sequence-to-sequence model.")

    def describe(self) -> dict[str, str]:
        """Return what identifies the reader."""
        shown = f"the {self._passages} best passages" if self.needs_document else "nothing"
        return {"kind": "language-model", "shown": shown} | dict(self._model.describe())

    def read(self, question: str, document: Document) -> Answer:
        """Answer one question."""
        return self.read_many([question], document)[0]

    def read_many(self, questions: Sequence[str], document: Document) -> list[Answer]:
        """Answer questions about one document, in their order."""
        return self.read_pairs([(question, document) for question in questions])

    def read_pairs(self, asked: Sequence[tuple[str, Document]]) -> list[Answer]:
        """Answer questions, each about its document, in their order."""
        shown = [self._shown(question, document) for question, document in asked]
        prompts = [prompt_for(question, texts) for (question, _), texts in zip(asked, shown, strict=True)]
        written = self._model.write(prompts, most_tokens=self._most_tokens, stop=STOP)
        return [_answer(text, texts) for text, texts in zip(written, shown, strict=True)]

    def _shown(self, question: str, document: Document) -> list[str]:
        if not self.needs_document or not document.paragraphs:
            return []
        texts = [found.passage.text for found in Passages([document]).search(question, most=self._passages)]
        fits = getattr(self._model, "fits", None)  # a server does not tell how much it reads
        while fits and not fits(prompt_for(question, texts), self._most_tokens):
            if len(texts) > 1:
                texts.pop()
                continue
            words = texts[0].split()
            if len(words) <= _FEWEST_WORDS:
                break  # the model says itself what is too long
            texts = [" ".join(words[: len(words) * 3 // 4])]
        return texts


def _answer(written: str, shown: Sequence[str]) -> Answer:
    answer = answer_in(written)
    evidence = tuple(Evidence(answer, text, "", "", "shown", None) for text in shown)
    return Answer(answer, None, None, evidence, written)
