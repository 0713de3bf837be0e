"""TA (García-Durán et al. 2018, EMNLP, arXiv:1809.03202): an LSTM reads the relation and then the digits of the date.

Its last state is the relation's vector at that time, which takes the relation's place in TransE, DistMult or ComplEx.
"""

from typing import Literal, get_args

import torch
from torch import Tensor, nn

from asof.completion.scorers._point_scorer import unrolled
from asof.completion.scorers._scorer import ProductScorer, Sizes, TimeSpan, conjugated, multiplied
from asof.errors import UserError
from asof.registry import scorers

Form = Literal["transe", "distmult", "complex"]

# Where the numbers of tokens begin: digits of a year, eras, months, digits of a day, the two times without a date.
_YEAR, _ERA, _MONTH, _DAY, _NO_DATE, _TOKENS = 0, 10, 12, 24, 34, 36


@scorers.register("ta")
class TA(ProductScorer):
    """TA, 2018: reads the digits of dates, so that years with common digits have something in common.

    Over a span a relation's vector is the mean of those at its points. All forms have vectors of 2 · rank numbers.

    Args:
        form: The scorer in which the relation at a time takes the relation's place. TransE has the squared distance
            here, which ranks as the distance does and makes it a product of vectors.
    """

    paper = "arXiv:1809.03202"
    tokens: Tensor

    def __init__(self, sizes: Sizes, rank: int, *, form: Form = "distmult") -> None:
        super().__init__(sizes, rank)
        if form not in get_args(Form):
            raise UserError(f"ta has no form {form!r}: {', '.join(get_args(Form))}.")
        if len(sizes.dates) != sizes.points:
            raise UserError("ta reads dates, and these sizes have none. Make them with sizes_of(dataset).")
        self.form = form
        self.register_buffer("tokens", torch.tensor(date_tokens(sizes.dates)), persistent=False)
        self.relations = nn.Embedding(sizes.relations, 2 * rank)
        self.dates = nn.Embedding(_TOKENS, 2 * rank)
        self.reader = nn.LSTM(2 * rank, 2 * rank, batch_first=True)

    def question(self, entity: Tensor, relation: Tensor, span: TimeSpan) -> tuple[Tensor, list[Tensor]]:
        """<s, r_t, o> or <s, r_t, o*>, or -‖s + r_t - o‖² = 2 (s + r_t) · o - ‖o‖² - ‖s + r_t‖²."""
        s, r = self.entities(entity), self.relations_over(relation, span)
        if self.form == "transe":
            moved = s + r
            return torch.cat([2 * moved, -torch.ones(len(s), 1, device=s.device), -_squared(moved)], -1), [s, r]
        return (multiplied(s, r) if self.form == "complex" else s * r), [s, r]

    def candidates(self, chosen: Tensor | None = None) -> Tensor:
        """Return o, or (o, ‖o‖², 1) for TransE."""
        o = super().candidates(chosen)
        if self.form == "transe":
            return torch.cat([o, _squared(o), torch.ones_like(o[..., :1])], -1)
        return o

    def moments(self, subject: Tensor, relation: Tensor, object: Tensor) -> Tensor:
        """Score all points: each relation is read once at every point."""
        s, o = self.entities(subject), self.entities(object)
        points = torch.arange(self.sizes.points, device=subject.device)
        found = torch.zeros(len(subject), self.sizes.points, device=subject.device)
        for asked in torch.unique(relation):
            rows = (relation == asked).nonzero()[:, 0]
            r = self.read(asked.expand(self.sizes.points), points)
            if self.form == "transe":
                gap = o[rows] - s[rows]
                scores = 2 * gap @ r.T - _squared(r).T - _squared(gap)
            elif self.form == "complex":
                scores = multiplied(o[rows], conjugated(s[rows])) @ r.T
            else:
                scores = (s[rows] * o[rows]) @ r.T
            found.index_add_(0, rows, scores)
        return found

    def relations_over(self, relation: Tensor, span: TimeSpan) -> Tensor:
        """Return the mean vector of relations over spans; each relation is read once at each point."""
        question, point = unrolled(span)
        pairs, index = torch.unique(relation[question] * self.sizes.points + point, return_inverse=True)
        share = 1 / (span.last - span.first + 1)[question]
        vectors = self.read(pairs // self.sizes.points, pairs % self.sizes.points)
        if vectors.device.type != "cpu":  # mps has no sparse matrices
            return vectors.new_zeros(len(relation), vectors.shape[1]).index_add(
                0, question, vectors[index] * share[:, None]
            )
        weights = torch.sparse_coo_tensor(
            torch.stack([question, index]), share, (len(relation), len(pairs)), check_invariants=False
        )
        mean: Tensor = torch.sparse.mm(weights, vectors)
        return mean

    def read(self, relation: Tensor, point: Tensor) -> Tensor:
        """Let the LSTM read relations and dates, and return its last states."""
        words = torch.cat([self.relations(relation)[:, None], self.dates(self.tokens[point])], 1)
        last: Tensor = self.reader(words)[1][0][0]
        return last

    def initialise(self, deviation: float) -> None:
        """Begin with small entities; what the LSTM reads, and its weights, begin as LSTMs are used to."""
        nn.init.normal_(self.entities.weight, std=deviation)
        nn.init.normal_(self.relations.weight)
        nn.init.normal_(self.dates.weight)
        self.reader.reset_parameters()


def date_tokens(dates: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    """Write dates as tokens, all equally many: the digits of the year, then the month, then the digits of the day.

    A token for the era comes first if some year is below 0. Times without a date repeat a token of their own.

    >>> date_tokens(((), (2014, 5, 13), ()))
    [[34, 34, 34, 34, 34, 34, 34], [2, 0, 1, 4, 16, 25, 27], [35, 35, 35, 35, 35, 35, 35]]
    """
    known = [date for date in dates if date]
    eras = any(date[0] < 0 for date in known)
    digits = max([4, *(len(str(abs(date[0]))) for date in known)])
    written = []
    for date in known:
        tokens = [_ERA + (date[0] < 0)] if eras else []
        tokens += [_YEAR + int(digit) for digit in f"{abs(date[0]):0{digits}}"]
        if len(date) == 3:
            tokens += [_MONTH + date[1] - 1, *(_DAY + int(digit) for digit in f"{date[2]:02}")]
        written.append(tokens)
    width = len(written[0]) if written else 1
    remaining = iter(written)
    return [next(remaining) if date else [_NO_DATE + (index > 0)] * width for index, date in enumerate(dates)]


def _squared(vectors: Tensor) -> Tensor:
    return vectors.square().sum(-1, keepdim=True)
