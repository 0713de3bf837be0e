"""A sentence with a blank, what is put into it, and how a filling is looked for. Text only, no tokens."""

from dataclasses import dataclass
from typing import Literal

from asof.errors import UserError

Masking = Literal["token", "word", "answer"]
Span = Literal["answer", "sentence"]

_CLOSING = ".!?…。”\"')»"  # signs that may follow a blank which is the last thing in its sentence


@dataclass(frozen=True, slots=True)
class Blank:
    """What stands before a blank and after it, spaces included.

    >>> Blank("Cristiano Ronaldo plays for ", ".").is_last, Blank("", " leads Italy.").is_last
    (True, False)
    """

    before: str
    after: str

    @property
    def is_last(self) -> bool:
        """Whether nothing but closing signs follows."""
        return not self.after.strip(_CLOSING + " ")

    def with_sign(self, sign: str) -> str:
        """Put a model's own sign for a blank in its place, without the space before it.

        Most vocabularies have words with that space in front. Left to itself it would be a token that no text has.
        """
        return self.before.rstrip() + sign + self.after


@dataclass(frozen=True, slots=True)
class FilledBlank:
    """A blank with an answer in it.

    >>> FilledBlank(Blank("He plays for ", "."), "Juventus F.C.").sentence  # one full stop is enough
    'He plays for Juventus F.C.'
    """

    blank: Blank
    answer: str

    @property
    def after(self) -> str:
        """What follows the answer."""
        after = self.blank.after
        return after[1:] if self.answer.endswith(".") and after.startswith(".") else after

    @property
    def sentence(self) -> str:
        """The whole text."""
        return self.blank.before + self.answer + self.after

    @property
    def span(self) -> tuple[int, int]:
        """The characters of the answer in the sentence."""
        start = len(self.blank.before)
        return start, start + len(self.answer)


@dataclass(frozen=True, slots=True)
class Filling:
    """What a model put into a blank.

    Args:
        logprobs: Of each of its tokens, given what stands before it (a masked model: and after the blank).
        ends: Log-probability that it ends there, for models that say so by what they write next.
    """

    text: str
    logprobs: tuple[float, ...]
    ends: float | None = None

    @property
    def mean(self) -> float:
        """The mean log-probability of a token, the end counted as one.

        >>> Filling("Juventus F.C.", (-1.0, -2.0), ends=-3.0).mean
        -2.0
        """
        steps = [*self.logprobs, *([] if self.ends is None else [self.ends])]
        return sum(steps) / len(steps)


@dataclass(frozen=True, slots=True)
class TokenGuess:
    """One token in a blank.

    Args:
        rank: One more than the tokens that are likelier than the answer; special tokens do not count.
        best: The likeliest tokens as text, and the log-probabilities of these.
    """

    rank: int
    logprob: float
    best: tuple[str, ...]
    best_logprobs: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How a filling of several tokens is looked for, from left to right.

    Args:
        way: Always the likeliest token; the likeliest of so many that are followed at a time; or drawn at random.
        width: How many are followed (beam) or drawn (sample).
        among: Tokens are drawn among the so many likeliest.
        temperature: Above 1, draws are more even.
    """

    way: Literal["greedy", "beam", "sample"] = "greedy"
    width: int = 1
    among: int = 10
    temperature: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.way not in ("greedy", "beam", "sample"):
            raise UserError(f"A search is greedy, beam or sample, not {self.way!r}.")
        if self.width < 1 or self.among < 1:
            raise UserError(f"width = {self.width}, among = {self.among}: both must be 1 or more.")
        if self.temperature <= 0:
            raise UserError(f"temperature = {self.temperature} is not above 0. For the likeliest token use way greedy.")
