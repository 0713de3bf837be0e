"""Figures in the forms in which other programs write theirs, so that they can stand in one table.

PyKEEN's ``results.json`` has its filtered metrics by side and ties. LibKGE's has raw and filtered metrics; ties are
halved here, where LibKGE rounds them up. tkbc prints MRR and hits under its filter for each time, ties against the
answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from asof.completion.referee.ranks import HITS, SheetRanks
from asof.completion.referee.results import result_rows
from asof.errors import UserError

_Row = Mapping[str, Any]
_Find = Callable[[str, str, str], _Row]  # by filter, side and ties


def _pykeen(find: _Find, sides: Mapping[str, str]) -> dict[str, Any]:
    words = {"optimistic": "optimistic", "realistic": "mean", "pessimistic": "pessimistic"}

    def metrics(row: _Row) -> dict[str, float]:
        hits = {f"hits_at_{most}": row[f"hits@{most}"] for most in HITS}
        return {"inverse_harmonic_mean_rank": row["mrr"], "arithmetic_mean_rank": row["mean_rank"], **hits}

    return {
        theirs: {word: metrics(find("any-time", ours, ties)) for word, ties in words.items()}
        for ours, theirs in sides.items()
    }


def _libkge(find: _Find, sides: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for suffix, filter in (("", "none"), ("_filtered", "any-time")):
        row = find(filter, next(iter(sides)), "mean")
        found |= {f"mean_rank{suffix}": row["mean_rank"], f"mean_reciprocal_rank{suffix}": row["mrr"]}
        found |= {f"hits_at_{most}{suffix}": row[f"hits@{most}"] for most in HITS}
    return found


def _tkbc(find: _Find, sides: Mapping[str, str]) -> dict[str, Any]:
    row = find("instants-calendar", next(iter(sides)), "pessimistic")
    return {"MRR": row["mrr"], "hits@[1,3,10]": [row[f"hits@{most}"] for most in HITS]}


FORMS: dict[str, Callable[[_Find, Mapping[str, str]], dict[str, Any]]] = {
    "pykeen": _pykeen,
    "libkge": _libkge,
    "tkbc": _tkbc,
}


def results_as(form: str, sheet: SheetRanks) -> dict[str, Any]:
    """Return the figures of a scoresheet as another program writes them."""
    if form not in FORMS:
        raise UserError(f"asof does not know the form of {form!r}. It knows: {', '.join(FORMS)}.")
    rows = {(row["filter"], row["side"], row["ties"]): row for row in result_rows(sheet)}
    both = {"both": "both", "object": "tail", "subject": "head"}
    sides = both if sheet.both_sides else {"object": "tail"}
    return FORMS[form](lambda *key: rows[key], sides)
