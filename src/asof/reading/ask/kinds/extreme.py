"""The longest, the shortest, the most often: "Who was the longest serving manager of Acme?"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asof.reading.ask.kinds import Kind, Pick, kinds, marks_of, without
from asof.reading.ask.query import Extreme
from asof.reading.ask.tags import Mark, Small, Tag, Timed

_BEHIND_LONE = frozenset(("as", "in", "of", "at", "for", "on"))
_NOUNS = "office | power | charge | the throne | the job | the post | the role | the helm"
_SPELLS = "reign | tenure | term | rule | spell | stint | time | period | presidency | premiership | papacy | pontificate"
_DOING = "serving | reigning | ruling | running | lasting | lived | held | standing | tenured"


def _sayings(most: str) -> str:
    row = [f"{most} {word.strip()}" for word in (_DOING + " | " + _SPELLS).split("|")]
    row += [f"{most} {link} {noun.strip()}" for link in ("in", "on", "at") for noun in _NOUNS.split("|")]
    row += [f"{verb} in {noun.strip()} the {most}" for verb in ("stayed", "remained") for noun in _NOUNS.split("|")]
    return " | ".join([*row, f"lasted the {most}", f"stayed the {most}", f"lasted {most}", most])


@kinds.register("extreme")
class Most(Kind):
    """What held longest, shortest or most often.

    >>> from asof.reading.ask.example import read
    >>> read("Who was the longest serving manager of Acme?")
    "who or what was 'manager' of 'Acme', the one that held longest"
    >>> read("Who managed Acme most often?")
    "who or what was 'manager' of 'Acme', the one that held most often"
    """

    marks = {
        "longest": _sayings("longest") + " | most time | most years | was around the longest",
        "shortest": _sayings("shortest"),
        "most": "most times | most often",
        "most of": "most",
    }

    def picks(self, tags: Sequence[Tag]) -> Iterator[Pick]:
        """Read the one mark of an extreme; a lone "longest" stands behind what it is said of."""
        marks = marks_of(tags, "longest", "shortest", "most", "most of")
        if len(marks) != 1 or marks_of(tags, "first", "last", "nth", "now", "number"):
            return
        mark = marks[0]
        if mark.kind in ("longest", "shortest"):
            if len(mark.words) == 1 and not _stands_alone(tags, mark):
                return
            yield Pick(without(tags, mark), Extreme(most=mark.kind))  # type: ignore[arg-type]
        else:
            kept = tags if mark.kind == "most of" else without(tags, mark)
            yield Pick(tuple(kept), Extreme(most="most often"))


def _stands_alone(tags: Sequence[Tag], mark: Mark) -> bool:
    behind = [tag for tag in tags[tags.index(mark) + 1 :] if not isinstance(tag, Timed)]
    return not behind or (isinstance(behind[0], Small) and behind[0].text in _BEHIND_LONE)
