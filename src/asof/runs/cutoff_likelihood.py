"""How likely is what a model answered, if what it knows of the world ends with a period?

In: for each fact that changed, the answers that it had in each period, and which of them the model gave. Out: a
probability for each period that the model's knowledge ends with it.

A model whose knowledge ends with period T gives, of all answers that the fact had, one that held at the end of T with
weight 1, each one that was over by then with weight ``u`` and each one that came later with weight ``v``. A model that
knows nothing has u = v = 1. The newest facts have less text than older ones, so the model knows each fact only as it
stood some time before T; that lag is spread like waiting times, with mean ``lag``. u, v and lag are the model's own and
unknown: the likelihood is averaged over a grid of them, with equal weights. So is T: all periods are as likely before.
Averaging, unlike the maximum, keeps 95 % intervals honest where T is a step and the likelihood no parabola.

What a model wrote may be no answer that the fact ever had, or a refusal. How often it errs or refuses is taken to have
nothing to do with which of a fact's answers are over, so these say nothing about T; they are counted apart. Where a
model chose between two answers, the weights of these two alone count; where a question named a period, the model
answers as of that period, or as of T if that is earlier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

_NOISE = np.array([0.005, 0.02, 0.06, 0.15, 0.35, 0.65, 1.0])  # u and v: from never wrong to guessing
_FACTORS = 32  # so many chances, none below 1e-4, are multiplied before a logarithm is taken, which is slow
_LAGS = np.array([0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0])  # years; longer ones are not told from ignorance


@dataclass(frozen=True)
class ChangedFact:
    """One fact that changed.

    Args:
        holds: Rows are answers, columns periods: whether the answer was right then.
        given: The row of the answer that the model gave.
        offered: The rows among which it chose; None: any.
        weight: How much it counts; several of one fact share the weight of one.
        period: The period that the question named, if any.
    """

    holds: npt.NDArray[np.bool_]
    given: int
    offered: tuple[int, ...] | None = None
    weight: float = 1.0
    period: int | None = None


@dataclass(frozen=True)
class Posterior:
    """What facts say about the period with which a model's knowledge ends.

    Args:
        periods: The probability of each period.
        evidence: How much likelier the answers are with such a period than without one, as a natural logarithm.
        newest: How much likelier they are when always the last answer counts as current than when always the first
            does, or when the model guesses; the lesser of the two, as a natural logarithm.
        oldest: The same for the first answer.
        lag: The mean of the lag, in years.
        noise: The mean weights u and v.
        joint: The probability of each noise, lag and period together; empty where it was not kept.
    """

    periods: Numbers
    evidence: float
    lag: float
    noise: tuple[float, float]
    newest: float = 0.0
    oldest: float = 0.0
    joint: Numbers = field(default_factory=lambda: np.empty((0, 0, 0)), repr=False)

    @property
    def best(self) -> int:
        """The likeliest period."""
        return int(self.periods.argmax())

    def interval(self, mass: float = 0.95) -> tuple[int, int]:
        """Return the first and the last of the likeliest periods that together have so much of the probability.

        >>> Posterior(np.array([0.01, 0.3, 0.66, 0.03]), 0.0, 0.0, (0.0, 0.0)).interval()
        (1, 2)
        """
        order = np.argsort(-self.periods, kind="stable")
        enough = int(np.searchsorted(np.cumsum(self.periods[order]), mass - 1e-9)) + 1
        return int(order[:enough].min()), int(order[:enough].max())


def posterior(facts: Sequence[ChangedFact], *, periods_per_year: float) -> Posterior:
    """Weigh every period as the end of a model's knowledge."""
    standings = np.stack([_standings(fact) for fact in facts])
    counts = np.array([fact.weight for fact in facts])
    likelihoods = _log_likelihoods(standings, _lag_weights(standings.shape[2], periods_per_year), counts)
    highest = likelihoods.max()
    weights = np.exp(likelihoods - highest)  # noise, lag, period
    by_period = weights.sum((0, 1))
    # Without a period: always the same place in the history counts as current, the first answer or the last one.
    first, last = (_one_standing(standings[:, :, [end]], counts) for end in (0, -1))
    with_one = highest + np.log(weights.mean())
    without = np.logaddexp(first, last) - np.log(2)
    guessed = float(_log_likelihoods(standings[:, :, [-1]], np.ones((1, 1, 1)), counts)[-1, 0, 0])  # u = v = 1
    noise = weights.sum((1, 2)) / weights.sum()
    grid = np.array([(u, v) for u in _NOISE for v in _NOISE])
    mean_u, mean_v = (noise[:, None] * grid).sum(0)
    lag = float((weights.sum((0, 2)) * _LAGS).sum() / weights.sum())
    evidence, means = float(with_one - without), (float(mean_u), float(mean_v))
    return Posterior(
        by_period / by_period.sum(),
        evidence,
        lag,
        means,
        newest=last - max(first, guessed),
        oldest=first - max(last, guessed),
        joint=weights / weights.sum(),
    )


