"""Which candidates a sentence tells the end of: in "moved from Rome to Oslo in 1990" Rome ends in 1990, Oslo begins."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from asof.reading.candidates import Candidate
from asof.reading.documents import Document

_BEFORE = 60  # letters that are looked at
_BETWEEN = r"(?:the|a|an|its|his|her|their|former|then|city|town|village|of|position|post|office|role|job|as)\s"
_ENDS = re.compile(
    rf"""
    (?:\b(?:from|left|leaving|departed|departing|quit|vacated|vacating|abandoned|relinquished|replaced|replacing|succeeded
    |succeeding|superseded|superseding|ousted|ousting|overthrew|deposed|deposing|defeated|defeating|resigned|fled
    |instead\sof|sold\sby|divorced|divorcing|formerly|previously|renamed\sfrom|known\suntil\sthen\sas)\s
    |\b(?:resigned|retired|stepped\sdown|graduated|transferred|moved|withdrew|departed)\s(?:from|as)\s)
    (?:{_BETWEEN}){{0,4}}$
    """,
    re.VERBOSE,
)


def told_to_end(document: Document, candidates: list[Candidate]) -> npt.NDArray[np.bool_]:
    """Tell of each candidate whether the words before it say that it ended.

    >>> from asof.reading.candidates import find_candidates
    >>> page = Document.from_text("In 2013 he was transferred from Corcoran to Donovan , and Ann Lee replaced Bo Ek .")
    >>> found = [one for one in find_candidates(page) if one.text in ("Corcoran", "Donovan", "Ann Lee", "Bo Ek")]
    >>> [(one.text, bool(ends)) for one, ends in zip(found, told_to_end(page, found))]
    [('Corcoran', True), ('Donovan', False), ('Ann Lee', False), ('Bo Ek', True)]
    """
    sentences, paragraphs = document.sentences, document.paragraphs
    ends = np.zeros(len(candidates), dtype=bool)
    for place, candidate in enumerate(candidates):
        sentence = sentences[candidate.sentence]
        begin = max(sentence.start, candidate.start - _BEFORE)
        ends[place] = bool(_ENDS.search(paragraphs[sentence.paragraph].text[begin : candidate.start]))
    return ends
