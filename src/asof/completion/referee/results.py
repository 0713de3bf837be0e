"""From ranks to figures: one row for each protocol, side and way to count ties, and tests between two scoresheets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from asof.completion.dataset import Dataset
from asof.completion.queries import Queries
from asof.completion.referee.questions import SIDES, question_ids, time_text
from asof.completion.referee.ranks import HITS, TIES, ProtocolRanks, SheetRanks
from asof.errors import UserError
from asof.metrics import SHARE, holm, interval_of, sign_flip_test

Floats = npt.NDArray[np.float64]
_BOTH = "both"


def result_rows(sheet: SheetRanks) -> Iterator[dict[str, Any]]:
    """Give MRR with its 95 % interval and hits, for each protocol, side and way to count ties."""
    sides = (_BOTH, *SIDES) if sheet.both_sides else SIDES[:1]
    for name, ranks in sheet.protocols.items():
        for side in sides:
            part = _of_side(len(ranks.weight), side, sheet.both_sides)
            for ties in TIES:
                yield {"scores": sheet.name, "filter": name, "side": side, "ties": ties, **_figures(ranks, part, ties)}


def _of_side(questions: int, side: str, both_sides: bool) -> slice:
    facts = questions // 2 if both_sides else questions
    return {"both": slice(0, None), "object": slice(0, facts), "subject": slice(facts, None)}[side]


def _figures(ranks: ProtocolRanks, part: slice, ties: str) -> dict[str, Any]:
    weight, values = ranks.weight[part], ranks.reciprocal[ties][part]
    whole = part == slice(0, None)
    means, counts = _by_fact(values, weight) if whole and len(ranks.weight) % 2 == 0 else (values, weight)
    low, high, _ = interval_of(means, counts, SHARE)
    shares = {f"hits@{most}": float(np.average(ranks.hits[ties, most][part], weights=weight)) for most in HITS}
    row: dict[str, Any] = {"mrr": float(np.average(values, weights=weight)), "mrr_low": low, "mrr_high": high, **shares}
    row["mean_rank"] = float(np.average(ranks.rank[ties][part], weights=weight))
    rounded = {name: round(value, 4) for name, value in row.items()}
    return {**rounded, "questions": int(weight.sum()), "facts": len(means)}


def _by_fact(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Put the two questions about a fact together: they are drawn together when an interval is made."""
    halves = values.reshape(2, -1), weight.reshape(2, -1)
    counts = halves[1].sum(0)
    return (halves[0] * halves[1]).sum(0) / counts, counts


def difference_rows(sheets: Sequence[SheetRanks]) -> list[dict[str, Any]]:
    """Test each scoresheet after the first against it: paired by fact, over the sides that both have."""
    rows = []
    for other in sheets[1:]:
        for name in sheets[0].protocols:
            rows.append(_difference(sheets[0], other, name))
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = round(p, 4)
    return rows


def _difference(first: SheetRanks, second: SheetRanks, name: str) -> dict[str, Any]:
    both = first.both_sides and second.both_sides
    facts = len(first.listed) // 2 if first.both_sides else len(first.listed)
    questions = 2 * facts if both else facts
    weight = first.protocols[name].weight[:questions]
    values = [sheet.protocols[name].reciprocal["mean"][:questions] for sheet in (first, second)]
    apart = values[1] - values[0]
    means, counts = _by_fact(apart, weight) if both else (apart, weight)
    low, high, _ = interval_of(means, counts, (-1.0, 1.0))
    p, way = sign_flip_test(means * counts)
    before, after = (float(np.average(one, weights=weight)) for one in values)
    figures = {"mrr_first": before, "mrr_second": after, "difference": after - before, "low": low, "high": high, "p": p}
    return {
        "first": first.name,
        "second": second.name,
        "filter": name,
        "side": _BOTH if both else SIDES[0],
        **{key: round(value, 4) for key, value in figures.items()},
        "facts": facts,
        "test": way,
    }


def rank_table(sheets: Sequence[SheetRanks], dataset: Dataset, queries: Queries) -> pa.Table:
    """Give the rank of every answer: a row for each scoresheet, filter and question; of several instants, the mean."""
    facts = len(queries) // 2
    ids = question_ids(facts)
    names = np.array(dataset.entities)
    side = np.repeat(SIDES, facts)
    entity, answer = names[queries.entity], names[queries.answer]
    relation = np.array(dataset.relations)[queries.relation % len(dataset.relations)]
    dates = [[time_text(int(time), dataset.granularity) for time in ends] for ends in (queries.start, queries.end)]
    about = {
        "question": np.array(ids),
        "side": side,
        "subject": np.where(side == SIDES[0], entity, answer),
        "relation": relation,
        "object": np.where(side == SIDES[0], answer, entity),
        "start": np.array(dates[0], object),
        "end": np.array(dates[1], object),
    }
    parts = []
    for sheet in sheets:
        for name, ranks in sheet.protocols.items():
            many = len(ranks.weight)
            first = {"scores": pa.array([sheet.name] * many), "filter": pa.array([name] * many)}
            asked = {key: pa.array(column[:many], pa.string()) for key, column in about.items()}
            found = {f"rank_{ties}": pa.array(ranks.rank[ties]) for ties in TIES}
            last = {"instants": pa.array(ranks.weight.astype(np.int64)), "answer_listed": pa.array(sheet.listed)}
            parts.append(pa.table({**first, **asked, **found, **last}))
    return pa.concat_tables(parts)


def refuse_same_names(sheets: Sequence[SheetRanks]) -> None:
    """Raise an error when two scoresheets have one name."""
    names = [sheet.name for sheet in sheets]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"Two scoresheets are called {name!r}. Rename one of the files.")
