"""Probabilities, dates and names that a trained model answers with."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, UNSEEN, Protocol, Quadruples, read_dataset
from asof.completion.trained.calibration import expected_calibration_error, fitted_temperature, matched_temperature
from asof.completion.trained.end_dates import EndDates, Lengths
from asof.completion.trained.folder import TrainedModel, train_into
from asof.completion.trained.names import Names
from asof.completion.trained.prediction import answers, asked_time, when, written
from asof.completion.trained.proposals import ProposedFact, _pauses, review_of
from asof.completion.trained.reasons import ReasonWriter
from asof.completion.training.plan import CompletionPlan
from asof.errors import UserError
from asof.timeline import Date
from tests.completion.players import write_toy
from tests.completion.toy import dataset_of

SETTINGS = {"rank": 12, "epochs": 30, "batch": 16, "squares": 0.01}


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_toy(tmp_path_factory.mktemp("data") / "toy")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, toy: Path) -> TrainedModel:
    plan = CompletionPlan.of("timeplex-base", SETTINGS)
    return train_into(tmp_path_factory.mktemp("trained") / "toy", plan, read_dataset(toy), toy)


@pytest.mark.parametrize("truth", [0.3, 1.0, 7.0])
def test_the_temperature_that_made_the_answers_is_found(truth: float) -> None:
    torch.manual_seed(0)
    scores = torch.randn(20_000, 6) * 3
    drawn = torch.distributions.Categorical(logits=scores / truth).sample()
    right = scores.gather(1, drawn[:, None])[:, 0]
    assert fitted_temperature(scores, right) == pytest.approx(truth, rel=0.1)
    assert matched_temperature(scores, drawn) == pytest.approx(truth, rel=0.1)
    far = torch.cat([scores, torch.full((len(scores), 500), float(scores.min()) - 50 * truth)], 1)
    answer = torch.where(torch.arange(len(far)) % 10 == 0, 100, drawn)  # now and then what nobody expects is right
    sure = torch.softmax(far / matched_temperature(far, answer), 1).amax(1).mean()
    assert float(sure) == pytest.approx(float((far.argmax(1) == answer).double().mean()), abs=0.01)


def test_the_calibration_error_is_zero_where_probabilities_are_true() -> None:
    sure = np.full(1000, 0.25)
    assert expected_calibration_error(sure, np.repeat([1.0, 0.0], [250, 750])) == 0
    assert expected_calibration_error(sure, np.zeros(1000)) == 0.25


def test_probabilities_of_unknown_answers_sum_to_one(trained: TrainedModel) -> None:
    player = trained.entities.number("Player 09")
    found = answers(trained, player, trained.relations.number("playsFor"), (1988, 1988), top=1000)
    assert len(found) == len(trained.dataset.entities)
    assert sum(one.probability for one in found if not one.known) == pytest.approx(1)
    assert [trained.entities.labels[one.entity] for one in found if one.known] == ["Club 3"]


def test_nobody_is_answered_who_stands_for_the_unseen(toy: Path, tmp_path: Path) -> None:
    dataset = read_dataset(toy, Protocol.JAIN2020)
    assert dataset.entities[-1] == UNSEEN
    model = train_into(tmp_path / "model", CompletionPlan.of("complex", {"rank": 2, "epochs": 1}), dataset, toy)
    found = answers(model, 0, 0, top=1000)
    assert len(found) == len(dataset.entities) - 1
    unseen = len(dataset.entities) - 1
    assert all(unseen not in (one.subject, one.object) for one in review_of(model).proposals)


def test_intervals_do_not_meet_and_come_by_probability(trained: TrainedModel) -> None:
    numbers = (trained.entities.number("Player 04"), trained.relations.number("playsFor"))
    found = when(trained, *numbers, trained.entities.number("Club 4"), top=3)
    shares = [share for _, _, share in found.intervals]
    assert shares == sorted(shares, reverse=True)
    spans = sorted((first, last) for first, last, _ in found.intervals)
    assert all(one[1] < other[0] for one, other in pairwise(spans))
    assert found.curve.sum() == pytest.approx(1)
    assert len(set(found.times.tolist())) == len(found.times)  # "before all" and "after all" are no dates


def test_lengths_are_those_of_the_relation() -> None:
    facts = Quadruples(
        np.zeros(6, np.int64), np.array([0, 0, 0, 1, 1, 1]), np.zeros(6, np.int64), np.full(6, 2000),
        np.array([2000, 2000, 2000, 2020, 2020, 2021]),
    )  # fmt: skip
    lengths = Lengths.of(facts, 3)
    assert lengths.lengths.tolist() == [0, 20, 21]
    assert np.allclose(lengths.chances.sum(1), 1)
    assert lengths.lengths[lengths.chances.argmax(1)][:2].tolist() == [0, 20]


def test_ends_and_starts_are_proposed_from_the_side_that_is_known(trained: TrainedModel) -> None:
    ends = EndDates.of(trained)
    assert ends is not None
    row = (
        trained.entities.number("Player 00"),
        trained.relations.number("playsFor"),
        trained.entities.number("Club 2"),
    )
    no_end = Quadruples(*(np.array([value]) for value in (*row, 1990, AFTER_ALL)))
    no_start = Quadruples(*(np.array([value]) for value in (*row, BEFORE_ALL, 1994)))
    end, sure = ends.proposed(no_end, "end")
    start, _ = ends.proposed(no_start, "start")
    assert (end.tolist(), start.tolist()) == ([1994], [1990])
    assert 0.5 < sure[0] <= 1


def test_what_comes_next_for_the_object_tells_when_a_fact_ended(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    rows: list[tuple[str, int, int]] = []
    for ship in range(40):
        year = 1900 + int(random.integers(20))
        for _ in range(8):  # captains one after the other; of a captain nothing else is known
            after = year + int(random.integers(2, 9))
            rows.append((f"Ship {ship}", year, after))
            year = after
    order = random.permutation(len(rows))
    folder = tmp_path / "ships"
    folder.mkdir()
    for split, places in (("train", order[:200]), ("valid", order[200:280]), ("test", order[280:])):
        lines = [f"Captain {p}\tcommands\t{rows[p][0]}\t{rows[p][1]}-##-##\t{rows[p][2]}-##-##" for p in places]
        (folder / f"{split}.txt").write_text("\n".join(lines) + "\n")
    model = train_into(
        tmp_path / "model", CompletionPlan.of("timeplex-base", {"rank": 2, "epochs": 1}), read_dataset(folder), folder
    )
    ends = EndDates.of(model)
    assert ends and ends.across_weight > 0
    facts = model.dataset.test
    last = np.array([facts.end[facts.object == ship].max() for ship in facts.object])
    followed = facts[facts.end < last]
    found, _ = ends.proposed(replace(followed, end=np.full(len(followed), AFTER_ALL)), "end")
    assert np.mean(found == followed.end) > 0.9
    subject, relation, object, start, end = (int(column[0]) for column in vars(followed).values())
    proposal = ProposedFact(subject, relation, object, start, end, "end", 0.9)
    ended = model.entities.labels[object]
    assert f"the next one of {ended} begins {followed.end[0]}" in ReasonWriter(model, ends).why(proposal)


def test_a_pause_that_a_fact_without_a_start_may_fill_is_none() -> None:
    every = [(0, 0, 1, 1990, 1994), (0, 0, 2, 1995, 1999), (0, 0, 3, 2000, 2004), (0, 0, 4, 2010, 2014)]
    for end, pauses in ((1980, 1), (2009, 0), (2010, 0), (2011, 1), (AFTER_ALL, 0)):
        dataset = dataset_of([*every, (0, 0, 5, BEFORE_ALL, end)], entities=6, relations=1)
        assert [row[:4] for row in _pauses(dataset)] == [(0, 0, 2005, 2009)] * pauses


def test_a_fact_that_goes_on_gets_no_end(trained: TrainedModel) -> None:
    assert sum(one.what == "end" for one in review_of(trained).proposals) == 3
    open_ends = trained.dataset.all_facts.end == AFTER_ALL
    going_on = replace(trained, dataset=replace(trained.dataset, ongoing=open_ends))
    assert not any(one.what == "end" for one in review_of(going_on).proposals)


def test_a_relation_whose_facts_never_end_gets_no_end_of_others(tmp_path: Path) -> None:
    folder = tmp_path / "towns"
    folder.mkdir()
    for split, rows in (("train", range(20)), ("valid", (20, 21)), ("test", (22, 23))):
        posts = [f"Town {row}\tmayor\tPerson {row}\t{1990 + row}-##-##\t{1990 + row}-##-##" for row in rows]
        twins = [f"Town {row}\ttwinned with\tTown {row % 5}\t{1970 + row}-##-##\t####-##-##" for row in rows]
        (folder / f"{split}.txt").write_text("\n".join([*posts, *twins]) + "\n")
    model = train_into(
        tmp_path / "model", CompletionPlan.of("timeplex-base", {"rank": 2, "epochs": 1}), read_dataset(folder), folder
    )
    review = review_of(model)
    assert not any(one.what == "end" for one in review.proposals)
    assert [(model.relations.ids[one.relation], one.what, one.facts) for one in review.abstentions] == [
        ("twinned with", "end", 24)
    ]


def test_days_are_asked_for_and_told_as_days(tmp_path: Path) -> None:
    folder = tmp_path / "events"
    folder.mkdir()
    for split, days in (("train", range(1, 25)), ("valid", (3, 9)), ("test", (5, 11))):
        lines = [f"Country {day % 4}\tConsult\tCountry {day % 3}\t2014-02-{day:02d}" for day in days]
        (folder / f"{split}.txt").write_text("\n".join(lines) + "\n")
    dataset = read_dataset(folder)
    assert dataset.granularity == "day"
    model = train_into(tmp_path / "model", CompletionPlan.of("tntcomplex", {"rank": 2, "epochs": 2}), dataset, folder)
    assert asked_time(Date.parse("2014-02-03"), "day") == (16104, 16104)
    assert written(16104, "day") == "2014-02-03"
    found = when(model, 0, 0, 1, top=2)
    assert written(found.intervals[0][0], "day").startswith("2014-02-")


def test_a_name_of_several_asks_for_the_id() -> None:
    names = Names("entity", "towns", ["Q1", "Q2"], ["Springfield", "springfield"])
    assert names.number("Q2") == 1
    with pytest.raises(UserError, match=r"(?s)'Springfield' may be one of 2:.*Q1.*Q2.*Give the id"):
        names.number("Springfield")
