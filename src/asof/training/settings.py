"""The settings that every training has, and settings by name as users give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from math import inf
from numbers import Integral, Real
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

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
        refuse_wrong_types(settings, cls.types())
        refuse_below_one(settings, ("epochs", "batch"))
        if settings.get("learning_rate", 1) <= 0:
            raise UserError(
                f"learning_rate is {settings['learning_rate']:g}; nothing would be learnt. It must be above 0, such as "
                "0.1."
            )
        refuse_no_sizes(settings)
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


def refuse_wrong_types(settings: Mapping[str, Any], types: Mapping[str, Any]) -> None:
    """Raise an error when a setting is not of its type: text for a number, a fraction for a count.

    >>> refuse_wrong_types({"rank": 8, "learning_rate": 1}, {"rank": int, "learning_rate": float})
    """
    for name, value in settings.items():
        wanted = types.get(name)
        if get_origin(wanted) is Literal and value not in get_args(wanted):
            words = get_args(wanted)
            raise UserError(f"{name} is {value!r}; it must be one of {', '.join(words)}.{did_you_mean(value, words)}")
        kind, word = _NUMBERS.get(wanted, (object, ""))
        if not isinstance(value, kind) or (isinstance(value, bool) and wanted in (int, float)):
            raise UserError(f"{name} is {value!r}; it must be {word}.")


_NUMBERS: dict[Any, tuple[type, str]] = {
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    bool: (bool, "true or false"),
}


def refuse_no_sizes(settings: Mapping[str, Any]) -> None:
    """Raise an error when a number is negative, infinite or no number: weights, rates, counts and seeds never are."""
    for name, value in settings.items():
        if isinstance(value, Real) and not 0 <= float(value) < inf:
            raise UserError(f"{name} is {value:g}; it must be a number from 0 on, and not infinite.")


def refuse_below_one(settings: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raise an error when a setting that counts something is below 1."""
    for name in names:
        if settings.get(name, 1) < 1:
            raise UserError(f"{name} is {settings[name]}; it must be at least 1.")
