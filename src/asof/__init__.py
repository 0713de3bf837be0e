"""asof: knowledge that is true only for a time."""

from asof.facts import Fact, FactStore
from asof.timeline import Date, Granularity, Interval, Open, Period, Verdict

__version__ = "0.1.0"

__all__ = ["Date", "Fact", "FactStore", "Granularity", "Interval", "Open", "Period", "Verdict"]
