"""Diagnostics, counted all at once, against slow loops; and regularities that were planted."""

from collections import defaultdict
from itertools import combinations, permutations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Granularity, Protocol, read_dataset
from asof.completion.queries import queries_of
from asof.completion.ranking import rank
from asof.completion.scorers import Scorer, Sizes
from asof.completion.trained.diagnostics import orderings as orderings_module
from asof.completion.trained.diagnostics.baselines import baselines
from asof.completion.trained.diagnostics.by_relation import ranked_model, relation_results
from asof.completion.trained.diagnostics.orderings import mined_orderings, violations
from asof.completion.trained.diagnostics.relation_classes import classes_of, interval_classes, mean_durations
from asof.completion.trained.diagnostics.time_distances import time_distances
from asof.completion.trained.folder import TrainedModel, train_into
from asof.completion.trained.measures import time_results
from asof.completion.training.plan import CompletionPlan
from tests.completion.toy import Row, dataset_of

ENTITIES, RELATIONS = 5, 3
FREQUENT, KNOWN_LAST, INVERSE_FIRST = (
    "most frequent answer",
    "... known in train last",
    "... and inverse in train first",
)


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """Few entities and relations in few years, so that all happens: equal starts, several facts, missing ends."""
    entity, relation = st.integers(0, ENTITIES - 1), st.integers(0, RELATIONS - 1)
    start = st.one_of(st.just(BEFORE_ALL), st.integers(0, 6), st.integers(0, 6))
    row = st.tuples(entity, relation, entity, start, st.one_of(st.just(AFTER_ALL), st.integers(7, 9)))
    train, test = (draw(st.lists(row, min_size=1, max_size=most)) for most in (25, 8))
    return dataset_of(
        train, test=test, entities=ENTITIES, relations=RELATIONS, protocol=draw(st.sampled_from(list(Protocol)))
    )


def train_rows(dataset: Dataset) -> list[Row]:
    facts = dataset.train
    return list(zip(facts.subject, facts.relation, facts.object, facts.start, facts.end, strict=True))


class Vectors(Scorer):
    """A scorer that is nothing but its time vectors."""

    paper = "none"

    def __init__(self, vectors: torch.Tensor | None) -> None:
        super().__init__(Sizes(1, 2, 1), 1)
        self._vectors = vectors

    def times(self) -> torch.Tensor | None:
        return self._vectors


def with_points(points: list[int], granularity: Granularity = "year") -> Dataset:
    return dataset_of([(0, 0, 1, point, point) for point in points], entities=2, relations=1, granularity=granularity)


@pytest.mark.parametrize("seed", range(4))
def test_time_distances_are_those_of_a_loop(seed: int) -> None:
    random = np.random.default_rng(seed)
    dataset = with_points(random.integers(1900, 1940, 25).tolist())
    vectors = torch.from_numpy(random.normal(size=(len(dataset.points), 6)))
    found = time_distances(Vectors(vectors), dataset, least_pairs=2)
    by_gap = defaultdict(list)
    for one, other in combinations(range(1, len(dataset.points) - 1), 2):  # without before and after all
        by_gap[dataset.points[other] - dataset.points[one]].append(float((vectors[one] - vectors[other]).norm()))
    expected = {gap: apart for gap, apart in sorted(by_gap.items()) if len(apart) >= 2}
    assert found is not None and found.gap.tolist() == list(expected)
    assert found.pairs.tolist() == [len(apart) for apart in expected.values()]
    assert found.distance == pytest.approx([np.mean(apart) for apart in expected.values()])


def test_vectors_on_a_line_follow_time_and_drawn_ones_do_not() -> None:
    dataset = with_points(list(range(1900, 2000)))
    years = torch.from_numpy(dataset.points.copy()).double()[:, None]
    found = time_distances(Vectors(years), dataset)
    assert found is not None and found.correlation == pytest.approx(1)
    assert found.gap.tolist() == list(range(1, 71)) and found.distance == pytest.approx(found.gap)  # 30 pairs at 70
    drawn = time_distances(Vectors(torch.randn(102, 8, generator=torch.manual_seed(0))), dataset)
    assert drawn is not None and drawn.correlation is not None and abs(drawn.correlation) < 0.5
    few = time_distances(Vectors(years), dataset, years=(1910, 1949), least_pairs=1)
    assert few is not None and few.gap.max() == 39 and few.pairs.sum() == 40 * 39 / 2


def test_years_of_days() -> None:
    dataset = with_points([0, 1, 364, 365, 366], "day")  # the first three are in 1970
    found = time_distances(Vectors(torch.eye(7)), dataset, years=(1970, 1970), least_pairs=1)
    assert found is not None and found.gap.tolist() == [1, 363, 364]
    assert found.correlation is None  # all are equally far apart


