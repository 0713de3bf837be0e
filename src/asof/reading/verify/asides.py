"""What is said in passing: "Angela Merkel, the German chancellor, ..." and "German Chancellor Angela Merkel"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asof.reading.ask.tags import Name
from asof.reading.ask.words import Word
from asof.reading.ask.words import sentence as stretch
from asof.reading.verify.chunks import SentenceChunk
from asof.reading.verify.claim import Claim, ClaimKind
from asof.reading.verify.clause import PlacedTime, clause_of
from asof.reading.verify.clause_reader import ClauseReader
from asof.reading.verify.roles import Role
from asof.reading.verify.shapes import ClaimShapes
from asof.reading.verify.vocabulary import words
from asof.timeline import Date

_PAST = frozenset(("was", "were", "had", "did"))
_PRESENT = frozenset(("is", "are", "has", "have", "does", "do"))


@dataclass(frozen=True)
class Asides:
    """Finds roles that stand beside a name."""

    shapes: ClaimShapes
    today: Date

    def claims(self, chunks: Sequence[SentenceChunk], reader: ClauseReader, row: Sequence[Word]) -> Iterator[Claim]:
        """Walk over what is said beside names."""
        yield from self._apposed(chunks, reader, row)
        yield from self._titled(reader, row)

    def antecedent(self, chunk: SentenceChunk) -> Name | None:
        """Return the name that a chunk is, and that "who" goes back to; the brackets behind it change nothing."""
        names = self.shapes.roles.names(chunk.words, 0)
        whole = (name for name, length in names if length == len(chunk.words))
        return next((name for name in whole if not (name.possessive or name.in_part)), None)

    def main_clauses(self, chunks: Sequence[SentenceChunk]) -> list[SentenceChunk]:
        """Put together a list of names, and a name with the verb that stands behind what is said beside it."""
        row = list(chunks)
        if row and (joined := self._list_of_names(row)):
            row = joined
        if len(row) > 2 and self._is_name(row[0]) and not row[0].in_brackets and not is_rest_of_name(row[1]):
            behind = next((number for number in range(2, len(row)) if _begins_with_verb(row[number])), None)
            if (
                behind is not None
                and not any(_begins_with_verb(one) for one in row[1:behind])
                and not _is_listed(row[: behind + 1], 1)
            ):
                main = SentenceChunk((*row[0].words, *row[behind].words), row[0].before, row[behind].behind)
                return [row[0], *row[1:behind], main, *row[behind + 1 :]]
        return row

    def _list_of_names(self, row: list[SentenceChunk]) -> list[SentenceChunk] | None:
        """Join "Kohl", "Schröder and Merkel were chancellors" to one clause."""
        number = 0
        while number < len(row) and self._is_name(row[number]):
            number += 1
        if number == 0 or number >= len(row):
            return None
        last = [word.text for word in row[number].words]
        listed = "and" in last[:6] and any(be in last for be in ("were", "are"))
        if not listed or (not row[number].words[0].written[:1].isupper() and last[0] != "and"):
            return None
        words_joined = tuple(word for chunk in row[: number + 1] for word in chunk.words)
        return [SentenceChunk(words_joined, row[0].before, row[number].behind), *row[number + 1 :]]

    def _is_name(self, chunk: SentenceChunk) -> bool:
        return any(
            length == len(chunk.words) and not name.possessive
            for name, length in self.shapes.roles.names(chunk.words, 0, unknown=True)
        )

    def _apposed(self, chunks: Sequence[SentenceChunk], reader: ClauseReader, row: Sequence[Word]) -> Iterator[Claim]:
        """Read a role between pauses behind a name, or a name between pauses behind a role."""
        for number in range(1, len(chunks)):
            chunk, before = chunks[number], chunks[number - 1]
            if chunk.in_brackets or _is_listed(chunks, number):
                continue
            yield from self._named_behind(chunks, number, reader, row)
            head = self.antecedent(before)
            if head is None:
                continue
            clause = clause_of(chunk.words, reader.text, self.today)
            if clause.strange:
                continue
            for role in sorted(self.shapes.roles.roles(clause.words, 0), key=lambda one: -one.length):
                if role.place is None or role.length != len(clause.words) or role.plural:
                    continue
                if (claim := self._claim(role, head, clause.words, reader, row, clause.times)) is not None:
                    yield claim
                    break

    def _named_behind(
        self, chunks: Sequence[SentenceChunk], number: int, reader: ClauseReader, row: Sequence[Word]
    ) -> Iterator[Claim]:
        """Read "Japan's prime minister, Yoshihide Suga, ..."."""
        before, chunk = chunks[number - 1], chunks[number]
        if number + 1 >= len(chunks) or not self._is_name(chunk) or any(word.time for word in before.words):
            return
        for role in sorted(self.shapes.roles.roles(before.words, 0), key=lambda one: -one.length):
            if (
                role.place is None
                or role.length != len(before.words)
                or role.plural
                or not (role.definite or role.after_place)
            ):
                continue
            for name, length in self.shapes.roles.names(chunk.words, 0, unknown=True):
                if length == len(chunk.words) and self._may_hold(name, role):
                    claim = self._claim(role, name, before.words, reader, row, ())
                    if claim is not None:
                        yield claim
                    return

    def _may_hold(self, name: Name, role: Role) -> bool:
        """Tell whether a name is of somebody who holds posts; "the mayor of Paris, Texas" names none."""
        meanings, presence = self.shapes.roles.meanings, self.shapes.roles.presence
        posts = (
            meanings.flat("posts") | meanings.flat("offices") | {use.relation for group in role.groups for use in group}
        )
        careers = meanings.flat("careers")
        return bool(presence.relations(name, "object") & posts or presence.relations(name, "subject") & careers)

    def _titled(self, reader: ClauseReader, row: Sequence[Word]) -> Iterator[Claim]:
        """Read "German Chancellor Angela Merkel", "former Acme CEO Ann Lee"."""
        for position in range(len(row)):
            if row[position].time or not _may_begin(row, position):
                continue
            for role in self.shapes.roles.roles(row, position):
                behind = position + role.length
                if not role.after_place or role.place is None or role.plural or role.says_more or behind >= len(row):
                    continue
                if any(word.time or word.comma for word in row[position:behind]) or role.place.spoken == role.noun:
                    continue
                head = self._whole_name(row, behind)
                if head is not None:
                    claim = self._claim(role, head, row[position:behind], reader, row, ())
                    if claim is not None:
                        yield claim
                    break

    def _whole_name(self, row: Sequence[Word], position: int) -> Name | None:
        """Return the name at a place, unless it goes on behind what the base knows."""
        if not row[position].written[:1].isupper():
            return None
        for name, length in self.shapes.roles.names(row, position, unknown=True):
            behind = position + length
            goes_on = (
                behind < len(row)
                and row[behind].written[:1].isupper()
                and not row[behind - 1].comma
                and not row[behind].time
            )
            if not (goes_on and not name.possessive):
                return name
        return None

    def _claim(
        self,
        role: Role,
        head: Name,
        said: Sequence[Word],
        reader: ClauseReader,
        row: Sequence[Word],
        times: Sequence[PlacedTime],
    ) -> Claim | None:
        kind, time = _kind(role, times), times[0].time if times else None
        if kind is None:
            return None
        present = False
        if kind is ClaimKind.BESIDE:
            found = clause_of(row, reader.text, self.today).times
            if len(found) > 1 or (found and found[0].form != "at"):
                return None
            time = found[0].time if found else None
            present = not found and _speaks_of_today(row)
        words_said = sorted((*said, *head.words), key=lambda one: one.start)
        return Claim(
            sentence=reader.sentence, said=stretch(words_said, reader.text),
            groups=role.groups, head=head, other=role.place, kind=kind, time=time, title=role.title, noun=role.noun,
            loose=role.loose, says_more=role.says_more, present=present,
        )  # fmt: skip


def _begins_with_verb(chunk: SentenceChunk) -> bool:
    """Tell whether a chunk goes on with the verb of a clause that began before."""
    first = chunk.words[0]
    return not first.time and first.text in words("be") | words("serve") | words("become") | {
        "has",
        "have",
        "had",
        "led",
        "leads",
    }


def is_rest_of_name(chunk: SentenceChunk) -> bool:
    """Tell whether a chunk may go on with the name before it: "Paris, Texas"; "Acme CEO" and times do not."""
    return all(not word.time and word.written[:1].isupper() and not word.written.isupper() for word in chunk.words)


def _kind(role: Role, times: Sequence[PlacedTime]) -> ClaimKind | None:
    if len(times) > 1:
        return None
    form = times[0].form if times else ""
    if form:
        kinds = {"span": ClaimKind.SPAN, "since": ClaimKind.SINCE, "until": ClaimKind.UNTIL, "at": ClaimKind.DURING}
        return kinds.get(form)
    if role.former:
        return ClaimKind.FORMER
    return ClaimKind.BESIDE


def _is_listed(chunks: Sequence[SentenceChunk], number: int) -> bool:
    """Tell a list, "Merkel, the French president, and others", from a name with something beside it."""
    behind = chunks[number + 1 :]
    return any(chunk.words and chunk.words[0].text in ("and", "or") for chunk in behind) or any(
        word.text in ("and", "or") for word in chunks[number].words
    )


def _may_begin(row: Sequence[Word], position: int) -> bool:
    """Tell whether a title may begin here: nothing before it changes what it says."""
    if position == 0 or row[position - 1].time or row[position - 1].comma:
        return True
    before = row[position - 1]
    return before.written[:1].islower() and before.text not in words("risky") and not before.possessive


def _speaks_of_today(row: Sequence[Word]) -> bool:
    texts = {word.text for word in row if not word.time}
    return bool(texts & _PRESENT) and not texts & _PAST
