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
_ALSO = {"role": ("small letters",)}  # looks that fit a want beside the one of its name


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
        of_word = np.repeat(np.arange(len(borders) - 1), np.diff(self._borders))
        position = of_word * 1_000_000 + np.array(starts, dtype=np.int64)  # grows over the whole document
        self.first = np.searchsorted(position, index.sentence_of * 1_000_000 + index.starts)
        self.end = np.searchsorted(position, index.sentence_of * 1_000_000 + index.ends)
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
        return found if name else found | self._distances(weights) | self._of_sections(sums)

    def _distances(self, weights: Column) -> dict[str, Column]:
        """Return how many words lie between a candidate and the nearest cue of its sentence."""
        telling, indices = weights > _TELLING, np.arange(len(weights))
        last = np.maximum.accumulate(np.append(-_FAR, np.where(telling, indices, -_FAR)))[self.first]
        far = len(weights) + _FAR
        following = np.minimum.accumulate(np.append(np.where(telling, indices, far), far)[::-1])[::-1][self.end]
        return {
            "cue back": numbers(np.where(last >= self.low, np.minimum(self.first - last, _FAR), _FAR)),
            "cue ahead": numbers(np.where(following < self.high, np.minimum(following - self.end, _FAR), _FAR)),
        }

    def _of_sections(self, sums: Column) -> dict[str, Column]:
        sections, count = self.index.section_of_sentence, len(self.index.sections)
        total, length = (np.bincount(sections, weights=of, minlength=count) for of in (sums, None))
        return {"cues of section": numbers((total / np.maximum(1, length))[sections[self.index.sentence_of]])}

    def _own(self, fits: Column) -> dict[str, Column]:
        """Return how a candidate itself and the word before it fit the kind, or speak against it."""
        heads, leads = _blended("heads", fits), _blended("leads", fits)
        cut = {word: weight for lead, weight in leads.items() for word in words_of(lead)}  # without endings
        wanted = np.zeros(len(LOOKS), np.float32)
        for kind, weight in zip(kinds(), fits, strict=True):
            for want in kind.wants:
                for look in {want, *_ALSO.get(want, ())} & set(LOOKS):
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
            "second lead fits": numbers([cut.get(lead, 0.0) for lead in self._second_leads]),
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
        """The word before "the" or another small word that stands before the candidate, without its ending."""
        texts = {word: text for text, word in self._ids.items()}
        return [
            texts[self._words[first - 2]] if first - 2 >= low and candidate.before in ("the", "a", "an", "his") else ""
            for candidate, first, low in zip(self.index.candidates, self.first, self.low, strict=True)
        ]

    def _of_mentions(self, raw: dict[str, Column]) -> dict[str, Column]:
        """Let the mentions of a text speak together: the mean and the best of what stands around them."""
        of, counts = self._own_of, np.bincount(self._own_of)
        told = raw["cues before"] + raw["cues after"] + raw["lead fits"] + raw["second lead fits"]
        fit = raw["head fits"] + 2 * raw["look fits"] + raw["heading fits"]
        both = numbers(told + fit)
        columns = {"cue score": both, "cue score rank": ranks(both)}
        for name, column in (("told", told), ("lead fits", raw["lead fits"]), ("score", both)):
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
