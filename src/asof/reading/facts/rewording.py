"""Turns of phrase, put in plainer words before a question is read: "took Ballmer's place" is "succeeded Ballmer"."""

from __future__ import annotations

import re
from functools import cache

from asof.reading.facts.congress import in_congress
from asof.reading.facts.eras import in_days
from asof.reading.facts.phrases import phrases
from asof.timeline.date import MONTHS

_BY_PATTERN = tuple(
    (re.compile(pattern, re.IGNORECASE), plainer)
    for pattern, plainer in (
        (r"\b(?:take|takes|took) (?P<whom>[^,?]+?)['’]s (?:place|seat|job|spot)\b", r"succeeded \g<whom>"),
        (r"\b(?:step|steps|stepped|slip|slipped) into (?P<whom>[^,?]+?)['’]s shoes\b", r"succeeded \g<whom>"),
        (r"\bgo(?: next)?(?= after\b)", "move to"),
        (
            r"(?P<moved>\b(?:move|moved|switch|switched|relocate|relocated|transfer|transferred|change|changed|go|went)\b[^,?]*?)"
            r" from (?P<first>[^,?]+?) to (?P<then>[^,?]+?)(?= in [0-9]{4}|[\s?.!]*$)",
            r"\g<moved> to \g<then> after \g<first>",
        ),
        (r"\bleave (?P<first>[^,?]+?) for(?=[\s?.!]*$)", r"join after \g<first>"),  # "which club did he leave A for"
        (r"^of all (?:the )?(?P<what>[^,?]+), who(?P<rest> .+)$", r"which \g<what>\g<rest>"),
        (r"^(?P<asks>who|what|where|when)s\b", r"\g<asks> is"),
        (r"\bwhere (?:in the world|on earth|exactly|abouts)\b", "where"),
        (
            r"\b(?P<where>where|in (?:which|what) \w+) (?:could|can) (?:you|one|we|i|people|visitors|anybody|anyone) "
            r"(?:see|view|visit|admire|find)\b",
            r"\g<where> was",
        ),
        (
            r"\bwhen (?:did|was) the (?:last|final) episode of (?P<what>[^,?]+?) (?:air|aired|shown|broadcast)\b",
            r"when did \g<what> end",
        ),
        (
            r"\bwhen (?:did|was) the (?:very )?first episode of (?P<what>[^,?]+?) (?:air|aired|shown|broadcast)\b",
            r"when did \g<what> begin",
        ),
        (
            r"\bunder (?P<whose>(?:the )?(?!what |which )(?:(?!of )[\w.]+ ){1,3}?)"
            r"(?:rule|control|administration|sovereignty|occupation|government)\b",
            r"under \g<whose>",
        ),
        (r"\bof the year,? (?=[0-9]{4}\b)", "of the year in "),  # "Time Person of the Year 1948"
        (
            r"\b(?:(?:us|u\.s\.|american) chief justice(?! of\b)"
            r"|chief justice of the (?:us|u\.s\.|usa|united states)\b)",
            "chief justice of the supreme court",
        ),
        (r"\bpotus\b", "president of the United States"),
        (
            r"^what did (?P<who>[^,?]+?) do(?= (?:in|on|between|from|during|around|before|after)\b|\?|$)",
            r"what was \g<who>'s occupation",
        ),
        (r"\b(?:at (?:any|some|one) (?:point|time|stage)|in the past)\b", "ever"),
        (r"\bused to be (?=called|known|named)", "was formerly "),
        (r"\bdid (?P<what>[^,?]+?) used? to be (?=called|known|named)", r"was \g<what> formerly "),
        (r"\bthe man(?= (?:who|that|in charge|at the helm)\b)", "the person"),
        (r"\bact(?:s|ed|ing)? as\b", "served as"),  # but "the acting president" was another
    )
)
# "Who took over the post from X" is "who succeeded X as the post"; a name follows, not a year.
_TAKEN_OVER = re.compile(r"\b(?:take|takes|took) over (?P<what>\S.*?) from (?P<whom>[A-ZÀ-Þ][^?.!]*)")
# A time that is said twice: "in the summer of 1994, say July 1994"; what both have in common is meant.
_IN_OTHER_WORDS = re.compile(
    r"\s*[,(–—-]\s*"
    r"(?:i\.?e\.?|that is(?: to say)?|that['’]s|namely|say|let['’]s say|to be precise|to be exact|more precisely)"
    rf",?\s+(?=(?:(?:on|in) )?(?:the )?(?:[0-9]|{'|'.join(MONTHS)}))",
    re.IGNORECASE,
)
_WILL = re.compile(r"\b(?P<be>will be|(?:is|are) going to be)\b|\b(?:will|(?:is|are) going to)\b", re.IGNORECASE)
_TOPIC = re.compile(r"^(?P<topic>[^:?]+):\s*(?P<rest>(?:who|what|which|where|when|how)\b.*)$", re.IGNORECASE)
_HELPING = r"(?:was|is|were|did|has|had)"
_TENURE = re.compile(
    rf"(?:(?<!\w)(?P<before>(?!{_HELPING}\b)\w[^,?]*?)['’]s?\s+(?P<noun1>\w+)"
    r"|(?:the\s+)?(?<!\w)(?P<noun2>\w+)\s+of\s+(?P<after>[^,?]+?(?=\s+(?:last|begin|start|end|stop)\b|[?.!\s]*$)))",
    re.IGNORECASE,
)


