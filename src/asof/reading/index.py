"""What a reader knows of a document before anything is asked: candidates, times, and which time belongs to which.

For each candidate there are several times it may hang on: the nearest to its left and right in its sentence, the last
one spoken of before, the first one spoken of after, and an interval that ends where the next one starts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from asof.reading.candidates import Candidate, find_candidates
from asof.reading.documents import Document
from asof.reading.encoder import Encoder, Vectors, span_vectors, unit
from asof.reading.times.ends import begins_at_end, is_end_of
from asof.reading.times.expressions import TimeExpression, find_times
from asof.reading.times.lives import without_lives
from asof.timeline import Date, Open

Ints = npt.NDArray[np.int64]
NONE = -1
_REACH = 6  # sentences within which the next time may end a state
FAR_PAST, FAR_FUTURE = Date.of(1).first, Date.of(2100).last
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class SentenceTime:
    """A time expression and the sentence it stands in."""

    sentence: int
    time: TimeExpression


@dataclass(frozen=True)
class TimeAttachments:
    """For each candidate, the place of a time in the list of times, or NONE."""

    left: Ints
    right: Ints
    near: Ints
    before: Ints
    after: Ints
    heading: Ints


class DocumentIndex:
    """A document made ready for questions.

    Args:
        encoder: Gives vectors to sentences, candidates and headings; without one there are none.
    """

    def __init__(self, document: Document, encoder: Encoder | None = None) -> None:
        self.document = document
        self.candidates: list[Candidate] = find_candidates(document)
        self._encoder = encoder
        self.sentence_of: Ints = np.array([candidate.sentence for candidate in self.candidates], dtype=np.int64)
        self.starts: Ints = np.array([candidate.start for candidate in self.candidates], dtype=np.int64)
        self.ends: Ints = np.array([candidate.end for candidate in self.candidates], dtype=np.int64)

    @cached_property
    def sections(self) -> list[str]:
        """The headings in their order, each once."""
        return list(dict.fromkeys(paragraph.section for paragraph in self.document.paragraphs))

    @cached_property
    def section_of_sentence(self) -> Ints:
        """The place of each sentence's heading among the headings."""
        indices = {section: index for index, section in enumerate(self.sections)}
        paragraphs = self.document.paragraphs
        return np.array(
            [indices[paragraphs[sentence.paragraph].section] for sentence in self.document.sentences], dtype=np.int64
        )

    @cached_property
    def times(self) -> list[SentenceTime]:
        """All time expressions in their order; those of headings come last, without a sentence."""
        found: list[SentenceTime] = []
        anchor: TimeExpression | None = None
        section = NONE
        for index, sentence in enumerate(self.document.sentences):
            if self.section_of_sentence[index] != section:
                section = int(self.section_of_sentence[index])
                anchor = self.heading_times.get(section)
            text, entry = self.document.text_of(sentence), self.document.paragraphs[sentence.paragraph].entry
            for time in without_lives(text, find_times(text, anchor=anchor), entry=entry):
                moved = TimeExpression(
                    time.start + sentence.start, time.end + sentence.start, time.interval, time.kind, time.stated
                )
                found.append(SentenceTime(index, moved))
                anchor = time
        return found + [SentenceTime(NONE, time) for time in self.heading_times.values()]

    @cached_property
    def heading_times(self) -> dict[int, TimeExpression]:
        """The first time of each heading that has one."""
        found = {index: find_times(section) for index, section in enumerate(self.sections)}
        return {index: times[0] for index, times in found.items() if times}

    @cached_property
    def first_days(self) -> Ints:
        """The first day of each time; the far past where it is open."""
        return np.array([_first(located.time) for located in self.times], dtype=np.int64)

    @cached_property
    def last_days(self) -> Ints:
        """The last day of each time; the far future where it is open."""
        return np.array([_last(located.time) for located in self.times], dtype=np.int64)

    @cached_property
    def time_sentences(self) -> Ints:
        """The sentence of each time."""
        return np.array([located.sentence for located in self.times], dtype=np.int64)

    @cached_property
    def attached(self) -> TimeAttachments:
        """The times each candidate may hang on."""
        count = len(self.candidates)
        left, right, near, before, after, heading = (np.full(count, NONE, dtype=np.int64) for _ in range(6))
        in_text = self.time_sentences[self.time_sentences != NONE]
        time_starts = np.array([located.time.start for located in self.times], dtype=np.int64)
        time_ends = np.array([located.time.end for located in self.times], dtype=np.int64)
        headings = {section: len(in_text) + index for index, section in enumerate(self.heading_times)}
        for index in range(count):
            sentence = self.sentence_of[index]
            section = self.section_of_sentence[sentence]
            low, high = np.searchsorted(in_text, [sentence, sentence + 1])
            heading[index] = headings.get(int(section), NONE)
            if low < high:
                lefts = low + int(np.searchsorted(time_ends[low:high], self.starts[index], side="right")) - 1
                rights = low + int(np.searchsorted(time_starts[low:high], self.ends[index], side="left"))
                left[index] = lefts if lefts >= low else NONE
                right[index] = rights if rights < high else NONE
                near[index] = _nearer(
                    left[index], right[index], self.starts[index], self.ends[index], time_starts, time_ends
                )
            if low > 0 and self.section_of_sentence[in_text[low - 1]] == section:
                before[index] = low - 1
            if high < len(in_text) and self.section_of_sentence[in_text[high]] == section:
                after[index] = high
        return TimeAttachments(left, right, near, before, after, heading)

    @cached_property
    def own_times(self) -> Ints:
        """The time that each candidate most likely hangs on: in its sentence, before it, or in its heading."""
        attached = self.attached
        own = np.where(attached.near != NONE, attached.near, attached.before)
        return np.where(own != NONE, own, attached.heading)

    @cached_property
    def own_kinds(self) -> npt.NDArray[np.str_]:
        """Of which kind the time of each candidate is for it, "" where it has none.

        Of "Ann retired in 2006" the time is an end for Ann; of "until 1898; he was followed by Bo" a start for Bo.
        """
        kinds = np.array([located.time.kind for located in self.times] + [""], dtype="<U5")[self.own_times]
        for place in np.flatnonzero((kinds == "at") & (self.own_times == self.attached.right)).tolist():
            time, begin, text = self._beside(place)
            candidate = self.candidates[place]
            if is_end_of(
                text[: time.start - begin], candidate.start - begin, candidate.end - begin, time.start - begin
            ):
                kinds[place] = "until"
        told_before = np.isin(kinds, ("until", "range")) & (self.own_times == self.attached.left)
        for place in np.flatnonzero(told_before).tolist():
            time, begin, text = self._beside(place)
            if begins_at_end(text[time.end - begin : self.candidates[place].start - begin]):
                kinds[place] = "from"
        return kinds

    def _beside(self, place: int) -> tuple[TimeExpression, int, str]:
        """Return the time that a candidate hangs on in its sentence, where that begins, and its text."""
        sentence = self.document.sentences[self.candidates[place].sentence]
        return self.times[self.own_times[place]].time, sentence.start, self.document.text_of(sentence)

    @cached_property
    def own_days(self) -> tuple[Ints, Ints]:
        """First and last day of the time that each candidate hangs on, 0 where there is none."""
        first, last = (np.append(days, 0)[self.own_times] for days in (self.first_days, self.last_days))
        kinds = np.array([located.time.kind for located in self.times] + [""], dtype="<U5")[self.own_times]
        begins = (self.own_kinds == "from") & np.isin(kinds, ("until", "range"))  # with the end of another state
        return np.where(begins, last, first), last

    @cached_property
    def inferred(self) -> tuple[Ints, Ints]:
        """First and last day of each candidate's likely interval: its own range, or up to where the next one starts."""
        own = self.own_times
        first = np.full(len(own), FAR_PAST, dtype=np.int64)
        last = np.full(len(own), FAR_FUTURE, dtype=np.int64)
        ends: dict[int, tuple[int, int]] = {}
        for index, time in enumerate(own):
            if time != NONE:
                key = int(time)
                if key not in ends:
                    ends[key] = self._reach_of(key)
                first[index], last[index] = ends[key]
        return first, last

    def _reach_of(self, time: int) -> tuple[int, int]:
        located = self.times[time]
        first, last = int(self.first_days[time]), int(self.last_days[time])
        if located.time.kind in ("range", "until") or located.sentence == NONE:
            return first, last
        if located.time.interval.end is Open.ONGOING:
            return first, FAR_FUTURE
        section = self.section_of_sentence[located.sentence]
        for other in range(time + 1, len(self.times)):
            sentence = self.times[other].sentence
            if (
                sentence == NONE
                or sentence > located.sentence + _REACH
                or self.section_of_sentence[sentence] != section
            ):
                break
            kind = self.times[other].time.kind
            if kind == "until" and self.last_days[other] >= last:
                return first, int(self.last_days[other])
            if self.first_days[other] > self.first_days[time]:
                return first, int(self.first_days[other])
        return first, FAR_FUTURE

    def written_day(self, day: int) -> str:
        """Write a day that a time begins or ends with as finely as the text tells it: 1974-01-01 may be all of 1974."""
        return self._written_days.get(day) or str(Date.from_day(day))

    @cached_property
    def _written_days(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for located in self.times:
            for end in (located.time.interval.start, located.time.interval.end):
                if isinstance(end, Date):
                    found.setdefault(end.first, str(end))
                    found.setdefault(end.last, str(end))
        return found

    def told_end(self, position: int) -> Date | None:
        """Return the end that a sentence tells after the start: "elected in 1979, and led it until 1987"."""
        own = int(self.own_times[position])
        if own == NONE or self.own_kinds[position] not in ("at", "from"):
            return None
        located = self.times[own]
        for following in self.times[own + 1 :]:
            if following.sentence != located.sentence or located.sentence == NONE:
                return None
            end = following.time.interval.end
            if following.time.kind == "until" and isinstance(end, Date) and end.last >= located.time.last:
                return end
            if following.time.first > located.time.last:
                return None
        return None

    @cached_property
    def sentence_words(self) -> list[list[str]]:
        """The words of each sentence, in small letters."""
        return [words_of(self.document.text_of(sentence)) for sentence in self.document.sentences]

    @cached_property
    def _vectors(self) -> tuple[Vectors, Vectors, Vectors]:
        if self._encoder is None:
            raise ValueError("this index was made without an encoder")
        sentences = self.document.sentences
        encoded = self._encoder.encode([self.document.text_of(sentence) for sentence in sentences])
        size = encoded[0].whole.shape[0] if encoded else 0
        whole = np.stack([one.whole for one in encoded]) if encoded else np.zeros((0, size), np.float32)
        spans = np.zeros((len(self.candidates), size), np.float32)
        borders = np.searchsorted(self.sentence_of, np.arange(len(sentences) + 1))
        for index, one in enumerate(encoded):
            low, high = borders[index], borders[index + 1]
            if low < high:
                offset = sentences[index].start
                spans[low:high] = span_vectors(one, self.starts[low:high] - offset, self.ends[low:high] - offset)
        return whole, spans, self._encoder.vectors(self.sections)

    @property
    def sentence_vectors(self) -> Vectors:
        """A vector for each sentence."""
        return self._vectors[0]

    @property
    def candidate_vectors(self) -> Vectors:
        """A vector for each candidate in its sentence."""
        return self._vectors[1]

    @cached_property
    def centred_vectors(self) -> Vectors:
        """The candidates' vectors less their mean: what sets a candidate apart from the topic of the document."""
        return unit(self.candidate_vectors - self.candidate_vectors.mean(axis=0, keepdims=True))

    @property
    def section_vectors(self) -> Vectors:
        """A vector for each heading."""
        return self._vectors[2]


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters, plural and past endings cut, so that forms of a word meet.

    >>> words_of("Managers managed the Clubs")
    ['manag', 'manag', 'the', 'club']
    """
    return [_stem(word.lower()) for word in _WORD.findall(text)]  # "İ" in small letters is two signs, and two words


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    for ending in ("ership", "ments", "ment", "ers", "ing", "ors", "er", "or", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


def _first(time: TimeExpression) -> int:
    start = time.interval.start
    return start.first if isinstance(start, Date) else FAR_PAST


def _last(time: TimeExpression) -> int:
    end = time.interval.end
    if isinstance(end, Date):
        return end.last
    return FAR_FUTURE


def _nearer(left: int, right: int, start: int, end: int, time_starts: Ints, time_ends: Ints) -> int:
    if left == NONE or right == NONE:
        return max(int(left), int(right))
    return int(left if start - time_ends[left] < time_starts[right] - end else right)
