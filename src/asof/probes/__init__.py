"""The ways in which an item is put to a model: one file each, the file name is what users type after ``--probe``.

A probe is a frozen dataclass of settings. It says which verb a model must offer, sees before anything runs which items
it can ask, and turns items into rows: plain numbers, texts and lists, which a run keeps as they are. What the rows are
worth is computed from them later, as often as one likes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Protocol, get_type_hints

from asof.benchmarks import Item
from asof.errors import UserError
from asof.metrics import Metric
from asof.models import Model
from asof.probes._blanks import blank_of
from asof.probes._harness_task import HarnessProbe, HarnessTask
from asof.registry import probes

__all__ = [
    "FAILED",
    "LEFT_OUT",
    "Fit",
    "HarnessProbe",
    "HarnessTask",
    "Probe",
    "Row",
    "blank_of",
    "can_probe",
    "failed",
    "metrics_of",
    "open_probe",
    "settings_of",
    "types_of_settings",
]

Progress = Callable[[int], None]
Row = dict[str, Any]
LEFT_OUT = "left_out"  # in the row of an item without a prediction: why
FAILED = "failed"  # in the row of an item that was lost to an error: it is asked again when the run goes on


@dataclass(frozen=True)
class Fit:
    """The items that a probe can put to a model; of those that it cannot, why, by their id.

    >>> print(Fit([], {"a": "no answer is one token", "b": "no answer is one token"}))
    Skipped 2 items: no answer is one token
    """

    items: list[Item]
    left_out: dict[str, str] = field(default_factory=dict)

    @classmethod
    def parted(cls, items: Sequence[Item], reasons: Iterable[str]) -> "Fit":
        """Keep the items of which no reason says why they cannot be asked."""
        kept, left_out = [], {}
        for item, reason in zip(items, reasons, strict=True):
            if reason:
                left_out[item.id] = reason
            else:
                kept.append(item)
        return cls(kept, left_out)

    def __str__(self) -> str:
        counts = Counter(self.left_out.values())
        return "\n".join(
            f"Skipped {count:,} {'item' if count == 1 else 'items'}: {reason}" for reason, count in counts.items()
        )


def failed(reason: str) -> Row:
    """Return the row of an item that was lost to an error.

    >>> failed("reading /wiki/Ann failed")
    {'left_out': 'reading /wiki/Ann failed', 'failed': True}
    """
    return {LEFT_OUT: reason, FAILED: True}


class Probe(Protocol):
    """A frozen dataclass of settings that puts items to a model."""

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]  # a model must offer one of these verbs
    scored: ClassVar[str]  # the column of its rows that metrics are made from
    items_per_step: ClassVar[int]  # so many are asked at a time: what a crash may cost
    # A probe may also have ``metrics``: what each of its measures means, its direction and its range; ``score_with``, a
    # part of ``asof.runs.scores`` that puts its rows together, or ``score_elsewhere``, for benchmarks that are asked
    # with another probe by themselves; ``report_with``, one of ``asof.reports.pages``, for these; ``preference``, one
    # of ``asof.runs.preferences`` that reads from its rows which answers a model prefers; and ``shows_answers``: false
    # where what a model gives does not depend on the answers of the item; ``fills_blanks``: true where it is for items
    # with a blank; ``hub_task``, what a hub of datasets calls such items; ``harness_task`` and ``harness_rows``
    # (``HarnessProbe``), by which other harnesses put its items. What a benchmark says of scores and report
    # is for its own probe.

    def fit(self, items: Sequence[Item], model: Any, *, everything: Iterable[Item]) -> Fit:
        """Tell before anything runs which items can be asked, and raise a UserError when that makes no sense.

        Args:
            items: What is to be asked.
            everything: All items of the benchmark, for probes that compare an item with others.
        """

    def predict(self, items: Sequence[Item], model: Any) -> Iterable[Row]:
        """Ask a model, and give a row for each item, in their order.

        A probe whose items take long gives each row as it comes, so that a run that is stopped keeps it.
        """

    def measures(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Return what a row is worth, by the name of each measure; the row has the columns of its item, too."""


def open_probe(name: str, settings: Mapping[str, Any] | None = None) -> Probe:
    """Make a probe by its name; settings that it does not have are passed over."""
    kind = probes.get(name)
    known = {one.name for one in fields(kind)}
    opened: Probe = kind(**{key: value for key, value in (settings or {}).items() if key in known})
    return opened


def metrics_of(probe: Probe) -> Mapping[str, Metric]:
    """Return what each measure of a probe means, as far as it says."""
    found: Mapping[str, Metric] = getattr(probe, "metrics", {})
    return found


def types_of_settings(name: str) -> dict[str, Any]:
    """Return the type of each setting of a probe."""
    kind = probes.get(name)
    types = get_type_hints(kind)
    return {one.name: types[one.name] for one in fields(kind)}


def settings_of(probe: Probe) -> dict[str, Any]:
    """Return the settings of a probe, for the record of a run."""
    return {key: value for key, value in asdict(probe).items() if value is not None}  # type: ignore[call-overload]


def can_probe(model: Model, probe: Probe, benchmark: str) -> None:
    """Say before anything runs when a model cannot do what a probe needs."""
    if not set(probe.needs) & model.can:
        offers = ", ".join(sorted(model.can)) or "nothing of the kind"
        fitting = [name for name in probes.names() if set(probes.get(name).needs) & model.can]
        instead = f"--probe {' or --probe '.join(fitting)}" if fitting else "another one of: asof list probes"
        raise UserError(
            f"The probe {probe.name} needs {' or '.join(probe.needs)}; {model.name} offers {offers}. To ask it about "
            f"{benchmark}, use {instead}, or take a model that gives what is needed."
        )
