"""Scorers: how plausible a fact is at a time. One file each; the file name is what users type."""

from asof.completion.scorers._point_scorer import PointScorer
from asof.completion.scorers._scorer import AblationRole, ProductScorer, Scorer, Sizes, TimeSpan

__all__ = ["AblationRole", "PointScorer", "ProductScorer", "Scorer", "Sizes", "TimeSpan"]
