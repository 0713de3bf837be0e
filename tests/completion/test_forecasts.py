"""Forecasts: nothing of a later time is in train, and nonsense in the future changes no prediction, to the bit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import asof
from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Protocol, Quadruples, read_dataset
from asof.completion.evidence import ranker
from asof.completion.quadruple_file import dataset_at, read_quadruple_file
from asof.completion.referee.judgement import RefereeJudgement
from asof.completion.time_split import split_by_time
from asof.completion.trained.folder import open_trained, train_into
from asof.completion.trained.measures import time_results, why_no_intervals
from asof.completion.training.plan import CompletionPlan
from asof.errors import UserError
from tests.completion.test_out_of_reach import CASES, SETTINGS, same_weights, scores_of, write_world
from tests.completion.toy import dataset_of


def test_each_split_begins_after_the_one_before_and_knows_no_later_end() -> None:
    rows = [(0, 0, 1, year, year + 3) for year in range(2000, 2020)]
    rows += [(1, 0, 2, BEFORE_ALL, 2001), (1, 0, 2, BEFORE_ALL, 2019), (1, 0, 2, BEFORE_ALL, AFTER_ALL)]
    rows += [(2, 0, 1, 1990, AFTER_ALL), (2, 0, 1, 2005, 2030)]
    random = np.random.default_rng(0).permutation(len(rows))
    mixed = dataset_of([rows[number] for number in random[:-2]], test=[rows[number] for number in random[-2:]],
                       entities=3, relations=1)  # fmt: skip
    found = split_by_time(mixed)
    data = found.dataset
    assert (found.valid_from, found.test_from) == (2016, 2018)
    assert data.train.start.max() < 2016 <= data.valid.start.min()
    assert data.valid.start.max() < 2018 <= data.test.start.min()
    known = data.train.end < AFTER_ALL
    assert data.train.end[known].max() < 2016 and data.valid.end[data.valid.end < AFTER_ALL].max(initial=0) < 2018
    assert found.left_out == 2 and found.cut_short == 3 + 1 + 2  # of 2013 to 2015, of 2005, of 2016 and 2017
    assert len(data.all_facts) == len(rows) - 2 and (data.test.end < AFTER_ALL).all()
    assert data.known_until == 2015
    assert data.ongoing is not None and data.ongoing.sum() == found.cut_short
    assert set(range(2016, 2031)) <= set(data.points.tolist())


def test_what_cannot_be_split_by_time_is_told(tmp_path: Path) -> None:
    two = dataset_of([(0, 0, 1, 2000, 2000), (0, 0, 1, 2001, 2001)], entities=2, relations=1)
    with pytest.raises(UserError, match="toy cannot be split by time: its facts begin at 2 different times"):
        split_by_time(two)
    with pytest.raises(UserError, match="needs --protocol corrected"):
        split_by_time(replace(two, protocol=Protocol.JAIN2020))
    three = dataset_of([(0, 0, 1, year, year) for year in (2000, 2001, 2002)], entities=2, relations=1)
    assert [len(split_by_time(three).dataset.split(one)) for one in ("train", "valid", "test")] == [1, 1, 1]
    with pytest.raises(UserError, match="would have 3, 0, 0 facts"):
        split_by_time(three, (2010, 2011))


@pytest.fixture(scope="module", params=["lasting", "events"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp(request.param) / "world", events=request.param == "events")


def scrambled_after(dataset: Dataset, cut: int) -> Dataset:
    """Replace all that is known from a time on: facts that begin then, and later ends of earlier ones."""
    random = np.random.default_rng(4)
    facts, last = dataset.all_facts, int(dataset.points[-2])
    later = facts.start >= cut
    start = np.where(later, random.integers(cut, last + 1, len(facts)), facts.start)
    ends_later = facts.end >= cut
    end = np.where(ends_later, np.maximum(start, random.integers(cut, last + 1, len(facts))), facts.end)
    columns = [
        np.where(later, random.integers(0, many, len(facts)), getattr(facts, name))
        for name, many in (
            ("subject", len(dataset.entities)), ("relation", len(dataset.relations)), ("object", len(dataset.entities)),
        )
    ]  # fmt: skip
    start[-1] = end[-1] = last  # what time the questions are about is no secret
    nothing = facts[:0]
    return replace(dataset, train=Quadruples(*columns, start, end), valid=nothing, test=nothing)


@pytest.mark.parametrize(("scorer", "more"), CASES)
def test_nonsense_in_the_future_changes_no_prediction(
    scorer: str, more: dict[str, int], world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranker, "_ROUNDS", 3)
    read = read_dataset(world)
    honest = split_by_time(read)
    cuts = honest.valid_from, honest.test_from
    other = split_by_time(scrambled_after(read, honest.test_from), cuts)
    assert not np.array_equal(honest.dataset.test.object, other.dataset.test.object)
    plan = CompletionPlan.of(scorer, SETTINGS | more)
    ours = train_into(tmp_path / "ours", plan, honest.dataset, world)
    theirs = train_into(tmp_path / "theirs", plan, other.dataset, world)
    same_weights(ours, theirs)
    assert torch.equal(scores_of(ours, honest.dataset), scores_of(theirs, honest.dataset))


def test_baselines_of_forecasts_count_the_past_alone(world: Path) -> None:
    read = read_dataset(world)
    honest = split_by_time(read)
    other = split_by_time(scrambled_after(read, honest.valid_from), (honest.valid_from, honest.test_from))
    asked = replace(other.dataset, test=honest.dataset.test, valid=honest.dataset.valid)
    ours, theirs = (RefereeJudgement.of(one, "test", []) for one in (honest.dataset, asked))
    assert ours.results == theirs.results


def test_a_forecast_is_a_model_like_others(world: Path, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Split by time: train has the .* facts that begin before"):
        model = asof.train("timeplex-base", world, to=tmp_path / "model", split="time", rank=4, epochs=2)
    opened = open_trained(model.folder)
    assert opened.dataset.known_until == model.trained.dataset.known_until is not None
    assert np.array_equal(opened.dataset.points, model.trained.dataset.points)
    assert time_results(opened, "test") is None
    assert why_no_intervals(opened) == "it forecasts, and times after all that it knows have learnt nothing"
    with pytest.raises(UserError, match="it forecasts, and times after all that it knows"):
        opened.needs_time()
    found = asof.rank(model)
    assert found.results["scores"][0] == "model"
    with pytest.raises(UserError, match=r"split is 'tme'; it must be own or time. Did you mean 'time'"):
        asof.train("timeplex-base", world, to=tmp_path / "other", split="tme")


@pytest.mark.parametrize(
    ("name", "text", "meaning", "times"),
    [
        ("a.csv", "timestamp,head,tail,relation_type\n2001,3,4,r\n2003,4,3,r\n", "years", [2001, 2003]),
        ("a.txt", "3\tr\t4\t0\n4\tr\t3\t48\n4\tr\t3\t24\n", "steps of 24", [0, 2, 1]),
        ("a.txt", "3\tr\t4\t0\t-1\n4\tr\t3\t24\t-1\n", "steps of 24", [0, 1]),
        ("a.tsv", "ts\tsource\ttarget\trel\n1388534400\t3\t4\tr\n", "seconds since 1970, in whole days", [16071]),
    ],
)
def test_files_of_quadruples_are_read(name: str, text: str, meaning: str, times: list[int], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    found = read_quadruple_file(tmp_path / name)
    assert found.meaning == meaning and found.times.tolist() == times
    assert (found.subject[0], found.relation[0], found.object[0]) == ("3", "r", "4")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.pdf", "", "nor a file of quadruples"),
        ("a.csv", "who,what\n1,2\n", "its first line is 'who,what'"),
        (
            "a.csv",
            "head,relation,tail,time\n1,2,3,2001-05-01\n",
            "are not whole numbers. Tables with dates",
        ),
        ("a.csv", "head,relation,tail,time\n1,2\n", "cannot be read as a table of quadruples"),
        ("a.csv", "head,relation,tail,time\n", "has no facts"),
    ],
)
def test_files_that_have_no_quadruples_are_told(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError) as told:
        dataset_at(tmp_path / name)
    assert message in str(told.value)
    with pytest.raises(UserError):
        dataset_at(tmp_path / name, Protocol.JAIN2020)


def test_a_file_of_quadruples_is_forecast(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    lines = [
        f"{day * 86400},{team},{(team + 1) % 6},met" for day in range(20_000, 20_060) for team in random.choice(6, 3)
    ]
    file = tmp_path / "games.csv"
    file.write_text("timestamp,head,tail,relation_type\n" + "\n".join(lines) + "\n")
    with pytest.warns(UserWarning, match="Split by time"):
        model = asof.train("complex", file, to=tmp_path / "model", split="time", rank=4, epochs=8)
    dataset = model.trained.dataset
    assert dataset.name == "games" and dataset.granularity == "day"
    assert dataset.train.start.max() < dataset.valid.start.min() < dataset.test.start.min()
    by_name = {
        row["scores"]: row["mrr"] for row in asof.rank(model).results if row["ties"] == "mean" and row["side"] == "both"
    }
    assert by_name["baseline: recurrence"] > 0.9
    assert len(model.predict(relation="met", subject="2", on="2024-12-30")) > 0
