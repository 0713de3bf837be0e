"""Filtered ranks, counted all at once, against ranks that are counted instant by instant."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Protocol
from asof.completion.filters import FILTERS, Filter, known_answers
from asof.completion.queries import Queries, queries_of
from asof.completion.ranking import Ranking, Ties, known_to, rank, ranks_of
from tests.completion.toy import dataset_of, terms_of_office

PIERRE, PAUL, ALAIN, CLAUDE, JEAN, ASSEMBLY = range(6)
MEMBERS = [
    (ASSEMBLY, 0, PIERRE, 2002, 2003),
    (ASSEMBLY, 0, PAUL, 2003, 2008),
    (ASSEMBLY, 0, ALAIN, 2008, 2009),
    (ASSEMBLY, 0, CLAUDE, 2000, 2003),
    (ASSEMBLY, 0, JEAN, 2000, 2003),
]
Row = tuple[int, int, int, int, int]


def queries(rows: list[Row]) -> Queries:
    return Queries(*np.array(rows, dtype=np.int64).reshape(-1, 5).T)


@pytest.mark.parametrize(
    ("chosen", "expected"), [("none", 5), ("any-time", 1), ("same-interval", 4), ("instants", 3.25)]
)
def test_jean_of_table_1(chosen: Filter, expected: float) -> None:
    asked = queries(MEMBERS[-1:])
    scores = torch.tensor([[5.0, 4.0, 3.0, 2.0, 1.0, 0.0]])
    known = known_answers(asked, queries(MEMBERS), chosen)
    assert ranks_of(scores, asked, known, "mean").tolist() == [expected]


def test_jean_of_table_1_in_a_dataset() -> None:
    dataset = dataset_of(MEMBERS[:-1], test=MEMBERS[-1:], entities=6, relations=1)
    ranking = rank(lambda asked: torch.tensor([[5.0, 4.0, 3.0, 2.0, 1.0, 0.0]]).expand(len(asked), -1), dataset, "test")
    assert ranking.ranks.tolist() == [3.25, 6.0]  # the assembly, asked for as the subject, is the last of all
    assert ranking.mrr == pytest.approx((1 / 3.25 + 1 / 6) / 2)
    assert ranking.results() == {"mrr": ranking.mrr, "hits@1": 0.0, "hits@3": 0.0, "hits@10": 1.0}


@st.composite
def bases(draw: st.DrawFn) -> tuple[list[Row], list[list[int]]]:
    """Few entities and relations in ten years, so that facts of one triple often overlap; and scores with many ties."""
    number = st.integers(0, 3)
    year = st.integers(0, 9)
    facts = draw(
        st.lists(st.tuples(number, st.integers(0, 1), number, year, year), min_size=1, max_size=14).map(
            lambda rows: [(s, r, o, min(a, b), max(a, b)) for s, r, o, a, b in rows]
        )
    )
    scores = draw(
        st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=len(facts), max_size=len(facts))
    )
    return facts, scores


def slow_rank(fact: Row, scores: list[int], facts: list[Row], chosen: Filter, ties: Ties) -> float:
    """Rank the object at each instant among the candidates that the filter leaves; return the mean."""
    s, r, gold, start, end = fact
    ranks = []
    for instant in range(start, end + 1):
        right = set()
        for subject, relation, object, first, last in facts:
            if (subject, relation) == (s, r) and (
                chosen == "any-time"
                or (chosen == "same-interval" and (first, last) == (start, end))
                or (chosen == "instants" and first <= instant <= last)
            ):
                right.add(object)
        others = [score for entity, score in enumerate(scores) if entity != gold and entity not in right]
        better = sum(score > scores[gold] for score in others)
        alike = sum(score == scores[gold] for score in others)
        ranks.append(1 + better + (alike if ties == "against" else alike / 2))
    return sum(ranks) / len(ranks)


@pytest.mark.parametrize("ties", ["against", "mean"])
@pytest.mark.parametrize("chosen", FILTERS)
@given(bases())
def test_ranks_are_those_of_every_instant(chosen: Filter, ties: Ties, base: tuple[list[Row], list[list[int]]]) -> None:
    facts, scores = base
    asked = queries(facts)
    known = known_answers(asked, asked, chosen)
    found = ranks_of(torch.tensor(scores, dtype=torch.float32), asked, known, ties)
    assert found.tolist() == pytest.approx(
        [slow_rank(fact, row, facts, chosen, ties) for fact, row in zip(facts, scores, strict=True)]
    )


@given(bases())
def test_known_answers_come_once_in_the_order_of_queries(base: tuple[list[Row], list[list[int]]]) -> None:
    asked = queries(base[0])
    for chosen in FILTERS:
        known = known_answers(asked, asked, chosen)
        pairs = list(zip(known.query.tolist(), known.candidate.tolist(), strict=True))
        assert len(set(pairs)) == len(pairs)
        assert known.query.tolist() == sorted(known.query.tolist())
        assert ((known.share > 0) & (known.share <= 1)).all()
        assert all(asked.answer[query] != candidate for query, candidate in pairs)


@given(bases(), st.sampled_from([-3000, -5, 700_000]))
def test_known_answers_are_the_same_in_any_age(base: tuple[list[Row], list[list[int]]], years: int) -> None:
    asked = queries(base[0])
    moved = queries([(s, r, o, start + years, end + years) for s, r, o, start, end in base[0]])
    for chosen in FILTERS:
        then, now = known_answers(moved, moved, chosen), known_answers(asked, asked, chosen)
        assert all(np.array_equal(getattr(then, name), getattr(now, name)) for name in ("query", "candidate", "share"))


def test_no_filter_knows_nothing() -> None:
    asked = queries(MEMBERS)
    assert len(known_answers(asked, asked, "none").query) == 0


def test_queries_without_facts_have_no_known_answers() -> None:
    nothing = queries([])
    for chosen in FILTERS:
        assert len(known_answers(queries(MEMBERS), nothing, chosen).share) == 0
        assert len(known_answers(nothing, queries(MEMBERS), chosen).share) == 0


def with_gaps(protocol: Protocol) -> Dataset:
    return dataset_of(
        [(0, 0, 1, 1900, 1999), (0, 0, 2, 1990, AFTER_ALL), (0, 0, 3, BEFORE_ALL, 1900)],
        entities=4,
        relations=1,
        protocol=protocol,
    )


def test_instants_are_counted_by_the_calendar_or_in_points() -> None:
    shares = {}
    for protocol in Protocol:
        dataset = with_gaps(protocol)
        known = known_to(dataset, queries_of(dataset, "train")[:1], "instants")
        shares[protocol] = dict(zip(known.candidate.tolist(), known.share.tolist(), strict=True))
    assert shares[Protocol.CORRECTED] == {2: pytest.approx(10 / 100), 3: pytest.approx(1 / 100)}
    assert shares[Protocol.JAIN2020] == {2: pytest.approx(2 / 3), 3: pytest.approx(1 / 3)}  # 1900, 1990, 1999


def test_the_protocol_has_its_way_with_ties() -> None:
    def alike(asked: Queries) -> torch.Tensor:
        return torch.zeros(len(asked), 4)

    for protocol, expected in ((Protocol.CORRECTED, 2.5), (Protocol.JAIN2020, 4.0)):
        assert rank(alike, with_gaps(protocol), "train", chosen="none").ranks.tolist() == [expected] * 6
    assert rank(alike, with_gaps(Protocol.JAIN2020), "train", chosen="none", ties="mean").ranks[0] == 2.5


def test_many_queries_are_ranked_in_batches_as_they_are_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = terms_of_office()
    table = torch.randn(len(dataset.entities), len(dataset.entities), generator=torch.Generator().manual_seed(0))

    def scores(asked: Queries) -> torch.Tensor:
        return table[torch.from_numpy(asked.entity)]

    whole = rank(scores, dataset, "train")
    monkeypatch.setattr("asof.completion.ranking._QUERIES_PER_BATCH", 7)
    assert rank(scores, dataset, "train").ranks.tolist() == whole.ranks.tolist()
    assert rank(scores, dataset, "valid").ranks.tolist() == []


def test_questions_are_asked_by_time_and_ranks_stay_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = dataset_of([(0, 0, 1, 2003, 2003), (1, 0, 2, 2001, 2001), (2, 0, 0, 2002, 2002)], entities=3, relations=1)
    first_best = torch.tensor([3.0, 2.0, 1.0])
    years = []

    def scores(asked: Queries) -> torch.Tensor:
        years.extend(asked.start.tolist())
        return first_best.expand(len(asked), -1)

    monkeypatch.setattr("asof.completion.ranking._QUERIES_PER_BATCH", 2)
    assert rank(scores, dataset, "train", chosen="none").ranks.tolist() == [2.0, 3.0, 1.0, 1.0, 2.0, 3.0]
    assert years == [2001, 2001, 2002, 2002, 2003, 2003]


def test_hits_count_ranks_up_to_and_with_the_number() -> None:
    ranking = Ranking(queries(MEMBERS), np.array([1.0, 1.5, 3.0, 10.0, 10.5]))
    assert [ranking.hits(most) for most in (1, 3, 10)] == [0.2, 0.6, 0.8]
