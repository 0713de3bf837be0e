"""A user's own object in the place of a model: it needs a verb, everything else is made up for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from typing import Any

from asof.errors import UserError
from asof.models import AnswerRequest, Blank, FilledBlank, Filling, Masking, Search, Span, TokenGuess, until_stop

VERBS = ("write", "answer_logprob", "fill", "token_logprobs", "read")


class OwnModel:
    r"""An object with ``write``, ``answer_logprob``, ``fill`` or ``token_logprobs``, or a function from prompt to text.

    ``write(prompts, most_tokens=…, stop=…)`` and ``fill(blanks, most_tokens=…, search=…)`` may leave out arguments they
    do not use. What the object has beside these (``name``, ``describe``, ``chat``, ``cannot_fill`` …) is used as well.

    >>> def shout(prompt):
    ...     return prompt.upper() + "\nQuestion: more?"
    >>> OwnModel(shout).write(["hello"], most_tokens=5, stop=["\nQuestion:"])
    ['HELLO']
    """

    def __init__(self, own: Any) -> None:
        if isinstance(own, type):
            raise UserError(f"{own.__name__} is a class. Give an object of it: asof.run(bench, {own.__name__}()).")
        self._own = own
        self.can = frozenset(verb for verb in VERBS if callable(getattr(own, verb, None)))
        if not self.can and callable(own):
            self.can = frozenset({"write"})
        if not self.can:
            raise UserError(
                f"An object of type {type(own).__name__} cannot be asked: it has none of {', '.join(VERBS)} and is "
                "not a function. Give a model's name, an object with one of these methods, or a function from prompt "
                "to text."
            )
        self.name = str(getattr(own, "name", None) or getattr(own, "__name__", None) or type(own).__name__)

    def describe(self) -> dict[str, str]:
        """Return what identifies the object."""
        own = self._own.describe() if callable(getattr(self._own, "describe", None)) else {}
        return {"kind": "python", "class": f"{type(self._own).__module__}.{type(self._own).__qualname__}", **own}

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        """Return what the object writes after each prompt, up to a stop."""
        if callable(getattr(self._own, "write", None)):
            texts = _called(self._own.write, list(prompts), most_tokens=most_tokens, stop=tuple(stop))
        else:
            texts = [self._own(prompt) for prompt in prompts]
        return [until_stop(text, stop) for text in self._checked("write", texts, prompts, str)]

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        """Return log P(answer | prompt) for each request."""
        found = self._checked("answer_logprob", self._own.answer_logprob(list(requests)), requests, float)
        return [float(value) for value in found]

    def fill(self, blanks: Sequence[Blank], *, most_tokens: int, search: Search) -> list[list[Filling]]:
        """Return the fillings of each blank: a text or a list of texts, the likeliest first, or (text, log P) pairs."""
        found = _called(self._own.fill, list(blanks), most_tokens=most_tokens, search=search)
        listed = [[several] if isinstance(several, str | Filling) else several for several in found]
        fillings = self._checked("fill", listed, blanks, list)
        return [[self._filling(one, rank) for rank, one in enumerate(several)] for several in fillings]

    def _filling(self, given: Any, rank: int) -> Filling:
        """Take a plain text for a filling that is less likely than the ones before it."""
        match given:
            case Filling():
                return given
            case str():
                return Filling(given, (-float(rank),))
            case (str() as text, float() | int() as logprob):
                return Filling(text, (float(logprob),))
        raise UserError(
            f"{self.name}.fill gave {given!r} for a blank. Give a text, a pair of a text and its log-probability, or "
            "asof.models.Filling."
        )

    def token_logprobs(self, filled: Sequence[FilledBlank], *, masking: Masking, of: Span) -> list[list[float]]:
        """Return the log-probability of each token of the answers in their blanks."""
        found = _called(self._own.token_logprobs, list(filled), masking=masking, of=of)
        return self._checked("token_logprobs", found, filled, list)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens texts have; words are counted where the object does not say."""
        if callable(getattr(self._own, "count_tokens", None)):
            return list(self._own.count_tokens(texts))
        return [len(text.split()) for text in texts]

    @property
    def scores_beginnings(self) -> bool:
        """Whether it scores answers with nothing before them; a plain object sees the whole request, so it can."""
        return bool(getattr(self._own, "scores_beginnings", True))

    def guess_token(self, filled: Sequence[FilledBlank], *, best: int) -> list[TokenGuess]:
        """Return where each answer stands among all tokens."""
        if not callable(getattr(self._own, "guess_token", None)):
            raise UserError(f"{self.name} has no guess_token, which this probe asks for. Use probe='fill-many'.")
        return list(self._own.guess_token(filled, best=best))

    def count_answer_tokens(self, filled: Sequence[FilledBlank]) -> list[int]:
        """Return how many tokens each answer has; one each where the object does not say."""
        if callable(getattr(self._own, "count_answer_tokens", None)):
            return list(self._own.count_answer_tokens(filled))
        return [1] * len(filled)

    def cannot_fill(self, blank: Blank) -> str:
        """Return why a blank cannot be filled; nothing where the object does not say."""
        return str(self._own.cannot_fill(blank)) if callable(getattr(self._own, "cannot_fill", None)) else ""

    def cannot_score(self, blank: Blank) -> str:
        """Return why answers in a blank cannot be scored; nothing where the object does not say."""
        return str(self._own.cannot_score(blank)) if callable(getattr(self._own, "cannot_score", None)) else ""

    def cannot_read(self, item: Any) -> str:
        """Return why an item cannot be read; nothing where the object does not say."""
        return str(self._own.cannot_read(item)) if callable(getattr(self._own, "cannot_read", None)) else ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_own"], name)

    def _checked(self, verb: str, given: Any, asked: Sequence[Any], kind: type) -> list[Any]:
        """See that there is one result for each question, of the right type."""
        results = list(given) if not isinstance(given, str) else [given]
        if len(results) != len(asked):
            raise UserError(f"{self.name}.{verb} gave {len(results)} results for {len(asked)}. Give one for each.")
        for result in results:
            if not isinstance(result, kind) and not (kind is float and hasattr(result, "__float__")):
                raise UserError(f"{self.name}.{verb} gave {result!r}, which is not a {kind.__name__}.")
        return results


def _called(verb: Callable[..., Any], first: Any, **more: Any) -> Any:
    """Call a method with the arguments that it takes."""
    parameters = signature(verb).parameters.values()
    if not any(one.kind is Parameter.VAR_KEYWORD for one in parameters):
        names = {one.name for one in parameters}
        more = {name: value for name, value in more.items() if name in names}
    return verb(first, **more)
