"""Columns about the words of the asked kind of fact: in a candidate's sentence and heading, before it, in itself.

The words are those of ``cues/en.toml``, blended by how well each kind fits the question.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from asof.reading.answer_types import LOOKS
from asof.reading.cues.kinds import kinds, rarity_of, weigh_kinds
from asof.reading.document_features import Column, numbers
from asof.reading.index import DocumentIndex, Ints, words_of
from asof.reading.line_features import ranks
from asof.reading.relation import relation_of

_WORD = re.compile(r"[^\W_]+")
_NEAR = 8  # words before or after a candidate
_FAR = 30  # words: a cue further away counts as none
_TELLING = 0.3  # weight of a cue that counts as one
_FITS = {  # which looks answer a want of the file
    "person": ("person",),
    "team": ("team",),
    "school": ("school",),
    "party": ("party",),
    "place": ("place",),
    "venue": ("venue",),
    "company": ("company",),
    "military": ("military",),
    "league": ("league",),
    "award": ("award",),
    "role": ("role", "small letters"),
    "vehicle": (),
    "name": (),
}


class Cues:
    """The words of a document by their places, ready to be weighed for any question."""

    def __init__(self, index: DocumentIndex, looks: Ints) -> None:
        self.index, self.looks = index, looks
        ids: dict[str, int] = {}
        document, words, starts, borders = index.document, [], [], [0]
        for sentence in document.sentences:
            text = document.text_of(sentence)
            words += [ids.setdefault(word, len(ids)) for word in words_of(text)]
            starts += [match.start() + sentence.start for match in _WORD.finditer(text)]
            borders.append(len(words))
        self._ids = ids
        self._words = np.array(words, dtype=np.int64)
        self._borders = np.array(borders, dtype=np.int64)
        sentence = np.repeat(np.arange(len(borders) - 1), np.diff(self._borders))
        place = sentence * 1_000_000 + np.array(starts, dtype=np.int64)  # grows over the whole document
        self.first = np.searchsorted(place, index.sentence_of * 1_000_000 + index.starts)
        self.end = np.searchsorted(place, index.sentence_of * 1_000_000 + index.ends)
        self.low, self.high = self._borders[index.sentence_of], self._borders[index.sentence_of + 1]

    def of(self, question: str) -> dict[str, Column]:
        """Return columns for a question without its time."""
        fits = weigh_kinds(relation_of(question, self.index.document.title), question)
        best = int(np.argmax(fits))
        tells = self._weights(_blended("tells", fits))
        usual = self._weights(_blended("tells", np.full(len(fits), 1 / len(fits), np.float32)))
        count = len(self.index.candidates)
        found = {
            "kind": np.full(count, best if fits[best] else -1, np.float32),
            "kind fits": np.full(count, fits[best], np.float32),
            **self._near(tells, ""),
            **self._near(tells - usual, "special "),
            **self._own(fits),
            **self._headings(fits),
        }
        return found | self._of_mentions(found)

    def _weights(self, words: dict[str, float]) -> Column:
        known = np.zeros(len(self._ids) + 1, np.float32)
        for word, weight in words.items():
            if word in self._ids:
                known[self._ids[word]] = weight
        return known[self._words]

    def _near(self, weights: Column, name: str) -> dict[str, Column]:
        total = np.append(0, np.cumsum(weights, dtype=np.float64))
        sums = np.diff(total[self._borders])
        of = self.index.sentence_of
        before = total[self.first] - total[np.maximum(self.low, self.first - _NEAR)]
        after = total[np.minimum(self.high, self.end + _NEAR)] - total[np.minimum(self.end, self.high)]
        found = {
            f"{name}cues of sentence": numbers(sums[of]),
            f"{name}cues before": numbers(before),
            f"{name}cues after": numbers(after),
            f"{name}cues of last sentence": numbers(np.append(0.0, sums[:-1])[of]),
        }
        if not name:
            telling = weights > _TELLING
            places = np.arange(len(weights))
            last = np.maximum.accumulate(np.append(-_FAR, np.where(telling, places, -_FAR)))
            following = np.minimum.accumulate(np.append(np.where(telling, places, 10**9), 10**9)[::-1])[::-1]
            back = self.first - last[self.first]
            ahead = following[np.minimum(self.end, len(weights))] - self.end
            found["cue back"] = numbers(np.where(last[self.first] >= self.low, np.minimum(back, _FAR), _FAR))
            found["cue ahead"] = numbers(np.where(ahead + self.end < self.high, np.minimum(ahead, _FAR), _FAR))
            sections = self.index.section_of_sentence
            of_section = np.bincount(sections, weights=sums, minlength=len(self.index.sections))
            length = np.bincount(sections, minlength=len(self.index.sections))
            found["cues of section"] = numbers((of_section / np.maximum(1, length))[sections[of]])
        return found

    def _own(self, fits: Column) -> dict[str, Column]:
        heads, leads = _blended("heads", fits), _blended("leads", fits)
        wanted = np.zeros(len(LOOKS), np.float32)
        for kind, weight in zip(kinds(), fits, strict=True):
            for want in kind.wants:
                for look in _FITS[want]:
                    wanted[LOOKS.index(look)] += weight
        own = self._own_words
        last = np.array([heads.get(words[-1], 0.0) if words else 0.0 for words in own], np.float32)
        any_of = np.array([max((heads.get(word, 0.0) for word in words), default=0.0) for words in own], np.float32)
        usual = rarity_of("heads")
        against = np.array([max((usual.get(word, 0.0) for word in words), default=0.0) for words in own], np.float32)
        return {
            "head fits": last[self._own_of],
            "word fits": any_of[self._own_of],
            "lead fits": numbers([leads.get(lead, 0.0) for lead in self._leads]),
            "second lead fits": numbers([leads.get(lead, 0.0) for lead in self._second_leads]),
            "look fits": wanted[self.looks],
            "look against": numbers((self.looks != 0) & (wanted[self.looks] < 0.1)),
            "head against": (against - any_of)[self._own_of],
        }

    @cached_property
    def _texts(self) -> tuple[list[str], Ints]:
        different, of = np.unique([candidate.text for candidate in self.index.candidates], return_inverse=True)
        return different.tolist(), of.astype(np.int64)

    @property
    def _own_of(self) -> Ints:
        return self._texts[1]

    @cached_property
    def _own_words(self) -> list[list[str]]:
        return [[word.rstrip(".,") for word in text.lower().split() if word not in ".,()"] for text in self._texts[0]]

    @cached_property
    def _leads(self) -> list[str]:
        return [candidate.before for candidate in self.index.candidates]

    @cached_property
    def _second_leads(self) -> list[str]:
        """The word before "the" or a comma, where the candidate follows one."""
        texts = {word: text for text, word in self._ids.items()}
        return [
            texts[self._words[first - 2]] if first - 2 >= low and candidate.before in ("the", "a", "an", "his") else ""
            for candidate, first, low in zip(self.index.candidates, self.first, self.low, strict=True)
        ]

    def _of_mentions(self, found: dict[str, Column]) -> dict[str, Column]:
        """Let the mentions of a text speak together: the mean and the best of what stands around them."""
        of, counts = self._own_of, np.bincount(self._own_of)
        told = found["cues before"] + found["cues after"] + found["lead fits"] + found["second lead fits"]
        fit = found["head fits"] + 2 * found["look fits"] + found["heading fits"]
        both = numbers(told + fit)
        columns = {"cue score": both, "cue score rank": ranks(both)}
        for name, column in (("told", told), ("lead fits", found["lead fits"]), ("score", both)):
            mean = np.bincount(of, weights=column) / counts
            best = np.full(len(counts), -9.0, np.float32)
            np.maximum.at(best, of, column)
            columns |= {f"mentions mean {name}": numbers(mean)[of], f"mentions best {name}": best[of]}
        return columns

    def _headings(self, fits: Column) -> dict[str, Column]:
        words = _blended("headings", fits)
        told = _blended("tells", fits)
        said = [set(words_of(section)) for section in self.index.sections]
        found = np.array([sum(words.get(word, 0.0) for word in one) for one in said], np.float32)
        also = np.array([sum(told.get(word, 0.0) for word in one) for one in said], np.float32)
        of = self.index.section_of_sentence[self.index.sentence_of]
        return {"heading fits": found[of], "cues of heading": also[of]}


def _blended(part: str, fits: Column) -> dict[str, float]:
    """Return the words of all kinds with their weights, each kind as much as it fits."""
    found: dict[str, float] = {}
    rarity = rarity_of(part)
    for kind, weight in zip(kinds(), fits.tolist(), strict=True):
        if weight > 0.02:
            for word in getattr(kind, part):
                found[word] = found.get(word, 0.0) + weight * rarity[word]
    return found
