"""A language model as the front of a base: it writes the query, the facts answer it, and what it wrote is shown."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from asof.errors import UserError
from asof.facts import FactStore
from asof.models import Model, Writes
from asof.reading.ask.answer import FactsAnswer, Status
from asof.reading.ask.by_model.prompt import prompt_of
from asof.reading.ask.by_model.written import written_query
from asof.reading.ask.evaluate import evaluate
from asof.reading.ask.query import Query
from asof.reading.ask.query_words import in_words
from asof.timeline import Date

_MOST_TOKENS = 220
_STOP = ("\n\n", "\nQuestion:")


@dataclass(frozen=True, kw_only=True)
class ModelFront:
    """Answers questions by the queries that a model writes; keep it to ask many.

    Args:
        own: How asof itself answers a question; where the two differ, the answer says so.
    """

    store: FactStore
    model: Writes
    own: Callable[[str], FactsAnswer]
    today: Date | None = None
    entities: Collection[str] = ()

    def ask(self, question: str) -> FactsAnswer:
        """Answer a question.

        Raises:
            UserError: The model wrote no query that fits, at the second try either.
        """
        query = self.query(question)
        answer = evaluate(query, self.store, today=self.today, entities=self.entities)
        notes = (f"{self.model.name} read this as: {in_words(query)}.", *self._differences(question, answer))
        return replace(answer, question=question, notes=(*notes, *answer.notes))

    def query(self, question: str) -> Query:
        """Return the query that the model writes for a question; it gets one chance to mend a mistake."""
        text = self._write(prompt_of(question, self.store))
        try:
            return written_query(text, question, self.store)
        except UserError as error:
            mistake = str(error)
        again = self._write(prompt_of(question, self.store, mistake=mistake, before=" ".join(text.split())[:300]))
        try:
            return written_query(again, question, self.store)
        except UserError as error:
            raise UserError(
                f"{self.model.name} wrote no query that fits the question: {error} Ask without --with, or give the "
                "query yourself: asof query"
            ) from error

    def _write(self, prompt: str) -> str:
        (text,) = self.model.write([prompt], most_tokens=_MOST_TOKENS, stop=_STOP)
        return text

    def _differences(self, question: str, answer: FactsAnswer) -> tuple[str, ...]:
        """Say where asof itself understands the question otherwise."""
        try:
            own = self.own(question)
        except UserError as error:
            return (f"asof itself does not answer the question: {error}",)
        if own.status is Status.NOT_UNDERSTOOD:
            return ("asof itself does not understand the question: check that the query asks what you mean.",)
        if own.texts == answer.texts and own.status is answer.status:
            return ()
        said = ", ".join(own.texts[:5]) or own.status.value
        read = f", read as {own.read_as['words']}" if "words" in own.read_as else ""
        return (f"asof itself reads the question otherwise, and answers: {said}{read}.",)


def check_writes(model: Model) -> Writes:
    """Return a model that can write.

    Raises:
        UserError: It cannot.
    """
    if "write" not in model.can:
        raise UserError(f"{model.name} cannot write text. Give a language model that can, see: asof list models")
    return model  # type: ignore[return-value]
