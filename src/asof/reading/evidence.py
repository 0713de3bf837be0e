"""What speaks for a candidate, in words: its sentence, the time it hangs on, and what that means for the asked one."""

from __future__ import annotations

from asof.reading.answers import Evidence
from asof.reading.index import DocumentIndex
from asof.reading.names import NameRanking
from asof.reading.own_times import own_time
from asof.reading.second_opinion import NAMES, ShortList
from asof.reading.times.asked import AskedTime


def evidence_of(index: DocumentIndex, position: int, asked: AskedTime, probability: float) -> Evidence:
    """Say what speaks for a candidate."""
    candidate = index.candidates[position]
    sentence = index.document.sentences[candidate.sentence]
    own = own_time(index, position, asked)
    return Evidence(
        candidate=candidate.text,
        sentence=index.document.text_of(sentence),
        section=index.document.paragraphs[sentence.paragraph].section,
        interval=own.interval,
        verdict=own.verdict,
        probability=probability,
    )


def short_list(
    index: DocumentIndex, question: str, asked: AskedTime, choice: NameRanking
) -> tuple[ShortList, tuple[int, ...]]:
    """Return the best names for a question as a language model is shown them, and their places among candidates."""
    kept = [
        (position, likely)
        for position, likely in zip(choice.indices.tolist()[: 2 * NAMES], choice.likely.tolist(), strict=False)
        if not own_time(index, position, asked).lies_outside
    ][:NAMES]
    names = tuple(evidence_of(index, position, asked, likely) for position, likely in kept)
    return ShortList(question, index.document.title, names), tuple(position for position, _ in kept)
