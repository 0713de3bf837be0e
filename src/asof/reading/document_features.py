"""What speaks for a candidate whatever is asked: its shape, the words around it, its place in the document."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from asof.reading.candidates import Candidate
from asof.reading.index import NONE, DocumentIndex, words_of

Column = npt.NDArray[np.float32]

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
_NEAR = 60  # letters around a candidate


def numbers(values: object) -> Column:
    """Make a column."""
    return np.asarray(values, dtype=np.float32)


def of_shape(index: DocumentIndex) -> dict[str, Column]:
    """Return columns about how candidates are written and how often."""
    candidates = index.candidates
    counts = Counter(candidate.text for candidate in candidates)
    wholes = Counter(candidate.text for candidate in candidates if candidate.whole)
    title = set(words_of(index.document.title))
    return {
        "words": numbers([candidate.words for candidate in candidates]),
        "letters": numbers([len(candidate.text) for candidate in candidates]),
        "whole": numbers([candidate.whole for candidate in candidates]),
        "named": numbers([candidate.named for candidate in candidates]),
        "capitals": numbers([_share_of_capitals(candidate) for candidate in candidates]),
        "digits": numbers([any(sign.isdigit() for sign in candidate.text) for candidate in candidates]),
        "comma": numbers(["," in candidate.text for candidate in candidates]),
        "of": numbers([" of " in candidate.text for candidate in candidates]),
        "all capitals": numbers([candidate.text.isupper() for candidate in candidates]),
        "initials": numbers([" ." in candidate.text for candidate in candidates]),
        "times in document": numbers([counts[candidate.text] for candidate in candidates]),
        "times as whole": numbers([wholes[candidate.text] for candidate in candidates]),
        "share as whole": numbers([wholes[candidate.text] / counts[candidate.text] for candidate in candidates]),
        "in title": numbers([_overlap(words_of(candidate.text), title) for candidate in candidates]),
        "word before": numbers([_index_in(_BEFORE, candidate.before) for candidate in candidates]),
        "word after": numbers([_index_in(_AFTER, candidate.after) for candidate in candidates]),
        "name before": numbers([candidate.name_before for candidate in candidates]),
    }


def _share_of_capitals(candidate: Candidate) -> float:
    words = candidate.text.split()
    return sum(word[0].isupper() for word in words) / len(words)


def _index_in(words: list[str], word: str) -> int:
    return words.index(word) if word in words else len(words)


def _overlap(words: list[str], others: set[str]) -> float:
    return sum(word in others for word in words) / len(words) if words else 0.0


def around(index: DocumentIndex, candidate: Candidate) -> list[str]:
    """Return the words near a candidate in its sentence."""
    sentence = index.document.sentences[candidate.sentence]
    text = index.document.paragraphs[sentence.paragraph].text
    low, high = max(sentence.start, candidate.start - _NEAR), min(sentence.end, candidate.end + _NEAR)
    return words_of(f"{text[low : candidate.start]} {text[candidate.end : high]}")


def of_position(index: DocumentIndex) -> dict[str, Column]:
    """Return columns about where candidates stand."""
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
        "entry": numbers(entry[of]),
        "dated entries": numbers(dated[sections[of]]),
        "entries": numbers(entries[sections[of]]),
        "times in section": numbers(times[sections[of]]),
        "times in sentence": numbers(in_sentence[of]),
        "section": numbers(sections[of]),
        "place in document": numbers(of / max(1, len(sentences))),
        "sentences": np.full(len(of), len(sentences), np.float32),
        "letters of sentence": lengths[of],
        "place in sentence": numbers((index.starts - starts[of]) / np.maximum(1, lengths[of])),
        "letters before": numbers(index.starts - starts[of]),
    }
