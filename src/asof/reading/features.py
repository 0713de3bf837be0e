"""What speaks for a candidate: its time against the question's, its meaning, its shape, its place in the document.

One row per candidate; the scorer learns what the columns are worth. What does not depend on the question is made once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asof.reading.answer_types import LOOKS, WANTED, given_names, looks_like, wanted_type
from asof.reading.document_features import Column, around, numbers, of_place, of_shape
from asof.reading.encoder import Vectors
from asof.reading.index import NONE, DocumentIndex, Ints, words_of
from asof.reading.time_features import YEAR, against, best_in_sentence
from asof.reading.times.asked import AskedTime
from asof.reading.word_table import WordTable

Matrix = npt.NDArray[np.float32]

_COMMON_TEXT = """
    what which who whom whose where when how did do does was were is are be been the a an of in on at to for by with and
    or that this it its their his her he she they from as name tell me give had has have during time period year person
"""
_COMMON = frozenset(_COMMON_TEXT.split())
_TYPES = ("from-to", "between", "in", "in part of decade", "before", "after", "none")
_KINDS = {"at": 0, "range": 1, "from": 2, "until": 3}
_ASKERS = ("who", "where", "what", "which")


@dataclass(frozen=True)
class AskedQuestion:
    """A question made ready: its time, its vector, and the vectors of answers to questions like it."""

    text: str
    time: AskedTime
    vector: Vectors
    like: Vectors  # one row per answer of a similar question
    like_weights: Column
    fit_of_types: Column  # for each kind that a candidate looks like, how well it fits the kind that is wanted

    @cached_property
    def words(self) -> set[str]:
        """The words that carry its meaning."""
        return {word for word in words_of(self.time.rest) if word not in _COMMON}


class Features:
    """Makes the rows of one document's candidates for any question."""

    def __init__(self, index: DocumentIndex) -> None:
        self.index = index
        self.names: list[str] = []

    def of(self, asked: AskedQuestion) -> Matrix:
        """Return a row for each candidate."""
        count = len(self.index.candidates)
        columns = self._fixed | self._of_time(asked.time) | self._of_words(asked) | self._of_meaning(asked)
        columns |= {
            "wanted": np.full(count, WANTED.index(wanted_type(asked.text)), np.float32),
            "looks": numbers(self.looks),
            "given names": self._given_names,
            "fit of types": asked.fit_of_types[self.looks],
        }
        said = words_of(asked.text)
        columns |= {f"asks {word}": np.full(count, float(word in said), np.float32) for word in _ASKERS}
        self.names = list(columns)
        return np.stack(list(columns.values()), axis=1)

    @cached_property
    def looks(self) -> Ints:
        """The kind that each candidate looks like, as a place in LOOKS."""
        kinds: dict[str, int] = {}
        for candidate in self.index.candidates:
            if candidate.text not in kinds:
                kinds[candidate.text] = LOOKS.index(looks_like(candidate.text))
        return np.array([kinds[candidate.text] for candidate in self.index.candidates], dtype=np.int64)

    @cached_property
    def _given_names(self) -> Column:
        return numbers([given_names(candidate.text) for candidate in self.index.candidates])

    @cached_property
    def _fixed(self) -> dict[str, Column]:
        return of_shape(self.index) | of_place(self.index)

    @cached_property
    def _sentence_table(self) -> WordTable:
        return WordTable(self.index.sentence_words)

    @cached_property
    def _near_table(self) -> WordTable:
        return WordTable([around(self.index, candidate) for candidate in self.index.candidates])

    @cached_property
    def _own_table(self) -> WordTable:
        return WordTable([words_of(candidate.text) for candidate in self.index.candidates])

    @cached_property
    def _heading_table(self) -> WordTable:
        return WordTable([words_of(section) for section in self.index.sections])

    def _of_words(self, asked: AskedQuestion) -> dict[str, Column]:
        of = self.index.sentence_of
        wanted = asked.words - set(words_of(self.index.document.title))
        rarity = {word: self._sentence_table.rarity(word) for word in wanted}
        total = sum(rarity.values()) or 1.0
        shared = self._sentence_table.weigh(rarity) / total
        own = dict.fromkeys(words_of(asked.text), 1.0)
        return {
            "shared words": shared[of],
            "shared with heading": (self._heading_table.weigh(rarity) / total)[self.index.section_of_sentence[of]],
            "shared before": np.append(np.float32(0), shared[:-1])[of],
            "shared near": self._near_table.weigh(rarity) / np.float32(total),
            "shared rank": _ranks(shared)[of],
            "in question": self._own_table.weigh(own) / np.maximum(1, self._own_table.lengths),
        }

    def _of_time(self, asked: AskedTime) -> dict[str, Column]:
        index, attached = self.index, self.index.attached
        count = len(index.candidates)
        found: dict[str, Column] = {
            "asked type": np.full(count, _TYPES.index(asked.type), np.float32),
            "asked years": np.full(count, (asked.last - asked.first) / YEAR, np.float32),
        }
        first, last = np.append(index.first_days, 0), np.append(index.last_days, 0)
        for name in ("left", "right", "near", "before", "after", "heading"):
            which = getattr(attached, name)
            for measure, column in against(first[which], last[which], asked).items():
                found[f"{name} {measure}"] = np.where(which != NONE, column, np.nan).astype(np.float32)
        found |= self._fixed_times
        for measure, column in against(*index.inferred, asked).items():
            found[f"inferred {measure}"] = column
        best = best_in_sentence(index, asked)
        found["best in sentence"] = best[index.sentence_of]
        found["best in sentence before"] = np.append(np.float32(0), best[:-1])[index.sentence_of]
        found["best in sentence after"] = np.append(best[1:], np.float32(0))[index.sentence_of]
        return found

    @cached_property
    def _fixed_times(self) -> dict[str, Column]:
        index = self.index
        kind = np.array([_KINDS[placed.time.kind] for placed in index.times] + [NONE])
        stated = np.array([placed.time.stated for placed in index.times] + [False])
        starts = np.array([placed.time.start for placed in index.times] + [0])
        ends = np.array([placed.time.end for placed in index.times] + [0])
        found = {}
        for name in ("left", "right", "near"):
            which = getattr(index.attached, name)
            found[f"{name} kind"] = numbers(kind[which])
            found[f"{name} stated"] = numbers(stated[which])
            far = np.where(starts[which] >= index.ends, starts[which] - index.ends, index.starts - ends[which])
            found[f"{name} letters"] = np.where(which != NONE, far, 999).astype(np.float32)
        return found

    def _of_meaning(self, asked: AskedQuestion) -> dict[str, Column]:
        index, of = self.index, self.index.sentence_of
        headings = index.section_of_sentence[of]
        sentence = index.sentence_vectors @ asked.vector
        candidate = index.candidate_vectors @ asked.vector
        heading = index.section_vectors @ asked.vector
        like: Matrix = index.centred_vectors @ asked.like.T
        likely: Column = like @ asked.like_weights
        return {
            "sentence meaning": sentence[of],
            "candidate meaning": candidate,
            "heading meaning": heading[headings],
            "sentence meaning rank": _ranks(sentence)[of],
            "candidate meaning rank": _ranks(candidate),
            "heading meaning rank": _ranks(heading)[headings],
            "like answers": likely,
            "like an answer": like.max(axis=1, initial=-1.0),
            "like answers rank": _ranks(likely),
        }


def _ranks(values: Column) -> Column:
    order = np.argsort(np.argsort(-values, kind="stable"), kind="stable")
    return numbers(order / max(1, len(values)))
