"""What known events say: counts against slow loops, planted regularities found again."""

from collections.abc import Sequence

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Protocol
from asof.completion.evidence import pairs
from asof.completion.evidence.days import AROUND, DayIndex
from asof.completion.evidence.events import NAMES, EventLook
from asof.completion.evidence.known_facts import KnownFacts
from asof.completion.evidence.name_words import NameWords
from asof.completion.evidence.pairs import PairEvidence
from asof.completion.evidence.ranker import EvidenceRanker
from asof.completion.evidence.third_parties import ThirdParties
from asof.completion.queries import Queries, queries_of
from asof.completion.ranking import rank
from tests.completion.toy import Row, dataset_of

FACTS = st.lists(st.tuples(st.integers(0, 3), st.integers(10, 400)), min_size=1, max_size=30)


@given(facts=FACTS, key=st.integers(0, 4), day=st.integers(0, 500), window=st.integers(0, 50))
def test_windows_are_counted_as_a_loop_would(facts: list[tuple[int, int]], key: int, day: int, window: int) -> None:
    days = DayIndex.of(*(np.array(column) for column in zip(*facts, strict=True)))
    asked = np.array([key]), np.array([day])
    inside = sorted(there for other, there in facts if other == key and abs(there - day) <= window)
    assert days.within(*asked, window).tolist() == [len(inside)]
    assert days.count(asked[0]).tolist() == [sum(other == key for other, _ in facts)]
    which, place = days.near(*asked, window)
    assert which.tolist() == [0] * len(inside)
    assert (days.moments[place] % days.length + days.first).tolist() == inside


@given(facts=FACTS, key=st.integers(0, 4))
def test_the_last_and_the_next_fact_are_found(facts: list[tuple[int, int]], key: int) -> None:
    days = DayIndex.of(*(np.array(column) for column in zip(*facts, strict=True)))
    for day in {day for _, day in facts}:
        found = dict(zip(AROUND, (int(one[0]) for one in days.around(np.array([key]), np.array([day]))), strict=True))
        mine = [there for other, there in facts if other == key]
        assert found["since"] == min((day - there for there in mine if there < day), default=5000)
        assert found["until"] == min((there - day for there in mine if there >= day), default=5000)
        assert found["within 30"] == sum(abs(there - day) <= 30 for there in mine)


ROWS = st.tuples(st.integers(0, 4), st.integers(0, 1), st.integers(0, 4), st.integers(100, 300))


@given(rows=st.lists(ROWS, min_size=2, max_size=15), role=st.integers(0, 3), entity=st.integers(0, 4))
def test_features_equal_slow_counts(rows: Sequence[tuple[int, ...]], role: int, entity: int) -> None:
    facts: list[Row] = [(s, r, o, day, day) for s, r, o, day in rows]
    dataset = dataset_of(facts, entities=5, relations=2, granularity="day")
    look = EventLook.of(KnownFacts.of(dataset), dataset.entities)
    queries = Queries(*(np.array([value]) for value in (entity, role, 0, 200, 200)))
    first, chosen, features = look.at(queries, np.zeros((1, 5), np.float32), 5)
    assert sorted(chosen[0]) == [0, 1, 2, 3, 4]
    both_ways = [*rows, *((o, r + 2, s, day) for s, r, o, day in rows)]
    for candidate, row in zip(chosen[0], features[0], strict=True):
        said = dict(zip(NAMES, row.tolist(), strict=True))
        links = [fact for fact in both_ways if fact[0] == entity and fact[2] == candidate]
        assert said["any link, facts"] == len(links)
        assert said["same link, facts"] == sum(fact[1] == role for fact in links)
        assert said["inverse link, facts"] == sum(fact[1] == (role + 2) % 4 for fact in links)
        assert said["any link, within 30"] == sum(abs(fact[3] - 200) <= 30 for fact in links)
        mine = [fact for fact in both_ways if fact[2] == candidate]
        assert said["candidate, facts"] == len(mine)
        assert said["candidate in the role, within 7"] == sum(
            fact[1] == role and abs(fact[3] - 200) <= 7 for fact in mine
        )
        lately = sum(abs(fact[3] - 200) <= 3 for fact in links)
        assert first[0, candidate] == np.float32(np.log1p(np.float32(lately)))


def slow_link(rows: Sequence[tuple[int, ...]], start: int, end: int, days: int, role: int | None = None) -> float:
    found = [
        fact
        for fact in rows
        if (fact[0], fact[2]) == (start, end) and abs(fact[3] - 200) <= days and role in (None, fact[1])
    ]
    return float(np.log1p(len(found)))


