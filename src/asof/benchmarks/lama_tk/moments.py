"""Implicit time: what held at a time strictly inside a fact's interval, which no statement names (section 4.3).

The time is drawn for each fact. Every object of the same sentence that holds then is right; the other objects of the
same subject are distractors, and a fact without any is not asked: a model could answer it without looking at the time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from asof.benchmarks.dynamic_templama.spells import spread
from asof.benchmarks.lama_tk.answers import PromptAnswers
from asof.benchmarks.lama_tk.choice import SelectedFacts
from asof.benchmarks.lama_tk.masks import Mask, MaskOmission, MaskSelection, number_texts
from asof.benchmarks.lama_tk.prompts import Prompts
from asof.benchmarks.lama_tk.times import By, Numbers, said_at, unit_of
from asof.timeline import MAX_DAY, MIN_DAY, Date

_PAIRS_AT_A_TIME = 5_000_000
_TEMPLATES = {"implicit-original": "past", "implicit-new": "paraphrase"}


@dataclass(frozen=True)
class _Times:
    """The first and last year (month, day) of each fact: at most, and for sure."""

    first: Numbers
    last: Numbers
    sure_first: Numbers
    sure_last: Numbers


def implicit(chosen: SelectedFacts, prompts: Prompts, by: By, seed: int) -> MaskSelection:
    """Ask for the object at a time inside, in the words of the statement and in others."""
    times = _times(chosen, by)
    inside = times.sure_last - times.sure_first - 1
    rows = np.flatnonzero(inside > 0)
    when = np.zeros(len(chosen), np.int64)
    when[rows] = times.sure_first[rows] + 1 + _drawn(chosen.group.take(pa.array(rows)), seed) % inside[rows]
    masks = []
    finer = "Use finer times: --set by=month, --set by=day" if by != "day" else "They are too short to ask about."
    not_asked = [MaskOmission(f"with no {by} strictly inside", finer, inside <= 0)]
    others: Numbers | None = None
    for query, name in _TEMPLATES.items():
        said = np.array([prompts.can_say(name, id) for id in chosen.relations], bool)[chosen.relation]
        prompt, answers = _answers(chosen, prompts, name, times, when, np.flatnonzero(said), rows[said[rows]])
        if others is None:
            others = np.zeros(len(chosen), np.int64)
            others[rows] = _distractors(chosen, rows, prompt, answers)
            advice = "Omit --query implicit, or add other objects of their subject to the base."
            alone = (inside > 0) & (others == 0)
            not_asked.append(MaskOmission("without a distractor, another object of the subject", advice, alone))
        asked = said[rows] & (others[rows] > 0)
        of = rows[asked]
        masks.append(_mask(chosen, prompts, query, of, prompt[asked[said[rows]]], answers, _Said(when, by, others)))
    return MaskSelection(masks, not_asked)


@dataclass(frozen=True)
class _Said:
    """The time that each fact is asked about, and how many distractors it has."""

    when: Numbers
    by: By
    distractors: Numbers

    def texts(self, rows: Numbers, language: str) -> tuple[pa.Array, pa.Array]:
        """Return times as asof writes them, and as sentences say them."""
        known, index = np.unique(self.when[rows], return_inverse=True)
        both = [said_at(int(unit), self.by, language) for unit in known]
        chosen = pa.array(index.reshape(-1))
        return tuple(pa.array([one[which] for one in both], pa.string()).take(chosen) for which in (0, 1))


def _mask(
    chosen: SelectedFacts,
    prompts: Prompts,
    query: str,
    rows: Numbers,
    prompt: Numbers,
    answers: PromptAnswers,
    said: _Said,
) -> Mask:
    language = prompts.say.language

    def write(some: Numbers) -> pa.Array:
        return prompts.at_some_time(some, _TEMPLATES[query], said.texts(some, language)[1])

    def suffix(some: Numbers) -> pa.Array:
        return pc.binary_join_element_wise(pa.scalar("@"), said.texts(some, language)[0], pa.scalar(query), " ")

    def tags(some: Numbers) -> dict[str, pa.Array]:
        return {"when": said.texts(some, language)[0], "distractors": pa.array(said.distractors[some])}

    return Mask(
        blank="object", query=query, rows=rows, prompt=prompt, masked=chosen.object[rows], answers=answers,
        write=write, suffix=suffix, tags=tags,
    )  # fmt: skip


def _times(chosen: SelectedFacts, by: By) -> _Times:
    ends = chosen.points.ends
    first, last = (
        unit_of(np.array([getattr(end, name) if isinstance(end, Date) else 0 for end in ends], np.int64), by)
        for name in ("first", "last")
    )
    dated = chosen.points.dated
    open_start, open_end = ~dated[chosen.start], ~dated[chosen.end]
    return _Times(
        first=np.where(open_start, MIN_DAY, first[chosen.start]),
        last=np.where(open_end, MAX_DAY, last[chosen.end]),
        sure_first=np.where(open_start | open_end, 0, last[chosen.start]),
        sure_last=np.where(open_start | open_end, 0, first[chosen.end]),
    )


def _drawn(ids: pa.Array, seed: int) -> Numbers:
    """Draw a number for each fact, which depends on its id and the seed alone."""
    digests = (hashlib.sha256(f"{seed} {id}".encode()).digest() for id in ids.to_pylist())
    return np.array([int.from_bytes(digest[:7], "big") for digest in digests], np.int64)


def _answers(
    chosen: SelectedFacts, prompts: Prompts, name: str, times: _Times, when: Numbers, said: Numbers, rows: Numbers
) -> tuple[Numbers, PromptAnswers]:
    """Return the number of each row's prompt, and for each prompt all objects that hold at its time.

    Args:
        said: The facts that have the sentence; ``rows`` are those of them that are asked about.
    """
    sentence = np.full(len(chosen), -1, np.int64)
    sentence[said] = number_texts([(partial(prompts.without_time, name=name), said)])[0][0]
    reach = int(when[rows].max() - when[rows].min()) + 1 if len(rows) else 1
    low = int(when[rows].min()) if len(rows) else 0
    keys, prompt = np.unique(sentence[rows] * reach + when[rows] - low, return_inverse=True)
    of, moment = keys // reach, keys % reach + low
    found = [
        (index, chosen.object[fact])
        for index, fact in _candidates(of, sentence)
        for fits in [(times.first[fact] <= moment[index]) & (moment[index] <= times.last[fact])]
        for index, fact in [(index[fits], fact[fits])]
    ]
    indices, objects = (np.concatenate([np.empty(0, np.int64), *(one[which] for one in found)]) for which in (0, 1))
    return prompt.reshape(-1), PromptAnswers.of(indices, objects, len(keys))


def _candidates(of: Numbers, sentence: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Give, for sentences, the facts that say the same but for object and time; a stretch of pairs at a time."""
    order = np.argsort(sentence, kind="stable")
    begin, stop = (np.searchsorted(sentence[order], of, side=side) for side in ("left", "right"))
    turn = np.cumsum(stop - begin) // _PAIRS_AT_A_TIME
    cuts = np.append(np.searchsorted(turn, np.unique(turn)), len(turn))
    for first, last in pairwise(cuts.tolist()):
        index, row = spread(begin[first:last], stop[first:last])
        yield row + first, order[index]


def _distractors(chosen: SelectedFacts, rows: Numbers, prompt: Numbers, answers: PromptAnswers) -> Numbers:
    """Count the objects of each fact's subject, under any relation, that are no right answer."""
    subjects = chosen.things.num_rows
    pairs = np.unique(chosen.subject * subjects + chosen.object)
    objects = np.bincount(pairs // subjects, minlength=subjects)
    index, row = spread(answers.begin[prompt], answers.begin[prompt + 1])
    right = chosen.subject[rows][row] * subjects + answers.answer[index]
    own = np.isin(right, pairs)
    return objects[chosen.subject[rows]] - np.bincount(row[own], minlength=len(rows))
