"""The one door through which rows become facts: checked column by column, bad rows set aside with their line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.facts.columns import EndColumns, ReadEnd, end_columns
from asof.facts.rejects import Rejects
from asof.facts.schema import FACTS, Rank
from asof.timeline import Open, parse_end

Strings: TypeAlias = pa.Array | pa.ChunkedArray


class InversionPolicy(StrEnum):
    """What to do with a fact that ends before it starts."""

    REJECT = "reject"  # set aside in the rejects file
    DROP = "drop"  # leave out, only counted
    SWAP = "swap"  # turn round
    KEEP = "keep"  # take as it is; ``asof check`` will find it


class Reason(NamedTuple):
    """Why a row is refused: what it is counted as, and the sentence about this row."""

    kind: str
    sentence: str


_TOTALS = ("total", "totals", "subtotal", "grand total", "sum", "count", "average", "summe", "gesamt", "somme")


@dataclass
class Intake:
    """Turns raw columns into batches of facts and counts what happens to the rows."""

    rejects: Rejects = field(default_factory=Rejects)
    work: Path | None = None  # where a source may keep what it has finished, to go on there after a stop
    inverted: InversionPolicy = InversionPolicy.REJECT
    taken: int = 0
    ongoing: int = 0  # of those taken
    dropped: int = 0
    swapped: int = 0
    unread: set[tuple[str, str, str]] | None = None  # subject, relation and object of refused rows, where asked for

    def batch(
        self,
        *,
        file: str,
        lines: npt.NDArray[np.int64],
        subject: Strings,
        relation: Strings,
        object: Strings,
        start: Strings,
        end: Strings,
        source: str | Strings,
        rank: Strings | None = None,
        statement: Strings | None = None,
        best: pa.Array | None = None,
        qualifiers: Strings | None = None,
        read_start: ReadEnd = parse_end,
        read_end: ReadEnd = parse_end,
    ) -> pa.RecordBatch:
        """Check rows and return those that are facts.

        Args:
            file: The name to put before the line number when a row is rejected.
            lines: The line (or row number) of each row.
            read_start: Reads a start that is no plain year, month or day; a table has a format for each column.
            read_end: Reads an end likewise.
        """
        things = {"subject": _text(subject), "relation": _text(relation), "object": _text(object)}
        starts = end_columns(start, may_be_ongoing=False, read=read_start)
        ends = end_columns(end, may_be_ongoing=True, read=read_end)
        reasons = _no_dates("start", starts) | _no_dates("end", ends, before="end: ")
        for name, column in things.items():
            for row in pc.indices_nonzero(pc.equal(column, "")).to_pylist():
                reasons[row] = Reason(f"the {name} is empty", f"the {name} is empty.")
        for row in _totals(things):
            if starts.first[row].as_py() is None and ends.first[row].as_py() is None:
                reasons.setdefault(row, Reason("it looks like a line of totals", "it looks like a line of totals."))
        upside_down = _upside_down(starts, ends)
        upside_down[list(reasons)] = False
        keep = np.ones(len(lines), dtype=bool)
        if self.inverted is InversionPolicy.REJECT:
            for row in upside_down.nonzero()[0].tolist():
                reasons[row] = Reason("it ends before it starts", _inverted_reason(things, start, end, row))
        elif self.inverted is InversionPolicy.DROP:
            keep &= ~upside_down
            self.dropped += int(upside_down.sum())
        elif self.inverted is InversionPolicy.SWAP:
            starts, ends = _swap(starts, ends, upside_down)
            self.swapped += int(upside_down.sum())
        for row in sorted(reasons):
            raw = {name: column[row].as_py() for name, column in things.items()}
            raw |= {"start": start[row].as_py(), "end": end[row].as_py()}
            kind, reason = reasons[row]
            self.rejects.add(file=file, line=int(lines[row]), reason=reason, row=raw, kind=kind)
            if self.unread is not None:
                self.unread.add((raw["subject"], raw["relation"], raw["object"]))
        keep[list(reasons)] = False
        size = len(lines)
        columns = [
            *things.values(),
            starts.first,
            starts.last,
            starts.precision,
            ends.first,
            ends.last,
            ends.precision,
            pa.repeat(str(Rank.NORMAL), size) if rank is None else pc.replace_with_mask(*_default_rank(rank)),
            pa.repeat(source, size) if isinstance(source, str) else _text(source),
            pa.nulls(size, pa.string()) if statement is None else _null_if_empty(statement),
            pa.nulls(size, pa.bool_()) if best is None else best,
            pa.nulls(size, pa.string()) if qualifiers is None else _null_if_empty(qualifiers),
        ]
        batch = pa.RecordBatch.from_arrays(
            [_cast(column, field.type) for column, field in zip(columns, FACTS, strict=True)], schema=FACTS
        )
        taken = batch if keep.all() else batch.filter(pa.array(keep))
        self.taken += taken.num_rows
        self.ongoing += pc.sum(pc.equal(taken["end_precision"], str(Open.ONGOING))).as_py() or 0
        return taken


def _totals(things: Mapping[str, pa.Array]) -> list[int]:
    """Return the rows that end a sheet rather than tell a fact: "TOTAL", and a number."""
    named = pc.is_in(pc.utf8_lower(things["subject"]), value_set=pa.array(_TOTALS))
    if not pc.any(named).as_py():
        return []
    numbers = pc.match_substring_regex(things["object"], r"^[\s0-9.,%€$£-]*$")
    return list(pc.indices_nonzero(pc.and_(named, numbers)).to_pylist())


def _text(values: Strings) -> pa.Array:
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return pc.utf8_trim_whitespace(pc.fill_null(array.cast(pa.string()), ""))


def _null_if_empty(values: Strings) -> pa.Array:
    text = _text(values)
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)


def _default_rank(values: Strings) -> tuple[pa.Array, pa.Array, pa.Scalar]:
    text = _text(values)
    return text, pc.equal(text, ""), pa.scalar(str(Rank.NORMAL))


def _cast(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(wanted) and not pa.types.is_dictionary(column.type):
        return column.dictionary_encode()
    return column.cast(wanted)


def _upside_down(starts: EndColumns, ends: EndColumns) -> npt.NDArray[np.bool_]:
    verdict = pc.fill_null(pc.less(ends.last, starts.first), False)
    return np.array(verdict.to_numpy(zero_copy_only=False), dtype=bool)


def _no_dates(end: str, columns: EndColumns, *, before: str = "") -> dict[int, Reason]:
    kinds = (f"the {end} is not a valid date", f"the {end} can be read in several ways")
    return {
        row: Reason(kinds[row in columns.unsettled], f"{before}{sentence}") for row, sentence in columns.errors.items()
    }


def _inverted_reason(things: dict[str, pa.Array], start: Strings, end: Strings, row: int) -> str:
    named = " ".join(column[row].as_py() for column in things.values())
    return (
        f"{named} ends ({end[row].as_py()}) before it starts ({start[row].as_py()}). "
        "Drop such facts with --inverted=drop, or swap their ends with --inverted=swap."
    )


def _swap(starts: EndColumns, ends: EndColumns, where: npt.NDArray[np.bool_]) -> tuple[EndColumns, EndColumns]:
    mask = pa.array(where)

    def choose(first: EndColumns, second: EndColumns) -> EndColumns:
        return EndColumns(
            first=pc.if_else(mask, second.first, first.first),
            last=pc.if_else(mask, second.last, first.last),
            precision=pc.if_else(mask, second.precision.cast(pa.string()), first.precision.cast(pa.string())),
            errors=first.errors,
        )

    return choose(starts, ends), choose(ends, starts)
