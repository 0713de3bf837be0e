"""What speaks for a candidate, in words: its sentence, the time it hangs on, and what that means for the asked one."""

from __future__ import annotations

from asof.reading.answers import Evidence
from asof.reading.index import DocumentIndex
from asof.reading.names import NameRanking, different
from asof.reading.own_times import own_time
from asof.reading.second_opinion import NAMES, ShortList
from asof.reading.times.asked import AskedTime
from asof.wording.normalised import normalised

_LOOKED_AT = 100  # names and forms of names


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
    """Return the best names for a question, no two forms of one, and their places among candidates."""
    likely = dict(zip(choice.indices.tolist()[:_LOOKED_AT], choice.likely.tolist(), strict=False))
    fitting = [position for position in likely if not own_time(index, position, asked).lies_outside]
    apart = different((normalised(index.candidates[position].text) for position in fitting), most=NAMES)
    kept = [fitting[one] for one in apart]
    names = tuple(evidence_of(index, position, asked, likely[position]) for position in kept)
    return ShortList(question, index.document.title, names), tuple(kept)
