"""Statements with a blank, taken from a benchmark: what is asked, what is right, and the same without the other time.

The items of ``lama-tk`` come in; prompts, each once, go out, with the answers that any of their statements has. For
dynamic time masking a statement about one end of an interval also has a shorter prompt, from which the other end is
deleted: "from 2009 to _X_" becomes "to _X_".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from asof.benchmarks import BLANK, Benchmark
from asof.errors import UserError

Ints = npt.NDArray[np.int64]

_COLUMNS = ("id", "prompt", "answers", "place", "answer_id", "start", "end")
_TIME_BLANKS = ("start", "end")


@dataclass(frozen=True)
class AnswerVocabulary:
    """All that can stand in a blank: first entities, then time points; of each its id and how it is said."""

    entities: tuple[str, ...]
    names: tuple[str, ...]
    times: tuple[str, ...]
    spoken: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.entities) + len(self.times)

    def id_of(self, number: int) -> str:
        """Return the id of an answer."""
        return self.entities[number] if number < len(self.entities) else self.times[number - len(self.entities)]

    def name_of(self, number: int) -> str:
        """Return an answer as people read it."""
        return self.names[number] if number < len(self.entities) else self.spoken[number - len(self.entities)]


@dataclass(frozen=True)
class Statements:
    """Statements by number.

    Args:
        prompts: Texts with a blank, each once (twice, if it asked for an entity and for a time).
        whole: Of each statement the number of its prompt.
        shorter: The same without the other time; as ``whole`` where there is none to delete.
        answer: Of each statement the number of what the blank hides.
        known: Every answer there is.
    """

    prompts: tuple[str, ...]
    whole: Ints
    shorter: Ints
    answer: Ints
    known: AnswerVocabulary

    def __len__(self) -> int:
        return len(self.whole)

    @property
    def is_time(self) -> npt.NDArray[np.bool_]:
        """Whether a statement asks for a time."""
        found: npt.NDArray[np.bool_] = self.answer >= len(self.known.entities)
        return found

    def right_answers(self) -> tuple[Ints, Ints]:
        """Return the answers of all prompts one after the other, and where those of each begin.

        Those of a prompt are the answers of all statements that have it, whole or shorter, each once.
        """
        pairs = np.stack([np.concatenate([self.whole, self.shorter]), np.concatenate([self.answer, self.answer])])
        pairs = np.unique(pairs, axis=1)
        begins = np.searchsorted(pairs[0], np.arange(len(self.prompts) + 1))
        return pairs[1], begins.astype(np.int64)


def statements_of(benchmark: Benchmark, *, limit: int | None = None) -> Statements:
    """Read the statements of a benchmark, at most those of so many facts."""
    table = benchmark.table()
    missing = [name for name in _COLUMNS if name not in table.column_names]
    if missing:
        raise UserError(
            f"{benchmark.folder} ({benchmark.name}) has no column {', '.join(missing)}; a model memorises the items of "
            f"lama-tk. Make some with: asof build lama-tk --to FOLDER"
        )
    table = table.select([*_COLUMNS, "group"])
    if limit is not None:
        groups = table["group"].to_pylist()
        few = set(dict.fromkeys(groups).keys() if limit >= len(groups) else _first(groups, limit))
        table = table.filter(pa.array([group in few for group in groups]))
    return numbered(table)


def numbered(table: pa.Table) -> Statements:
    """Number the prompts and answers of a table of items."""
    columns = {name: table[name].to_pylist() for name in _COLUMNS}
    prompts: dict[
        tuple[bool, str], int
    ] = {}  # a name could make a text that asks for an entity and one for a time alike
    names: dict[str, str] = {}
    times: dict[str, str] = {}
    whole, shorter = [], []
    rows = zip(*columns.values(), strict=True)
    for id, prompt, answers, blank, answer, start, end in rows:
        if prompt.count(BLANK) != 1:
            raise UserError(f"Item {id!r}: its prompt has {prompt.count(BLANK)} blanks ({BLANK}), not one: {prompt!r}")
        if not answer:
            what = f"no {blank} time" if blank in _TIME_BLANKS else "no answer"
            raise UserError(f"Item {id!r} has {what}, so there is nothing to learn. Build the benchmark again.")
        is_time = blank in _TIME_BLANKS
        whole.append(prompts.setdefault((is_time, prompt), len(prompts)))
        if is_time:
            times.setdefault(answer, answers[0])
            other = end if blank == "start" else start
            less = without_other_time(prompt, other) if start != end else prompt
            shorter.append(prompts.setdefault((True, less), len(prompts)))
        else:
            names.setdefault(answer, answers[0])
            shorter.append(whole[-1])
    named, timed = sorted(names.items()), sorted(times.items())
    known = AnswerVocabulary(
        entities=tuple(id for id, _ in named),
        names=tuple(name for _, name in named),
        times=tuple(id for id, _ in timed),
        spoken=tuple(text for _, text in timed),
    )
    number = {id: index for index, id in enumerate(known.entities)}
    time_number = {text: index for index, text in enumerate(known.times, start=len(known.entities))}
    answer_numbers = [
        (time_number if blank in _TIME_BLANKS else number)[answer]
        for blank, answer in zip(columns["place"], columns["answer_id"], strict=True)
    ]
    return Statements(
        tuple(prompt for _, prompt in prompts),
        np.array(whole, np.int64),
        np.array(shorter, np.int64),
        np.array(answer_numbers, np.int64),
        known,
    )


def without_other_time(prompt: str, other: str) -> str:
    """Delete the other time of a statement about one end of an interval, with the word that leads to it.

    >>> without_other_time("Ann led Acme from 2009 to _X_.", "2009")
    'Ann led Acme to _X_.'
    >>> without_other_time("Ann led Acme from _X_ to 2017.", "2017")
    'Ann led Acme from _X_.'
    >>> without_other_time("In _X_ Ann joined Acme.", "2017")
    'In _X_ Ann joined Acme.'
    """
    before, _, after = prompt.partition(BLANK)
    if not other:
        return prompt
    follows = re.match(rf"\s*\S+\s+{re.escape(other)}(?!\w)", after)
    if follows:
        return before + BLANK + after[follows.end() :]
    leads = re.search(rf"\S+\s+{re.escape(other)}\s+(\S+\s+)$", before)
    return prompt[: leads.start()] + leads.group(1) + BLANK + after if leads else prompt


def _first(groups: Sequence[str], limit: int) -> Iterable[str]:
    found: dict[str, None] = {}
    for group in groups:
        if len(found) == limit and group not in found:
            break
        found[group] = None
    return found
