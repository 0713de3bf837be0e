"""Ranks of the referee against an evaluator that looks at one question, one instant and one candidate at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Protocol
from asof.completion.referee import ranks as ranks_file
from asof.completion.referee.judgement import RefereeJudgement
from asof.completion.referee.protocols import PROTOCOLS, RightAnswers
from asof.completion.referee.ranks import HITS, TIES, SheetRanks, ranked
from asof.completion.referee.scoresheet import ListSheet, MatrixSheet
from asof.errors import UserError
from tests.completion.toy import dataset_of

Row = tuple[int, int, int, int, int]
ENTITIES = 5
NAN = float("nan")


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Dataset, np.ndarray, list[tuple[int, int, float]] | None]:
    """Facts that overlap, some without dates; a matrix with ties and holes, or lists with duplicates and holes."""
    entity, year = st.integers(0, ENTITIES - 1), st.integers(2000, 2006)
    start, end = st.one_of(year, st.just(BEFORE_ALL)), st.one_of(year, st.just(AFTER_ALL))
    fact = st.tuples(entity, st.integers(0, 1), entity, start, end).map(
        lambda row: row if BEFORE_ALL in row or AFTER_ALL in row or row[3] <= row[4] else (*row[:3], row[4], row[3])
    )
    train = draw(st.lists(fact, min_size=1, max_size=8))
    test = draw(st.lists(fact, min_size=1, max_size=5))
    protocol = draw(st.sampled_from(Protocol))
    dataset = dataset_of([(0, 0, 1, 2000, 2006), *train], test=test, entities=ENTITIES, relations=2, protocol=protocol)
    score = st.sampled_from([0.0, 1.0, 2.0, NAN, float("-inf")])
    cells = 2 * len(test) * ENTITIES
    matrix = np.array(draw(st.lists(score, min_size=cells, max_size=cells))).reshape(-1, ENTITIES)
    listed = draw(
        st.none() | st.lists(st.tuples(st.integers(0, 2 * len(test) - 1), entity, score), min_size=1, max_size=40)
    )
    return dataset, matrix, listed


def slow(dataset: Dataset, matrix: Sequence[Sequence[float]], protocol: str, ties: str) -> list[dict[str, float]]:
    """Rank each answer at each instant that the protocol counts."""
    facts = [tuple(map(int, row)) for row in zip(*vars_of(dataset, "all_facts"), strict=True)]
    test = [tuple(map(int, row)) for row in zip(*vars_of(dataset, "test"), strict=True)]
    found = []
    for question in range(2 * len(test)):
        s, r, o, start, end = test[question % len(test)]
        turned = question >= len(test)
        given, gold = (o, s) if turned else (s, o)
        ranks = []
        for instant in moments(dataset, protocol, start, end):
            right = set()
            for a, q, b, first, last in facts:
                known, answer = (b, a) if turned else (a, b)
                holds = {
                    "none": False,
                    "any-time": True,
                    "same-interval": same(dataset, protocol, (first, last), (start, end)),
                }.get(protocol, instant in moments(dataset, protocol, first, last))
                if known == given and q == r and holds:
                    right.add(answer)
            mine = matrix[question][gold]
            others = [matrix[question][e] for e in range(ENTITIES) if e != gold and e not in right]
            if mine != mine:
                ranks.append(1.0 + len(others))
                continue
            better = sum(1 for one in others if one == one and one > mine)
            alike = sum(1 for one in others if one == mine)
            ranks.append(1 + better + {"optimistic": 0, "mean": alike / 2, "pessimistic": alike}[ties])
        if protocol.startswith("instants"):
            ranks = [sum(ranks) / len(ranks)]
        found.append(
            {
                "rank": sum(ranks) / len(ranks),
                "reciprocal": sum(1 / rank for rank in ranks) / len(ranks),
                "weight": len(ranks),
                **{f"hits@{most}": sum(rank <= most + 1e-9 for rank in ranks) / len(ranks) for most in HITS},
            }
        )
    return found


def vars_of(dataset: Dataset, split: str) -> list[Any]:
    facts = getattr(dataset, split)
    return [facts.subject, facts.relation, facts.object, facts.start, facts.end]


def moments(dataset: Dataset, protocol: str, start: int, end: int) -> list[int]:
    """List the instants of an interval: points, or years within the first and the last of the dataset."""
    points = dataset.points.tolist()
    if protocol == "instants-points":
        return [one for one in points if start <= one <= end]
    low, high = points[1], points[-2]
    if protocol in ("none", "any-time"):
        return [low]
    clipped = [min(max(one, low), high) for one in (start, end)]
    return [clipped[0]] if protocol == "same-interval" else list(range(clipped[0], clipped[1] + 1))


def same(dataset: Dataset, protocol: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    low, high = dataset.points.tolist()[1], dataset.points.tolist()[-2]
    clip = [tuple(min(max(end, low), high) for end in interval) for interval in (one, other)]
    return clip[0] == clip[1]


def sheet_of(dataset: Dataset, matrix: np.ndarray, listed: list[tuple[int, int, float]] | None) -> Any:
    facts = len(dataset.test)
    if listed is None:
        return MatrixSheet("matrix", matrix[:facts], matrix[facts:]), matrix
    question, candidate, score = (np.array(column) for column in zip(*listed, strict=True))
    sheet = ListSheet.of("list", question, candidate, score, entities=ENTITIES, facts=facts)
    dense = np.full_like(matrix, NAN)
    for row, column, value in listed:
        if value == value and not dense[row][column] >= value:
            dense[row][column] = value
    return sheet, dense


@pytest.mark.parametrize("cells", [1, 8_000_000])
@given(worlds())
@settings(max_examples=150, deadline=None)
def test_ranks_are_those_of_one_question_at_a_time(cells: int, world: Any) -> None:
    dataset, matrix, listed = world
    sheet, dense = sheet_of(dataset, matrix, listed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks_file, "_CELLS_AT_ONCE", cells)
        try:
            found = ranked(sheet, RightAnswers.of(dataset, "test"), ENTITIES)
        except UserError as error:
            assert "made from the answers" in str(error) or "nothing to rank" in str(error)
            return
    for protocol in PROTOCOLS:
        ours = found.protocols[protocol.name]
        for ties in TIES:
            expected = slow(dataset, dense.tolist(), protocol.name, ties)[: len(found.listed)]
            assert ours.rank[ties] == pytest.approx([row["rank"] for row in expected]), (protocol.name, ties)
            assert ours.reciprocal[ties] == pytest.approx([row["reciprocal"] for row in expected])
            for most in HITS:
                assert ours.hits[ties, most] == pytest.approx([row[f"hits@{most}"] for row in expected])
        if protocol.expands:
            assert (
                ours.weight.tolist()
                == [row["weight"] for row in slow(dataset, dense.tolist(), protocol.name, "mean")][: len(found.listed)]
            )


MEMBERS = [(5, 0, 0, 2002, 2003), (5, 0, 1, 2003, 2008), (5, 0, 2, 2008, 2009), (5, 0, 3, 2000, 2003)]
JEAN = (5, 0, 4, 2000, 2003)


def jean(scores: list[float]) -> SheetRanks:
    dataset = dataset_of(MEMBERS, test=[JEAN], entities=6, relations=1)
    return ranked(MatrixSheet("jean", np.array([scores])), RightAnswers.of(dataset, "test"), 6)


def test_jean_of_table_1_under_every_protocol() -> None:
    found = jean([5.0, 4.0, 3.0, 2.0, 1.0, 0.0])
    ranks = {name: one.rank["mean"].tolist() for name, one in found.protocols.items()}
    assert ranks == {
        "none": [5.0], "any-time": [1.0], "same-interval": [4.0], "instants-points": [pytest.approx(3.0)],
        "instants-calendar": [3.25], "expanded": [3.25],
    }  # fmt: skip
    assert found.protocols["expanded"].reciprocal["mean"].tolist() == pytest.approx(
        [(1 / 4 + 1 / 4 + 1 / 3 + 1 / 2) / 4]
    )
    assert found.protocols["expanded"].weight.tolist() == [4.0]


def test_ties_count_three_ways_and_a_missing_answer_is_last() -> None:
    tied = jean([1.0, 1.0, 1.0, 1.0, 1.0, 0.0]).protocols["none"]
    assert [tied.rank[ties].tolist() for ties in TIES] == [[1.0], [3.0], [5.0]]
    missing = jean([NAN, 1.0, 1.0, 1.0, NAN, NAN])
    assert [missing.protocols["none"].rank[ties].tolist() for ties in TIES] == [[6.0]] * 3
    assert missing.protocols["any-time"].rank["mean"].tolist() == [2.0]  # four of the others are right, too
    assert missing.notes == (
        "3.0 of 6 candidates have a score on average; the others stand below them. 1 of 1 answers have none; each gets "
        "the last place.",
    )


def test_a_file_that_was_made_from_the_answers_is_refused() -> None:
    with pytest.raises(UserError, match="jean has a score for every right answer and for no wrong one"):
        jean([NAN, NAN, NAN, NAN, 1.0, NAN])
    with pytest.raises(UserError, match="jean has a score for every right answer and for no wrong one"):
        jean([1.0, NAN, NAN, NAN, 1.0, NAN])  # another right answer is no wrong one
    with pytest.raises(UserError, match="No question has a score that is a number"):
        jean([NAN] * 6)
    assert "if candidates were chosen by somebody who knew" in jean([NAN, NAN, NAN, NAN, 1.0, 0.0]).notes[0]


def test_baselines_count_train_alone_and_stand_beside() -> None:
    dataset = dataset_of(
        [*MEMBERS, (0, 1, 3, 2001, 2001)], valid=[(5, 0, 2, 2001, 2001)], test=[JEAN, (0, 1, 3, 2003, 2003)],
        entities=6, relations=2,
    )  # fmt: skip
    found = RefereeJudgement.of(dataset, "test", [])
    ranks = {sheet.name: sheet.protocols["none"].rank["mean"].tolist() for sheet in found.baselines}
    assert ranks == {
        "baseline: relation frequency": [5.5, 1.0, 1.0, 1.0],
        "baseline: co-occurrence": [5.5, 1.0, 1.0, 1.0],
        "baseline: recurrence": [5.5, 1.0, 1.0, 1.0],
    }
