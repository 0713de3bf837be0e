"""Whom a pronoun means: the one subject of the sentence before, and nobody where there may be two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asof.reading.ask.tags import Name
from asof.reading.ask.words import Word
from asof.reading.verify.claim import Claim
from asof.reading.verify.clause import ClaimClause
from asof.reading.verify.roles import Roles
from asof.reading.verify.vocabulary import words

_HUMAN = "human"


@dataclass
class Subjects:
    """Remembers the subject of the sentence before, and those whom a text has named in full."""

    roles: Roles
    _last: Name | None = None

    def see(self, row: Sequence[Word]) -> None:
        """Remember the full names of a sentence, for the last names behind them."""
        position = 0
        while position < len(row):
            found = [
                (name, length) for name, length in self.roles.names(row, position) if not name.in_part and name.entities
            ]
            if found and row[position].written[:1].isupper():
                self.roles.full_name(found[0][0])
                position += found[0][1]
            else:
                position += 1

    def unclear(self) -> None:
        """Forget the sentence before."""
        self._last = None

    def of_clause(self, clause: ClaimClause, claims: Sequence[Claim]) -> Name | None:
        """Return the name that a clause begins with."""
        row = clause.words
        if row and (meant := self.pronoun(row[0])):
            return meant
        names = [one for one in self.roles.names(row, 0) if not one[0].possessive]
        return names[0][0] if names else None

    def pronoun(self, word: Word) -> Name | None:
        """Return whom "he" or "it" means."""
        if word.text not in words("pronouns") or self._last is None or word.possessive:
            return None
        kinds = {thing.kind for thing in self.roles.index.things(self._last.entities).values()} - {None}
        if word.text in words("people") and kinds and _HUMAN not in kinds:
            return None
        if word.text in words("things") and kinds and kinds == {_HUMAN}:
            return None
        return self._last if word.text != "they" else None

    def of_sentence(self, word: Word, subject: Name, row: Sequence[Word]) -> Name | None:
        """Return whom a pronoun means behind a clause of the same sentence."""
        if word.text not in words("pronouns") or self._others(row, subject):
            return None
        last, self._last = self._last, subject
        meant = self.pronoun(word)
        self._last = last
        return meant

    def next(self, row: Sequence[Word], claims: Sequence[Claim]) -> None:
        """Go on to the next sentence: its pronouns mean the subject of this one, where it names nobody else."""
        first = self.pronoun(row[0]) or self._first(row) if row else None
        self._last = first if first is not None and not self._others(row, first) else None

    def _first(self, row: Sequence[Word]) -> Name | None:
        position = 0
        while position < len(row) and row[position].time:
            position += 1
        found = [name for name, _ in self.roles.names(row, position) if not name.possessive and name.entities]
        return found[0] if found and row[position].written[:1].isupper() else None

    def _others(self, row: Sequence[Word], subject: Name) -> bool:
        """Tell whether a sentence names another whom the pronoun might mean as well."""
        own = set(subject.entities)
        mine = {thing.kind for thing in self.roles.index.things(own).values()}
        position = 0
        while position < len(row):
            word = row[position]
            if word.time or not word.written[:1].isupper():
                position += 1
                continue
            found = [one for one in self.roles.names(row, position) if one[0].entities]
            if not found:
                if position and not self._is_people(row, position):
                    return True  # somebody whom the base does not know
                position += 1
                continue
            name, length = found[0]
            if not own & set(name.entities) and self._may_be_meant(name, mine):
                return True
            position += length
        return False

    def _is_people(self, row: Sequence[Word], position: int) -> bool:
        return (
            self.roles.demonym(row, position) is not None
            or row[position].text in words("pronouns")
            or any(not saying.is_verb for saying in self.roles.lexicon.by_first_word.get(row[position].text, ()))
        )

    def _may_be_meant(self, name: Name, kinds: set[str | None]) -> bool:
        theirs = {thing.kind for thing in self.roles.index.things(list(name.entities)[:50]).values()}
        return bool(theirs & kinds) and (None not in kinds or self._same_ends(name))

    def _same_ends(self, name: Name) -> bool:
        """Tell, of a base without kinds, whether a name holds something as people do."""
        return bool(self.roles.presence.relations(name, "object"))