def test_no_vector_for_each_time_is_none() -> None:
    dataset = with_points([1900, 1901])
    assert time_distances(Vectors(None), dataset) is None
    assert time_distances(Vectors(torch.eye(2)), dataset) is None  # several times share a vector


@given(datasets(), st.sampled_from([0.4, 0.75, 1.0]), st.integers(1, 3), st.sampled_from([1, 10**6]))
def test_orders_are_those_of_a_loop(dataset: Dataset, share: float, subjects: int, pairs: int) -> None:
    starts: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for subject, relation, _, start, _ in train_rows(dataset):
        if start > BEFORE_ALL:
            starts[subject][relation].append(start)
    expected = {}
    for one, other in permutations(range(RELATIONS), 2):
        shares = [
            np.mean([a < b for a in mine[one] for b in mine[other]])
            for mine in starts.values()
            if one in mine and other in mine
        ]
        if len(shares) >= subjects and np.mean(shares) >= share - 1e-12:
            expected[one, other] = (pytest.approx(np.mean(shares)), len(shares))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orderings_module, "_MOST_PAIRS", pairs)  # one subject at a time, or all at once
        found = mined_orderings(dataset, least_share=share - 1e-12, least_subjects=subjects)
    columns = zip(found.before, found.after, found.share, found.subjects, strict=True)
    assert {(one, other): (share, count) for one, other, share, count in columns} == expected
    assert sorted(found.subjects, reverse=True) == found.subjects.tolist()


@given(datasets(), st.data())
def test_violations_are_those_of_a_loop(dataset: Dataset, data: st.DataObject) -> None:
    orders = mined_orderings(dataset, least_share=0.5, least_subjects=1)
    asked = queries_of(dataset, "test")[len(dataset.test) :]
    answers = np.array(data.draw(st.lists(st.integers(0, ENTITIES - 1), min_size=len(asked), max_size=len(asked))))
    found = violations(dataset, orders, asked, answers)
    pairs = set(zip(orders.before.tolist(), orders.after.tolist(), strict=True))
    for place, answer in enumerate(answers):
        relation, start = int(asked.relation[place]) - RELATIONS, asked.start[place]
        broken = judged = False
        for subject, other, _, known, _ in train_rows(dataset):
            if subject != answer or BEFORE_ALL in (start, known):
                continue
            judged |= (other, relation) in pairs or (relation, other) in pairs
            broken |= (other, relation) in pairs and not known < start
            broken |= (relation, other) in pairs and not start < known
        assert (found.broken[place], found.judged[place]) == (broken, judged)


def test_a_planted_order_is_found_and_a_prize_before_birth_breaks_it() -> None:
    born, wins, plays = range(3)
    train: list[Row] = []
    for person in range(100):
        train.append((person, born, 200, 1900 + person % 7, 1900 + person % 7))
        train += [
            (person, wins, 201, year + person % 3, year + person % 3) for year in (1930, 1899 if not person else 1940)
        ]
    train += [(person, plays, 202, 1800, 1801) for person in range(99)]  # one subject too few
    test: list[Row] = [(100, wins, 201, year, AFTER_ALL) for year in (1903, 1904, BEFORE_ALL)]
    dataset = dataset_of(train, test=test, entities=203, relations=3)
    orders = mined_orderings(dataset)
    assert (orders.before.tolist(), orders.after.tolist(), orders.subjects.tolist()) == ([born], [wins], [100])
    assert orders.share.tolist() == [0.995]  # one of two prizes of one of a hundred
    asked = queries_of(dataset, "test")[3:]
    found = violations(dataset, orders, asked, np.array([4, 3, 6]))  # born in 1904, 1903 and 1906
    assert found.broken.tolist() == [True, False, False] and found.judged.tolist() == [True, True, False]
    assert found.share == pytest.approx(1 / 3)
    assert not violations(dataset, orders, asked, np.array([150] * 3)).judged.any()  # nothing is known of them


@given(datasets())
def test_durations_are_those_of_a_loop(dataset: Dataset) -> None:
    years = defaultdict(list)
    for _, relation, _, start, end in train_rows(dataset):
        if start > BEFORE_ALL and end < AFTER_ALL:
            years[relation].append(end - start)
    expected = [np.mean(years[relation]) if years[relation] else np.nan for relation in range(RELATIONS)]
    assert mean_durations(dataset) == pytest.approx(expected, nan_ok=True)


def test_days_last_parts_of_a_year() -> None:
    train: list[Row] = [(0, 0, 1, 0, 3653), (0, 1, 1, 0, 0), (0, 2, 1, 0, 1461)]
    durations = mean_durations(dataset_of(train, entities=2, relations=4, granularity="day"))
    assert durations[:3] == pytest.approx([10, 0, 4], abs=0.01) and np.isnan(durations[3])
    assert classes_of(durations).tolist() == [2, 0, 1, -1]


