"""What is taken out of facts: subject, object, start or end, each with its prompts and all their right answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from asof.benchmarks.lama_tk.answers import PromptAnswers
from asof.benchmarks.lama_tk.choice import SelectedFacts, Truths
from asof.benchmarks.lama_tk.prompts import Prompts
from asof.benchmarks.lama_tk.times import Numbers
from asof.wording import Blank

_ROWS_AT_A_TIME = 100_000

_EVENTS: dict[Blank, str] = {"start": "starts", "end": "ends"}

Write = Callable[[Numbers], pa.Array]


@dataclass(frozen=True, kw_only=True)
class Mask:
    """One blank in some facts.

    Args:
        query: recite, boundary, implicit-original or implicit-new.
        rows: The facts that have it, in their order.
        prompt: The number of each one's prompt in ``answers``.
        masked: What stood in the blank: the number of an entity or of a time point.
        write: Writes prompts of facts.
        suffix: Writes what the ids of items have after that of their fact.
        tags: Gives what only items of this query know.
    """

    blank: Blank
    query: str
    rows: Numbers
    prompt: Numbers
    masked: Numbers
    answers: PromptAnswers
    write: Write
    suffix: Write
    tags: Callable[[Numbers], dict[str, pa.Array]] = lambda rows: {}

    @property
    def of_time(self) -> bool:
        """Whether the answers are time points."""
        return self.blank in ("start", "end")

    @property
    def count(self) -> Numbers:
        """How many answers each prompt has."""
        return self.answers.count(self.prompt)

    def between(self, begin: int, stop: int) -> Mask:
        """Return the part that belongs to the facts from one place to another."""
        first, last = np.searchsorted(self.rows, [begin, stop])
        return self.some(slice(first, last))

    def some(self, which: slice | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Mask:
        """Return some of the facts; all answers stay."""
        kept = {name: getattr(self, name)[which] for name in ("rows", "prompt", "masked")}
        return dataclasses.replace(self, **kept)


class MaskOmission(NamedTuple):
    """Which facts a rule leaves out, and what a person can do about it."""

    reason: str
    advice: str
    which: Truths


class MaskSelection(NamedTuple):
    """What is asked, and which facts are not, by which rule."""

    masks: list[Mask]
    not_asked: list[MaskOmission]


def recite(chosen: SelectedFacts, prompts: Prompts) -> MaskSelection:
    """Take subject, object, start and end out of each statement; of an instant, its one date (section 2.2)."""
    every = np.arange(len(chosen))
    dated = chosen.points.dated
    rows: dict[Blank, Numbers] = {
        "subject": every,
        "object": every,
        "start": every[dated[chosen.start]],
        "end": every[dated[chosen.end] & ~chosen.instant],
    }
    taken = [_Taken(blank, of, partial(prompts.statement, blank=blank)) for blank, of in rows.items()]
    return MaskSelection([*_masks(chosen, "recite", taken[:2]), *_masks(chosen, "recite", taken[2:])], [])


def boundary(chosen: SelectedFacts, prompts: Prompts) -> MaskSelection:
    """Ask when facts that last began, and when they ended, in words that no statement has (section 4.2)."""
    every = np.arange(len(chosen))
    taken: list[_Taken] = []
    for blank, name in _EVENTS.items():
        said = np.array([prompts.can_say(name, id) for id in chosen.relations], bool)[chosen.relation]
        dated = chosen.points.dated[getattr(chosen, blank)]
        taken.append(_Taken(blank, every[dated & said & ~chosen.instant], partial(prompts.boundary, blank=blank)))
    asked = np.isin(every, np.union1d(taken[0].rows, taken[1].rows))
    templates = "Write the sentences starts and ends for their relation: --set templates=FILE"
    not_asked = [
        MaskOmission("that hold at one moment", "Omit --query boundary: such a fact has no two ends.", chosen.instant),
        MaskOmission("without words for a beginning or an end", templates, ~asked & ~chosen.instant),
    ]
    return MaskSelection(list(_masks(chosen, "boundary", taken)), not_asked)


class _Taken(NamedTuple):
    blank: Blank
    rows: Numbers
    write: Write


def _masks(chosen: SelectedFacts, query: str, taken: Sequence[_Taken]) -> Iterator[Mask]:
    """Gather the answers of several places: prompts that read the same are one, wherever they come from."""
    codes, count = number_texts([(one.write, one.rows) for one in taken])
    masked = [getattr(chosen, one.blank)[one.rows] for one in taken]
    answers = PromptAnswers.of(np.concatenate(codes), np.concatenate(masked), count)
    for (blank, rows, write), prompt, out in zip(taken, codes, masked, strict=True):
        ending = blank if query == "recite" else f"{blank} {query}"
        yield Mask(
            blank=blank, query=query, rows=rows, prompt=prompt, masked=out, answers=answers,
            write=write, suffix=partial(_repeated, ending),
        )  # fmt: skip


def _repeated(text: str, rows: Numbers) -> pa.Array:
    return pa.repeat(text, len(rows))


def number_texts(written: Sequence[tuple[Write, Numbers]]) -> tuple[list[Numbers], int]:
    """Number the different texts of some writers; return the numbers of each one's rows, and how many there are."""
    chunks = [
        write(rows[begin : begin + _ROWS_AT_A_TIME])
        for write, rows in written
        for begin in range(0, len(rows), _ROWS_AT_A_TIME)
    ]
    codes = pa.chunked_array(chunks, pa.string()).dictionary_encode()
    numbers = [np.empty(0, np.int64), *(chunk.indices.to_numpy().astype(np.int64) for chunk in codes.chunks)]
    different = len(codes.chunk(0).dictionary) if codes.num_chunks else 0
    return np.split(np.concatenate(numbers), np.cumsum([len(rows) for _, rows in written])[:-1]), different
