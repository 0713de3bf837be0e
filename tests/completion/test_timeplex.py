"""TIMEPLEX's two parts against their equations, written out for one fact at a time with loops."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import Tensor

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Protocol, Quadruples
from asof.completion.queries import Queries, queries_of
from asof.completion.ranking import rank
from asof.completion.scorers.timeplex import Timeplex
from asof.completion.scorers.timeplex_base import TimeplexBase
from asof.completion.timeplex_parts.parts_loss import PairsLoss, RecurrenceLoss
from asof.completion.timeplex_parts.recurrence import Recurrence
from asof.completion.timeplex_parts.relation_pairs import RelationPairs
from asof.completion.training.trainer import CompletionTraining, link_scores, sizes_of, span_of, train

Fact = tuple[int, int, int, int, int]
ENTITIES, RELATIONS = 5, 3
NEVER = -math.inf


def dataset_of(train: list[Fact], valid: Sequence[Fact] = (), *, entities: int, relations: int) -> Dataset:
    splits = [Quadruples(*np.array(rows, np.int64).reshape(-1, 5).T) for rows in (train, valid, [])]
    every = Quadruples.joined(splits)
    return Dataset(
        name="toy",
        entities=tuple(f"e{number}" for number in range(entities)),
        relations=tuple(f"r{number}" for number in range(relations)),
        points=np.unique(np.concatenate([every.start, every.end, [BEFORE_ALL, AFTER_ALL]])),
        train=splits[0],
        valid=splits[1],
        test=splits[2],
        granularity="year",
        protocol=Protocol.JAIN2020,
    )


def random_dataset(seed: int) -> Dataset:
    """Facts that share entities, recur, come twice with other ends, and lack their start, end or both."""
    random = np.random.default_rng(seed)
    rows: list[Fact] = []
    for _ in range(40):
        start = int(random.integers(1990, 2000))
        end = start + int(random.integers(0, 4))
        shape = random.integers(0, 10)
        if shape in (0, 1):
            start = BEFORE_ALL
        if shape in (1, 2):
            end = AFTER_ALL
        subject, relation, object = random.integers(0, (3, RELATIONS, ENTITIES))
        rows.append((int(subject), int(relation), int(object), start, end))
    rows = list(dict.fromkeys(rows))
    return dataset_of(rows[:-4], rows[-4:], entities=ENTITIES, relations=RELATIONS)


def time_of(start: int, end: int) -> float:
    if start > BEFORE_ALL:
        return start
    return end if BEFORE_ALL < end < AFTER_ALL else NEVER


def known_facts(dataset: Dataset) -> list[tuple[int, int, int, float]]:
    """The facts of train in both directions: entity, relation, answer, time."""
    queries = queries_of(dataset, "train")
    columns = (queries.entity, queries.relation, queries.answer, queries.start, queries.end)
    return [(e, r, a, time_of(s, t)) for e, r, a, s, t in zip(*(column.tolist() for column in columns), strict=True)]


def usual(gap: float, gaps: list[float]) -> float:
    """The density of a gap without its factor, under the mean and the variance of gaps."""
    mean = sum(gaps) / len(gaps)
    variance = max(0.01, sum((one - mean) ** 2 for one in gaps) / len(gaps))
    return math.exp(-((gap - mean) ** 2) / (2 * variance)) if math.isfinite(gap) else 0.0


def role(relation: int) -> bool:
    return relation >= RELATIONS


def pair_gaps(dataset: Dataset, asked: int, other: int, *, published: bool) -> list[float]:
    gaps = []
    times: dict[tuple[int, int], set[float]] = {}
    for _, relation, answer, time in known_facts(dataset):
        if time > NEVER:
            times.setdefault((answer, relation), set()).add(time)
    for entity in range(ENTITIES):
        for one in times.get((entity, asked), ()):
            for two in times.get((entity, other), ()):
                if published or asked != other or one != two:
                    gaps.append(one - two)
    return gaps


def slow_pair(
    dataset: Dataset,
    part: RelationPairs,
    query: tuple[int, int, int, float],
    *,
    exclude: bool,
    own: bool,
    published: bool,
) -> float:
    """φ_pair of one candidate."""
    _, relation, candidate, time = query
    above = below = 0.0
    for fact in known_facts(dataset):
        if fact[2] != candidate or role(fact[1]) != role(relation) or (exclude and fact[1] == relation):
            continue
        if own and fact == query:
            continue
        gaps = pair_gaps(dataset, relation, fact[1], published=published)
        gap = time - fact[3] if time > NEVER and fact[3] > NEVER else math.inf
        value = usual(gap, gaps) if gaps else 0.0
        weight = math.exp(part.weight[relation, fact[1]].item())
        above += weight * (value + part.offset[relation, fact[1]].item())
        below += weight
    return above / below if below else 0.0


def slow_recurrence(dataset: Dataset, part: Recurrence, query: tuple[int, int, int, float], least: int) -> float:
    """φ_rec of one candidate (equations 6 and 7)."""
    entity, relation, candidate, time = query
    times: dict[tuple[int, int], set[float]] = {}
    for e, r, a, t in known_facts(dataset):
        if r == relation:
            times.setdefault((e, a), set()).add(t)
    others = [t for t in times.get((entity, candidate), ()) if t != time]
    if not others:
        return 0.0
    dated = {pair: sorted(t for t in some if t > NEVER) for pair, some in times.items()}
    gaps = [b - a for some in dated.values() for a, b in pairwise(some)]
    offset = part.offset[relation].item()
    if sum(len(some) > 1 for some in dated.values()) < least:
        return offset
    nearest = min(abs(time - t) if time > NEVER else math.inf for t in others)
    return part.weight[relation].item() * usual(nearest, gaps) + offset


def shaken(part: RelationPairs | Recurrence) -> None:
    generator = torch.Generator().manual_seed(5)
    for parameter in part.parameters():
        parameter.data += torch.randn(parameter.shape, generator=generator) / 2


def columns(queries: Queries) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    times = [time_of(start, end) for start, end in zip(queries.start.tolist(), queries.end.tolist(), strict=True)]
    found = (torch.from_numpy(column) for column in (queries.entity, queries.relation, queries.answer))
    return (*found, torch.tensor(times, dtype=torch.float32))  # type: ignore[return-value]


def pairs_of(dataset: Dataset, *, exclude: bool = True, published: bool = False) -> RelationPairs:
    part = RelationPairs(
        entities=ENTITIES, relations=2 * RELATIONS, exclude_same_relation=exclude, published_gaps=published
    )
    part.look_at(queries_of(dataset, "train"))
    shaken(part)
    return part


def recurrence_of(dataset: Dataset, *, least: int = 1, published: bool = False) -> Recurrence:
    part = Recurrence(entities=ENTITIES, relations=2 * RELATIONS, least_recurring=least, published_gaps=published)
    part.look_at(queries_of(dataset, "train"))
    shaken(part)
    return part


def timeplex_of(dataset: Dataset) -> Timeplex:
    torch.manual_seed(2)
    scorer = Timeplex(sizes_of(dataset), 4, exclude_same_relation=True)
    scorer.initialise(0.5)
    scorer.look_at(dataset)
    for part in (scorer.pairs, scorer.recurrence):
        shaken(part)
        part.trained.fill_(True)
    return scorer


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("exclude", "published"), [(True, False), (False, False), (False, True)])
def test_pairs_of_all_candidates_are_those_of_the_equation(seed: int, exclude: bool, published: bool) -> None:
    dataset = random_dataset(seed)
    part = pairs_of(dataset, exclude=exclude, published=published)
    for split in ("train", "valid"):
        entity, relation, _, times = columns(queries_of(dataset, split))
        scores = part.scores(relation, times)
        for row, query in enumerate(zip(entity.tolist(), relation.tolist(), times.tolist(), strict=True)):
            for candidate in range(ENTITIES):
                one = (query[0], query[1], candidate, query[2])
                expected = slow_pair(dataset, part, one, exclude=exclude, own=False, published=published)
                assert scores[row, candidate].item() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("exclude", [True, False])
@pytest.mark.parametrize("own", [True, False])
def test_pairs_of_one_candidate_leave_out_the_own_fact(exclude: bool, own: bool) -> None:
    dataset = random_dataset(0)
    part = pairs_of(dataset, exclude=exclude)
    entity, relation, answer, times = columns(queries_of(dataset, "train"))
    values = part.of(relation, answer, times[:, None], own=entity if own else None)
    for row, query in enumerate(zip(entity.tolist(), relation.tolist(), answer.tolist(), times.tolist(), strict=True)):
        expected = slow_pair(dataset, part, query, exclude=exclude, own=own, published=False)
        assert values[row, 0].item() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("least", [1, 3])
def test_recurrence_is_that_of_the_equations(seed: int, least: int) -> None:
    dataset = random_dataset(seed)
    part = recurrence_of(dataset, least=least)
    for split in ("train", "valid"):
        entity, relation, _, times = columns(queries_of(dataset, split))
        question, candidate, value = part.additions(entity, relation, times)
        found = dict(zip(zip(question.tolist(), candidate.tolist(), strict=True), value.tolist(), strict=True))
        assert len(found) == len(question)
        for row, (e, r, t) in enumerate(zip(entity.tolist(), relation.tolist(), times.tolist(), strict=True)):
            for c in range(ENTITIES):
                expected = slow_recurrence(dataset, part, (e, r, c, t), least)
                assert found.get((row, c), 0.0) == pytest.approx(expected, abs=1e-5)
                one = part.of(*(torch.tensor([number]) for number in (e, r, c)), torch.tensor([[t, 1993.0]]))
                assert one[0, 0].item() == pytest.approx(expected, abs=1e-5)
                assert one[0, 1].item() == pytest.approx(slow_recurrence(dataset, part, (e, r, c, 1993.0), least))


def test_gaps_between_relations_are_fitted() -> None:
    born, died = 0, 1
    lives: list[Fact] = [
        (0, born, 3, 1900, 1900), (0, died, 4, 1970, 1970), (1, born, 3, 1950, 1950), (1, died, 4, 2010, AFTER_ALL),
        (2, born, 3, BEFORE_ALL, AFTER_ALL), (2, died, 4, 2000, 2000),
    ]  # fmt: skip
    part = RelationPairs(entities=5, relations=4)
    part.look_at(queries_of(dataset_of(lives, entities=5, relations=2), "train"))
    asked, other = died + 2, born + 2  # as subjects: from birth to death 70 and 60 years
    assert part.mean[asked, other].item() == 65
    assert part.variance[asked, other].item() == 25
    assert part.mean[other, asked].item() == -65
    assert part.known[asked, other]
    assert not part.known[born, died]  # as objects: no place has both
    assert part.known[born, born]
    assert not part.known[born + 2, born + 2]  # nobody is born twice


def test_gaps_between_recurrences_are_fitted() -> None:
    games: list[Fact] = [(0, 0, 1, year, year) for year in (1960, 1964, 1968)]
    games += [(2, 0, 1, 1970, 1970), (2, 0, 1, 1980, 1980), (2, 0, 1, 1980, 1982), (2, 0, 1, BEFORE_ALL, AFTER_ALL)]
    queries = queries_of(dataset_of(games, entities=3, relations=1), "train")
    part = Recurrence(entities=3, relations=2, least_recurring=2)
    part.look_at(queries)
    assert part.mean.tolist() == [6.0, 6.0]  # 4, 4 and 10 years
    assert part.variance.tolist() == [8.0, 8.0]
    assert part.recurrent.all()
    few = Recurrence(entities=3, relations=2, least_recurring=3)
    few.look_at(queries)
    assert not few.recurrent.any()


def test_gaps_can_be_fitted_as_published() -> None:
    games: list[Fact] = [(0, 0, 1, year, year) for year in (1960, 1964, 1968)] + [
        (2, 0, 1, 1970, 1970),
        (2, 0, 1, 1980, 1980),
    ]
    part = Recurrence(entities=3, relations=2, published_gaps=True)
    part.look_at(queries_of(dataset_of(games, entities=3, relations=1), "train"))
    assert part.mean[0].item() == pytest.approx((1964 - 1968 + 1968 - 1960 + 1980 - 1980) / 3)


def test_losses_are_cross_entropies_over_all_entities() -> None:
    dataset = random_dataset(1)
    scorer = timeplex_of(dataset)
    queries = queries_of(dataset, "train")
    entity, relation, answer, times = columns(queries)
    rows = np.arange(len(queries))[::-1].copy()
    base = TimeplexBase.scores(scorer, entity, relation, span_of(dataset, queries, "start", np.random.default_rng()))
    pairs, recurrence = base.clone(), base.clone()
    for row in range(len(queries)):
        for candidate in range(ENTITIES):
            query = (int(entity[row]), int(relation[row]), candidate, float(times[row]))
            mine = candidate == int(answer[row])
            pairs[row, candidate] += 3 * slow_pair(
                dataset, scorer.pairs, query, exclude=True, own=mine, published=False
            )
            recurrence[row, candidate] += 5 * slow_recurrence(dataset, scorer.recurrence, query, 1)
    expected = torch.nn.functional.cross_entropy(pairs, answer).item()
    assert PairsLoss(scorer, scorer.pairs, 3.0)(dataset, rows).item() == pytest.approx(expected, rel=1e-5)
    expected = torch.nn.functional.cross_entropy(recurrence, answer).item()
    assert RecurrenceLoss(scorer, scorer.recurrence, 5.0)(dataset, rows).item() == pytest.approx(expected, rel=1e-5)


def test_loss_of_pairs_holds_down_what_they_learn() -> None:
    dataset = random_dataset(1)
    scorer = timeplex_of(dataset)
    rows = np.arange(4)
    squares = sum(float(parameter.detach().square().sum()) for parameter in scorer.pairs.parameters())
    plain = PairsLoss(scorer, scorer.pairs, 3.0)(dataset, rows).item()
    assert PairsLoss(scorer, scorer.pairs, 3.0, squares=0.1)(dataset, rows).item() == pytest.approx(
        plain + 0.1 * squares
    )


def test_scores_and_moments_add_the_parts() -> None:
    dataset = random_dataset(2)
    scorer = timeplex_of(dataset)
    queries = queries_of(dataset, "valid")
    entity, relation, answer, times = columns(queries)
    span = span_of(dataset, queries, "start", np.random.default_rng())
    everyone = torch.arange(ENTITIES).expand(len(queries), -1)
    scores, base = scorer.scores(entity, relation, span), TimeplexBase.scores(scorer, entity, relation, span)
    assert torch.allclose(scorer.scores_of(entity, relation, span, everyone)[0], scores, atol=1e-5)
    moments = scorer.moments(entity, relation, answer)
    base_moments = TimeplexBase.moments(scorer, entity, relation, answer)
    for row, (e, r, a, t) in enumerate(zip(*(one.tolist() for one in (entity, relation, answer, times)), strict=True)):
        for c in range(ENTITIES):
            added = 3 * slow_pair(dataset, scorer.pairs, (e, r, c, t), exclude=True, own=False, published=False)
            added += 5 * slow_recurrence(dataset, scorer.recurrence, (e, r, c, t), 1)
            assert (scores - base)[row, c].item() == pytest.approx(added, abs=1e-4)
        for number, point in enumerate(dataset.points.tolist()):
            at = time_of(point, point)
            turned = (r + RELATIONS) % (2 * RELATIONS)
            added = 3 * slow_pair(dataset, scorer.pairs, (e, r, a, at), exclude=True, own=False, published=False)
            added += 3 * slow_pair(dataset, scorer.pairs, (a, turned, e, at), exclude=True, own=False, published=False)
            added += 5 * slow_recurrence(dataset, scorer.recurrence, (e, r, a, at), 1)
            assert (moments - base_moments)[row, number].item() == pytest.approx(added, abs=1e-4)


def test_a_span_without_anchor_counts_from_its_first_known_point() -> None:
    dataset = random_dataset(2)
    scorer = timeplex_of(dataset)
    queries = queries_of(dataset, "train")
    span = span_of(dataset, queries, "mean", np.random.default_rng())
    with_anchor = scorer.scores(torch.from_numpy(queries.entity), torch.from_numpy(queries.relation), span)
    bare = type(span)(span.first, span.last)
    without = scorer.scores(torch.from_numpy(queries.entity), torch.from_numpy(queries.relation), bare)
    assert torch.equal(with_anchor, without)


def elections() -> Dataset:
    """Places elect somebody new each time, and nobody twice: what train knows of a place is never right again."""
    random = np.random.default_rng(4)
    facts: list[Fact] = []
    for place in range(12):
        winners = 12 + random.permutation(20)[:8]
        facts += [(place, 0, int(winner), 1980 + 4 * n, 1983 + 4 * n) for n, winner in enumerate(winners)]
    random.shuffle(facts)
    return dataset_of(facts[:72], facts[72:], entities=32, relations=1)


def test_second_phase_learns_that_nothing_recurs_and_leaves_embeddings_alone() -> None:
    dataset = elections()
    settings = CompletionTraining(epochs=10, batch=36, squares=0.003)
    base, scorer = (kind(sizes_of(dataset), 8) for kind in (TimeplexBase, Timeplex))
    before = train(base, dataset, settings)
    rows: list[dict[str, object]] = []
    after = train(scorer, dataset, settings, on_progress=rows.append)
    assert before is not None and after is not None
    assert after.mrr > before.mrr + 0.05
    assert (scorer.recurrence.offset < -0.5).all()
    assert {row["phase"] for row in rows} == {1, 2, 3}
    for name, weights in base.state_dict().items():
        assert torch.equal(scorer.state_dict()[name], weights)


def test_weights_come_back_with_their_facts() -> None:
    dataset = elections()
    scorer = Timeplex(sizes_of(dataset), 8)
    train(scorer, dataset, CompletionTraining(epochs=2))
    again = Timeplex(sizes_of(dataset), 8)
    again.load_state_dict(scorer.state_dict())
    again.look_at(dataset)
    ranks = [rank(link_scores(one, dataset, "start"), dataset, "valid").ranks for one in (scorer, again)]
    assert np.array_equal(*ranks)


def test_a_part_of_no_weight_is_not_trained() -> None:
    dataset = elections()
    scorer = Timeplex(sizes_of(dataset), 4, pairs_weight=0.0, recurrence_weight=0.0)
    assert len(scorer.phases(CompletionTraining())) == 1
    train(scorer, dataset, CompletionTraining(epochs=1))
    assert not scorer.pairs.trained
    assert not scorer.recurrence.trained
