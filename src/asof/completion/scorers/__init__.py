"""Scorers: how plausible a fact is at a time. One file each; the file name is what users type."""

from asof.completion.scorers._point_scorer import PointScorer
from asof.completion.scorers._scorer import ProductScorer, Scorer, Sizes, TimeSpan

__all__ = ["PointScorer", "ProductScorer", "Scorer", "Sizes", "TimeSpan"]
