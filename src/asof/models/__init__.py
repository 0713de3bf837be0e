"""Language models behind a few verbs: text in, text or numbers out. What a model can do is declared.

One file per kind; the file name is what users type before the colon: ``transformers-causal:FOLDER``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Protocol, get_type_hints

from asof.errors import UserError
from asof.models._architecture import config_of, kind_of_config
from asof.models._blank import Blank, FilledBlank, Filling, Masking, Search, Span, TokenGuess
from asof.registry import models

__all__ = [
    "AnswerRequest",
    "Blank",
    "ChoiceRequest",
    "Chooses",
    "FilledBlank",
    "Filling",
    "Fills",
    "Masking",
    "Model",
    "ScoresAnswers",
    "ScoresTokens",
    "Search",
    "Span",
    "TokenGuess",
    "UnansweredError",
    "Writes",
    "kind_and_location",
    "open_model",
    "settings_of",
    "until_stop",
]


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """Ask how likely an answer is after a prompt. The answer brings the space before it, if there is one."""

    prompt: str
    answer: str

    @property
    def text(self) -> str:
        """Prompt and answer as the model reads them."""
        return self.prompt + self.answer


@dataclass(frozen=True, slots=True)
class ChoiceRequest:
    """Ask which of a few short options a model answers. The prompt ends where the answer begins, without the space."""

    prompt: str
    options: tuple[str, ...]


class UnansweredError(UserError):
    """A request that gets no answer as it stands, whatever one waits; others may get theirs."""


class Model(Protocol):
    """What every model has; ``can`` names the verbs it offers."""

    name: str

    @property
    def can(self) -> frozenset[str]:
        """The verbs that it offers; a constant of the class where all of a kind offer the same."""

    def describe(self) -> dict[str, str]:
        """Return what identifies the model and its runtime, for the record of a run."""


class ScoresAnswers(Model, Protocol):
    """A model that can tell the probability of a given answer.

    One that can also do so where no prompt stands before it, from the token that begins a text, says so by an attribute
    ``scores_beginnings``.
    """

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        """Return log P(answer | prompt) for each request, in their order."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens texts have, to tell beforehand what a run costs."""

    def chat(self, prompt: str) -> str:
        """Put a prompt into the model's chat template, up to where its answer begins."""


class Writes(Model, Protocol):
    """A model that can go on where a prompt ends."""

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        """Return what the model writes after each prompt, always its likeliest token, in the order of the prompts.

        Args:
            most_tokens: Where the model does not end by itself.
            stop: Texts before which to end; they are no part of what is returned.
        """


class Chooses(Model, Protocol):
    """A model that can tell how likely it answers each of a few options: the verb ``choose``."""

    def choose(self, requests: Sequence[ChoiceRequest]) -> list[list[float]]:
        """Return for each request the share of each option, in their order.

        The shares of a request add up to one, or are all NaN where the model answered with none of the options.
        """


class Fills(Model, Protocol):
    """A model that can fill a blank in a sentence: the verb ``fill``."""

    def cannot_fill(self, blank: Blank) -> str:
        """Return why a blank cannot be filled, nothing when it can."""

    def count_answer_tokens(self, filled: Sequence[FilledBlank]) -> list[int]:
        """Return how many tokens each answer has in its place."""

    def guess_token(self, filled: Sequence[FilledBlank], *, best: int) -> list[TokenGuess]:
        """Put one token into each blank: where the answer stands among all tokens, and the best of them."""

    def fill(self, blanks: Sequence[Blank], *, most_tokens: int, search: Search) -> list[list[Filling]]:
        """Return for each blank the best filling of one token, of two, and so on, as a search finds it."""


class ScoresTokens(Model, Protocol):
    """A model that can tell the probability of each token of an answer in its place: the verb ``token_logprobs``."""

    def cannot_score(self, blank: Blank) -> str:
        """Return why answers in a blank cannot be scored, nothing when they can."""

    def token_logprobs(
        self, filled: Sequence[FilledBlank], *, masking: Masking = "word", of: Span = "answer"
    ) -> list[list[float]]:
        """Return log-probabilities for each answer in its blank, in their order.

        Args:
            masking: What a masked model does not see while it is asked about a token: only this token, this one and
                those of the same word that follow, or those of the answer that follow. Others read from left to right.
            of: The tokens of the answer, or of the whole sentence. A model that reads from left to right gives for an
                answer also the tokens that follow it, which depend on it.
        """


def until_stop(text: str, stop: Sequence[str]) -> str:
    """Return what stands before the first of several texts.

    >>> until_stop("one, two. three", [".", ","]), until_stop("one", [])
    ('one', 'one')
    """
    return text[: min((index for end in stop if (index := text.find(end)) >= 0), default=len(text))]


def open_model(location: str, **settings: Any) -> Model:
    """Open a model: KIND:PLACE, a folder, a hub name, or the name of one that ``asof models get`` fetched."""
    kind, inside = kind_and_location(location)
    opened: Model = models.get(kind)(inside, **settings)
    return opened


def kind_and_location(model: str) -> tuple[str, str]:
    """Return the kind of a model, and where it is for that kind."""
    kind, colon, rest = model.partition(":")
    if colon and kind in models.names():
        return kind, rest
    from asof.weights.hub_names import check_name
    from asof.weights.package_index import fetched_folder, is_fetched

    folder = fetched_folder(model)
    if folder is None and is_fetched(model):
        return "gguf", model
    if folder is None and model.endswith(".gguf") and not Path(model).is_file():
        raise UserError(f"{model} does not exist.")
    location = str(folder or model)
    check_name(location)
    return ("transformers-causal" if location.endswith(".gguf") else kind_of_config(config_of(location))), location


def settings_of(model: str) -> dict[str, Any]:
    """Return the type of each setting that a model can be opened with."""
    begins = models.get(kind_and_location(model)[0]).__init__
    types = get_type_hints(begins)
    parameters = signature(begins).parameters.values()
    return {one.name: types[one.name] for one in parameters if one.kind is Parameter.KEYWORD_ONLY}
