"""TempLAMA: what was right in each year? The yearly form of ``dynamic_templama.py``, with the year in the sentence.

Dhingra et al. 2022 (arXiv:2106.15110), section 2.2: "In 2012, Cristiano Ronaldo played for _X_."
"""

from dataclasses import dataclass
from typing import ClassVar

from asof.benchmarks.dynamic_templama import By, DynamicTempLama
from asof.registry import benchmarks


@benchmarks.register("templama")
@dataclass(frozen=True, kw_only=True)
class TempLama(DynamicTempLama):
    """What was right in each year? Facts with a blank and a year; settings are those of dynamic-templama."""

    name: ClassVar[str] = "templama"
    paper: ClassVar[str] = "arXiv:2106.15110"

    first: str = "2010"  # the range of the paper
    last: str = "2020"
    by: By = "year"
    dated: bool = True
