"""What is asked for is replaced by nonsense, and predictions stay the same to the bit: for every scorer there is."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from asof import registry
from asof.completion.dataset import AFTER_ALL, Dataset, Protocol, Quadruples, read_dataset
from asof.completion.evidence import ranker
from asof.completion.filters import FILTERS
from asof.completion.interval_prediction import TellsIntervals
from asof.completion.queries import TimeQueries, queries_of
from asof.completion.ranking import rankings
from asof.completion.trained.added_facts import AddedFacts, extended, warm_start
from asof.completion.trained.curves import curves, knows_time, moment_scores
from asof.completion.trained.end_dates import EndDates
from asof.completion.trained.folder import TrainedModel, open_trained, train_into
from asof.completion.trained.measures import split_intervals
from asof.completion.training.phases import LearnsWeights
from asof.completion.training.plan import CompletionPlan
from asof.completion.training.trainer import link_scores, protocol_instants, train, valid_scores

SCORERS = sorted(registry.scorers.names())
SETTINGS = {"rank": 4, "epochs": 2, "evaluate_every": 1, "batch": 16}
MORE = {"evidence": [{}, {"folds": 3}, {"closer_look": 3}], "timeplex": [{"pairs_epochs": 1, "recurrence_epochs": 1}]}
CASES = [
    pytest.param(name, more, id=f"{name} {more}".strip(" {}")) for name in SCORERS for more in MORE.get(name, [{}])
]


def write_world(folder: Path, *, events: bool) -> Path:
    """Teams that meet again and again, coaches who come and go: links recur before and after the facts of test."""
    random = np.random.default_rng(7)
    rows: list[str] = []
    for number in range(240):
        team, other = random.choice(8, 2, replace=False)
        if events:
            day = f"2014-{1 + number // 24:02d}-{1 + number % 24:02d}"
            rows.append(f"Team {team} (North)\tmet\tTeam {other} (South)\t{day}")
            rows.append(f"Team {team} (North)\tsued\tTeam {(other + 1) % 8} (South)\t{day}")
        else:
            start = 1950 + number % 60
            end = start + int(random.integers(0, 9))
            rows.append(f"Team {team}\tcoached by\tCoach {other}\t{start}-##-##\t{end}-##-##")
            rows.append(f"Coach {other}\tlived in\tTown {team % 3}\t{start - 5}-##-##\t{end + 5}-##-##")
    splits = random.permutation(len(rows)) % 10
    folder.mkdir()
    for name, chosen in (("train", splits > 2), ("valid", splits == 1), ("test", (splits == 0) | (splits == 2))):
        (folder / f"{name}.txt").write_text("\n".join(np.array(rows)[chosen]) + "\n")
    return folder


@pytest.fixture(scope="module", params=["lasting", "events"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp(request.param) / "world", events=request.param == "events")


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(ranker, "_ROUNDS", 3)
    yield


@pytest.mark.parametrize(("scorer", "more"), CASES)
def test_nothing_that_is_asked_for_changes_a_prediction(
    scorer: str, more: dict[str, int], world: Path, tmp_path: Path
) -> None:
    dataset = read_dataset(world)
    plan = CompletionPlan.of(scorer, SETTINGS | more)
    honest = train_into(tmp_path / "honest", plan, dataset, world)
    scrambled = train_into(tmp_path / "scrambled", plan, replace(dataset, test=nonsense(dataset)), world)
    same_weights(honest, scrambled)
    for column in ("subject", "object"):
        assert_links_stay(honest, column)
    assert_intervals_stay(honest)


def nonsense(dataset: Dataset) -> Quadruples:
    """Shuffle every column of test by itself: the same entities and times, but no fact as it was."""
    random = np.random.default_rng(1)
    test = dataset.test
    start, end = random.permutation(np.stack([test.start, test.end], axis=1)).T
    subject, relation, object = (random.permutation(one) for one in (test.subject, test.relation, test.object))
    return Quadruples(subject, relation, object, start, end)


def same_weights(one: TrainedModel, other: TrainedModel) -> None:
    """See that two models learnt the same: weights, trees, probabilities, thresholds, figures on valid."""
    ours, theirs = one.scorer.state_dict(), other.scorer.state_dict()
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(value, theirs[name]) for name, value in ours.items())
    for part in ("valid", "calibration", "thresholds"):
        assert one.about[part] == other.about[part]


def assert_links_stay(trained: TrainedModel, column: str) -> None:
    """Replace the subjects (or objects) of test: who is asked from the other end scores all candidates as before."""
    dataset = trained.dataset
    asked_for = slice(0, len(dataset.test)) if column == "object" else slice(len(dataset.test), None)
    other = replace(dataset.test, **{column: np.roll(getattr(dataset.test, column), 7)})
    before, after = (scores_of(trained, replace(dataset, test=test))[asked_for] for test in (dataset.test, other))
    assert torch.equal(before, after)


def scores_of(trained: TrainedModel, dataset: Dataset) -> torch.Tensor:
    """Return what the measure of links sees: a row for each question of test, in their order."""
    found = torch.zeros(2 * len(dataset.test), len(dataset.entities))

    def noted(rows: np.ndarray, scored: torch.Tensor, others: object) -> None:
        found[torch.from_numpy(rows)] = scored

    rankings(link_scores(trained.scorer, dataset, protocol_instants(dataset)), dataset, "test", FILTERS, noted=noted)
    assert found.any(1).all()
    return found


def assert_intervals_stay(trained: TrainedModel) -> None:
    """Replace the dates of test: the predicted intervals are as before."""
    dataset, test = trained.dataset, trained.dataset.test
    moved = replace(test, start=np.roll(test.start, 5) - 3, end=np.roll(test.start, 5) + 40)
    found = [split_intervals(replace(trained, dataset=replace(dataset, test=one)), "test", 3) for one in (test, moved)]
    before, after = found
    if before is None or after is None:
        assert not knows_time(trained.scorer)
        return
    assert len(before[0]) == len(after[0]) == len(test)
    assert np.array_equal(before[1].first, after[1].first)
    assert np.array_equal(before[1].last, after[1].last)


def test_the_end_of_a_fact_is_out_of_sight_when_it_is_proposed(tmp_path: Path) -> None:
    place = write_world(tmp_path / "world", events=False)
    dataset = read_dataset(place, Protocol.CORRECTED)
    trained = train_into(tmp_path / "model", CompletionPlan.of("timeplex-base", SETTINGS), dataset, place)
    for row in range(0, len(dataset.test), 9):
        told = []
        for later in (0, 1, 6):
            end = dataset.test.end.copy()
            end[row] += later
            known = replace(trained, dataset=replace(dataset, test=replace(dataset.test, end=end)))
            ends = EndDates.of(known)
            assert ends is not None
            fact = dataset.test[row : row + 1]
            told.append(ends.chances(replace(fact, end=np.array([AFTER_ALL])), "end"))
        assert np.array_equal(told[0], told[1]) and np.array_equal(told[0], told[2])


LEARN_WEIGHTS = [case for case in CASES if hasattr(registry.scorers.get(str(case.values[0])), "learn_weights")]


@pytest.mark.parametrize(("scorer", "more"), LEARN_WEIGHTS)
def test_the_answers_of_valid_are_out_of_sight_when_it_is_scored(
    scorer: str, more: dict[str, int], world: Path
) -> None:
    """See that valid answers are labels and nothing else: figures on valid, and what trees learn from, are without."""
    dataset = read_dataset(world).without_test
    plan = CompletionPlan.of(scorer, SETTINGS | more)
    made = plan.new_scorer(dataset)
    train(made, dataset, plan.training)
    assert isinstance(made, LearnsWeights)
    scores, asked = valid_scores(made, dataset, protocol_instants(dataset)), queries_of(dataset, "valid")
    before, after = scores(asked), scores(replace(asked, answer=np.roll(asked.answer, 5)))
    assert before.any() and torch.equal(before, after)


def test_entities_that_are_added_begin_with_nothing_of_test(world: Path) -> None:
    dataset = read_dataset(world)
    size, seen = len(dataset.entities), dataset.train[:2]
    new = Quadruples(np.array([size, size]), seen.relation, seen.object, seen.start, seen.end)
    added = AddedFacts(new, ("New",), ("New",))
    weights = {"entities.weight": torch.rand(size, 3, generator=torch.Generator().manual_seed(0))}
    made = [
        warm_start(weights, {"entities.weight": torch.zeros(size + 1, 3)}, extended(one, added), size)
        for one in (dataset, replace(dataset, test=nonsense(dataset)), dataset.without_test)
    ]
    assert all(torch.equal(one["entities.weight"], made[0]["entities.weight"]) for one in made[1:])


@pytest.mark.parametrize("scorer", [name for name in SCORERS if name == "evidence" or "timeplex" in name])
def test_users_get_the_intervals_that_are_measured(scorer: str, world: Path, tmp_path: Path) -> None:
    dataset = read_dataset(world)
    train_into(tmp_path / "model", CompletionPlan.of(scorer, SETTINGS), dataset, world)
    trained = open_trained(tmp_path / "model")
    measured = split_intervals(trained, "test", 1)
    assert measured is not None
    facts, intervals = measured
    for row in range(5):
        asked = TimeQueries.of(facts[row : row + 1])
        if isinstance(trained.scorer, TellsIntervals):
            alone = trained.scorer.intervals(asked, 1)
            assert (alone.first[0, 0], alone.last[0, 0]) == (intervals.first[row, 0], intervals.last[row, 0])
        else:
            temperature = trained.needs_time().temperature
            together = curves(moment_scores(trained.scorer, dataset, TimeQueries.of(facts)), temperature)[row]
            assert np.allclose(curves(moment_scores(trained.scorer, dataset, asked), temperature)[0], together)
