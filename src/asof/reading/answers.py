"""What a reader gives back: an answer or none, where it stands, how sure it is, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from asof.errors import UserError
from asof.reading.documents import Document
from asof.registry import readers

if TYPE_CHECKING:
    from asof.reading.questions import ReadingItem

OnMessage = Callable[[str], None]

# What a page raises that is odd in a way nobody thought of. A UserError (a server that is gone, a missing model) is not
# about one page and ends the run.
ODD_PAGE = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class ParagraphSpan:
    """Letters of a paragraph."""

    paragraph: int
    start: int
    end: int


@dataclass(frozen=True)
class Evidence:
    """Why a reader believes in a candidate: its sentence, the time it hangs on, what that means for the question."""

    candidate: str
    sentence: str
    section: str
    interval: str
    verdict: str
    probability: float | None  # None where the reader does not tell


@dataclass(frozen=True)
class Answer:
    """An answer, "" when the document does not tell."""

    text: str
    probability: float | None  # None where the reader does not tell
    span: ParagraphSpan | None = None
    evidence: tuple[Evidence, ...] = ()
    written: str | None = None  # all that a language model wrote


class Reader(Protocol):
    """Answers questions about documents."""

    name: str
    needs_document: bool  # else it answers questions about no document, too

    def read(self, question: str, document: Document) -> Answer:
        """Answer one question."""

    def read_many(self, questions: Sequence[str], document: Document) -> list[Answer]:
        """Answer questions about one document, in their order."""

    def describe(self) -> dict[str, str]:
        """Return what identifies the reader, for the record."""


class TrainableReader(Protocol):
    """The class of a reader that ``asof readers train`` can train, if it has these two beside what a reader has."""

    trained_with: ClassVar[tuple[str, ...]]  # which options of the command it takes: "start", "epochs", "adviser" ...

    @classmethod
    def train(
        cls, questions: Sequence[ReadingItem], folder: Path, *, seed: int, on_message: OnMessage, **options: Any
    ) -> Sequence[Mapping[str, Any]]:
        """Train a reader into a folder, from which it is opened, and return rows for programs, if there are any.

        Args:
            options: Those of ``trained_with`` that the user gave.
        """


@runtime_checkable
class ReadsPairs(Protocol):
    """A reader that answers questions about different documents side by side."""

    texts_at_once: int  # how many of them go well together

    def read_pairs(self, asked: Sequence[tuple[str, Document]]) -> list[Answer]:
        """Answer questions, each about its document, in their order."""


def trainable_readers(option: str | None = None) -> list[str]:
    """List the readers that can be trained, or those that take an option; one that lacks a package is passed over."""
    found = []
    for name in readers.names():
        with suppress(UserError):
            with readers.naming_extras(name):
                kind = readers.get(name)
            taken = getattr(kind, "trained_with", None)
            if taken is not None and (option is None or option in taken):
                found.append(name)
    return found


def open_reader(location: str, **settings: Any) -> Reader:
    """Open a reader: KIND:PLACE, such as temporal:FOLDER or language-model:smollm2, with settings of its own."""
    kind, _, inside = location.partition(":")
    with readers.naming_extras(kind):
        reader: Reader = readers.get(kind)(inside, **settings)
    return reader


def read_all(
    reader: Reader,
    asked: Sequence[tuple[str, Document]],
    *,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
    on_odd_page: Callable[[str, Exception], None] = lambda question, error: None,
) -> list[Answer | None]:
    """Answer questions in their order, those about one document together; None where a page cannot be read.

    Args:
        on_progress: Called after each document with how many are done, and of how many.
        on_odd_page: Called with each question that is lost, and why.
    """

    def answers_about(questions: Sequence[str], document: Document) -> list[Answer | None]:
        try:
            return [*reader.read_many(questions, document)]
        except ODD_PAGE as error:
            if len(questions) > 1:
                return [one for question in questions for one in answers_about([question], document)]
            on_odd_page(questions[0], error)
            return [None]

    indices: dict[int, list[int]] = {}
    for index, (_, document) in enumerate(asked):
        indices.setdefault(id(document), []).append(index)
    found: dict[int, Answer | None] = {}
    for done, group in enumerate(indices.values(), start=1):
        answers = answers_about([asked[index][0] for index in group], asked[group[0]][1])
        found |= zip(group, answers, strict=True)
        on_progress(done, len(indices))
    return [found[index] for index in range(len(asked))]