@given(rows=st.lists(ROWS, min_size=2, max_size=15), role=st.integers(0, 3), entity=st.integers(0, 4))
def test_third_parties_and_other_links_equal_slow_counts(
    rows: Sequence[tuple[int, ...]], role: int, entity: int
) -> None:
    known = KnownFacts.of(dataset_of([(*row, row[3]) for row in rows], entities=5, relations=2, granularity="day"))
    queries = Queries(*(np.array([value]) for value in (entity, role, 0, 200, 200)))
    everybody = np.arange(5)[None]
    both_ways = [*rows, *((o, r + 2, s, day) for s, r, o, day in rows)]
    weight = [1 / max(1, sum(fact[2] == one for fact in both_ways)) ** 0.5 for one in range(5)]
    met = ThirdParties.of(known).features(queries, everybody)[0]
    linked = PairEvidence.of(known, sp.identity(5, format="csr")).features(queries, everybody)[0]
    for candidate in range(5):
        for column, (days, wanted) in enumerate([(0, None), (3, None), (3, role)]):
            slow = sum(
                slow_link(both_ways, entity, one, days)
                * weight[one]
                * slow_link(both_ways, one, candidate, days, wanted)
                for one in range(5)
            )
            assert met[candidate, column] == pytest.approx(slow, rel=1e-5)
        said = dict(zip(pairs.NAMES, linked[candidate].tolist(), strict=True))
        others = {fact[1] for fact in both_ways if (fact[0], fact[2]) == (entity, candidate)}
        if not others:
            assert said["other links, best"] == -4
        elif others == {role}:
            assert said["other links, best"] == -3
        else:
            assert said["other links, best"] > -3
        assert said["like earlier answers"] == pytest.approx(0, abs=1e-6)  # nobody is like anybody else


def test_roles_that_go_together_speak_for_each_other() -> None:
    rows: list[Row] = [(one, 0, one + 10, 200, 200) for one in range(10)]
    rows += [(one, 1, one + 10, 300, 300) for one in range(9)]  # whoever calls also writes, one day
    rows += [(one, 2, (one + 3) % 20, 250, 250) for one in range(20)]
    known = KnownFacts.of(dataset_of(rows, entities=20, relations=3, granularity="day"))
    queries = Queries(*(np.array([value]) for value in (9, 1, 0, 300, 300)))
    said = PairEvidence.of(known, sp.identity(20, format="csr")).features(queries, np.array([[19, 12, 1]]))[0]
    best = said[:, pairs.NAMES.index("other links, best")]
    assert best[0] > 0 > best[1] > best[2]  # called; met; nothing
    assert best[2] == -4


def test_names_that_share_a_word_speak_for_each_other() -> None:
    names = ["Citizen (Chad)", "Police (Chad)", "Citizen (Peru)", "Police (Peru)", "Army (Chad)", "17"]
    rows: list[Row] = [(0, 0, 1, 200, 200), (2, 0, 3, 200, 200), (0, 1, 4, 201, 201)]
    known = KnownFacts.of(dataset_of(rows, entities=6, relations=2, granularity="day"))
    words = NameWords.of(known, names)
    queries = Queries(*(np.array([value]) for value in (0, 0, 0, 200, 200)))
    said = words.features(queries, np.arange(6)[None])[0]
    like, role, company, count = said.T
    assert like[4] > like[1] > like[3] == 0  # of Chad
    assert min(role[1], role[3]) > max(role[0], role[2])  # the police is called
    assert company[1] > company[3]
    assert count.tolist() == [2, 2, 2, 2, 1, 0]  # "army" is nobody else's
    unknown = Queries(*(np.array([value]) for value in (6, 0, 0, 200, 200)))
    assert words.features(unknown, np.arange(6)[None])[0][:, 0].tolist() == [0] * 6


def visits(seed: int = 0) -> Dataset:
    """Every call is answered by a visit three days later, by the one who was called."""
    random = np.random.default_rng(seed)
    train: list[Row] = []
    held_out: list[Row] = []
    for number in range(400):
        caller, called = (int(one) for one in random.choice(30, 2, replace=False))
        day = int(random.integers(1000))
        train.append((caller, 0, called, day, day))
        (train if number % 3 else held_out).append((called, 1, caller, day + 3, day + 3))
    half = len(held_out) // 2
    return dataset_of(
        train,
        valid=held_out[:half],
        test=held_out[half:],
        entities=30,
        relations=2,
        protocol=Protocol.JAIN2020,
        granularity="day",
    )


def test_trees_find_the_call_before_the_visit() -> None:
    dataset = visits()
    nothing = EvidenceRanker.of(dataset, [lambda queries: torch.zeros(len(queries), len(dataset.entities))])
    assert isinstance(nothing.look, EventLook)
    fitted = nothing.fit(nothing.examples(queries_of(dataset, "valid")))
    assert rank(fitted.scores, dataset, "test").mrr > 0.9
    unknown = Queries(*(np.array([value]) for value in (len(dataset.entities), 0, 0, BEFORE_ALL, AFTER_ALL)))
    assert fitted.scores(unknown).isfinite().all()
