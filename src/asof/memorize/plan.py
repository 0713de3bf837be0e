"""What to train and how: a size or a pretrained encoder, and the settings of the training, in one list of names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

import torch

from asof.errors import UserError, did_you_mean
from asof.memorize.architecture import Architecture, Rewrites, own_size
from asof.memorize.network import Memory
from asof.memorize.statements import Answers, Statements
from asof.memorize.training import Training
from asof.memorize.words import Tokenizer, Words

if TYPE_CHECKING:
    from asof.memorize.pretrained import Pretrained

Start = Literal["pretrained", "random"]
_PRETRAINED_RATE = 5e-4  # an encoder that knows a language is not to forget it at once


@dataclass(frozen=True)
class Beginning:
    """A network that is not trained yet."""

    architecture: Architecture
    tokenizer: Tokenizer
    pretrained: Pretrained | None = None

    def new_memory(self, known: Answers, *, seed: int) -> Memory:
        """Make the network; its weights are a function of the seed."""
        torch.manual_seed(seed)
        memory = Memory(
            self.architecture, tokens=len(self.tokenizer), entities=len(known.entities), times=len(known.times)
        )
        if self.pretrained:
            self.pretrained.fill(memory.encoder)
        return memory


@dataclass(frozen=True)
class Plan:
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
    training: Training = field(default_factory=Training)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Plan:
        """Make a plan of settings by name."""
        known = settings_of()
        for name in settings:
            if name not in known:
                raise UserError(
                    f"memorize has no setting {name!r}.{did_you_mean(name, known)} It has: {', '.join(known)}."
                )
        size = settings.get("size", "small")
        own = own_size(size) is not None
        start: Start = settings.get("start") or ("random" if own else "pretrained")
        if own and start != "random":
            raise UserError(f"{size} has no pretrained weights. Leave out --start, or use --size minilm.")
        of_training = {one.name for one in fields(Training)}
        given = {name: value for name, value in settings.items() if name in of_training}
        given.setdefault("learning_rate", Training.learning_rate if own else _PRETRAINED_RATE)
        return cls(size, start, settings.get("rewrites", "blank"), Training(**given))

    def for_statements(self, count: int) -> Plan:
        """Take smaller batches where there are few statements, so that an epoch has some eighty steps all the same.

        >>> Plan().for_statements(2_000).training.batch, Plan().for_statements(50_000).training.batch
        (25, 256)
        """
        return replace(self, training=replace(self.training, batch=min(self.training.batch, max(16, count // 80))))

    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name."""
        own = {"size": self.size, "start": self.start, "rewrites": self.rewrites}
        return {**own, **asdict(self.training)}

    def begin(self, statements: Statements) -> Beginning:
        """Choose the network and cut the vocabulary; no weights yet."""
        own = own_size(self.size)
        if own:
            return Beginning(replace(own, rewrites=self.rewrites), Words.of(statements.prompts))
        from asof.memorize.pretrained import open_pretrained

        found = open_pretrained(self.size)
        return Beginning(found.architecture, found.tokenizer, found if self.start == "pretrained" else None)


def settings_of() -> dict[str, Any]:
    """Return the type of every setting."""
    hints = get_type_hints(Training)
    return {
        "size": str,
        "start": Start,
        "rewrites": Rewrites,
        **{one.name: hints[one.name] for one in fields(Training)},
    }
