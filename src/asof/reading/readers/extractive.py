"""An extractive reader: the best span of any question-answering model, with windows over long documents.

Takes every model that ``AutoModelForQuestionAnswering`` opens, by folder or hub name: BigBird reads windows of 4096
tokens (Chen et al. 2021, section 3.1), others of what their positions allow. The first token stands for "no answer".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.reading.answers import Answer, Evidence, OnMessage, ParagraphSpan
from asof.reading.documents import Document
from asof.reading.questions import ReadingItem
from asof.registry import readers
from asof.weights.transformers_folder import loaded, torch, transformers

_LONGEST_ANSWER = 16  # tokens, as published
_MOST_BORDERS = 8  # starts and ends that are tried with each other, as published
_LONGEST_WINDOW = 4096
_AT_ONCE = 8  # windows
_LEAST_ROOM = 4  # tokens of the document in a window


@dataclass(frozen=True)
class Window:
    """A question with a part of a document, in tokens."""

    ids: list[int]
    types: list[int] | None
    first: int  # where the document's tokens begin in the window
    offsets: list[tuple[int, int]]  # letters of the whole text, for those tokens


@readers.register("extractive")
class ExtractiveReader:
    """Marks the best span by a question-answering model of Transformers; windows over long documents."""

    needs_document = True
    trained_with = ("start", "epochs")

    def __init__(
        self, location: str, *, window: int | None = None, stride: int | None = None, none_bias: float = 0.0
    ) -> None:
        if not location:
            raise UserError("Which model? Give a folder or hub name: extractive:google/bigbird-base-trivia-itc.")
        self.name = f"extractive:{location}"
        self._tokenizer, self._model = loaded(location, transformers.AutoModelForQuestionAnswering)
        positions = int(getattr(self._model.config, "max_position_embeddings", 512))
        self._window = min(window or positions, positions, _LONGEST_WINDOW)
        self._stride = stride or self._window // 2
        self._none_bias = none_bias

    @classmethod
    def train(
        cls,
        questions: Sequence[ReadingItem],
        folder: Path,
        *,
        seed: int,
        on_message: OnMessage,
        start: str = "minilm",
        epochs: int = 3,
    ) -> Sequence[Mapping[str, Any]]:
        """Teach an encoder to mark answers."""
        from asof.reading.extractive_training import train_extractive

        train_extractive(questions, start=start, folder=folder, epochs=epochs, seed=seed, on_message=on_message)
        return ()

    def describe(self) -> dict[str, str]:
        """Return what identifies the reader."""
        return {"kind": "extractive", "reader": self.name, "window": str(self._window), "stride": str(self._stride)}

    def read(self, question: str, document: Document) -> Answer:
        """Answer one question."""
        text, starts = joined(document)
        windows = list(windows_of(self._tokenizer, question, text, size=self._window, stride=self._stride))
        if not windows or not text.strip():
            return Answer("", 0.0)
        best: tuple[float, int, int] | None = None
        none = float("inf")
        for batch in range(0, len(windows), _AT_ONCE):
            some = windows[batch : batch + _AT_ONCE]
            with torch.inference_mode():
                told = border_logprobs(self._model, self._tokenizer, some)
            for window, begins, ends in zip(some, *told, strict=True):
                none = min(none, float(begins[0] + ends[0]))
                for score, start, end in best_spans(begins[window.first :], ends[window.first :], len(window.offsets)):
                    if best is None or score > best[0]:
                        best = (score, window.offsets[start][0], window.offsets[end][1])
        if best is None:
            return Answer("", 0.0)
        surplus = best[0] - none - self._none_bias
        probability = float(torch.sigmoid(torch.tensor(surplus)))
        if surplus < 0:
            return Answer("", probability)
        return _located(document, starts, text, best[1], best[2], probability)

    def read_many(self, questions: Sequence[str], document: Document) -> list[Answer]:
        """Answer questions about one document, in their order."""
        return [self.read(question, document) for question in questions]


def windows_of(tokenizer: Any, question: str, text: str, *, size: int, stride: int) -> Iterator[Window]:
    """Part a long text into windows that overlap, each with the question before it."""
    room = size - len(tokenizer(question, "")["input_ids"])
    if room < _LEAST_ROOM:
        raise UserError(f"The question leaves no room for the document in {size} tokens. Ask a shorter one.")
    given = tokenizer(
        question,
        text,
        truncation="only_second",
        max_length=size,
        stride=min(stride, room // 2),
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
    )
    for index, ids in enumerate(given["input_ids"]):
        sides = given.sequence_ids(index)
        inside = [token for token, side in enumerate(sides) if side == 1]
        if inside:
            types = given["token_type_ids"][index] if "token_type_ids" in given else None
            offsets = given["offset_mapping"][index]
            yield Window(ids, types, inside[0], [tuple(offsets[token]) for token in inside])


def border_logprobs(model: Any, tokenizer: Any, windows: Sequence[Window]) -> tuple[Any, Any]:
    """Return for each token of each window how likely an answer begins there, and how likely it ends there."""
    longest = max(len(window.ids) for window in windows)
    fill = tokenizer.pad_token_id or 0
    ids = torch.tensor([window.ids + [fill] * (longest - len(window.ids)) for window in windows])
    mask = torch.tensor([[1] * len(window.ids) + [0] * (longest - len(window.ids)) for window in windows])
    given = {"input_ids": ids, "attention_mask": mask}
    if windows[0].types is not None:
        types = [(window.types or []) + [0] * (longest - len(window.ids)) for window in windows]
        given["token_type_ids"] = torch.tensor(types)
    told = model(**given)
    return told.start_logits.float().log_softmax(-1), told.end_logits.float().log_softmax(-1)


def best_spans(begins: Any, ends: Any, count: int) -> list[tuple[float, int, int]]:
    """Return (score, first, last) of the best span among the best starts and ends; none when all are inverted.

    >>> best_spans(torch.tensor([0.0, 2.0, 1.0]), torch.tensor([3.0, 0.0, 1.0]), 3)
    [(3.0, 0, 0)]
    """
    few = min(_MOST_BORDERS, count)
    pairs = [
        (float(begins[start] + ends[end]), int(start), int(end))
        for start in begins[:count].topk(few).indices
        for end in ends[:count].topk(few).indices
        if start <= end < start + _LONGEST_ANSWER
    ]
    return [max(pairs, key=lambda pair: (pair[0], -pair[1], -pair[2]))] if pairs else []


def joined(document: Document) -> tuple[str, list[int]]:
    """Join the paragraphs, and tell at which letter each begins."""
    starts, length = [], 0
    for paragraph in document.paragraphs:
        starts.append(length)
        length += len(paragraph.text) + 1
    return "\n".join(paragraph.text for paragraph in document.paragraphs), starts


def _located(document: Document, starts: list[int], text: str, start: int, end: int, probability: float) -> Answer:
    index = max(number for number, begin in enumerate(starts) if begin <= start)
    paragraph = document.paragraphs[index]
    span = ParagraphSpan(index, start - starts[index], min(end - starts[index], len(paragraph.text)))
    answer = " ".join(text[start:end].split())
    sentence = next(
        (
            document.text_of(sentence)
            for sentence in document.sentences
            if sentence.paragraph == index and sentence.start <= span.start < sentence.end
        ),
        paragraph.text,
    )
    shown = Evidence(answer, sentence, paragraph.section, "", "the model's best span", probability)
    return Answer(answer, probability, span, (shown,))
