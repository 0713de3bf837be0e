"""What known facts say: counts against slow loops, planted regularities found again, trees kept with the weights."""

import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import lightgbm as lgb
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Protocol, Quadruples, read_dataset
from asof.completion.evidence import links, paths, ranker, roles
from asof.completion.evidence.gaps import GapEvidence, binned
from asof.completion.evidence.intervals import IntervalEvidence, expected_aeiou
from asof.completion.evidence.known_facts import KnownFacts
from asof.completion.evidence.links import LinkEvidence
from asof.completion.evidence.paths import PathEvidence
from asof.completion.evidence.ranker import EvidenceRanker
from asof.completion.evidence.roles import RoleEvidence
from asof.completion.interval_prediction import interval_results
from asof.completion.queries import Queries, TimeQueries, queries_of
from asof.completion.ranking import rank
from asof.completion.scorers.evidence import halves
from asof.completion.trained.folder import train_into
from asof.completion.trained.measures import time_results
from asof.completion.training.plan import CompletionPlan
from asof.completion.training.trainer import link_scores
from asof.errors import UserError
from asof.metrics.aeiou import aeiou
from tests.completion.players import write_toy
from tests.completion.toy import Row, dataset_of

PEOPLE, TOWNS = 60, 6
BORN, MARRIED, DIED = 0, 1, 2


