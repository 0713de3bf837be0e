"""Whether the vectors of far-off times are far apart (Jain et al. 2020, figure 2).

From the time vectors of a scorer to the mean distance for each gap between two times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.stats
import torch

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Ints
from asof.completion.interval_prediction import Floats
from asof.completion.scorers import Scorer
from asof.timeline.calendar import calendar_day

LEAST_PAIRS = 30  # gaps between fewer pairs of times are dropped, as in the paper


@dataclass(frozen=True)
class TimeDistances:
    """For each gap, in years or days, the mean L2 distance of the vectors of times that are so far apart."""

    gap: Ints
    distance: Floats
    pairs: Ints

    @property
    def correlation(self) -> float | None:
        """Spearman's correlation of distance with gap, one value for each gap; None below three gaps.

        >>> TimeDistances(np.array([1, 2, 3]), np.array([0.1, 0.5, 0.9]), np.array([9, 8, 7])).correlation
        1.0
        """
        if len(self.gap) < 3 or np.ptp(self.distance) == 0:
            return None
        return float(scipy.stats.spearmanr(self.gap, self.distance).statistic)


def time_distances(
    scorer: Scorer, dataset: Dataset, *, years: tuple[int, int] | None = None, least_pairs: int = LEAST_PAIRS
) -> TimeDistances | None:
    """Measure the distances of all pairs of times; None for a scorer without a vector for each time.

    Args:
        years: Only times from the first to the last of these years. The paper takes 1958 to 2017 for YAGO11k and 1984
            to 2020 for WIKIDATA12k, where facts are many; by default all times that facts begin or end at.
    """
    vectors = scorer.times()
    if vectors is None or len(vectors) != len(dataset.points):
        return None
    kept = (dataset.points > BEFORE_ALL) & (dataset.points < AFTER_ALL)
    if years:
        kept[kept] = _within(dataset, dataset.points[kept], years)
    times = dataset.points[kept]
    chosen = vectors.detach()[torch.from_numpy(kept)].double()
    # Not by a product of matrices, which loses the digits of small distances.
    apart = torch.cdist(chosen, chosen, compute_mode="donot_use_mm_for_euclid_dist").numpy()
    one, other = np.triu_indices(len(times), 1)
    gaps, group = np.unique(times[other] - times[one], return_inverse=True)
    pairs = np.bincount(group, minlength=len(gaps))
    distance = np.bincount(group, apart[one, other], minlength=len(gaps)) / np.maximum(1, pairs)
    enough = pairs >= least_pairs
    return TimeDistances(gaps[enough], distance[enough], pairs[enough])


def _within(dataset: Dataset, times: Ints, years: tuple[int, int]) -> npt.NDArray[np.bool_]:
    of_time = times if dataset.granularity == "year" else calendar_day(times)[0]
    return np.asarray((of_time >= years[0]) & (of_time <= years[1]))
