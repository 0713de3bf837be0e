"""Clauses that tell of a neighbour: "before he went to Caltech" is "before Caltech", "after Pius died" "after Pius".

What came right before somebody joined something, or right after somebody was gone, is what stands beside it in the
facts; a death says so only of what lasts for life, and of whoever came into the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_PRONOUN = r"(?:he|she|they|it)"
_JOINED = (
    r"(?:(?:went|going|moved|moving|came|coming|got|switched|switching|transferred|transferring|was traded|was sold"
    r"|was transferred|changed|changing|relocated|relocating) to"
    r"|(?:moved|moving|went|going) into|join(?:ed|ing)|marr(?:ied|ying)|wed(?:ding)?|adopt(?:ed|ing)|us(?:ed|ing)"
    r"|introduc(?:ed|ing)|s(?:igned|igning) (?:for|with)|play(?:ed|ing) (?:for|at|in)|work(?:ed|ing) (?:for|at|in)"
    r"|study(?:ing)? at|studied at|attend(?:ed|ing)|start(?:ed|ing) (?:at|with)|arriv(?:ed|ing) (?:at|in)"
    r"|liv(?:ed|ing) in"
    r"|was (?:at|with|in|married to)|being (?:at|with|in|married to)|dat(?:ed|ing)|met|meeting"
    r"|manag(?:ed|ing)|coach(?:ed|ing)|led|leading|ran|running|taking over(?: at)?|took over(?: at)?|became|becoming)"
)
_BEFORE = re.compile(
    rf"\b(?P<link>(?:right |just |immediately )?(?:before|prior to|after))\s+(?:{_PRONOUN}\s+)?(?:first\s+|finally\s+)?"
    rf"{_JOINED}\s+(?=\w)",
    re.IGNORECASE,
)
_DIED = r"(?:died|passed away|was (?:killed|murdered|assassinated|shot|executed))"
_DEATH = r"(?:death|passing|assassination|murder|execution)"
_WENT = (
    r"(?:resigned|retired|stepped down|stepped aside|left(?: office| the job| the post)?|quit|abdicated"
    r"|was (?:fired|sacked|ousted|deposed|overthrown|removed|dismissed|forced out|impeached|voted out)"
    r"|got (?:fired|sacked))"
)
_GOING = (
    r"(?:resignation|retirement|departure|abdication|dismissal|ouster|removal|firing|sacking|exit|overthrow|divorce)"
)
_GONE = re.compile(
    rf"\b(?:after|when|once|following|upon)\s+(?:the\s+)?(?:(?P<of>{_DEATH}|{_GOING})\s+of\s+(?P<whom>[^,?]+?)"
    rf"|(?P<who>[^,?]+?)(?:['’]s?\s+(?P<noun>{_DEATH}|{_GOING})|\s+(?P<verb>{_DIED}|{_WENT})))"
    r"(?=[\s,?.!]*$|,)",
    re.IGNORECASE,
)
_PARTED = re.compile(
    r"\bafter\s+(?:divorcing|leaving|splitting(?: up)? (?:from|with)|separating from|breaking up with"
    r"|parting (?:with|from)"
    rf"|(?:{_PRONOUN}\s+)?(?:divorced|left|split(?: up)? (?:from|with)|separated from|broke up with)"
    r"|(?:his|her|their|the)\s+(?:divorce|split|separation|break-?up) (?:from|with))\s+(?=\w)",
    re.IGNORECASE,
)
_DEAD = re.compile(rf"{_DIED}|{_DEATH}", re.IGNORECASE)
# Who came into a place was there right after; a pope, a king or a wife was so for life.
_CAME_IN = r"bec[ao]mes?|took over|takes? over|succeed(?:s|ed)?|replaced?|took office|stepped in"
_CAME = re.compile(rf"\b(?:{_CAME_IN})\b", re.IGNORECASE)
_FOR_LIFE = re.compile(
    rf"\b(?:{_CAME_IN}|followed?|came to|(?:re)?marr(?:y|ied)|wed|elected|chosen|next"
    r"|pope|king|queen|emperor|tsar|sultan|monarch|throne|wife|husband)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"^(?:when|once)\b", re.IGNORECASE)


def beside_somebody(text: str) -> Iterator[str]:
    """Walk over the ways to say with a name alone what a clause says of it.

    >>> list(beside_somebody("Where did Feynman work before he went to Caltech?"))
    ['Where did Feynman work before Caltech?']
    >>> list(beside_somebody("Who became pope after John Paul I died?"))
    ['Who became pope after John Paul I?']
    >>> list(beside_somebody("Who was prime minister after Churchill died?"))  # which was years after he had been it
    []
    """
    for pattern, plainer in ((_PARTED, "after "), (_BEFORE, r"\g<link> ")):
        said = pattern.sub(plainer, text, count=1)
        if said != text:
            yield said
    gone = _GONE.search(text)
    if gone is None:
        return
    main = text[: gone.start()] + text[gone.end() :]
    if _DEAD.fullmatch(gone["of"] or gone["noun"] or gone["verb"]) and not _FOR_LIFE.search(main):
        return
    if _WHEN.match(gone[0]) and not _CAME.search(main):  # "who was pope when Nixon resigned" asks for that day
        return
    yield f"{text[: gone.start()]}after {gone['whom'] or gone['who']}{text[gone.end() :]}"
