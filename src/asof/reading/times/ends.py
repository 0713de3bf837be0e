"""Dates that end or begin a state though they look otherwise: who retired then, what was left then, who came next."""

from __future__ import annotations

import re

_IN = r"\s(?:in|on)\s(?:the\s|early\s|late\s|mid-?\s?)*$"
_WENT = (
    r"retired|resigned|stepped\sdown|stood\sdown|died|drowned|abdicated"
    r"|was\s(?:sacked|dismissed|fired|removed|ousted|deposed|murdered|assassinated|killed|executed|replaced|succeeded"
    r"|closed|dissolved|disbanded|abolished|demolished|destroyed)"
)
_AFTER = re.compile(
    rf"\s?,?\s(?:(?:who|and|he|she|it|then|finally|also)\s){{0,2}}(?:{_WENT})(?:\s(?!in\b|on\b)\w+){{0,3}}{_IN}"
)
_BEFORE = re.compile(
    r"\b(?:left|quit|leaving|departed|resigned\sfrom|retired\sfrom|withdrew\sfrom|expelled\sfrom)\s(?:the\s)?$"
)
_ONLY_IN = re.compile(_IN)

_CAME_NEXT = re.compile(
    r"\s?[)]?\s?[;,.]?\s(?:(?:and|when|then|he|she|it|who|was|were|being)\s){0,4}"
    r"(?:followed|succeeded|replaced)\s(?:in\sturn\s)?by\s(?:[\w'’-]+\s){0,4}"
)


def begins_at_end(between: str) -> bool:
    """Tell whether what stands between the end of a state and a name says that the name's own state then began.

    >>> begins_at_end("; he was followed by his son-in-law "), begins_at_end(" and was born in ")
    (True, False)
    """
    return bool(_CAME_NEXT.fullmatch(between))


def is_end_of(text: str, start: int, end: int, time: int) -> bool:
    """Tell whether a date after a name says when what the name stands for ended.

    Args:
        start: Where the name begins in the text.
        end: Where it ends.
        time: Where the date begins.

    >>> text = "Ann Lee, who retired in 2006"
    >>> is_end_of(text, 0, 7, text.index("2006"))
    True
    >>> text = "She left Acme in 2006"
    >>> is_end_of(text, 9, 13, text.index("2006")), is_end_of(text, 0, 3, text.index("2006"))
    (True, False)
    """
    between = text[end:time]
    if _AFTER.fullmatch(between):
        return True
    return bool(_ONLY_IN.fullmatch(between) and _BEFORE.search(text[:start]))
