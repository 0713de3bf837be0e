"""The query: what is asked of a base, whoever understood the words: our grammar, an assistant, a language model.

A query names a relation and one of its ends; the other end is what is wanted. ``ask`` says what is told of the facts
that fit: who or what (lookup), how many, how long, when, yes or no, or which of two. ``which`` takes some of them:
those beside another (neighbour), by their place (ordered), or what held longest or most often (extreme). Names stand as
they are written; the base decides what they mean.

>>> Lookup(relation="manager", subject="Acme", when="2014").when
'2014'
>>> Count(relation="manager", subject="Acme", which=Neighbour(of="Ann Lee", side="before", all=True)).what
'answers'
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

End = Literal["subject", "object"]
Event = Literal["start", "end"]
By = Literal["longer", "shorter", "earlier", "later", "more often"]
Moment = Literal["whole", "start", "end", "before", "after", "after start", "before end", "day before", "day after"]


def _said(description: str) -> msgspec.Meta:
    return msgspec.Meta(description=description)


Text = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
Texts = Text | Annotated[tuple[Text, ...], msgspec.Meta(min_length=1, max_length=1_000)]


class Neighbour(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True,
                tag_field="pick", tag="neighbour"):  # fmt: skip
    """What stands before or after another in the same timeline."""

    side: Annotated[Literal["before", "after"], _said("On which side of it in time.")]
    of: Annotated[Text | None, _said("Name or id of whom or what it stands beside; null: those of today.")] = None
    all: Annotated[bool, _said("All on that side, not only the nearest.")] = False
    until: Annotated[Text | None, _said("All between `of` and this one.")] = None
    count: Annotated[int, msgspec.Meta(ge=1, le=1000, description="So many of the nearest.")] = 1


class Ordered(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True,
              tag_field="pick", tag="ordered"):  # fmt: skip
    """What has a place in the order of time."""

    order: Annotated[int, msgspec.Meta(ge=-1000, le=1000, description="1 the first, 3 the third, -1 the last.")]
    count: Annotated[
        int, msgspec.Meta(ge=0, le=1000, description="So many from there on (from -1: the last ones); 0: all the rest.")
    ] = 1


class Extreme(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True,
              tag_field="pick", tag="extreme"):  # fmt: skip
    """What held longest, shortest or most often: all times of one answer count together."""

    most: Literal["longest", "shortest", "most often"]


class Pattern(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True,
              tag_field="ask"):  # fmt: skip
    """The facts that a query is about."""

    relation: Annotated[
        Texts, _said("Name or id of a relation; several are asked together; '^spouse' is turned round.")
    ]
    subject: Annotated[Texts | None, _said("Name or id; several: any of them. Leave out what is wanted.")] = None
    object: Annotated[Texts | None, _said("Name or id; several: any of them. Leave out what is wanted.")] = None
    wanted: Annotated[
        End | None, _said("The end that is asked for, where both are given ('which of these') or none is.")
    ] = None
    besides: Annotated[Texts | None, _said("Answers that are known already and are left out.")] = None
    kind: Annotated[Text | None, _said("The kind of answer wanted, where it is said: city, national team.")] = None
    title: Annotated[Text | None, _said("An office as it is called, where only its holders count: taoiseach.")] = None
    when: Annotated[
        Texts | During | None,
        _said(
            "A time as people write it: 2011-03, summer 2020, 2011-2012, before 1990, today; several: what they have "
            "in common. Or a time that other facts tell."
        ),
    ] = None
    event: Annotated[Event | None, _said("Only facts that began (start) or ended (end) in that time.")] = None
    throughout: Annotated[
        bool,
        _said("Of facts that hold beside each other, only those that hold from the start of that time to its end."),
    ] = False
    which: Annotated[Neighbour | Ordered | Extreme | None, _said("Which of these facts; null: all.")] = None


class During(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A time that other facts tell: while Obama was president, after Shaq joined the Lakers."""

    facts: Lookup
    moment: Annotated[Moment, _said("while they held (whole), when they began or ended, before or after that.")] = (
        "whole"
    )


class Lookup(Pattern, frozen=True, tag="lookup"):
    """Who or what: the wanted end of the facts."""


class Count(Pattern, frozen=True, tag="count"):
    """How many."""

    what: Annotated[Literal["answers", "times"], _said("Different answers, or separate times that it was so.")] = (
        "answers"
    )


class Duration(Pattern, frozen=True, tag="duration"):
    """For how long: times that touch or overlap are one."""


class When(Pattern, frozen=True, tag="when"):
    """When: ``event`` says start or end, else both."""


class YesNo(Pattern, frozen=True, tag="yes-no"):
    """Whether there is such a fact; both ends are given."""


class Compare(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True,
              tag_field="ask", tag="compare"):  # fmt: skip
    """Which of two: whose facts held longer, began earlier or later, or held more often."""

    one: Lookup
    other: Lookup
    by: By
    yes_no: Annotated[bool, _said("Whether that is so of `one`, instead of which of the two.")] = False


Query = Lookup | Count | Duration | When | YesNo | Compare
Which = Neighbour | Ordered | Extreme
