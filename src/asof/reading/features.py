"""What speaks for a candidate, in two steps: first what it is about, then when it holds.

The first step leaves the asked time out: how likely is a candidate an answer at some time (``matter``)? With that the
candidates are put on one line of time (``line_of_time``), and the second step (``of``) holds it against the time that
is asked about. One row per candidate; boosted trees learn what the columns are worth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asof.reading.answer_types import LOOKS, WANTED, given_names, looks_like, wanted_type
from asof.reading.cue_features import Cues
from asof.reading.document_features import Column, around, numbers, of_position, of_shape
from asof.reading.encoder import Vectors
from asof.reading.index import DocumentIndex, Ints, words_of
from asof.reading.line_features import of_line, ranks
from asof.reading.line_of_time import LineOfTime, line_of_time
from asof.reading.time_features import of_attached, of_times
from asof.reading.times.asked import AskedTime
from asof.reading.word_table import WordTable
from asof.wording.normalised import normalised

Matrix = npt.NDArray[np.float32]

_COMMON_TEXT = """
    what which who whom whose where when how did do does was were is are be been the a an of in on at to for by with and
    or that this it its their his her he she they from as name tell me give had has have during time period year person
"""
_COMMON = frozenset(_COMMON_TEXT.split())
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
        self._read: dict[str, dict[str, Column]] = {}  # columns that only the question without its time decides
        self._told: dict[str, dict[str, Column]] = {}  # ... and that only the first step sees
        self.marks: dict[str, dict[str, Column]] = {}  # ... and what a marker says, where there is one

    @cached_property
    def texts(self) -> npt.NDArray[np.str_]:
        """The candidates as answers are compared."""
        return np.array([normalised(candidate.text) for candidate in self.index.candidates], dtype=np.str_)

    def matter(self, asked: AskedQuestion) -> Matrix:
        """Return a row for each candidate that does not depend on the asked time."""
        question = asked.time.rest
        if question not in self._told:
            self._told[question] = self._cues.of(question)
        return np.stack(list((self._of_matter(asked) | self._told[question]).values()), axis=1)

    def of(self, asked: AskedQuestion, matter: Column) -> list[Matrix]:
        """Return a row for each candidate; where a time inside a state is asked about, another one for the whole state.

        Args:
            matter: How likely each is an answer at some time, by the first step.
        """
        line = line_of_time(self.index, matter, self.texts)
        rows = [self._at(asked, matter, line)]
        if asked.time.inside:
            state = replace(line.widened(asked.time), type="from-to")
            rows.append(self._at(replace(asked, time=state), matter, line))
        return rows

    def _at(self, asked: AskedQuestion, matter: Column, line: LineOfTime) -> Matrix:
        columns = self._of_matter(asked) | of_times(self.index, asked.time) | self._fixed_times
        columns |= of_line(self.index, asked.time, matter, self.texts, line)
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

    def _of_matter(self, asked: AskedQuestion) -> dict[str, Column]:
        question = asked.time.rest
        if question not in self._read:  # easy and hard questions differ in their time alone
            known = self._fixed | self._of_words(asked) | self._of_meaning(asked)
            self._read[question] = known | self._of_types(asked) | self.marks.get(question, {})
        return self._read[question] | self._like_answers(asked) | {"fit of types": asked.fit_of_types[self.looks]}

    def _of_types(self, asked: AskedQuestion) -> dict[str, Column]:
        count, said = len(self.index.candidates), words_of(asked.time.rest)
        found = {f"asks {word}": np.full(count, float(word in said), np.float32) for word in _ASKERS}
        wanted = np.full(count, WANTED.index(wanted_type(asked.text)), np.float32)
        return found | {"wanted": wanted, "looks": numbers(self.looks), "given names": self._given_names}

    @cached_property
    def _cues(self) -> Cues:
        return Cues(self.index, self.looks)

    @cached_property
    def _given_names(self) -> Column:
        return numbers([given_names(candidate.text) for candidate in self.index.candidates])

    @cached_property
    def _fixed(self) -> dict[str, Column]:
        return of_shape(self.index) | of_position(self.index)

    @cached_property
    def _fixed_times(self) -> dict[str, Column]:
        return of_attached(self.index)

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
        own = dict.fromkeys(words_of(asked.time.rest), 1.0)
        return {
            "shared words": shared[of],
            "shared with heading": (self._heading_table.weigh(rarity) / total)[self.index.section_of_sentence[of]],
            "shared before": np.append(np.float32(0), shared[:-1])[of],
            "shared near": self._near_table.weigh(rarity) / np.float32(total),
            "shared rank": ranks(shared)[of],
            "in question": self._own_table.weigh(own) / np.maximum(1, self._own_table.lengths),
        }

    def _of_meaning(self, asked: AskedQuestion) -> dict[str, Column]:
        index, of = self.index, self.index.sentence_of
        headings = index.section_of_sentence[of]
        sentence = index.sentence_vectors @ asked.vector
        candidate = index.candidate_vectors @ asked.vector
        heading = index.section_vectors @ asked.vector
        return {
            "sentence meaning": sentence[of],
            "candidate meaning": candidate,
            "heading meaning": heading[headings],
            "sentence meaning rank": ranks(sentence)[of],
            "candidate meaning rank": ranks(candidate),
            "heading meaning rank": ranks(heading)[headings],
        }

    def _like_answers(self, asked: AskedQuestion) -> dict[str, Column]:
        like: Matrix = self.index.centred_vectors @ asked.like.T
        likely: Column = like @ asked.like_weights
        return {
            "like answers": likely,
            "like an answer": like.max(axis=1, initial=-1.0),
            "like answers rank": ranks(likely),
        }
