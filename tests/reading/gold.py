"""The answers to the written questions, worked out from the facts by plain SQL, without the reader."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from asof.facts import FactStore
from asof.timeline import Date

FOLDER = Path(__file__).parent / "questions"
EMPTY = ("unknown", "unread", "ambiguous", "baddate")


@dataclass(frozen=True)
class Written:
    """A question, what it must be answered with, and which facts say so."""

    part: str
    kind: str
    question: str
    gold: tuple[str, ...]
    check: str

    def __str__(self) -> str:
        return self.question


def written_questions(part: str) -> list[Written]:
    rows = [line.split("\t") for line in (FOLDER / f"{part}.tsv").read_text(encoding="utf-8").splitlines()[1:] if line]
    rows = [[*row, "", "", ""][:4] for row in rows]
    return [
        Written(part, kind, question, tuple(gold.split("; ")) if gold else (), check)
        for kind, question, gold, check in rows
    ]


def truth(store: FactStore, one: Written) -> set[str]:
    """Work out the answer from the check of a question: subject, relation, object, first and last day."""
    subject, relation, object, first, last = (one.check + "||||").split("|")[:5]
    symmetric = relation in ("P26", "P451")
    rows = _rows(store, subject, relation, object if one.kind not in ("before", "after") else "")
    if re.search(r"\bclubs?\b", one.question, re.IGNORECASE):  # a national team is none
        rows = [row for row in rows if " national " not in str(row["o"])]
    if symmetric and subject:
        rows += [row | {"s": row["o"], "o": row["s"]} for row in _rows(store, "", relation, subject)]
    if first:
        lo, hi = Date.parse(first).first, Date.parse(last).last
        rows = _in_time(rows, one.kind, lo, hi)
    asked = "o" if subject else "s"
    if one.kind in ("before", "after"):
        return {row[asked] for row in _neighbours(rows, object, asked, before=one.kind == "before")}
    if one.kind == "first":
        rows = [min(rows, key=lambda row: row["earliest_start"])]
    if one.kind == "last":
        rows = [max(rows, key=lambda row: row["earliest_start"])]
    if one.kind == "count":
        return {str(len({row["o"] for row in rows}))}
    if one.kind in ("yes", "no"):
        return {"yes" if rows else "no"}
    if one.kind in ("when", "long"):
        whole = {f"{row['start']}..{row['finish']}" for row in rows}
        once = {str(row["start"]) for row in rows if row["start"] == row["finish"]} if one.kind == "when" else set()
        return {text for text in whole if text.split("..")[0] not in once} | once
    if one.kind in ("start", "end"):
        return {row["start" if one.kind == "start" else "finish"] for row in rows}
    return {row[asked] for row in rows}


def _in_time(rows: list[dict[str, object]], kind: str, lo: int, hi: int) -> list[dict[str, object]]:
    """Keep the rows that surely hold in some days (or began, or ended in them); where none is sure, the possible."""
    if kind in ("began", "ended"):
        end = "start" if kind == "began" else "end"
        dated = [row for row in rows if row[f"{end}_first"] is not None]
        return [row for row in dated if lo <= row[f"{end}_first"] and row[f"{end}_last"] <= hi]  # type: ignore[operator]
    possible = [row for row in rows if row["earliest_start"] <= hi and lo <= row["latest_end"]]  # type: ignore[operator]
    sure = [row for row in possible if row["latest_start"] <= hi and lo <= row["earliest_end"]]  # type: ignore[operator]
    return sure or possible


def _rows(store: FactStore, subject: str, relation: str, object: str) -> list[dict[str, object]]:
    query = """
        SELECT es.label AS s, eo.label AS o, f.* FROM facts f
        JOIN entities es ON es.id = f.subject JOIN entities eo ON eo.id = f.object
        WHERE f.relation = $relation
          AND ($subject = '' OR es.id = $subject OR es.label = $subject OR list_contains(es.aliases, $subject))
          AND ($object = '' OR eo.id = $object OR eo.label = $object OR list_contains(eo.aliases, $object))
        ORDER BY earliest_start
    """
    rows = store.sql(query, {"subject": subject, "relation": relation, "object": object}).to_pylist()
    for row in rows:
        row["start"], row["finish"] = (_written(row, end) for end in ("start", "end"))
    return rows


def _written(row: dict[str, object], end: str) -> str:
    first = row[f"{end}_first"]
    if first is None:
        return str(row[f"{end}_precision"])
    day = str(Date.from_day(int(first)))  # type: ignore[call-overload]
    return day[: {"year": -6, "month": -3, "day": len(day)}.get(str(row[f"{end}_precision"]), len(day))]


def _neighbours(rows: list[dict[str, object]], anchor: str, asked: str, *, before: bool) -> list[dict[str, object]]:
    """For each spell of the anchor, the other row that ends last before it, or starts first after it."""
    found = []
    for spell in (row for row in rows if row[asked] == anchor):
        others = [row for row in rows if row[asked] != anchor]
        if before:
            others = [row for row in others if row["earliest_start"] < spell["earliest_start"]]  # type: ignore[operator]
            others = [row for row in others if row["earliest_end"] <= spell["latest_start"]]  # type: ignore[operator]
            found += sorted(others, key=lambda row: row["latest_end"])[-1:]  # type: ignore[arg-type, return-value]
        else:
            others = [row for row in others if row["latest_start"] >= spell["earliest_end"]]  # type: ignore[operator]
            found += sorted(others, key=lambda row: row["earliest_start"])[:1]  # type: ignore[arg-type, return-value]
    return found
