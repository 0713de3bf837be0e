"""The settings that every training has, and settings by name as users give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self, get_type_hints

from asof.errors import UserError, did_you_mean

_SMALLEST_BATCH = 16


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How to train; each part adds settings of its own."""

    epochs: int
    batch: int
    learning_rate: float
    seed: int = 0

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """Take those of some settings that are settings of the training."""
        refuse_below_one(settings, ("epochs", "batch"))
        return cls(**{name: value for name, value in settings.items() if name in cls.types()})

    @classmethod
    def types(cls) -> dict[str, Any]:
        """Return the type of every setting."""
        hints = get_type_hints(cls)
        return {one.name: hints[one.name] for one in fields(cls)}

    def for_examples(self, count: int, *, steps: int) -> Self:
        """Take smaller batches where there are few examples, so that an epoch has so many steps all the same."""
        return replace(self, batch=min(self.batch, max(_SMALLEST_BATCH, count // steps)))


def refuse_unknown(part: str, settings: Iterable[str], known: Iterable[str]) -> None:
    """Raise an error when a setting is not one of a part."""
    for name in settings:
        if name not in known:
            raise UserError(f"{part} has no setting {name!r}.{did_you_mean(name, known)} It has: {', '.join(known)}.")


def refuse_below_one(settings: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raise an error when a setting that counts something is below 1."""
    for name in names:
        if settings.get(name, 1) < 1:
            raise UserError(f"{name} is {settings[name]}; it must be at least 1.")
