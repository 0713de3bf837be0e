"""The shapes of claims: "A is the N of B", "A led B", "the N of B is A", "A succeeded C as N of B".

Each takes words from the beginning of a clause, and says how many; whatever is left over must have a part of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from asof.reading.ask.lexicon import Group, LexiconLayer, Saying
from asof.reading.ask.naming import said_length
from asof.reading.ask.tags import Name
from asof.reading.ask.words import Word
from asof.reading.verify.roles import Role, Roles, whole_groups
from asof.reading.verify.vocabulary import words

Tense = Literal["present", "past", "perfect", "pluperfect"]
Deed = Literal["state", "start", "end", "successor"]

_NOT = frozenset(("isnt", "wasnt", "arent", "werent", "aint"))


_WHOSE = (("his",), ("her",), ("the",), ("their",))
_POSTS = (("post",), ("position",), ("role",), ("job",), ("office",))


@dataclass(frozen=True, kw_only=True)
class ClaimShape:
    """What was found: who, what of what, in which tense, and with which word it ends."""

    heads: tuple[Name, ...]
    groups: tuple[Group, ...]
    other: Name | None
    end: int
    tense: Tense
    deed: Deed = "state"
    role: Role | None = None
    loose: bool = False
    negated: bool = False
    no_longer: bool = False
    before: Name | None = None
    ends_in_head: bool = False


@dataclass(frozen=True, slots=True)
class _Verb:
    """A form of "be" or "have", with "not"."""

    tense: Tense
    length: int
    negated: bool = False
    no_longer: bool = False


@dataclass(frozen=True)
class ClaimShapes:
    """Finds shapes at the beginning of a clause."""

    roles: Roles

    def of(self, row: Sequence[Word], subject: Name | None = None) -> Iterator[ClaimShape]:
        """Walk over the shapes that a clause begins with.

        Args:
            subject: Who the clause tells of, where its words begin with the verb.
        """
        if subject is not None:
            yield from self._predicates(row, 0, (subject,))
            return
        for heads, position in self._heads(row):
            yield from self._predicates(row, position, heads)
        yield from self._turned(row)

    def _heads(self, row: Sequence[Word]) -> Iterator[tuple[tuple[Name, ...], int]]:
        """Walk over the names that a clause begins with: one, or a list of them."""
        for name, length in self.roles.names(row, 0, unknown=True):
            if name.possessive:
                continue
            yield (name,), length
            yield from self._listed(row, (name,), length)

    def _listed(
        self, row: Sequence[Word], heads: tuple[Name, ...], position: int
    ) -> Iterator[tuple[tuple[Name, ...], int]]:
        behind = position
        last = behind < len(row) and row[behind].text in words("together")
        if not (last or row[behind - 1].comma):
            return
        for name, length in self.roles.names(row, behind + int(last), unknown=True):
            if name.possessive:
                continue
            if last:
                yield (*heads, name), behind + 1 + length
            else:
                yield from self._listed(row, (*heads, name), behind + length)

    def _predicates(self, row: Sequence[Word], position: int, heads: tuple[Name, ...]) -> Iterator[ClaimShape]:
        if position >= len(row):
            return
        if be := _be(row, position):
            yield from self._after_be(row, position + be.length, heads, be)
            return
        has = _has(row, position)
        behind = position + (has.length if has else 0)
        tense = has.tense if has else None
        yield from self._active(row, behind, heads, tense)
        if has and len(heads) == 1:
            yield from self._had_as(row, position + 1, heads[0], "present" if row[position].text != "had" else "past")

    def _after_be(self, row: Sequence[Word], position: int, heads: tuple[Name, ...], be: _Verb) -> Iterator[ClaimShape]:
        base = ClaimShape(
            heads=heads, groups=(), other=None, end=position, tense=be.tense, negated=be.negated, no_longer=be.no_longer
        )
        for role in self.roles.roles(row, position):
            yield _of_role(base, role, position)
        if position < len(row) and row[position].text in words("announce"):
            yield from self._announced(row, position + 1, base)
        if _texts(row, position, 2) == ("sworn", "in"):
            yield from self._announced(row, position + 2, base)
        if position < len(row) and row[position].text in words("by_whom") and _texts(row, position + 1, 1) == ("by",):
            for name, length in self.roles.names(row, position + 2, unknown=True):
                if not name.possessive and len(heads) == 1:
                    yield from self._as_role(
                        row, position + 2 + length, replace(base, heads=(name,), before=heads[0]), "successor"
                    )
        if position < len(row) and row[position].text == "serving":
            yield from self._as_role(row, position + 1, base, "state")
        for saying, length in self._verbs(row, position):
            if saying.after_be or saying.words[0].endswith("ing"):
                yield from self._with_object(row, position + length, base, saying)

    def _announced(self, row: Sequence[Word], position: int, base: ClaimShape) -> Iterator[ClaimShape]:
        if _texts(row, position, 1) == ("as",):
            position += 1
        elif _texts(row, position, 2) == ("to", "be"):
            position += 2
        for role in self.roles.roles(row, position):
            yield replace(_of_role(base, role, position), deed="start", loose=True)

    def _active(
        self, row: Sequence[Word], position: int, heads: tuple[Name, ...], helped: Tense | None
    ) -> Iterator[ClaimShape]:
        if position >= len(row):
            return
        word = row[position]
        tense: Tense = helped or ("present" if word.text.endswith("s") and not word.text.endswith("ss") else "past")
        base = ClaimShape(heads=heads, groups=(), other=None, end=position, tense=tense)
        if word.text in words("serve"):
            yield from self._as_role(row, position + 1, _in_tense(base, word), "state")
        if word.text in words("become"):
            for role in self.roles.roles(row, position + 1):
                yield replace(_of_role(base, role, position + 1), deed="start")
        for length in self._stepping_down(row, position):
            announced = word.text in words("step_down")  # who resigns in July may go in September
            for shape in self._as_role(row, position + length, base, "end"):
                yield replace(shape, loose=shape.loose or announced)
        if _texts(row, position, 2) in (("took", "over"), ("takes", "over"), ("taken", "over")):
            yield from self._took_over(row, position + 2, base)
        if _texts(row, position, 3) in (("took", "office", "as"), ("takes", "office", "as"), ("taken", "office", "as")):
            yield from self._as_role(row, position + 2, base, "start")
        if word.text in words("succeed"):
            for name, length in self.roles.names(row, position + 1, unknown=True):
                if not name.possessive:
                    yield from self._as_role(row, position + 1 + length, replace(base, before=name), "successor")
        for saying, length in self._verbs(row, position):
            if not (saying.after_be or saying.words[0].endswith("ing")):
                yield from self._with_object(
                    row, position + length, replace(base, tense=_tense(saying, helped)), saying
                )

    def _stepping_down(self, row: Sequence[Word], position: int) -> Iterator[int]:
        """Find "stepped down", "resigned", "left office", "left his post", before "as"."""
        texts = tuple(word.text for word in row[position : position + 4])
        if texts[:2] in (("stepped", "down"), ("steps", "down"), ("stood", "down"), ("left", "office")):
            yield 2
        if texts[:1] and texts[0] in words("step_down"):
            yield 1
        if texts[:1] in (("left",), ("leaves",)) and texts[1:2] in _WHOSE and texts[2:3] in _POSTS:
            yield 3

    def _took_over(self, row: Sequence[Word], position: int, base: ClaimShape) -> Iterator[ClaimShape]:
        if _texts(row, position, 1) == ("from",):
            for name, length in self.roles.names(row, position + 1, unknown=True):
                if not name.possessive:
                    yield from self._as_role(row, position + 1 + length, replace(base, before=name), "successor")
        yield from self._as_role(row, position, base, "start")

    def _as_role(self, row: Sequence[Word], position: int, base: ClaimShape, deed: Deed) -> Iterator[ClaimShape]:
        if _texts(row, position, 1) != ("as",):
            return
        for role in self.roles.roles(row, position + 1):
            yield replace(_of_role(base, role, position + 1), deed=deed)

    def _had_as(self, row: Sequence[Word], position: int, owner: Name, tense: Tense) -> Iterator[ClaimShape]:
        """Read "Italy has Draghi as its prime minister"."""
        for name, length in self.roles.names(row, position, unknown=True):
            behind = position + length
            if (
                name.possessive
                or _texts(row, behind, 1) != ("as",)
                or _texts(row, behind + 1, 1)[:1] not in (("its",), ("their",))
            ):
                continue
            for role in self.roles.roles(row, behind + 1):
                if role.place is None:
                    base = ClaimShape(heads=(name,), groups=(), other=owner, end=behind, tense=tense)
                    yield replace(_of_role(base, role, behind + 1), other=owner)

    def _turned(self, row: Sequence[Word]) -> Iterator[ClaimShape]:
        """Read "the prime minister of Italy is Mario Draghi"."""
        for role in self.roles.roles(row, 0):
            if role.place is None or not (role.definite or role.after_place) or role.former:
                continue
            be = _be(row, role.length)
            if be is None:
                continue
            where = int(_texts(row, role.length + be.length, 1) in (("in",), ("at",)) and not self._is_of_people(role))
            for name, length in self.roles.names(row, role.length + be.length + where, unknown=True):
                if not name.possessive:
                    end = role.length + be.length + where + length
                    base = ClaimShape(
                        heads=(name,),
                        groups=(),
                        other=None,
                        end=end,
                        tense=be.tense,
                        negated=be.negated,
                        no_longer=be.no_longer,
                    )
                    yield replace(_of_role(base, role, 0), end=end, ends_in_head=True)

    def _is_of_people(self, role: Role) -> bool:
        """Tell whether a noun is a post: its holder is in no place, as a head office is."""
        posts = self.roles.meanings.flat("posts") | self.roles.meanings.flat("offices")
        return any(use.relation in posts for group in role.groups for use in group)

    def _verbs(self, row: Sequence[Word], position: int) -> Iterator[tuple[Saying, int]]:
        if position >= len(row):
            return
        for saying in self.roles.lexicon.by_first_word.get(row[position].text, ()):
            if saying.is_verb and _is_plain(saying) and (length := said_length(saying.words, row, position)):
                yield saying, length

    def _with_object(
        self, row: Sequence[Word], position: int, base: ClaimShape, saying: Saying
    ) -> Iterator[ClaimShape]:
        groups = whole_groups(saying, self.roles.lexicon)
        if not groups:
            return
        for name, length in self.roles.names(row, position, unknown=True):
            if not name.possessive:
                loose = base.loose or (saying.layers[0] > LexiconLayer.DERIVED and len(saying.groups) > 1)
                loose |= saying.layers[0] in (LexiconLayer.ALIAS, LexiconLayer.SHORT) or saying.words[0] in words(
                    "many_things"
                )
                deed: Deed = saying.event or "state"
                yield replace(base, groups=groups, other=name, end=position + length, deed=deed, loose=loose)


def _of_role(base: ClaimShape, role: Role, position: int) -> ClaimShape:
    return replace(
        base,
        groups=role.groups,
        other=role.place,
        end=position + role.length,
        role=role,
        loose=base.loose or role.loose,
    )


def _is_plain(saying: Saying) -> bool:
    """Leave out verbs that say too many things, unless the base itself has them."""
    if saying.layers[0] <= LexiconLayer.BASE or saying.words[0] not in words("vague"):
        return not (saying.changes or saying.returns)
    return False


def _tense(saying: Saying, helped: Tense | None) -> Tense:
    return helped or ("present" if saying.in_present or saying.in_base_form else "past")


def _in_tense(base: ClaimShape, word: Word) -> ClaimShape:
    return replace(base, tense="past") if word.text.endswith("ed") and base.tense == "present" else base


def _texts(row: Sequence[Word], position: int, count: int) -> tuple[str, ...]:
    return tuple(word.text for word in row[position : position + count])


def _be(row: Sequence[Word], position: int) -> _Verb | None:
    """Read a form of "be" with what belongs to it."""
    first, second, third = (*_texts(row, position, 3), "", "", "")[:3]
    if first in ("has", "have", "had"):
        negated = second in ("not",)
        if (third if negated else second) != "been":
            return None
        return _negated(
            row, position + 2 + negated, 2 + negated, "pluperfect" if first == "had" else "perfect", negated
        )
    if first in _NOT:
        return _Verb("past" if first in ("wasnt", "werent") else "present", 1, negated=True)
    if first in ("is", "are"):
        return _negated(row, position + 1, 1, "present", False)
    if first in ("was", "were"):
        return _negated(row, position + 1, 1, "past", False)
    return None


def _negated(row: Sequence[Word], position: int, length: int, tense: Tense, negated: bool) -> _Verb:
    if _texts(row, position, 2) == ("no", "longer"):
        return _Verb(tense, length + 2, no_longer=True)
    if _texts(row, position, 1) == ("not",):
        return _Verb(tense, length + 1, negated=True)
    return _Verb(tense, length, negated)


def _has(row: Sequence[Word], position: int) -> _Verb | None:
    first = _texts(row, position, 1)
    if first in (("has",), ("have",)):
        return _Verb("perfect", 1)
    return _Verb("pluperfect", 1) if first == ("had",) else None
