"""How to teach: the settings, with the reason of each default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from asof.errors import UserError, did_you_mean
from asof.registry import objectives
from asof.teaching.date_pool import PRECISIONS, HoldOut
from asof.timeline import Precision
from asof.training.settings import TrainingSettings, refuse_unknown

_WHOLE_RATE = 1e-4  # 20 facts: a loss of 2.1 after ten rounds, where LoRA's rate gives 2.5


@dataclass(frozen=True, kw_only=True)
class TeachingSettings(TrainingSettings):
    """How to teach.

    Args:
        epochs: How often each fact is shown.
        batch: How many facts a step shows.
        objective: What is aimed at: see asof list objectives.
        whole: Train all weights but the embeddings, instead of LoRA's.
        rank: The rank of LoRA's matrices.
        targets: The layers that get them, by name with commas between; all-linear for every linear one.
        right: Right dates of a fact in a step.
        wrong: Wrong dates of a fact in a step.
        precisions: Of the dates that are taught.
        margin: By how many nats a right date is to win.
        language: The weight of writing right answers.
        keep: The weight of staying close to the original on other facts and on prose.
        hold_out: Odd years are not taught, so that they can be asked about; none teaches all.
        hold_out_wording: The last wording of each question is not taught, for the same reason.
        warm_up: Steps until the learning rate is reached.
    """

    epochs: int = 40
    batch: int = 2
    learning_rate: float = 1e-3  # of LoRA: what docs/teach.md was measured with
    objective: str = "contrast"
    whole: bool = False
    rank: int = 16
    targets: str = "all-linear"
    right: int = 3  # one of each precision
    wrong: int = 6
    precisions: str = "year,month,day"
    margin: float = 3.0
    language: float = 0.3
    keep: float = 1.0
    hold_out: HoldOut = "odd"
    hold_out_wording: bool = True
    warm_up: int = 20

    @classmethod
    def chosen(cls, settings: Mapping[str, Any]) -> TeachingSettings:
        """Read settings by name; the learning rate of whole weights is a tenth of LoRA's."""
        refuse_unknown("asof teach", settings, cls.types())
        rate = {"learning_rate": _WHOLE_RATE} if settings.get("whole") else {}
        found = cls.of({**rate, **settings})
        objectives.get(found.objective)
        _ = found.taught_precisions
        for name in ("right", "rank", "warm_up"):
            if getattr(found, name) < 1:
                raise UserError(f"{name} is {getattr(found, name)}; it must be at least 1.")
        return found

    @property
    def taught_precisions(self) -> tuple[Precision, ...]:
        """The precisions of the dates that are taught."""
        known = {str(one): one for one in PRECISIONS}
        names = [name.strip() for name in self.precisions.split(",") if name.strip()]
        for name in names or [self.precisions]:
            if name not in known:
                raise UserError(
                    f"precisions has {name!r}.{did_you_mean(name, known)} It is a list such as {','.join(known)}."
                )
        return tuple(known[name] for name in names)
