"""Very many facts and entities: cuts that keep ranks sound, hubs, steps that touch few rows, memory told before."""

from dataclasses import replace
from pathlib import Path

import lightgbm as lgb
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from asof.completion import ranking
from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, read_dataset
from asof.completion.evidence import ranker as evidence_ranker
from asof.completion.evidence.entity_sums import EntitySums
from asof.completion.evidence.first_cut import FirstCut, highest
from asof.completion.evidence.gaps import GapEvidence, GapTable, binned
from asof.completion.evidence.known_facts import FactSample, KnownFacts
from asof.completion.evidence.links import LinkEvidence
from asof.completion.evidence.ranker import EvidenceRanker
from asof.completion.filters import FILTERS
from asof.completion.queries import Queries, queries_of
from asof.completion.ranking import rank, rankings
from asof.completion.scorers.timeplex_base import TimeplexBase
from asof.completion.training import memory, trainer
from asof.completion.training.memory import needed_memory, see_that_it_fits, told_memory
from asof.completion.training.phases import StepProgress
from asof.completion.training.plan import CompletionPlan
from asof.completion.training.trainer import CompletionTraining, link_scores, sizes_of, train
from asof.cores import free_memory
from asof.errors import UserError
from asof.training.losses import one_versus_all
from tests.completion.toy import Row, dataset_of

PEOPLE = 3_000


@pytest.fixture(scope="module")
def country() -> Dataset:
    """People of two countries, which are hubs, who live in towns and work there ten years later."""
    random = np.random.default_rng(5)
    rows: list[Row] = []
    for person in range(PEOPLE):
        year, town = int(1900 + random.integers(60)), int(PEOPLE + 2 + random.integers(40))
        rows.append((person, 0, PEOPLE + person % 2, year, AFTER_ALL))
        rows.append((person, 1, town, year + 20, year + 60))
        rows.append((person, 2, town, year + 30, year + 50))
    order = random.permutation(len(rows))
    kept = [rows[place] for place in order]
    return dataset_of(kept[400:], valid=kept[:200], test=kept[200:400], entities=PEOPLE + 42, relations=3)


def no_embeddings(queries: Queries) -> torch.Tensor:
    return torch.zeros(len(queries), PEOPLE + 42)


@pytest.mark.slow
def test_a_cut_ranks_nearly_as_well_and_scores_everybody(country: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_ranker, "_ROUNDS", 15)
    found = {}
    for candidates in (0, 400):
        ranker = EvidenceRanker.of(country, [no_embeddings], candidates=candidates)
        assert (ranker.cut is None) == (candidates == 0)
        ranker = ranker.fit(ranker.examples(queries_of(country, "valid")))
        found[candidates] = rank(ranker.scores, country, "test").mrr
        scores = ranker.scores(queries_of(country, "test")[:20])
        assert scores.isfinite().all()
    assert found[400] == pytest.approx(found[0], abs=0.02)


def test_who_is_cut_stands_below_all_others_in_the_same_order() -> None:
    rated = np.array([5.0, 9.0, 1.0, 7.0, 3.0], np.float32)
    cut = FirstCut(candidates=2)
    pool = cut.pool(rated, 1)
    assert sorted(pool.tolist()) == [1, 3]
    cut.put_above(rated, pool, np.where(pool == 1, -20.0, 1.0))
    assert np.argsort(-rated).tolist() == [3, 1, 0, 4, 2]


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=300), st.integers(1, 300))
def test_the_highest_are_found_without_sorting_all(numbers: list[int], count: int) -> None:
    rated = np.array(numbers, np.float32)
    found = highest(rated, min(count, len(rated)))
    assert len(set(found.tolist())) == len(found)
    assert sorted(rated[found], reverse=True) == sorted(numbers, reverse=True)[: len(found)]


def test_where_nothing_is_a_number_the_highest_are_any() -> None:
    assert len(highest(np.full(100, np.nan, np.float32), 3)) == 3


