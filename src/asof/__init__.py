"""asof: knowledge that is true only for a time.

>>> import asof
>>> asof.open("almanac").facts(subject="Italy", relation="head of government", on="2021-02")["object"]
['Giuseppe Conte', 'Mario Draghi']
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asof.api.any_model import open_model
    from asof.api.base import Base, ask
    from asof.api.base import open_base as open  # noqa: A004, F401
    from asof.api.benchmark import BuiltBenchmark, build, open_benchmark
    from asof.api.completion import CompletionModel, open_completion, train
    from asof.api.frame import Frame
    from asof.api.reading import read
    from asof.api.referee import RefereeReport, rank
    from asof.api.run import ModelRun, compare, cutoff, open_run, plot, report, run, score
    from asof.api.teaching import TaughtLanguageModel, teach
    from asof.errors import UserError
    from asof.facts import Fact, FactStore
    from asof.timeline import Date, Granularity, Interval, Open, Period, Verdict
    from asof.watches.door import Watch, watch

__version__ = "0.2.0"

# Everything is imported when it is first used: 'import asof' costs nothing, and nothing here needs torch.
_HOMES = {
    "asof.api.any_model": ("open_model",),
    "asof.api.base": ("Base", "ask", "open_base"),
    "asof.api.benchmark": ("BuiltBenchmark", "build", "open_benchmark"),
    "asof.api.completion": ("CompletionModel", "open_completion", "train"),
    "asof.api.frame": ("Frame",),
    "asof.api.reading": ("read",),
    "asof.api.referee": ("RefereeReport", "rank"),
    "asof.api.run": ("ModelRun", "compare", "cutoff", "open_run", "plot", "report", "run", "score"),
    "asof.api.teaching": ("TaughtLanguageModel", "teach"),
    "asof.errors": ("UserError",),
    "asof.facts": ("Fact", "FactStore"),
    "asof.timeline": ("Date", "Granularity", "Interval", "Open", "Period", "Verdict"),
    "asof.watches.door": ("Watch", "watch"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Base",
    "BuiltBenchmark",
    "CompletionModel",
    "Date",
    "Fact",
    "FactStore",
    "Frame",
    "Granularity",
    "Interval",
    "ModelRun",
    "Open",
    "Period",
    "RefereeReport",
    "TaughtLanguageModel",
    "UserError",
    "Verdict",
    "Watch",
    "ask",
    "build",
    "compare",
    "cutoff",
    "open_benchmark",
    "open_completion",
    "open_model",
    "open_run",
    "plot",
    "rank",
    "read",
    "report",
    "run",
    "score",
    "teach",
    "train",
    "watch",
]


def __getattr__(name: str) -> Any:
    """Import a name, or a folder of the package, when it is first used."""
    own = {"open": "open_base"}.get(name, name)
    if own in _HOME_OF:
        found = getattr(import_module(_HOME_OF[own]), own)
    elif not name.startswith("_") and find_spec(f"asof.{name}"):
        found = import_module(f"asof.{name}")
    else:
        raise AttributeError(f"asof has no {name!r}. It has: {', '.join(__all__)}.")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__", "open"]
