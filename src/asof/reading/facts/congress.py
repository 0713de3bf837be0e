"""Seats of Congress, put in the words of the base: "represented Ohio in the Senate" is "was senator from Ohio"."""

from __future__ import annotations

import re

_HOUSE = (
    r"in the (?:us |u\.s\. |united states )?(?:(?P<senate>senate)|(?P<house>house(?: of representatives)?)|congress)"
)
_SEATS = (
    re.compile(rf"\brepresent(?:s|ed|ing)? (?P<state>[a-z ]+?) {_HOUSE}\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:sat|sits|served|was|were|is) {_HOUSE} (?:for|from) (?P<state>[a-z ]+?)"
        r"(?=\s*(?:[?.!,]|$|(?:in|during)\b))",
        re.IGNORECASE,
    ),
)
_IN_CONGRESS = tuple(  # of nobody's state: "when did he leave the Senate", "how long did he serve in the House"
    (re.compile(rf"\b{said} {_HOUSE.removeprefix('in ')}(?! of (?!representatives))\b", re.IGNORECASE), plainer)
    for said, plainer in (
        (r"(?:enter|entered|join|joined|get into|got into|go to|went to)", "become"),
        (r"(?:leave|left|quit|retire from|retired from)", "stop being"),
        (r"(?:serve|served|serving|sit|sat) in", "serve as"),
    )
)
_OF_SENATORS = re.compile(r"\b(?P<who>senators?) (?:that |who )?represent(?:s|ed|ing)?\b", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NTH = rf"(?:[0-9]{{1,2}}(?:st|nd|rd|th)|{'|'.join(_ORDINALS)})"
_DISTRICT = re.compile(
    r"\b(?:represent(?:s|ed|ing)?"
    r"|(?:was|is|were) (?:the )?(?:us |u\.s\. )?(?:representative|congress(?:man|woman)|member of congress)"
    r" (?:for|from|of))"
    rf" (?:the )?(?:(?P<state>[a-z .]+?)['’]s? (?P<nth>{_NTH}) (?:congressional )?district"
    rf"|(?P<nth2>{_NTH}) (?:congressional )?district (?:of|in) (?P<state2>[a-z .]+?)"
    r"(?=\s*(?:[?.!,]|$|(?:in|during|on)\b)))"
    r"(?: in (?:the )?(?:us )?(?:congress|house(?: of representatives)?))?",
    re.IGNORECASE,
)
_IN_A_DISTRICT = re.compile(  # "who took over from Hardy in Virginia's 2nd district"
    r"\b(?:as (?:the )?(?:us |u\.s\. )?(?:representative|congress(?:man|woman)|member of congress) (?=for|from|of))?"
    rf"(?P<link>(?:in|for|from|at|of) )?(?:the )?(?P<state>(?:(?:new|north|south|west|rhode) )?[a-z]+)(?:['’]s?)?"
    rf" (?P<nth>{_NTH}) (?:congressional )?district\b",
    re.IGNORECASE,
)
_TITLES = r"(?:(?P<senator>senator)|(?P<congressman>congressman|congresswoman|representative)) "
_WHICH_SEAT = re.compile(
    rf"\b(?:which|what) (?:state|seat|district)(?:['’]s seat)? (?:did|does) (?:{_TITLES})?(?P<who>[^,?]+?)"
    rf" (?:(?P<represent>represent)|hold|have|occupy|serve)\b(?: {_HOUSE})?",
    re.IGNORECASE,
)
_SENATOR_WHERE = re.compile(
    r"\b(?:which|what) state (?:was|is) (?P<who>[^,?]+?) (?:a |the )?(?:us |u\.s\. )?"
    r"(?P<title>senator|congressman|congresswoman|representative) (?:of|from|for)\b",
    re.IGNORECASE,
)


def in_congress(text: str) -> str:
    """Put what is said of seats in Congress in plainer words.

    >>> in_congress("Who represented Ohio in the Senate in 1950?")
    'Who was senator from Ohio in 1950?'
    >>> in_congress("Who represented Ohio's 3rd district in 1950?")
    'Who was united states representative for the 3rd district of Ohio in 1950?'
    >>> in_congress("Which state did Sam Houston represent in the US Senate?")
    'which position did Sam Houston hold as us senator?'
    """
    text = _DISTRICT.sub(_district, text)
    text = _IN_A_DISTRICT.sub(_in_a_district, text)
    text = _WHICH_SEAT.sub(_which_seat, text)
    text = _SENATOR_WHERE.sub(_which_state, text)
    for pattern in _SEATS:
        text = pattern.sub(_seat, text)
    for pattern, plainer in _IN_CONGRESS:
        text = pattern.sub(lambda said, plainer=plainer: f"{plainer} {_office(said)}", text)  # type: ignore[misc]
    return _OF_SENATORS.sub(r"\g<who> from", text)


def _office(match: re.Match[str]) -> str:
    return "us senator" if match["senate"] else "us representative" if match["house"] else "member of congress"


def _seat(match: re.Match[str]) -> str:
    office = "senator" if match["senate"] else "us representative"
    return f"was {office} from {match['state']}"


def _district(match: re.Match[str]) -> str:
    state, nth = match["state"] or match["state2"], _in_figures(match["nth"] or match["nth2"])
    return f"was united states representative for the {nth} district of {state}"


def _in_a_district(match: re.Match[str]) -> str:
    if match["state"].casefold() in ("the", "which", "what", "a"):
        return match[0]
    link = "as " if match["link"] else ""
    return f"{link}united states representative for the {_in_figures(match['nth'])} district of {match['state']}"


def _in_figures(nth: str) -> str:
    """Write a number as it stands in the name of a seat.

    >>> _in_figures("Third"), _in_figures("22nd")
    ('3rd', '22nd')
    """
    if nth.casefold() not in _ORDINALS:
        return nth
    number = _ORDINALS.index(nth.casefold()) + 1
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def _which_seat(match: re.Match[str]) -> str:
    seat = match[0].split()[1].casefold()
    told = any(match[name] for name in ("senate", "house", "senator", "congressman"))
    if not told and (seat == "seat" or not match["represent"]):  # of another parliament, "which state did he serve"
        return match[0]
    office = "us senator" if match["senate"] or match["senator"] else "member of congress"
    if match["house"] or match["congressman"] or seat == "district":
        office = "us representative"
    return f"which position did {match['who']} hold as {office}"


def _which_state(match: re.Match[str]) -> str:
    office = "us senator" if match["title"].casefold() == "senator" else "us representative"
    return f"which position did {match['who']} hold as {office}"
