"""What comes next and when: from the past alone to the bit, and as sure as it is right where the truth is known."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import asof
from asof.completion.dataset import AFTER_ALL, Dataset, read_dataset
from asof.completion.forecast.candidates import ANOTHER, NOT_KNOWN
from asof.completion.forecast.foresight import Foresight, Outlook
from asof.completion.forecast.past_view import PastView
from asof.completion.forecast.waiting import WaitingSpells, WaitingTimes
from asof.completion.time_split import split_by_time
from asof.completion.trained.calibration import expected_calibration_error
from asof.completion.trained.folder import open_trained
from tests.completion.test_forecasts import scrambled_after
from tests.completion.test_out_of_reach import write_world
from tests.completion.toy import dataset_of

POSTS, LAST = 60, 2023
DEPUTY_FOLLOWS, CUT_SHORT = 0.4, 0.1


def terms(seed: int) -> Dataset:
    """Posts with terms of four years, one in ten cut short; each holder has a deputy, who follows in two of five."""
    random = np.random.default_rng(seed)
    rows: list[tuple[int, int, int, int, int]] = []
    people = POSTS
    for post in range(POSTS):
        year, deputy = 1900 + int(random.integers(0, 4)), None
        while year <= LAST:
            follows = deputy is not None and random.random() < DEPUTY_FOLLOWS
            holder = deputy if follows and deputy is not None else people
            people += not follows
            deputy, people = people, people + 1
            end = year + (int(random.integers(1, 4)) if random.random() < CUT_SHORT else 4)
            rows += [(post, relation, who, year, end) for relation, who in ((0, holder), (1, deputy))]
            year = end
    return dataset_of(rows, entities=people, relations=2)


def same(one: Outlook, other: Outlook) -> bool:
    curves = [(a.next_begins, *(fact.ends for fact in a.present)) for a in (one, other)]
    if [(fact.answer, fact.start) for fact in one.present] != [(fact.answer, fact.start) for fact in other.present]:
        return False
    for ours, theirs in zip(*curves, strict=True):
        if (ours is None) != (theirs is None):
            return False
        if ours and theirs and not (np.array_equal(ours.chances, theirs.chances) and ours.horizon == theirs.horizon):
            return False
    return np.array_equal(one.follows.candidates, other.follows.candidates) and np.array_equal(
        one.follows.chances, other.follows.chances
    )


@pytest.mark.parametrize("events", [False, True], ids=["lasting", "events"])
def test_nonsense_after_the_day_changes_nothing(events: bool, tmp_path: Path) -> None:
    dataset = read_dataset(write_world(tmp_path / "world", events=events))
    begins = np.sort(dataset.all_facts.start)
    day = int(begins[len(begins) * 2 // 3])
    other = scrambled_after(dataset, day + 1)
    assert not np.array_equal(other.all_facts.object, dataset.all_facts.object)
    ours, theirs = Foresight.on(dataset, day), Foresight.on(other, day)
    roles = 2 * len(dataset.relations)
    for entity in range(0, len(dataset.entities), 5):
        for role in range(roles):
            assert same(ours.outlook(entity, role), theirs.outlook(entity, role))
    assert [ours.successors(role).backtest for role in range(roles)] == [
        theirs.successors(role).backtest for role in range(roles)
    ]


def test_who_is_new_after_the_day_changes_nothing() -> None:
    dataset, day = terms(3), 1980
    moved = replace(dataset.train, subject=dataset.train.subject + 1, object=dataset.train.object + 1)
    moved.object[moved.start > day] = 0  # a person who comes before all others in the order of entities
    later = replace(dataset, entities=("latecomer", *dataset.entities), train=moved)
    ours, theirs = Foresight.on(dataset, day), Foresight.on(later, day)
    for role in (0, 1):
        one, other = ours.successors(role), theirs.successors(role)
        assert one.backtest and one.backtest == other.backtest
        for post in range(0, POSTS, 7):
            assert np.array_equal(one.ask(post).chances, other.ask(post + 1).chances)


def test_the_truth_is_found_where_it_is_known() -> None:
    """Terms of four years end after four in nine of ten; who follows is somebody new in three of five."""
    dataset, day = terms(1), 1999
    foresight = Foresight.on(dataset, day)
    facts = dataset.all_facts
    held, said, new, sure, right = [], [], [], [], []
    for post in range(POSTS):
        outlook = foresight.outlook(post, 0)
        (present,) = outlook.present
        own = (facts.subject == post) & (facts.relation == 0)
        end = int(facts.end[own & (facts.start == present.start)][0])
        assert present.ends
        window = present.ends.window(0.8)
        assert window.comes and window.last == present.start + 4
        held.append(window.first <= end <= window.last)
        said.append(window.chance)
        chances = dict(zip(outlook.follows.candidates.tolist(), outlook.follows.chances.tolist(), strict=True))
        assert sum(chances.values()) == pytest.approx(1)
        new.append(chances[NOT_KNOWN])
        (came,) = facts.object[own & (facts.start == end)]
        likeliest = int(outlook.follows.candidates[0])
        sure.append(chances[likeliest])
        right.append(likeliest == came or (likeliest == NOT_KNOWN and not foresight.known.met[came]))
        assert chances[ANOTHER] < 0.05
    assert np.mean(said) == pytest.approx(1 - CUT_SHORT, abs=0.08)
    assert np.mean(held) == pytest.approx(np.mean(said), abs=0.12)
    assert np.mean(new) == pytest.approx(1 - DEPUTY_FOLLOWS, abs=0.06)
    assert expected_calibration_error(np.array(sure), np.array(right, float)) < 0.15
    tested = foresight.successors(0).backtest
    assert tested and tested.changes > 200 and tested.expected_calibration_error < 0.1
    assert tested.right == pytest.approx(tested.sure, abs=0.08) and tested.repeats < 0.1


def test_what_waits_teaches_too() -> None:
    """Of ten cases that began alike, five ended after two years and five still wait after six."""
    happened = np.arange(10) < 5
    spells = WaitingSpells(np.arange(10), np.zeros(10, np.int64), np.where(happened, 2, 7), happened)
    waiting = WaitingTimes.of(spells, 1)
    fresh = waiting.curve(99, 0, since=2000, day=2000)
    assert fresh.by(2002) == pytest.approx(0.5, abs=0.1) and fresh.by(2006) < 0.65
    long = waiting.curve(99, 0, since=2000, day=2006)
    assert long.times[0] == 2007


def test_a_day_before_all_and_one_after_all() -> None:
    dataset = terms(2)
    nothing = Foresight.on(dataset, 1800).outlook(0, 0)
    assert nothing.present == [] and nothing.next_begins is None
    assert nothing.follows.chances.sum() == pytest.approx(1)
    assert Foresight.on(dataset, 2500).known.day == int(dataset.all_facts.start.max())


def test_what_has_no_end_is_over_when_another_has_begun() -> None:
    rows = [(0, 0, 1, 2000, AFTER_ALL), (0, 0, 2, 2005, AFTER_ALL), (3, 0, 1, 2004, 2007)]
    dataset = dataset_of(rows, entities=4, relations=1)
    known = PastView.on(dataset, 2006)
    assert known.answer[known.present(0, 0)].tolist() == [2]
    going_on = replace(dataset, ongoing=np.array([True, True, False]))
    known = PastView.on(going_on, 2006)
    assert known.answer[known.present(0, 0)].tolist() == [1, 2]
    assert known.answer[known.present(3, 0)].tolist() == [1]


def test_a_forecasting_model_still_tells_ends_that_came_after_it_was_trained(tmp_path: Path) -> None:
    world = write_world(tmp_path / "world", events=False)
    read = read_dataset(world)
    with pytest.warns(UserWarning, match="Split by time"):
        model = asof.train("timeplex-base", world, to=tmp_path / "model", split="time", rank=4, epochs=1)
    dataset = open_trained(model.folder).dataset
    assert dataset.later_ends is not None and dataset.without_test.later_ends is None
    day = split_by_time(read).test_from
    ours, theirs = PastView.on(dataset, day), PastView.on(read, day)
    assert np.array_equal(ours.end, theirs.end) and np.array_equal(ours.start, theirs.start)
    asked = model.predict(relation="coached by", subject="Team 1", after=str(day))
    assert {row["what"] for row in asked} >= {"next is"}
