"""Letters that grow, shrink or vanish when they are made small: places in a text stay places in that text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.reading.cue_features import Cues
from asof.reading.documents import Document
from asof.reading.features import Features
from asof.reading.index import _WORD, DocumentIndex, words_of
from asof.reading.times.asked import asked_time
from asof.reading.times.expressions import find_times
from tests.reading.tiny_readers import WordEncoder

# Small letters of more signs (İ), of another alphabet (K, Å), capital letters of more signs (ß, ŉ, ﬁ, ǰ), joined signs.
ODD = "İıſKÅßẞŉﬁﬀǰΐᾳΣςǅⅣⓐ\u0307e\u0301 "
SENTENCES = st.lists(
    st.sampled_from(["İsmet", "İnönü", "led", "İstanbul", "from", "1990", "to", "1995", ".", "the followİng year",
                     "two yearſ later", "ſame", "the ſame year", "Auguſt 1776", "Aprİl 1990", "World War İI", "."])
    | st.text(ODD, max_size=5)
).map(" ".join)  # fmt: skip


@given(st.text() | SENTENCES)
def test_a_text_has_as_many_small_words_as_words(text: str) -> None:
    assert len(words_of(text)) == len(_WORD.findall(text))


@given(SENTENCES)
def test_times_stand_where_they_are_found(text: str) -> None:
    for time in find_times(text):
        assert 0 <= time.start < time.end <= len(text)
    asked_time(f"Who led it {text}?")


@settings(max_examples=25)
@given(SENTENCES)
def test_every_page_has_its_columns(text: str) -> None:
    index = DocumentIndex(
        Document.from_text(f"{text}\nAnn Lee led İzmir from 1990 to 1995 .", title="İ"), WordEncoder()
    )
    features = Features(index)
    cues = Cues(index, features.looks)
    assert all(len(column) == len(index.candidates) for column in cues.of("who led İzmir?").values())


@pytest.mark.parametrize("word", ["İsmet", "followİng"])
def test_a_word_is_one_word_in_small_letters(word: str) -> None:
    assert len(words_of(word)) == 1
