"""Scorers: how plausible a fact is at a time. One file each; the file name is what users type."""

from asof.completion.scorers._scorer import ProductScorer, Scorer, Sizes, TimeSpan

__all__ = ["ProductScorer", "Scorer", "Sizes", "TimeSpan"]