def reworded(text: str) -> str:
    """Put turns of phrase in plainer words.

    >>> reworded("Who led Peru on New Year's Day 1980, i.e. 1 January 1980?")
    'Who led Peru on 1 January 1980, 1 January 1980?'
    >>> reworded("The Louvre: who was its director in 2010?")
    "who was The Louvre's director in 2010?"
    """
    text = _TAKEN_OVER.sub(r"succeeded \g<whom> as \g<what>", text)
    for pattern, plainer in _BY_PATTERN:
        text = pattern.sub(plainer, text)
    text = _IN_OTHER_WORDS.sub(", ", in_congress(in_days(text)))
    text = _feasts().sub(lambda feast: f"{phrases().table['feasts'][_plain(feast['feast'])]} {feast['year']}", text)
    if topic := _TOPIC.match(text):
        named = re.sub(r"\bits\b", f"{topic['topic']}'s", topic["rest"])
        named = re.sub(r"\bit\b", topic["topic"], named)
        text = named if named != topic["rest"] else text
    for title, pattern in _implied().items():
        text = pattern.sub(title, text)
    return text


def in_a_post(text: str) -> str:
    """Name the post that a time in it is called after.

    >>> in_a_post("was Obama's presidency").split()
    ['was', 'Obama', 'the', 'president']
    """
    posts: dict[str, str] = phrases().table["tenures"]
    for match in _TENURE.finditer(text):
        post = posts.get((match["noun1"] or match["noun2"]).casefold())
        if post:
            who = (match["before"] or match["after"]).strip()
            return f"{text[: match.start()]} {who} the {post} {text[match.end() :]}"
    return text


def in_the_present(text: str) -> str:
    """Ask of a time to come as of any other: the facts say whether they reach there.

    >>> in_the_present("Who will be pope in 2045?")
    'Who is pope in 2045?'
    """
    return _WILL.sub(lambda will: "is" if will["be"] else "did", text)


@cache
def _implied() -> dict[str, re.Pattern[str]]:
    """Return titles with their country, and where they stand without it: "taoiseach in 2000"."""
    table = phrases().table
    found = {}
    for title, country in table["implied"].items():
        people = next(people for people, place in table["demonyms"].items() if place == country)
        before = "".join(rf"(?<!\b{name} )" for name in (people, country, f"{country}'s", f"{country}’s"))
        behind = rf"(?! of\b)(?! in (?:the republic of )?{country}\b)"
        found[f"{people} {title}"] = re.compile(rf"{before}\b{title}\b{behind}", re.IGNORECASE)
    return found


@cache
def _feasts() -> re.Pattern[str]:
    said = "|".join(re.escape(feast).replace("'", "['’]?") for feast in phrases().table["feasts"])
    return re.compile(rf"\b(?P<feast>{said}),?(?: of| in)? (?P<year>[0-9]{{3,4}})\b", re.IGNORECASE)


def _plain(feast: str) -> str:
    plain = feast.casefold().replace("’", "'")
    return plain if plain in phrases().table["feasts"] else plain.replace("years", "year's")