@pytest.mark.parametrize("most", [None, 100])
def test_company_is_what_looking_at_all_entities_gives_to_the_bit(country: Dataset, most: int | None) -> None:
    known = KnownFacts.of(country)
    links = LinkEvidence.of(known, most_sharers=most)
    sums = EntitySums(known.entities)
    everybody, asked = np.arange(known.entities), np.arange(known.entities)[::-37]
    for entity, role in [(1, 1), (PEOPLE - 1, 4), (PEOPLE, 3), (PEOPLE + 7, 2), (known.entities, 1)]:
        company = links.company(entity, role, sums)
        dense, then = (
            np.bincount(company.candidates, weights, known.entities)
            for weights in (company.weights, company.weights * known.fading(company.facts, 1950.0))
        )
        assert np.array_equal(company.of(everybody), dense) and np.array_equal(company.at(1950.0, asked), then[asked])
        mine = known.asked_from(np.array([entity]))[1]
        groups = np.unique(known.turned_group[mine])
        like = {
            int(other)
            for group in groups
            for other in known.facts.entity[known.group == group]
            if other != entity and (most is None or len(set(known.facts.entity[known.group == group])) <= most)
        }
        there = np.isin(known.facts.entity, list(like)) & (known.facts.relation == role)
        assert set(company.who.tolist()) == set(known.facts.answer[there].tolist())
        found = links.sure(entity, role, 0.3)
        rule = links.rules[role, known.turned(known.facts.relation[mine])] > 0.3
        assert found.tolist() == np.unique(known.facts.entity[mine[rule]]).tolist()


def test_gaps_of_many_candidates_are_those_of_each(country: Dataset) -> None:
    known = KnownFacts.of(country)
    table = GapTable.of(GapEvidence.of(known), FactSample.of(known, most=2).dated)
    dated = FactSample.of(known, most=2).dated
    candidates, role = np.array([5, PEOPLE, 5, PEOPLE + 3]), np.array([1, 3, 2, 4])
    time = np.array([1960.0, 1950.0, np.nan, 1971.0])
    beside = table.beside(role, *dated.of_candidates(candidates))
    for kind in range(3):
        said = table.said(kind, time, beside)
        others, same = beside.summed(said, len(candidates))
        for row, candidate in enumerate(candidates):
            mine = [place for place, fact in enumerate(dated.facts) if known.facts.answer[fact] == candidate]
            gaps = np.array([time[row] - table.times[kind][place] for place in mine])
            bins = binned(np.clip(gaps, -62, 62)) if not np.isnan(time[row]) else np.zeros(len(mine), np.int64)
            ratios = table.ratios.reshape(3, known.roles, known.roles, -1)[kind, role[row], table.role[mine], bins]
            ratios = ratios * (not np.isnan(time[row]))
            means = ratios * dated.stands_for[mine] / known.group_sizes[known.group[dated.facts[mine]]]
            own = table.role[mine] == role[row]
            assert [others[row], same[row]] == pytest.approx([means[~own].sum(), means[own].sum()])
            assert beside.lowest(said, len(candidates))[row] == min(0.0, *ratios)


def test_what_is_large_is_cut_and_what_is_small_is_not(country: Dataset) -> None:
    known = KnownFacts.of(country)
    assert FirstCut.of(known) is None
    assert FirstCut.of(replace(known, entities=30_000)) == FirstCut()
    assert FirstCut.of(replace(known, entities=30_000), 30_000) is None  # whoever wants all gets all


@given(groups=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=30))
def test_a_sample_stands_for_all_facts_of_each_group(groups: list[tuple[int, int]]) -> None:
    rows = [(3, role, entity, 1900 + year, 1900 + year) for year, (entity, role) in enumerate(groups)]
    known = KnownFacts.of(dataset_of(rows, entities=4, relations=2))
    sample = FactSample.of(known, most=3)
    assert np.bincount(known.group[sample.facts]).max() <= 3
    assert np.bincount(known.group[sample.facts], sample.stands_for) == pytest.approx(known.group_sizes)


