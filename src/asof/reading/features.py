"""What speaks for a candidate: its time against the question's, its meaning, its shape, its place in the document.

One row per candidate; the scorer learns what the columns are worth. What does not depend on the question is made once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asof.reading.candidates import Candidate
from asof.reading.encoder import Vectors
from asof.reading.index import NONE, DocumentIndex, Ints, words_of
from asof.reading.times.asked import AskedTime
from asof.reading.word_table import WordTable

Matrix = npt.NDArray[np.float32]
Column = npt.NDArray[np.float32]

_COMMON_TEXT = """
    what which who whom whose where when how did do does was were is are be been the a an of in on at to for by with and
    or that this it its their his her he she they from as name tell me give had has have during time period year person
"""
_COMMON = frozenset(_COMMON_TEXT.split())
_BEFORE_TEXT = """
    the a an of in at to by as for with from and , ( - – : was is became joined named renamed called under president
    general captain manager coach rank against between his her their its ; . appointed married signed moved
"""
_BEFORE = ["", *_BEFORE_TEXT.split()]
_AFTER_TEXT = """
    , ( ) . - – : and in of from to was as until for on at by is had who which where became s ' the since with ; took
    season team did
"""
_AFTER = ["", *_AFTER_TEXT.split()]
_TYPES = ("from-to", "between", "in", "in part of decade", "before", "after", "none")
_KINDS = {"at": 0, "range": 1, "from": 2, "until": 3}
_ASKERS = ("who", "where", "what", "which")
_NEAR = 60  # letters around a candidate
_YEAR = 365.25
_FAR = 40.0  # years: further away is all the same


@dataclass(frozen=True)
class AskedQuestion:
    """A question made ready: its time, its vector, and the vectors of answers to questions like it."""

    text: str
    time: AskedTime
    vector: Vectors
    like: Vectors  # one row per answer of a similar question
    like_weights: Column

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
        said = words_of(asked.text)
        columns |= {f"asks {word}": np.full(count, float(word in said), np.float32) for word in _ASKERS}
        self.names = list(columns)
        return np.stack(list(columns.values()), axis=1)

    @cached_property
    def _fixed(self) -> dict[str, Column]:
        return _of_shape(self.index) | _of_place(self.index)

    @cached_property
    def _sentence_table(self) -> WordTable:
        return WordTable(self.index.sentence_words)

    @cached_property
    def _near_table(self) -> WordTable:
        return WordTable([_around(self.index, candidate) for candidate in self.index.candidates])

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
            "asked years": np.full(count, (asked.last - asked.first) / _YEAR, np.float32),
        }
        first, last = np.append(index.first_days, 0), np.append(index.last_days, 0)
        for name in ("left", "right", "near", "before", "after", "heading"):
            which = getattr(attached, name)
            for measure, column in _against(first[which], last[which], asked).items():
                found[f"{name} {measure}"] = np.where(which != NONE, column, np.nan).astype(np.float32)
        found |= self._fixed_times
        for measure, column in _against(*index.inferred, asked).items():
            found[f"inferred {measure}"] = column
        best = _best_in_sentence(index, asked)
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
            found[f"{name} kind"] = _numbers(kind[which])
            found[f"{name} stated"] = _numbers(stated[which])
            far = np.where(starts[which] >= index.ends, starts[which] - index.ends, index.starts - ends[which])
            found[f"{name} letters"] = np.where(which != NONE, far, 999).astype(np.float32)
        return found

    def _of_meaning(self, asked: AskedQuestion) -> dict[str, Column]:
        index, of = self.index, self.index.sentence_of
        headings = index.section_of_sentence[of]
        sentence = index.sentence_vectors @ asked.vector
        candidate = index.candidate_vectors @ asked.vector
        heading = index.section_vectors @ asked.vector
        like: Matrix = index.candidate_vectors @ asked.like.T
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


def _numbers(values: object) -> Column:
    return np.asarray(values, dtype=np.float32)


def _of_shape(index: DocumentIndex) -> dict[str, Column]:
    candidates = index.candidates
    counts = Counter(candidate.text for candidate in candidates)
    wholes = Counter(candidate.text for candidate in candidates if candidate.whole)
    title = set(words_of(index.document.title))
    return {
        "words": _numbers([candidate.words for candidate in candidates]),
        "letters": _numbers([len(candidate.text) for candidate in candidates]),
        "whole": _numbers([candidate.whole for candidate in candidates]),
        "named": _numbers([candidate.named for candidate in candidates]),
        "capitals": _numbers([_share_of_capitals(candidate) for candidate in candidates]),
        "digits": _numbers([any(sign.isdigit() for sign in candidate.text) for candidate in candidates]),
        "comma": _numbers(["," in candidate.text for candidate in candidates]),
        "of": _numbers([" of " in candidate.text for candidate in candidates]),
        "all capitals": _numbers([candidate.text.isupper() for candidate in candidates]),
        "initials": _numbers([" ." in candidate.text for candidate in candidates]),
        "times in document": _numbers([counts[candidate.text] for candidate in candidates]),
        "times as whole": _numbers([wholes[candidate.text] for candidate in candidates]),
        "share as whole": _numbers([wholes[candidate.text] / counts[candidate.text] for candidate in candidates]),
        "in title": _numbers([_overlap(words_of(candidate.text), title) for candidate in candidates]),
        "word before": _numbers([_place(_BEFORE, candidate.before) for candidate in candidates]),
        "word after": _numbers([_place(_AFTER, candidate.after) for candidate in candidates]),
        "name before": _numbers([candidate.name_before for candidate in candidates]),
    }


def _share_of_capitals(candidate: Candidate) -> float:
    words = candidate.text.split()
    return sum(word[0].isupper() for word in words) / len(words)


def _place(words: list[str], word: str) -> int:
    return words.index(word) if word in words else len(words)


def _overlap(words: list[str], others: set[str]) -> float:
    return sum(word in others for word in words) / len(words) if words else 0.0


def _around(index: DocumentIndex, candidate: Candidate) -> list[str]:
    sentence = index.document.sentences[candidate.sentence]
    text = index.document.paragraphs[sentence.paragraph].text
    low, high = max(sentence.start, candidate.start - _NEAR), min(sentence.end, candidate.end + _NEAR)
    return words_of(f"{text[low : candidate.start]} {text[candidate.end : high]}")


def _of_place(index: DocumentIndex) -> dict[str, Column]:
    sentences, paragraphs = index.document.sentences, index.document.paragraphs
    of, sections, count = index.sentence_of, index.section_of_sentence, len(index.sections)
    in_sentence = np.bincount(index.time_sentences[index.time_sentences != NONE], minlength=len(sentences))
    entry = np.array([paragraphs[sentence.paragraph].entry for sentence in sentences], dtype=bool)
    dated = np.bincount(sections[entry & (in_sentence > 0)], minlength=count)
    entries = np.bincount(sections[entry], minlength=count)
    times = np.bincount(sections, weights=in_sentence, minlength=count)
    lengths = np.array([sentence.end - sentence.start for sentence in sentences], dtype=np.float32)
    starts = np.array([sentence.start for sentence in sentences], dtype=np.int64)
    return {
        "entry": _numbers(entry[of]),
        "dated entries": _numbers(dated[sections[of]]),
        "entries": _numbers(entries[sections[of]]),
        "times in section": _numbers(times[sections[of]]),
        "times in sentence": _numbers(in_sentence[of]),
        "section": _numbers(sections[of]),
        "place in document": _numbers(of / max(1, len(sentences))),
        "sentences": np.full(len(of), len(sentences), np.float32),
        "letters of sentence": lengths[of],
        "place in sentence": _numbers((index.starts - starts[of]) / np.maximum(1, lengths[of])),
        "letters before": _numbers(index.starts - starts[of]),
    }


def _against(first: Ints, last: Ints, asked: AskedTime) -> dict[str, Column]:
    """Compare intervals with the asked one: shared time, and how far start and end lie apart in years."""
    shared = np.maximum(0, np.minimum(last, asked.last) - np.maximum(first, asked.first) + 1)
    hull = np.maximum(last, asked.last) - np.minimum(first, asked.first) + 1
    start = np.clip((first - asked.first) / _YEAR, -_FAR, _FAR)
    end = np.clip((last - asked.last) / _YEAR, -_FAR, _FAR)
    return {
        "covers": _numbers(shared / (asked.last - asked.first + 1)),
        "iou": _numbers(shared / np.maximum(1, hull)),
        "start": _numbers(start),
        "end": _numbers(end),
        "start far": _numbers(np.abs(start)),
        "end far": _numbers(np.abs(end)),
        "start to end": _numbers(np.clip((first - asked.last) / _YEAR, -_FAR, _FAR)),
    }


def _best_in_sentence(index: DocumentIndex, asked: AskedTime) -> Column:
    best = np.zeros(max(1, len(index.document.sentences)), np.float32)
    inside = index.time_sentences != NONE
    iou = _against(index.first_days[inside], index.last_days[inside], asked)["iou"]
    np.maximum.at(best, index.time_sentences[inside], iou)
    return best


def _ranks(values: Column) -> Column:
    order = np.argsort(np.argsort(-values, kind="stable"), kind="stable")
    return _numbers(order / max(1, len(values)))