def expected_new(posterior: Posterior, *, periods_per_year: float) -> Numbers:
    """Return for a change in each period how often the new answer is expected to be taken, and the band of 95 %.

    Rows: the mean, the lower and the upper border. The band is that of the curve, not of the few changes of a period.
    """
    behind = _lag_weights(
        posterior.joint.shape[2], periods_per_year
    )  # lag, end, the period as of which a fact is known
    reaches = behind[:, :, ::-1].cumsum(2)[:, :, ::-1]
    u, v = np.array([(u, v) for u in _NOISE for v in _NOISE]).T[:, :, None, None]
    weights = posterior.joint.ravel()
    rows = []
    for period in range(posterior.joint.shape[2]):
        known = reaches[None, :, :, period]
        values = (known / (1 + u) + (1 - known) * v / (1 + v)).ravel()
        order = np.argsort(values)
        below = np.cumsum(weights[order])
        borders = np.searchsorted(below, [0.025, 0.975]).clip(max=len(order) - 1)
        low, high = values[order[borders]]
        rows.append((float(values @ weights), float(low), float(high)))
    return np.array(rows).T


def chances(facts: Sequence[ChangedFact], noises: Numbers, lags: Numbers, *, periods_per_year: float) -> Numbers:
    """Return the probability of each answer by pair of noises, lag and period."""
    standings = np.stack([_standings(fact) for fact in facts])
    behind = _lag_weights(standings.shape[2], periods_per_year, lags)
    found = np.empty((len(facts), len(noises), len(lags), standings.shape[2]))
    for number, (u, v) in enumerate(noises):
        found[:, number] = np.einsum("fk,lek->fle", _chances(standings, u, v), behind)
    return found


def _chances(standings: Numbers, u: float, v: float) -> Numbers:
    """Return how likely each given answer is for a model that knows its fact as of a period."""
    return (standings[:, 0] + u * standings[:, 1] + v * standings[:, 2]) / (
        standings[:, 3] + u * standings[:, 4] + v * standings[:, 5]
    )


def current_at(holds: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Tell which answers stand at the end of each period.

    Of two that were right within a period, the one that is right in the next stands; in a gap the last one does.

    >>> current_at(np.array([[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 1]], bool)).astype(int).tolist()
    [[1, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 1]]
    """
    stays = holds.copy()
    both = holds[:, :-1] & holds[:, 1:]
    some = both.any(0)
    stays[:, :-1][:, some] = both[:, some]
    for period in range(1, stays.shape[1]):
        if not stays[:, period].any():
            stays[:, period] = stays[:, period - 1]
    return stays


def _standings(fact: ChangedFact) -> Numbers:
    """Return for each period: 1 / number of current answers if one was given, and whether it was over or to come.

    Rows: current, over, to come (of the given answer), then how many answers are current at all, over, and to come.
    """
    now = current_at(fact.holds)
    begun = np.logical_or.accumulate(fact.holds, axis=1)
    over, later = begun & ~now, ~begun
    offered = list(range(len(now)) if fact.offered is None else fact.offered)
    counts = now[offered].sum(0)
    given = np.stack([now[fact.given] / np.maximum(counts, 1), over[fact.given], later[fact.given]])
    found = np.concatenate([given, np.stack([counts > 0, over[offered].sum(0), later[offered].sum(0)])])
    return found if fact.period is None else found[:, np.minimum(np.arange(found.shape[1]), fact.period)]


def _log_likelihoods(standings: Numbers, lag_weights: Numbers, counts: Numbers) -> Numbers:
    """Return the log-likelihood of all answers by noise, lag and period; an answer counts as often as ``counts``."""
    whole = bool((counts == 1).all())
    periods = standings.shape[2]
    found = np.empty((len(_NOISE) ** 2, len(lag_weights), periods))
    spread = lag_weights.transpose(2, 0, 1).reshape(periods, -1)  # from a period to each lag and end
    for number, (u, v) in enumerate((u, v) for u in _NOISE for v in _NOISE):
        each = _chances(standings, u, v) @ spread
        each = each if whole else each ** counts[:, None]
        products = np.multiply.reduceat(each, np.arange(0, len(each), _FACTORS), axis=0)
        found[number] = np.log(products).sum(0).reshape(len(lag_weights), periods)
    return found


def _lag_weights(periods: int, periods_per_year: float, lags: Numbers | None = None) -> Numbers:
    """Return for each lag and each end the weights of the periods as of which a fact is known."""
    lags = _LAGS if lags is None else lags
    ends, known = np.indices((periods, periods))
    behind = ends - known
    found = np.zeros((len(lags), periods, periods))
    for number, lag in enumerate(lags):
        if lag == 0:
            found[number] = behind == 0
            continue
        stays = np.exp(-1 / (lag * periods_per_year))
        found[number] = np.where(behind >= 0, (1 - stays) * stays ** np.maximum(behind, 0), 0)
        found[number, :, 0] += 1 - found[number].sum(1)  # known only as it stood before the first period
    return found


def _one_standing(standings: Numbers, counts: Numbers) -> float:
    """Return the log of the mean likelihood when all facts are known as of one period, for every noise."""
    found = _log_likelihoods(standings, np.ones((1, 1, 1)), counts)
    highest = float(found.max())
    return highest + float(np.log(np.exp(found - highest).mean()))