def lives(seed: int = 0) -> list[list[Row]]:
    """People who marry at 25, both ways, and die at 70 where they were born; one list of facts for each."""
    random = np.random.default_rng(seed)
    facts: list[list[Row]] = []
    for person in range(PEOPLE):
        spouse = person ^ 1
        year = 1800 + 3 * (person // 2)
        town = PEOPLE + int(random.integers(TOWNS))
        facts.append(
            [
                (person, BORN, town, year, year),
                (person, MARRIED, spouse, year + 25, year + 70),
                (person, DIED, town, year + 70, year + 70),
            ]
        )
    return facts


@pytest.fixture(scope="module")
def society() -> Dataset:
    """In valid and test are facts whose other half is in train: the marriage of the spouse, the town of birth."""
    train, valid, test = [], [], []
    for person, (born, married, died) in enumerate(lives()):
        train.append(born)
        held_out = (valid if person % 4 == 0 else test) if person % 2 == 0 else train
        held_out.append(married)
        (valid if person % 10 == 1 else test if person % 10 == 3 else train).append(died)
    return dataset_of(train, valid=valid, test=test, entities=PEOPLE + TOWNS, relations=3, protocol=Protocol.JAIN2020)


def test_gaps_that_are_usual_speak_for_a_time(society: Dataset) -> None:
    known = KnownFacts.of(society)
    ratios = GapEvidence.of(known).ratios[0]  # from start to start
    person = 3  # the relations turned round, whose answers are the people: born, married, died
    usual, never = binned(np.array([25.0])), binned(np.array([-25.0]))
    assert ratios[person + MARRIED, person + BORN, usual] > 1
    assert ratios[person + MARRIED, person + BORN, never] < -1
    assert ratios[person + DIED, person + MARRIED, binned(np.array([45.0]))] > 1


def test_an_entity_with_very_many_facts_is_sampled() -> None:
    rows = [(1, 0, 0, 1900 + year, 1900 + year) for year in range(50)]
    known = KnownFacts.of(dataset_of(rows, entities=3, relations=1))
    which, fact, stands_for = known.of_entities(np.array([2, 0, 7]), most=10)
    assert which.tolist() == [1] * 10  # entity 2 has no fact, entity 7 does not exist
    assert set(known.facts.answer[fact]) == {0}
    assert stands_for.tolist() == [5.0] * 10


ROWS = st.tuples(
    st.integers(0, 4),
    st.integers(0, 1),
    st.integers(0, 4),
    st.sampled_from([BEFORE_ALL, 1990, 1995, 2000]),
    st.sampled_from([2000, 2003, AFTER_ALL]),
)


@given(rows=st.lists(ROWS, min_size=1, max_size=12), role=st.integers(0, 3), entity=st.integers(0, 4))
def test_features_equal_slow_counts(rows: Sequence[Row], role: int, entity: int) -> None:
    dataset = dataset_of(list(rows), entities=5, relations=2)
    known = KnownFacts.of(dataset)
    both_ways = [*rows, *((o, r + 2, s, start, end) for s, r, o, start, end in rows)]
    of_role = RoleEvidence.of(known).features(np.full(5, role), np.full(5, 1996.0), np.full(5, 2001.0), np.arange(5))
    linked = LinkEvidence.of(known).features(np.full(5, entity), np.full(5, role), np.full(5, 1996.0), np.arange(5))
    for candidate in range(5):
        mine = [row for row in both_ways if row[2] == candidate]
        same = [row for row in mine if row[1] == role]
        assert of_role[candidate, roles.NAMES.index("facts in the role")] == len(same)
        assert of_role[candidate, roles.NAMES.index("facts")] == len(mine)
        starts = [row[4] if row[3] == BEFORE_ALL else row[3] for row in same]
        ends = [start if row[4] == AFTER_ALL else row[4] for row, start in zip(same, starts, strict=True)]
        known_ends = [(a, b) for a, b in zip(starts, ends, strict=True) if a < AFTER_ALL and b > BEFORE_ALL]
        meanwhile = sum(a <= 2001 and b >= 1996 for a, b in known_ends)
        assert of_role[candidate, roles.NAMES.index("same role meanwhile")] == meanwhile
        between = [row for row in both_ways if row[0] == entity and row[2] == candidate]
        assert linked[candidate, links.NAMES.index("linked by the relation")] == sum(row[1] == role for row in between)
        inverse = sum(row[1] == (role + 2) % 4 for row in between)
        assert linked[candidate, links.NAMES.index("linked by its inverse")] == inverse
        others = len([row for row in between if row[1] not in (role, (role + 2) % 4)])
        assert linked[candidate, links.NAMES.index("linked otherwise")] == others


@given(rows=st.lists(ROWS, min_size=1, max_size=12), role=st.integers(0, 3), entity=st.integers(0, 4))
def test_paths_equal_slow_counts(rows: Sequence[Row], role: int, entity: int) -> None:
    evidence = PathEvidence.of(KnownFacts.of(dataset_of(list(rows), entities=5, relations=2)))
    both_ways = [*rows, *((o, r + 2, s, start, end) for s, r, o, start, end in rows)]
    linked = {(s, r, o) for s, r, o, _, _ in both_ways}
    for first, second in product(range(4), repeat=2):
        ends = {
            (s, end) for s, r, o in linked for o2, r2, end in linked if (r, r2, o2) == (first, second, o) and end != s
        }
        right = sum((s, role, end) in linked for s, end in ends)
        assert evidence.sureness[role, first * 4 + second] == pytest.approx(right / (len(ends) + 5))
    led_to = evidence.features(np.full(5, entity), np.full(5, role), np.full(5, 1996.0), np.arange(5))
    for candidate in range(5):
        taken = [
            (r, row[1]) for s, r, o in linked for row in both_ways if (s, o, candidate) == (entity, row[0], row[2])
        ]
        sure = [evidence.sureness[role, first * 4 + second] for first, second in taken]
        assert led_to[candidate, paths.NAMES.index("paths")] == len(taken)
        assert led_to[candidate, paths.NAMES.index("surest path")] == max(sure, default=0)
        none_is_right = math.prod(1 - one for one in sure)
        assert led_to[candidate, paths.NAMES.index("paths together")] == pytest.approx(-math.log(none_is_right))


def test_of_very_many_paths_some_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    couples = [(2 * place, 0, 2 * place + 1, 1990, 1995) for place in range(20)]
    died = [(person, 1, 40 + person // 2 % 3, 2000, 2000) for person in range(40)]
    known = KnownFacts.of(dataset_of([*couples, *died], entities=43, relations=2))
    where_the_husband_died = (1, 0 * 4 + 1)
    assert PathEvidence.of(known).sureness[where_the_husband_died] == 20 / (20 + 5)
    monkeypatch.setattr(paths, "_STARTS", 10)
    assert PathEvidence.of(known).sureness[where_the_husband_died] == 10 / (10 + 5)


@given(
    curve=st.lists(st.floats(0, 1), min_size=2, max_size=6).filter(lambda curve: sum(curve) > 0.1),
    lasting=st.lists(st.floats(0, 1), min_size=1, max_size=4).filter(lambda lasting: sum(lasting) > 0.1),
    lengths=st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True),
)
def test_the_expected_aeiou_is_the_mean_over_all_that_may_be(
    curve: list[float], lasting: list[float], lengths: list[int]
) -> None:
    starts, durations = np.array(curve) / sum(curve), np.array(lasting) / sum(lasting)
    worth = expected_aeiou(starts[None], durations, np.array(lengths))[0]
    for row, length in enumerate(lengths):
        for guess in range(len(starts)):
            slow = sum(
                starts[start] * durations[lasts] * float(aeiou((start, start + lasts), (guess, guess + length)))
                for start in range(len(starts))
                for lasts in range(len(durations))
            )
            assert worth[row, guess] == pytest.approx(slow, abs=1e-5)


def test_intervals_follow_from_the_facts_around(society: Dataset) -> None:
    evidence = IntervalEvidence.of(society)
    evidence = evidence.fit([evidence.lesson(society.valid)])
    facts = society.test[society.test.relation == MARRIED]
    asked = TimeQueries.of(facts)
    results = interval_results(facts, evidence.intervals(asked, evidence.curves(asked), count=3), at=(1, 3))
    assert results["aeiou@1"] > 0.8  # the spouse's marriage is known, and a birth 25 years before
    assert results["aeiou@3"] >= results["aeiou@1"]


def test_trees_find_the_inverse_and_the_town_of_birth(society: Dataset) -> None:
    nothing = EvidenceRanker.of(society, [lambda queries: torch.zeros(len(queries), len(society.entities))])
    fitted = nothing.fit(nothing.examples(queries_of(society, "valid")))
    first_look, weighed = (rank(ranker.scores, society, "test").mrr for ranker in (nothing, fitted))
    chance = np.mean(1 / np.arange(1, len(society.entities) + 1))
    assert first_look > 3 * chance
    assert weighed > max(0.8, first_look)


def test_a_better_candidate_has_a_higher_score_and_the_rest_comes_after(society: Dataset) -> None:
    ranker = EvidenceRanker.of(society, [lambda queries: torch.zeros(len(queries), len(society.entities))])
    ranker = ranker.fit(ranker.examples(queries_of(society, "valid")))
    asked = queries_of(society, "test")
    alone = torch.cat([ranker.scores(asked[place : place + 1]) for place in range(3)])
    assert torch.allclose(ranker.scores(asked)[:3], alone)
    unknown = Queries(*(np.array([value]) for value in (len(society.entities), 0, 0, BEFORE_ALL, AFTER_ALL)))
    assert ranker.scores(unknown).isfinite().all()


def test_trees_that_were_grown_several_times_are_heard_together(society: Dataset) -> None:
    ranker = EvidenceRanker.of(society, [lambda queries: torch.zeros(len(queries), len(society.entities))])
    ranker = ranker.fit(ranker.examples(queries_of(society, "valid")), seed=1)
    asked = queries_of(society, "test")
    alone = torch.stack([ranker.weighed_by([trees]).scores(asked) for trees in ranker.trees])
    assert len(alone) == 3 and not torch.equal(alone[0], alone[1])
    torch.testing.assert_close(ranker.scores(asked), alone.mean(0))


def test_halves_part_the_facts_of_two_entities_but_not_the_questions_about_a_fact() -> None:
    years = np.arange(1000)
    same = np.zeros(1000, np.int64)
    facts = Quadruples(same + 3, same, same + 8, years, years + 2)
    half = halves(Queries.of(facts, 5))
    assert (half[:1000] == half[1000:]).all()
    assert 400 < half[:1000].sum() < 600


def test_a_trained_folder_keeps_the_trees(tmp_path: Path) -> None:
    place = write_toy(tmp_path / "players")
    dataset = read_dataset(place, Protocol.JAIN2020)
    plan = CompletionPlan.of("evidence", {"rank": 8, "epochs": 2, "batch": 64})
    trained = train_into(tmp_path / "model", plan, dataset, place)
    again = train_into(tmp_path / "model", plan, dataset, place)  # the same command, once more
    assert again.about == trained.about
    asked = queries_of(dataset, "test")
    ours, theirs = (link_scores(model.scorer, dataset, "start")(asked) for model in (trained, again))
    assert torch.equal(ours, theirs)
    embedded = CompletionPlan.of("timeplex-base", {"rank": 8, "epochs": 2, "batch": 64})
    alone = train_into(tmp_path / "alone", embedded, dataset, place)
    scores = [rank(link_scores(one.scorer, dataset, "start"), dataset, "test").mrr for one in (again, alone)]
    assert scores[0] > scores[1]
    times = [time_results(one, "test") for one in (again, alone)]
    assert times[0] and times[1] and times[0]["aeiou@1"] > times[1]["aeiou@1"]
    texts = load_file(tmp_path / "model/model.safetensors")
    other = lgb.train({"verbose": -1}, lgb.Dataset(np.eye(30)[:, :2], np.arange(30)), 1)
    texts["_extra_state"] = torch.frombuffer(bytearray(other.model_to_string().encode()), dtype=torch.uint8)
    with pytest.raises(RuntimeError, match="its trees use other features"):
        again.scorer.load_state_dict(texts)


def test_a_country_of_very_many_people_does_not_fill_memory() -> None:
    people = 40_000  # two hubs of 20,000: all pairs of their people would be 800 million
    rows: list[Row] = [(2 + person, 0, person % 2, 1900 + person % 100, AFTER_ALL) for person in range(people)]
    known = KnownFacts.of(dataset_of(rows, entities=2 + people, relations=1))
    company = LinkEvidence.of(known).company(2, 0)
    assert company.who.tolist() == [0]
    assert company.of(np.array([1, 0])) == pytest.approx(
        [0, (people / 2 - 1) / (people / 2)]
    )  # the others of country 0
    few = LinkEvidence.of(known, most_sharers=2_000).company(2, 0)
    assert not len(few.who)  # what thousands share says nothing of two of them


def test_a_training_in_folds_goes_on_in_the_part_where_it_stopped(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranker, "_ROUNDS", 3)
    dataset = read_dataset(toy)
    plan = CompletionPlan.of("evidence", {"rank": 2, "epochs": 3, "evaluate_every": 1, "batch": 16, "folds": 3})
    seen: list[tuple[int, int]] = []

    def stop(row: dict[str, object]) -> None:
        if (row["phase"], row["epoch"]) == (3, 2):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_into(tmp_path / "stopped", plan, dataset, toy, on_progress=stop)
    resumed = train_into(
        tmp_path / "stopped", plan, dataset, toy, on_progress=lambda row: seen.append((row["phase"], row["epoch"]))
    )
    whole = train_into(tmp_path / "whole", plan, dataset, toy)
    assert seen == [(phase, epoch) for phase in (1, 2, 3, 4) for epoch in (1, 2, 3)]
    assert all(
        torch.equal(value, whole.scorer.state_dict()[name]) for name, value in resumed.scorer.state_dict().items()
    )
    assert not list((tmp_path / "stopped").glob("checkpoint*"))


def test_folds_that_cannot_be_are_refused(dataset: Dataset) -> None:
    with pytest.raises(UserError, match=r"cannot take folds=1: a part and the rest are two at least"):
        CompletionPlan.of("evidence", {"folds": 1}).new_scorer(dataset)
    others = [{"scorer": "complex", "rank": 2, "options": {}}]
    with pytest.raises(UserError, match=r"cannot take folds=5: other models have seen all of train"):
        CompletionPlan.of("evidence", {"folds": 5, "others": others}).new_scorer(dataset)
