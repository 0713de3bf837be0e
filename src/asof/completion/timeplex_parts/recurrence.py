"""Whether a fact comes again, and after how long (Jain et al. 2020, section 4.2, equations 6 and 7).

Only candidates that train knows for the asked entity and relation, at another time, get anything: a sparse addition to
the scores of a base model.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from asof.completion.dataset import Ints
from asof.completion.queries import Queries
from asof.completion.timeplex_parts.gaps import LEAST_VARIANCE, bell, gap_times, spread
from asof.completion.timeplex_parts.held_tensors import hold

Floats = npt.NDArray[np.float64]


class Recurrence(nn.Module):
    """φ_rec: b_r for what train knows at another time, plus w_r N(δ | μ_r, σ_r) where r recurs; δ is the nearest gap.

    μ and σ are fitted to the gaps between recurrences in train and stay; w and b are learnt, for each direction of a
    relation. What train knows at the asked time only is no recurrence, so a fact of train never finds itself.

    Args:
        entities: How many there are.
        relations: How many there are, each direction counted.
        least_recurring: K_rec, how many pairs of entities must recur for the relation to count as recurrent.
        published_gaps: Fit μ and σ as the published program does: each occurrence against the last but one, and the
            second of a pair against its last, which for two occurrences is itself.
    """

    trained: Tensor
    mean: Tensor
    variance: Tensor
    recurrent: Tensor
    _answers: Tensor
    _first_answer: Tensor
    _answer: Tensor
    _times: Tensor
    _first_time: Tensor
    _time_count: Tensor

    def __init__(
        self, *, entities: int, relations: int, least_recurring: int = 1, published_gaps: bool = False
    ) -> None:
        super().__init__()
        self._entities, self._least_recurring, self._published_gaps = entities, least_recurring, published_gaps
        self.weight = nn.Parameter(torch.empty(relations))
        self.offset = nn.Parameter(torch.empty(relations))
        self.register_buffer("trained", torch.tensor(False))
        self.initialise()
        self.look_at(Queries(*(np.zeros(0, np.int64) for _ in range(5))))

    @torch.no_grad()
    def initialise(self) -> None:
        """Begin anew, with the values of the published program."""
        self.weight.fill_(1.0)
        self.offset.fill_(-0.1)
        self.trained.fill_(False)

    def look_at(self, facts: Queries) -> None:
        """Take in the facts of train, in both directions."""
        relations = len(self.weight)
        times = gap_times(facts.start, facts.end).numpy()
        order = np.lexsort((times, facts.answer, facts.relation, facts.entity))
        facts, times = facts[order], times[order]
        question = facts.entity * relations + facts.relation
        new = np.ones(len(facts), bool)
        new[1:] = (question[1:] != question[:-1]) | (facts.answer[1:] != facts.answer[:-1])
        heads = np.flatnonzero(new)  # where the times of each known triple begin
        mean, variance, pairs = _fitted(times, new.cumsum(), facts.relation, relations, published=self._published_gaps)
        answers = torch.from_numpy(np.bincount(question[heads], minlength=self._entities * relations))
        hold(
            self,
            mean=torch.from_numpy(mean).float(),
            variance=torch.from_numpy(variance).float(),
            recurrent=torch.from_numpy(pairs >= max(1, self._least_recurring)),
            _answers=answers,
            _first_answer=answers.cumsum(0) - answers,
            _answer=torch.from_numpy(facts.answer[heads]),
            _times=torch.from_numpy(times),
            _first_time=torch.from_numpy(heads),
            _time_count=torch.from_numpy(np.diff(heads, append=len(facts))),
        )

    def additions(self, entity: Tensor, relation: Tensor, times: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return (question, candidate, value) for all candidates that get something."""
        key = entity * len(self.weight) + relation
        question, known = spread(self._first_answer[key], self._answers[key])
        value, recurs = self._values(known, relation[question], times[question][:, None])
        kept = recurs[:, 0]
        return question[kept], self._answer[known[kept]], value[kept, 0]

    def of(self, entity: Tensor, relation: Tensor, candidate: Tensor, times: Tensor) -> Tensor:
        """Return the value of one candidate for each question at some times: a row of times, a row of values."""
        key = entity * len(self.weight) + relation
        question, known = spread(self._first_answer[key], self._answers[key])
        same = self._answer[known] == candidate[question]
        question, known = question[same], known[same]
        value, recurs = self._values(known, relation[question], times[question])
        return torch.zeros_like(times).index_put((question,), torch.where(recurs, value, 0.0))

    def _values(self, known: Tensor, relation: Tensor, times: Tensor) -> tuple[Tensor, Tensor]:
        """Return eq. 7 for known triples at times, and whether the triple is known at another time at all."""
        triple, index = spread(self._first_time[known], self._time_count[known])
        others, asked = self._times[index][:, None], times[triple]
        gaps = torch.where(others == asked, torch.inf, (asked - others).abs())
        rows = triple[:, None].expand_as(gaps)
        nearest = torch.full_like(times, torch.inf).scatter_reduce(0, rows, gaps, "amin")
        recurs = torch.zeros_like(times).scatter_reduce(0, rows, (others != asked).float(), "amax") > 0
        usual = bell(nearest, self.mean[relation][:, None], self.variance[relation][:, None])
        usual = usual * self.recurrent[relation][:, None]
        return self.weight[relation][:, None] * usual + self.offset[relation][:, None], recurs


def _fitted(
    times: npt.NDArray[np.float32], triple: Ints, relation: Ints, relations: int, *, published: bool
) -> tuple[Floats, Floats, Ints]:
    """Return mean and variance of the gaps of each relation, and how many triples recur; times are sorted by triple."""
    kept = np.isfinite(times)
    if not published:  # a time that is given twice does not recur
        kept[1:] &= (times[1:] != times[:-1]) | (triple[1:] != triple[:-1])
    times, triple, relation = times[kept], triple[kept], relation[kept]
    follows = np.flatnonzero(triple[1:] == triple[:-1]) + 1
    before = follows - 1
    if published:
        first = np.searchsorted(triple, triple[follows])
        last = np.searchsorted(triple, triple[follows], side="right") - 1
        before = np.where(follows - 1 == first, last, follows - 2)
    gaps = times[follows].astype(float) - times[before]
    of = relation[follows]
    counts = np.maximum(1, np.bincount(of, minlength=relations))
    mean = np.bincount(of, gaps, minlength=relations) / counts
    variance = np.bincount(of, (gaps - mean[of]) ** 2, minlength=relations) / counts
    firsts = follows[np.unique(triple[follows], return_index=True)[1]]
    pairs = np.bincount(relation[firsts], minlength=relations)
    return mean, np.maximum(variance, LEAST_VARIANCE), pairs
