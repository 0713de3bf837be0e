"""From the shape of a clause to claims: its tense and its times say of which days it speaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from asof.reading.ask.tags import Name
from asof.reading.ask.words import sentence as stretch
from asof.reading.verify.claim import Claim, ClaimKind
from asof.reading.verify.clause import ClaimClause, PlacedTime
from asof.reading.verify.sentences import TextSentence
from asof.reading.verify.shapes import ClaimShape, ClaimShapes
from asof.reading.verify.vocabulary import words
from asof.timeline.days import Days

_JOINERS = frozenset(("and", "but"))


@dataclass(frozen=True)
class ClauseReader:
    """Reads the clauses of one sentence."""

    shapes: ClaimShapes
    sentence: TextSentence
    text: str

    def read(self, clause: ClaimClause, subject: Name | None = None) -> Iterator[Claim]:
        """Walk over the claims of a clause, and of those that are joined to it by "and"."""
        if not clause.words or clause.strange:
            return
        for shape in sorted(self.shapes.of(clause.words, subject), key=_reach):
            claims = self._claims(clause, shape)
            if claims:
                yield from claims
                yield from self._joined(clause, shape)
                return
        if subject is None:
            yield from self._predicative(clause)

    def _claims(self, clause: ClaimClause, shape: ClaimShape) -> list[Claim]:
        row, end = clause.words, shape.end
        times = [time for time in clause.times if time.after <= end]
        if end < len(row):
            if not self._may_end_here(clause, shape):
                return []
            if shape.other is None and row[end].text in _JOINERS:
                if (shared := self._shared_place(clause, shape)) is None:
                    return []
                shape = replace(shape, other=shared)
        if shape.other is None and not self._is_post(shape):
            return []
        times = [time for time in times if not self._is_of_head(time, shape, len(row))]
        if shape.ends_in_head and any(time.in_brackets for time in times):
            return []
        kind = kind_of(shape, times, clause)
        if kind is None:
            return []
        return [self._made(clause, shape, head, kind, times) for head in shape.heads]

    def _made(
        self, clause: ClaimClause, shape: ClaimShape, head: Name, kind: ClaimKind, times: Sequence[PlacedTime]
    ) -> Claim:
        role = shape.role
        return Claim(
            sentence=self.sentence, said=stretch(clause.words[: shape.end], self.text), groups=shape.groups, head=head,
            other=shape.other, kind=kind, time=times[0].time if times else None, title=role.title if role else None,
            noun=role.noun if role else None, loose=shape.loose, negated=shape.negated,
            says_more=bool(role and role.says_more), before=shape.before,
            present=clause.says_now or shape.tense == "present",
        )  # fmt: skip

    def _is_of_head(self, time: PlacedTime, shape: ClaimShape, length: int) -> bool:
        """Tell the years of a life behind a name from those of an office."""
        head = shape.heads[0].words
        return time.in_brackets and not shape.ends_in_head and time.after <= len(head) and time.after < length

    def _may_end_here(self, clause: ClaimClause, shape: ClaimShape) -> bool:
        """Tell whether what follows leaves the claim as it is."""
        word, timed = clause.words[shape.end], any(time.after <= shape.end for time in clause.times)
        text = word.text
        if word.written[:1].isupper():
            return False
        if text in _JOINERS:
            behind = clause.words[shape.end + 1 : shape.end + 2]
            goes_on = bool(behind) and behind[0].written[:1].isupper()
            return (
                not goes_on
                or self._is_place(clause, shape)
                or any(time.after == shape.end for time in clause.times)
                or self._begins_claim(clause, shape)
            )
        if text not in words("tails") or (text == "as" and self._is_of_another_role(clause, shape)):
            return False
        return timed or text in words("timeless_tails") or (shape.tense == "present" and shape.deed == "state")

    def _is_of_another_role(self, clause: ClaimClause, shape: ClaimShape) -> bool:
        """Tell whether "as" names a role that is another relation: "maintains Tidewire as lead maintainer"."""
        said = {use.relation for group in shape.groups for use in group}
        roles = [
            {use.relation for group in role.groups for use in group}
            for role in self.shapes.roles.roles(clause.words, shape.end + 1)
        ]
        return bool(roles) and all(said.isdisjoint(role) for role in roles)

    def _is_post(self, shape: ClaimShape) -> bool:
        """Tell whether a noun without its place is a post that somebody holds: not "the capital"."""
        meanings = self.shapes.roles.meanings
        posts = meanings.flat("posts") | meanings.flat("offices")
        return shape.role is not None and all(use.relation in posts for group in shape.groups for use in group)

    def _is_place(self, clause: ClaimClause, shape: ClaimShape) -> bool:
        """Tell whether the rest is one name more: "the master of Grebe and Linnet"."""
        rest = clause.words[shape.end + 1 :]
        if shape.role is None or shape.role.after_place or shape.ends_in_head or len(shape.heads) != 1:
            return False
        return any(length == len(rest) and not name.possessive for name, length in self.shapes.roles.names(rest, 0))

    def _begins_claim(self, clause: ClaimClause, shape: ClaimShape) -> bool:
        """Tell whether a claim of its own stands behind "and", so that its name is no part of this one."""
        rest = clause.words[shape.end + 1 :]
        return any(one.end > 1 for one in self.shapes.of(rest))

    def _shared_place(self, clause: ClaimClause, shape: ClaimShape) -> Name | None:
        """Return what both nouns of "chairman and CEO of Acme" belong to."""
        behind = clause.words[shape.end + 1 :]
        roles = [
            role for role in self.shapes.roles.roles(behind, 0) if role.place is not None and role.length == len(behind)
        ]
        return roles[0].place if roles else None

    def _joined(self, clause: ClaimClause, shape: ClaimShape) -> Iterator[Claim]:
        """Read what is joined by "and": another clause, or more of the same subject."""
        row, end = clause.words, shape.end
        if end >= len(row) or row[end].text not in _JOINERS:
            return
        rest = clause.from_word(end + 1)
        if not rest.words:  # "from 1975 to 1983 and again from 2011 to 2019"
            yield from self._at_another_time(clause, shape)
            return
        whole = list(self.read(rest))
        if whole or len(shape.heads) != 1:
            yield from whole
            return
        more = list(self.read(rest, shape.heads[0]))
        yield from more or list(self._another_role(rest, shape)) or self._another_place(rest, shape)

    def _at_another_time(self, clause: ClaimClause, shape: ClaimShape) -> Iterator[Claim]:
        times = [time for time in clause.times if time.after > shape.end]
        kind = kind_of(shape, times, clause)
        if kind is not None and len(times) == 1:
            yield from (self._made(clause, shape, head, kind, times) for head in shape.heads)

    def _another_role(self, rest: ClaimClause, shape: ClaimShape) -> Iterator[Claim]:
        start = 1 if rest.words and rest.words[0].text == "as" else 0
        for role in sorted(self.shapes.roles.roles(rest.words, start), key=lambda one: -one.length):
            end = start + role.length
            if role.place is None or end < len(rest.words):
                continue
            again = replace(
                shape, groups=role.groups, other=role.place, role=role, end=end, loose=role.loose, ends_in_head=False
            )
            claims = self._claims(rest, again)
            if claims:
                yield from claims
                return

    def _another_place(self, rest: ClaimClause, shape: ClaimShape) -> Iterator[Claim]:
        """Read "of Penmoor" and "Linnet" behind "and" as what the same noun belongs to, too."""
        start = 1 if rest.words and rest.words[0].text in words("links") else 0
        if shape.role is None or shape.role.after_place or shape.ends_in_head:
            return
        for name, length in self.shapes.roles.names(rest.words, start):
            if start + length == len(rest.words) and not name.possessive:
                yield from self._claims(rest, replace(shape, other=name, end=len(rest.words)))
                return

    def _predicative(self, clause: ClaimClause) -> Iterator[Claim]:
        """Read "A is an economist who served as N of B": what stands behind "who" is said of A."""
        row = clause.words
        position = next(
            (number for number, word in enumerate(row) if word.text in ("who", "that") and number > 2), None
        )
        if position is None:
            return
        for name, length in self.shapes.roles.names(row, 0, unknown=True):
            between = row[length:position]
            if (
                name.possessive
                or len(between) < 3
                or between[0].text not in ("is", "was")
                or between[1].text not in ("a", "an", "the")
            ):
                continue
            if any(word.text in words("links") | {"by"} for word in between):
                continue
            if all(
                word.written[:1].islower() or self.shapes.roles.demonym(row, length + number)
                for number, word in enumerate(between)
            ):
                yield from self.read(clause.from_word(position + 1), name)
            return


def _reach(shape: ClaimShape) -> tuple[int, bool, bool, bool]:
    """Order shapes: what takes more words first, then what names a place, then what is no loose word."""
    return -shape.end, shape.other is None, bool(shape.role and shape.role.says_more), shape.loose


def kind_of(shape: ClaimShape, times: Sequence[PlacedTime], clause: ClaimClause) -> ClaimKind | None:
    """Return what is said of the fact; None where tense and time do not go together."""
    if len(times) > 1:
        return None
    form = times[0].form if times else ""
    if shape.deed == "successor":
        return ClaimKind.SUCCESSOR if form in ("", "at") and not shape.negated else None
    if shape.no_longer:
        return ClaimKind.FORMER if not form and shape.tense == "present" else None
    if shape.deed == "end":
        return {"": ClaimKind.FORMER, "at": ClaimKind.END}.get(form)
    if shape.deed == "start":
        if shape.tense == "perfect":
            return ClaimKind.BESIDE if not form else None
        return {"": ClaimKind.EVER, "at": ClaimKind.START}.get(form)
    if shape.role and shape.role.former:
        return {"": ClaimKind.FORMER, "span": ClaimKind.SPAN}.get(form) if not shape.negated else None
    return _of_state(shape, form, clause, times[0].time.days if times else None)


def _of_state(shape: ClaimShape, form: str, clause: ClaimClause, days: Days | None) -> ClaimKind | None:
    if shape.tense == "present":
        return {"": ClaimKind.NOW, "at": ClaimKind.DURING, "since": ClaimKind.SINCE}.get(form)
    if shape.tense == "perfect":
        return {"": ClaimKind.BESIDE, "since": ClaimKind.SINCE, "span": ClaimKind.SPAN}.get(form)
    if form == "" and clause.says_past:
        return ClaimKind.FORMER
    past = {
        "": ClaimKind.EVER, "at": ClaimKind.DURING, "until": ClaimKind.UNTIL, "span": ClaimKind.SPAN,
        "around": ClaimKind.DURING,
    }  # fmt: skip
    return past.get(form)
