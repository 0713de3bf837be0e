"""Scorers against their formulas, written out for one fact at a time with loops and Python's complex numbers."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from asof import registry
from asof.completion.ranking import rank
from asof.completion.scorers import Scorer, Sizes, TimeSpan
from asof.completion.scorers._point_scorer import unrolled
from asof.completion.scorers._scorer import conjugated, mean_over, multiplied
from asof.completion.scorers.hyte import HyTE
from asof.completion.scorers.ta import TA, date_tokens
from asof.completion.training.regularisers import cubes, squares
from asof.completion.training.trainer import CompletionTraining, link_scores, sizes_of, train
from asof.errors import UserError
from tests.completion.toy import dataset_of, terms_of_office

YEARS = ((), (-44,), (360,), (1952,), (1953,), (2014,), ())
DAYS = ((), (2013, 12, 31), (2014, 1, 1), (2014, 5, 13), (2014, 5, 14), (2014, 10, 30), ())
ENTITIES, RELATIONS, RANK = 6, 4, 3


def sizes(dates: tuple[tuple[int, ...], ...] = YEARS) -> Sizes:
    return Sizes(ENTITIES, RELATIONS, len(dates), dates)


def made(name: str, options: dict[str, Any], dates: tuple[tuple[int, ...], ...] = YEARS) -> Scorer:
    torch.manual_seed(3)
    scorer: Scorer = registry.scorers.get(name)(sizes(dates), RANK, **options)
    scorer.initialise(0.7)
    scorer.after_step()
    return scorer


def row(table: Any, number: int) -> list[float]:
    values: list[float] = table.weight[number].tolist()
    return values


def complex_row(table: Any, number: int) -> list[complex]:
    values = row(table, number)
    half = len(values) // 2
    return [complex(a, b) for a, b in zip(values[:half], values[half:], strict=True)]


def trilinear(one: Sequence[complex], other: Sequence[complex], conjugate: Sequence[complex]) -> float:
    """<a, b, c*>, its real part."""
    return sum((a * b * c.conjugate()).real for a, b, c in zip(one, other, conjugate, strict=True))


# For each scorer: the score of a fact (s, r, o) at one point, from nothing but the paper and the parameters.


def slow_complex(m: Any, s: int, r: int, o: int, t: int) -> float:
    return trilinear(complex_row(m.entities, s), complex_row(m.relations, r), complex_row(m.entities, o))


def slow_tntcomplex(m: Any, s: int, r: int, o: int, t: int) -> float:
    relation = [a * b for a, b in zip(complex_row(m.relations, r), complex_row(m.points, t), strict=True)]
    if m.lasting_relations is not None:
        relation = [a + b for a, b in zip(relation, complex_row(m.lasting_relations, r), strict=True)]
    return trilinear(complex_row(m.entities, s), relation, complex_row(m.entities, o))


def slow_timeplex_base(m: Any, s: int, r: int, o: int, t: int) -> float:
    subject, object, time = complex_row(m.entities, s), complex_row(m.entities, o), complex_row(m.points, t)
    alpha, beta, gamma = float(m.subject_time), float(m.object_time), float(m.subject_object_time)
    return (
        trilinear(subject, complex_row(m.relations, r), object)
        + alpha * trilinear(subject, complex_row(m.subject_relations, r), time)
        + beta * trilinear(time, complex_row(m.object_relations, r), object)
        + gamma * trilinear(subject, time, object)
    )


def slow_hyte(m: Any, s: int, r: int, o: int, t: int) -> float:
    normal = row(m.planes, t // m.points_per_plane)

    def projected(vector: list[float]) -> list[float]:
        along = sum(x * w for x, w in zip(vector, normal, strict=True))
        return [x - along * w for x, w in zip(vector, normal, strict=True)]

    parts = (projected(row(m.entities, s)), projected(row(m.relations, r)), projected(row(m.entities, o)))
    return -sum(abs(a + b - c) for a, b, c in zip(*parts, strict=True))


def slow_de_simple(m: Any, s: int, r: int, o: int, t: int) -> float:
    hands = [math.pi * (2 * t / (m.sizes.points - 1) - 1)]
    if any(len(date) == 3 for date in m.sizes.dates):
        _, month, day = m.sizes.dates[t] or (0, 0, 0)
        hands += [2 * math.pi * month / 12 - math.pi, 2 * math.pi * day / 31 - math.pi]
    lasts = m.rank - m.swings

    def vector(entity: int, side: int) -> list[float]:
        numbers = []
        for n in range(m.swings):
            places = [(hand, (part * 2 + side) * m.swings + n) for part, hand in enumerate(hands)]
            a, w, b = (row(table, entity) for table in (m.amplitudes, m.frequencies, m.shifts))
            numbers.append(sum(a[place] * math.sin(w[place] * hand + b[place]) for hand, place in places))
        return numbers + row(m.lasting, entity)[side * lasts : (side + 1) * lasts]

    there = zip(vector(s, 0), row(m.relations, r), vector(o, 1), strict=True)
    back = zip(vector(o, 0), row(m.relations, (r + RELATIONS // 2) % RELATIONS), vector(s, 1), strict=True)
    return (sum(a * b * c for a, b, c in there) + sum(a * b * c for a, b, c in back)) / 2


def slow_reader(m: Any, r: int, t: int) -> list[float]:
    """The last state of an LSTM, number by number."""
    size = 2 * m.rank
    state, memory = [0.0] * size, [0.0] * size
    w_in, w_state = m.reader.weight_ih_l0.tolist(), m.reader.weight_hh_l0.tolist()
    bias = (m.reader.bias_ih_l0 + m.reader.bias_hh_l0).tolist()
    for word in [row(m.relations, r), *(row(m.dates, token) for token in date_tokens(m.sizes.dates)[t])]:
        sums = [
            bias[k]
            + sum(w * x for w, x in zip(w_in[k], word, strict=True))
            + sum(w * h for w, h in zip(w_state[k], state, strict=True))
            for k in range(4 * size)
        ]
        for k in range(size):
            let_in, keep, let_out = (1 / (1 + math.exp(-sums[gate * size + k])) for gate in (0, 1, 3))
            memory[k] = keep * memory[k] + let_in * math.tanh(sums[2 * size + k])
            sums[k] = let_out * math.tanh(memory[k])
        state = sums[:size]
    return state


def slow_ta(m: Any, s: int, r: int, o: int, t: int) -> float:
    subject, relation, object = row(m.entities, s), slow_reader(m, r, t), row(m.entities, o)
    if m.form == "complex":
        half = len(relation) // 2
        numbers = [complex(a, b) for a, b in zip(relation[:half], relation[half:], strict=True)]
        return trilinear(complex_row(m.entities, s), numbers, complex_row(m.entities, o))
    triples = list(zip(subject, relation, object, strict=True))
    if m.form == "transe":
        return -sum((a + b - c) ** 2 for a, b, c in triples)
    return sum(a * b * c for a, b, c in triples)


Slow = Callable[[Any, int, int, int, int], float]
CASES: list[tuple[str, dict[str, Any], Slow]] = [
    ("complex", {}, slow_complex),
    ("tcomplex", {}, slow_tntcomplex),
    ("tntcomplex", {}, slow_tntcomplex),
    ("timeplex-base", {}, slow_timeplex_base),
    ("timeplex-base", {"subject_object_time": 0.0, "unit_times": False}, slow_timeplex_base),
    ("hyte", {}, slow_hyte),
    ("hyte", {"points_per_plane": 2}, slow_hyte),
    ("de-simple", {}, slow_de_simple),
    ("de-simple", {"swinging": 1.0}, slow_de_simple),
    ("de-simple", {"swinging": 0.0}, slow_de_simple),
    ("ta", {"form": "transe"}, slow_ta),
    ("ta", {"form": "distmult"}, slow_ta),
    ("ta", {"form": "complex"}, slow_ta),
]
each = pytest.mark.parametrize(("name", "options", "slow"), CASES, ids=[f"{n}-{o}" for n, o, _ in CASES])
each_that_knows_time = pytest.mark.parametrize(
    ("name", "options", "slow"), CASES[1:], ids=[f"{n}-{o}" for n, o, _ in CASES[1:]]
)
QUESTIONS = [(0, 0, 1, 1), (1, 3, 3, 3), (5, 1, 0, 0), (2, 2, 6, 6), (2, 2, 3, 3), (0, 0, 4, 4)]
SPANS = [(0, 0, 1, 4), (1, 3, 3, 3), (5, 1, 0, 6), (2, 2, 5, 6)]


def asked(questions: list[tuple[int, int, int, int]]) -> tuple[torch.Tensor, torch.Tensor, TimeSpan]:
    entity, relation, first, last = torch.tensor(questions).T
    return entity, relation, TimeSpan(first, last)


def without_constant(scores: torch.Tensor) -> torch.Tensor:
    return scores - scores.mean(1, keepdim=True)


@each
@pytest.mark.parametrize("dates", [YEARS, DAYS], ids=["years", "days"])
@pytest.mark.parametrize("questions", [QUESTIONS, SPANS], ids=["points", "spans"])
def test_scores_are_those_of_the_formula(
    name: str,
    options: dict[str, Any],
    slow: Slow,
    dates: tuple[tuple[int, ...], ...],
    questions: list[tuple[int, int, int, int]],
) -> None:
    scorer = made(name, options, dates)
    everyone = torch.arange(ENTITIES).expand(len(questions), -1)
    with torch.no_grad():
        scores = scorer.scores(*asked(questions))
        torch.testing.assert_close(scorer.scores_of(*asked(questions), everyone)[0], scores, atol=1e-5, rtol=1e-4)
    expected = torch.tensor(
        [
            [
                math.fsum(slow(scorer, s, r, o, t) for t in range(first, last + 1)) / (last - first + 1)
                for o in range(ENTITIES)
            ]
            for s, r, first, last in questions
        ]
    )
    if name == "timeplex-base" or options.get("form") == "transe":
        # Equal but for what all candidates have in common: the term α, or the spread of a relation's vectors in a span.
        scores, expected = without_constant(scores), without_constant(expected)
    torch.testing.assert_close(scores, expected, atol=1e-4, rtol=1e-4)


@each
def test_some_candidates_score_as_they_do_among_all(name: str, options: dict[str, Any], slow: Slow) -> None:
    scorer = made(name, options)
    some = torch.tensor([[3, 0], [5, 5], [1, 2], [4, 0]])
    with torch.no_grad():
        among_all = scorer.scores(*asked(SPANS)).gather(1, some)
        scores, factors = scorer.scores_of(*asked(SPANS), some)
    torch.testing.assert_close(scores, among_all, atol=1e-5, rtol=1e-4)
    assert all(len(factor) == len(SPANS) for factor in factors)
    for regulariser in (squares, cubes):
        assert math.isfinite(float(regulariser(factors))) and float(regulariser(factors)) > 0


@pytest.mark.parametrize("name", ["hyte", "de-simple"])
def test_candidates_for_all_questions_score_as_they_do_among_all(name: str) -> None:
    scorer, chosen = made(name, {}), torch.tensor([4, 0, 2])
    among_all, among_chosen = scorer.scores(*asked(SPANS))[:, chosen], scorer.scores(*asked(SPANS), chosen)
    torch.testing.assert_close(among_chosen, among_all, atol=1e-5, rtol=1e-4)
    slopes = [
        torch.autograd.grad(scores.square().sum(), scorer.relations.weight) for scores in (among_all, among_chosen)
    ]
    torch.testing.assert_close(*slopes, atol=1e-4, rtol=1e-4)


@each_that_knows_time
@pytest.mark.parametrize("dates", [YEARS, DAYS], ids=["years", "days"])
def test_moments_follow_the_score_over_time(
    name: str, options: dict[str, Any], slow: Slow, dates: tuple[tuple[int, ...], ...]
) -> None:
    scorer = made(name, options, dates)
    facts = [(0, 0, 1), (4, 3, 2), (5, 0, 5), (3, 2, 0)]
    subject, relation, object = torch.tensor(facts).T
    with torch.no_grad():
        moments = scorer.moments(subject, relation, object)
    expected = torch.tensor([[slow(scorer, s, r, o, t) for t in range(len(dates))] for s, r, o in facts])
    torch.testing.assert_close(without_constant(moments), without_constant(expected), atol=1e-4, rtol=1e-4)


@each
def test_gradients_are_finite_and_those_of_all_candidates_too(name: str, options: dict[str, Any], slow: Slow) -> None:
    scorer = made(name, options)
    everyone = torch.arange(ENTITIES).expand(len(SPANS), -1)
    gradients = []
    for scores in (scorer.scores(*asked(SPANS)), scorer.scores_of(*asked(SPANS), everyone)[0]):
        scorer.zero_grad()
        scores.log_softmax(1)[:, 0].sum().backward()  # type: ignore[no-untyped-call]
        found = {key: value.grad.clone() for key, value in scorer.named_parameters() if value.grad is not None}
        assert all(bool(gradient.isfinite().all()) for gradient in found.values())
        assert any(bool(gradient.abs().sum() > 0) for gradient in found.values())
        gradients.append(found)
    for key, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][key], gradient, atol=1e-4, rtol=1e-3)


LEARNT: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("complex", {}, {}),
    ("tcomplex", {}, {}),
    ("tntcomplex", {}, {}),
    ("timeplex-base", {}, {}),
    ("hyte", {}, {"negatives": 20}),
    ("de-simple", {}, {"negatives": 20}),
    ("hyte", {"points_per_plane": 1}, {"shared_negatives": 20}),
    ("de-simple", {"swinging": 0.64}, {"shared_negatives": 20}),
    ("ta", {"form": "transe"}, {"optimiser": "adam", "learning_rate": 0.02}),
    ("ta", {"form": "distmult"}, {"optimiser": "adam", "learning_rate": 0.02}),
    ("ta", {"form": "complex"}, {"optimiser": "adam", "learning_rate": 0.02}),
]


@pytest.mark.parametrize(("name", "options", "how"), LEARNT, ids=[f"{n}-{o}" for n, o, _ in LEARNT])
def test_a_small_dataset_is_learnt_by_heart(name: str, options: dict[str, Any], how: dict[str, Any]) -> None:
    dataset = terms_of_office()
    scorer = registry.scorers.get(name)(sizes_of(dataset), 16, **options)
    losses: list[float] = []
    train(
        scorer,
        dataset,
        CompletionTraining(epochs=60, batch=24, **how),
        on_progress=lambda figures: losses.append(figures["loss"]),
    )
    mrr = rank(link_scores(scorer, dataset, "mean"), dataset, "train").mrr
    by_chance = float(np.mean([1 / place for place in range(1, len(dataset.entities) + 1)]))
    assert losses[-1] < losses[0]
    # Without time the post cannot tell its eight holders apart.
    assert mrr > (2 * by_chance if name == "complex" else 4 * by_chance), mrr


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=6))
def test_means_over_spans_are_those_of_a_loop(ends: list[tuple[int, int]]) -> None:
    table = torch.randn(9, 4, generator=torch.Generator().manual_seed(0))
    spans = [(min(pair), max(pair)) for pair in ends]
    first, last = torch.tensor(spans).T
    expected = torch.tensor([[sum(column[a : b + 1]) / (b - a + 1) for column in table.T.tolist()] for a, b in spans])
    torch.testing.assert_close(mean_over(table, TimeSpan(first, last)), expected, atol=1e-5, rtol=1e-5)
    question, point = unrolled(TimeSpan(first, last))
    listed = [(number, t) for number, (a, b) in enumerate(spans) for t in range(a, b + 1)]
    assert list(zip(question.tolist(), point.tolist(), strict=True)) == listed


small = st.integers(-4, 4)


@given(small, small, small, small)
def test_products_are_those_of_complex_numbers(a: int, b: int, c: int, d: int) -> None:
    one, other = torch.tensor([a, b]), torch.tensor([c, d])
    assert complex(*multiplied(one, other).tolist()) == complex(a, b) * complex(c, d)
    assert complex(*conjugated(one).tolist()) == complex(a, b).conjugate()


def test_a_scorer_that_knows_no_time_says_so() -> None:
    nothing = torch.zeros(1, dtype=torch.long)
    with pytest.raises(UserError, match="ComplEx has no notion of time, so it cannot predict when a fact held"):
        made("complex", {}).moments(nothing, nothing, nothing)
    with pytest.raises(UserError, match="ComplEx has no notion of time"):
        dataset = terms_of_office()
        train(
            registry.scorers.get("complex")(sizes_of(dataset), 2),
            dataset,
            CompletionTraining(epochs=1, time_weight=1.0),
        )


@pytest.mark.parametrize(("name", "options"), [("de-simple", {}), ("ta", {}), ("hyte", {}), ("tcomplex", {})])
def test_the_time_itself_can_be_learnt(name: str, options: dict[str, Any]) -> None:
    dataset = dataset_of([(0, 0, 1, 1990, 1990), (2, 0, 1, 1995, 1995), (0, 0, 3, 2001, 2001)], entities=4, relations=1)
    scorer = registry.scorers.get(name)(sizes_of(dataset), 8, **options)
    train(scorer, dataset, CompletionTraining(epochs=60, negatives=3, time_weight=1.0))
    facts = dataset.train
    subject, relation, object = (torch.from_numpy(column) for column in (facts.subject, facts.relation, facts.object))
    likeliest = scorer.moments(subject, relation, object).argmax(1)
    assert likeliest.tolist() == dataset.point(facts.start).tolist()


def test_hyperplanes_have_unit_normals_after_every_step() -> None:
    dataset = terms_of_office()
    scorer = HyTE(sizes_of(dataset), 4, points_per_plane=3)
    train(scorer, dataset, CompletionTraining(epochs=2, batch=10, negatives=5))
    lengths = scorer.times().norm(dim=1)
    assert len(lengths) == math.ceil(len(dataset.points) / 3)
    torch.testing.assert_close(lengths, torch.ones_like(lengths))


def test_times_of_timeplex_have_unit_parts() -> None:
    times = made("timeplex-base", {}).times()
    assert times is not None
    torch.testing.assert_close(times.view(len(YEARS), 2, RANK).norm(dim=2), torch.ones(len(YEARS), 2))


def test_each_relation_is_read_once_at_each_point(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = made("ta", {})
    read: list[tuple[int, int]] = []
    once = TA.read

    def counted(self: TA, relation: torch.Tensor, point: torch.Tensor) -> torch.Tensor:
        read.extend(zip(relation.tolist(), point.tolist(), strict=True))
        return once(self, relation, point)

    monkeypatch.setattr(TA, "read", counted)
    scorer.scores(*asked([(0, 0, 1, 3), (1, 0, 2, 3), (2, 0, 3, 3), (2, 1, 3, 3)]))
    assert sorted(read) == [(0, 1), (0, 2), (0, 3), (1, 3)]


def test_dates_become_tokens_of_one_length() -> None:
    assert date_tokens(((), (360,), (1952,), ())) == [[34] * 4, [0, 3, 6, 0], [1, 9, 5, 2], [35] * 4]
    assert date_tokens(((-44,), (12000,))) == [[11, 0, 0, 0, 4, 4], [10, 1, 2, 0, 0, 0]]
    assert date_tokens(((), ())) == [[34], [35]]
    assert max(date_tokens(((1999, 12, 29),))[0]) < 34


def test_ta_needs_a_known_form_and_dates() -> None:
    with pytest.raises(UserError, match="ta has no form 'rescal': transe, distmult, complex"):
        made("ta", {"form": "rescal"})
    with pytest.raises(UserError, match=r"ta reads dates, and these sizes have none. Make them with sizes_of"):
        TA(Sizes(3, 2, 5), 2)


def test_sizes_have_the_dates_of_points() -> None:
    years = terms_of_office()
    assert sizes_of(years).dates[:2] == ((), (1980,)) and sizes_of(years).dates[-1] == ()
    assert sizes_of(years).relations == 4
    days = dataset_of([(0, 0, 1, 16203, 16203)], entities=2, relations=1, granularity="day")
    assert sizes_of(days).dates == ((), (2014, 5, 13), ())


@pytest.mark.parametrize("name", registry.scorers.names())
def test_every_scorer_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    kind = registry.scorers.get(name)
    assert registry.scorers.summary(name).endswith(".")
    assert issubclass(kind, Scorer) and kind.paper


def test_a_moment_moves_no_other_point() -> None:
    """Adagrad takes a first step of the full rate however small a gradient is: what rounding leaves would move all."""
    torch.manual_seed(0)
    points = torch.randn(500, 8, requires_grad=True)
    asked = torch.randint(500, (200,))
    mean_over(points, TimeSpan(asked, asked)).square().sum().backward()
    assert points.grad is not None
    assert points.grad.abs().sum(1).nonzero()[:, 0].tolist() == asked.unique().tolist()