@given(datasets())
def test_baselines_are_those_of_a_loop(dataset: Dataset) -> None:
    asked = queries_of(dataset, "test")
    triples = [(subject, relation, object) for subject, relation, object, _, _ in train_rows(dataset)]
    forward = {(s, r, o) for s, r, o in triples} | {(o, r + RELATIONS, s) for s, r, o in triples}
    scored = {name: scores(asked) for name, scores in baselines(dataset).items()}
    assert list(scored) == [FREQUENT, KNOWN_LAST, INVERSE_FIRST]
    for row, (entity, relation) in enumerate(zip(asked.entity, asked.relation, strict=True)):
        keys = {FREQUENT: [], KNOWN_LAST: [], INVERSE_FIRST: []}  # type: ignore[var-annotated]
        for candidate in range(ENTITIES):
            count = sum(
                (o if relation < RELATIONS else s) == candidate for s, r, o in triples if r == relation % RELATIONS
            )
            known = (entity, relation, candidate) in forward
            linked = (entity, (relation + RELATIONS) % (2 * RELATIONS), candidate) in forward
            keys[FREQUENT].append((count,))
            keys[KNOWN_LAST].append((not known, count))
            keys[INVERSE_FIRST].append((not known, linked and not known, count))
        for name, wanted in keys.items():
            for one, other in combinations(range(ENTITIES), 2):
                assert (scored[name][row, one] > scored[name][row, other]) == (wanted[one] > wanted[other])
                assert (scored[name][row, one] == scored[name][row, other]) == (wanted[one] == wanted[other])


def test_marriages_are_found_the_other_way_round() -> None:
    couples = [(2 * pair, 2 * pair + 1) for pair in range(10)]
    dataset = dataset_of(
        [(one, 0, other, 1900, 1910) for one, other in couples],
        test=[(other, 0, one, 1900, 1910) for one, other in couples],
        entities=20,
        relations=1,
    )
    found = {name: rank(scores, dataset, "test").mrr for name, scores in baselines(dataset).items()}
    assert found[INVERSE_FIRST] == 1 and found[FREQUENT] < 0.2 and found[KNOWN_LAST] < 0.2


def test_known_answers_cost_ranks_where_nothing_is_repeated() -> None:
    train: list[Row] = [(player, 0, 10, 1900 + player, 1900 + player) for player in range(5)]
    dataset = dataset_of(train, test=[(player, 0, 11, 1950, 1950) for player in range(5)], entities=12, relations=1)
    found = {name: rank(scores, dataset, "test").ranks[:5] for name, scores in baselines(dataset).items()}
    assert (found[KNOWN_LAST] == found[FREQUENT] - 1).all()  # the club of all, where each of them was


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> TrainedModel:
    """Of three relations one is an instant, one short, one long; nobody knows anything well."""
    random = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("data")
    for split, count in (("train", 60), ("valid", 12), ("test", 12)):
        lines = []
        for number in range(count):
            relation, start = number % 3, random.integers(1950, 1990)
            subject, object = random.integers(0, 8, 2)
            end = start + (0, 3, 12)[relation]
            lines.append(f"{subject}\trelation {relation}\t{object}\t{start}-##-##\t{end}-##-##\n")
        (folder / f"{split}.txt").write_text("".join(lines), encoding="utf-8")
    plan = CompletionPlan.of("timeplex-base", {"rank": 4, "epochs": 2})
    return train_into(tmp_path_factory.mktemp("trained") / "model", plan, read_dataset(folder), folder)


def test_a_model_is_ranked_by_relation(trained: TrainedModel) -> None:
    ranked = ranked_model(trained, "test")
    queries, ranks = ranked.ranking.queries, ranked.ranking.ranks
    found = relation_results(ranked.ranking, 3)
    for place, relation in enumerate(found.relation):
        for side, mrr in ((0, found.objects), (3, found.subjects)):
            own = [1 / ranks[row] for row in range(len(queries)) if queries.relation[row] == relation + side]
            assert mrr[place] == pytest.approx(np.mean(own)) and found.facts[place] == len(own)
    both = (found.objects + found.subjects) / 2
    assert ranked.ranking.mrr == pytest.approx(np.average(both, weights=found.facts))
    unfiltered = ranked.first == queries.answer
    assert (ranks[unfiltered] == 1).all()
    asked, first = ranked.subject_questions
    assert (asked.relation >= 3).all() and len(first) == len(asked) == 12


def test_intervals_are_scored_by_class(trained: TrainedModel) -> None:
    found = interval_classes(trained, "test")
    assert found is not None
    assert [(one.name, one.relations.tolist(), one.aeiou.n) for one in found] == [
        ("instant", [0], 4), ("short", [1], 4), ("long", [2], 4)
    ]  # fmt: skip
    whole = time_results(trained, "test")
    assert whole is not None
    assert whole["aeiou@1"] == pytest.approx(np.mean([one.aeiou.value for one in found]), abs=1e-4)
