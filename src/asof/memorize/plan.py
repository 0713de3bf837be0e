"""What to train and how: a size or a pretrained encoder, and the settings of the training, in one list of names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import torch

from asof.errors import UserError
from asof.memorize.architecture import Architecture, Rewrites, own_size
from asof.memorize.network import Memory
from asof.memorize.statements import AnswerVocabulary, Statements
from asof.memorize.training import MemorizeTraining
from asof.memorize.words import Tokenizer, Words
from asof.training.settings import refuse_unknown

if TYPE_CHECKING:
    from asof.memorize.pretrained import Pretrained

Start = Literal["pretrained", "random"]
_PRETRAINED_RATE = 5e-4  # an encoder that knows a language is not to forget it at once


@dataclass(frozen=True)
class InitialNetwork:
    """A network that is not trained yet."""

    architecture: Architecture
    tokenizer: Tokenizer
    pretrained: Pretrained | None = None

    def new_memory(self, known: AnswerVocabulary, *, seed: int) -> Memory:
        """Make the network; its weights are a function of the seed."""
        torch.manual_seed(seed)
        memory = Memory(
            self.architecture, tokens=len(self.tokenizer), entities=len(known.entities), times=len(known.times)
        )
        if self.pretrained:
            self.pretrained.fill(memory.encoder)
        return memory


@dataclass(frozen=True)
class MemorizePlan:
    """A model to be taught.

    Args:
        size: tiny, small, medium or large, width and layers such as 64x2, or an encoder: minilm, minilm-half, a folder,
            a hub name.
        start: Whether an encoder begins with its weights; own sizes always begin at random.
        rewrites: For own sizes, whose states a layer computes: the blank's, or those of all words.
    """

    size: str = "small"
    start: Start = "random"
    rewrites: Rewrites = "blank"
    training: MemorizeTraining = field(default_factory=MemorizeTraining)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> MemorizePlan:
        """Make a plan of settings by name."""
        refuse_unknown("memorize", settings, settings_of())
        size = settings.get("size", "small")
        own = own_size(size) is not None
        start: Start = settings.get("start") or ("random" if own else "pretrained")
        if own and start != "random":
            raise UserError(f"{size} has no pretrained weights. Omit --start, or use --size minilm.")
        rate = {"learning_rate": MemorizeTraining.learning_rate if own else _PRETRAINED_RATE}
        return cls(size, start, settings.get("rewrites", "blank"), MemorizeTraining.of({**rate, **settings}))

    def for_statements(self, count: int) -> MemorizePlan:
        """Take smaller batches where there are few statements, so that an epoch has some eighty steps all the same.

        >>> MemorizePlan().for_statements(2_000).training.batch, MemorizePlan().for_statements(50_000).training.batch
        (25, 256)
        """
        return replace(self, training=self.training.for_examples(count, steps=80))

    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name."""
        own = {"size": self.size, "start": self.start, "rewrites": self.rewrites}
        return {**own, **asdict(self.training)}

    def begin(self, statements: Statements) -> InitialNetwork:
        """Choose the network and cut the vocabulary; no weights yet."""
        own = own_size(self.size)
        if own:
            return InitialNetwork(replace(own, rewrites=self.rewrites), Words.of(statements.prompts))
        from asof.memorize.pretrained import open_pretrained

        found = open_pretrained(self.size)
        return InitialNetwork(found.architecture, found.tokenizer, found if self.start == "pretrained" else None)


def settings_of() -> dict[str, Any]:
    """Return the type of every setting."""
    return {"size": str, "start": Start, "rewrites": Rewrites, **MemorizeTraining.types()}