def test_known_answers_in_parts_are_the_same(country: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def scores(queries: Queries) -> torch.Tensor:
        columns = torch.arange(PEOPLE + 42)[None] * 7919
        return ((columns + torch.from_numpy(queries.entity)[:, None] * 104_729) % 1009).float()

    whole = rankings(scores, country, "test", FILTERS)
    monkeypatch.setattr(ranking, "_BATCHES_FILTERED", 1)
    monkeypatch.setattr(ranking, "_QUERIES_PER_BATCH", 7)
    parts = rankings(scores, country, "test", FILTERS)
    assert all(np.array_equal(whole[name].ranks, parts[name].ranks) for name in FILTERS)
    few = rank(scores, country, "test", most=50)
    assert len(few.ranks) == 100 and np.isin(few.ranks, whole["instants"].ranks).all()


def test_a_hub_with_ten_thousands_of_facts_is_answered() -> None:
    people = 30_000
    rows: list[Row] = [(person, person % 2, people, 1900 + person % 100, AFTER_ALL) for person in range(people)]
    rows += [(person, 1, people + 1, BEFORE_ALL, 1950) for person in range(0, people, 7)]
    dataset = dataset_of(rows, entities=people + 2, relations=2)
    ranker = EvidenceRanker.of(dataset, [])
    assert ranker.cut
    asked = Queries(
        np.array([people, 5, people + 2]),
        np.array([2, 1, 0]),
        np.full(3, -1),
        np.array([1950] * 3),
        np.array([1960] * 3),
    )
    assert ranker.scores(asked).isfinite().all()


def test_products_in_bfloat16_teach_nearly_the_same() -> None:
    torch.manual_seed(1)
    query, candidates = torch.randn(64, 32, requires_grad=True), torch.randn(500, 32, requires_grad=True)
    answer = torch.randint(0, 500, (64,))
    with torch.no_grad():
        query[0] = 20 * candidates[answer[0]]  # an answer that is sure: its gradient is next to nothing
    slopes = {}
    for half in (False, True):
        query.grad = candidates.grad = None
        loss = one_versus_all(query, candidates, answer, half=half)
        loss.backward()  # type: ignore[no-untyped-call]
        slopes[half] = loss.item(), query.grad.clone(), candidates.grad.clone()  # type: ignore[attr-defined]
    assert slopes[True][0] == pytest.approx(slopes[False][0], rel=2e-3)
    for exact, rounded in zip(slopes[False][1:], slopes[True][1:], strict=True):
        assert (exact - rounded).norm() < 0.02 * exact.norm()
    assert slopes[True][1][0].abs().max() < 1e-4


def test_steps_that_touch_few_rows_give_the_same_weights(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = read_dataset(toy)
    settings = CompletionTraining(epochs=2, batch=16, shared_negatives=8, squares=0.01)
    found = []
    for rows in (1, 50_000):
        monkeypatch.setattr(trainer, "_MANY_ROWS", rows)
        scorer = TimeplexBase(sizes_of(dataset), 4)
        train(scorer, dataset, settings)
        assert scorer.entities.sparse == (rows == 1)
        found.append(scorer.state_dict())
    assert all(torch.allclose(one, found[1][name], atol=1e-5) for name, one in found[0].items())


def test_steps_of_an_epoch_are_told(toy: Path) -> None:
    dataset = read_dataset(toy)
    seen: list[StepProgress] = []
    train(TimeplexBase(sizes_of(dataset), 2), dataset, CompletionTraining(epochs=2, batch=16), on_step=seen.append)
    steps = -(-len(dataset.train) // 16)
    assert [(one.epoch, one.step) for one in seen] == [(e, s) for e in (1, 2) for s in range(1, steps + 1)]
    assert seen[-1].epochs_done == 2 and seen[0].epochs_done == pytest.approx(1 / steps)


def test_memory_is_told_and_what_does_not_fit_is_refused(country: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = CompletionPlan.of("timeplex-base", {"rank": 100})
    needed = needed_memory(plan, country)
    assert 500_000_000 < needed < 3_000_000_000
    assert needed_memory(CompletionPlan.of("evidence", {"rank": 100}), country) > needed
    monkeypatch.setattr(memory, "free_memory", lambda: 400_000_000)
    assert told_memory(needed).endswith("; 0.4 GB are free.")
    with pytest.raises(UserError, match=r"0\.4 GB are free\. Try --set shared_negatives=1000 or --rank 50"):
        see_that_it_fits(needed, plan, country)
    monkeypatch.setattr(memory, "free_memory", lambda: None)  # a system that does not say
    see_that_it_fits(needed, plan, country)
    free = free_memory()
    assert free is None or free > 10_000_000


def test_a_sample_of_valid_judges_epochs_where_it_is_large(toy: Path) -> None:
    dataset = read_dataset(toy)
    plan = CompletionPlan.of("complex", {"rank": 2, "epochs": 1, "valid_facts": 5})
    scorer = plan.new_scorer(dataset)
    ranked = train(scorer, dataset, plan.training)
    assert ranked is not None and len(ranked.ranks) == 10
    seen = dataset.without_test
    assert ranked.mrr == rank(link_scores(scorer, seen, "mean"), seen, "valid", most=5).mrr


def test_few_trees_choose_whom_all_trees_judge(country: Dataset) -> None:
    ranker = EvidenceRanker.of(country, [no_embeddings], candidates=400)
    random = np.random.default_rng(0)
    table = random.normal(size=(3000, len(ranker.names)))
    trees = lgb.train({"verbose": -1, "num_threads": 1}, lgb.Dataset(table, table[:, 0] + table[:, 1]), 60)
    features = random.normal(size=(2, 300, len(ranker.names))).astype(np.float32)
    judged = ranker.weighed_by([trees])._judged(features)
    assert ranker.cut
    for row in range(2):
        best = np.argsort(-judged[row])[: ranker.cut.heard]
        assert np.allclose(judged[row][best], trees.predict(features[row][best]), atol=1e-5)
