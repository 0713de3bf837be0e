"""The reader of claims: from a text to what it says of the things of a base, and to what is left alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from asof.errors import DateError
from asof.facts import FactStore
from asof.reading.ask.spoken import spoken
from asof.reading.ask.tags import Name
from asof.reading.ask.words import Word, words_with_times
from asof.reading.verify.asides import Asides, is_rest_of_name
from asof.reading.verify.chunks import SentenceChunk, chunks_of
from asof.reading.verify.claim import Claim, ClaimKind, UnreadSentence
from asof.reading.verify.clause import ClaimClause, clause_of
from asof.reading.verify.clause_reader import ClauseReader
from asof.reading.verify.roles import Roles, roles_of
from asof.reading.verify.sentences import TextSentence, sentences
from asof.reading.verify.shapes import ClaimShapes
from asof.reading.verify.subjects import Subjects
from asof.reading.verify.times import plain_times
from asof.reading.verify.vocabulary import attributions, caution, words
from asof.timeline import Date

_QUOTED = re.compile(r"[\"“”„«»]|(?<!\w)['‘](?=\w).*\w['’](?!\w)")
_LONGEST = 2_000  # letters of a sentence


@dataclass
class ReadSentence:
    """What was found in one sentence."""

    sentence: TextSentence
    claims: list[Claim] = field(default_factory=list)
    unread: UnreadSentence | None = None


@dataclass
class ClaimReader:
    """Reads the claims of texts, for one base.

    Args:
        today: What "now" and "last year" mean.
    """

    store: FactStore
    today: Date

    def read(self, text: str) -> Iterator[ReadSentence]:
        """Walk over the sentences of a text with their claims."""
        self._roles.earlier.clear()
        subjects = Subjects(self._roles)
        for sentence in sentences(text):
            yield self._sentence(sentence, subjects)

    def _sentence(self, sentence: TextSentence, subjects: Subjects) -> ReadSentence:
        found = ReadSentence(sentence)
        text = plain_times(sentence.text)
        try:
            row = words_with_times(text, today=self.today) if len(text) <= _LONGEST else []
        except DateError as error:
            subjects.unclear()
            found.unread = UnreadSentence(sentence, str(error))
            return found
        subjects.see(row)
        if why := _caution(text, row):
            found.unread = UnreadSentence(sentence, why)
        else:
            found.claims = list(self._claims(sentence, text, _before_words_of_others(row), subjects))
            if not found.claims:
                found.unread = UnreadSentence(sentence, "no claim was found that this base could judge")
        subjects.next(row, found.claims)
        return found

    def _claims(self, sentence: TextSentence, text: str, row: Sequence[Word], subjects: Subjects) -> Iterator[Claim]:
        if self._has_a_name_with_years(row, text):
            return
        chunks = self._asides.main_clauses(chunks_of(row, text, self._roles.index))
        reader = ClauseReader(self._shapes, sentence, text)
        seen: set[tuple[int, ...]] = set()
        for claim in (*self._clauses(chunks, reader, text, subjects), *self._asides.claims(chunks, reader, row)):
            named = [claim.head, *([claim.other] if claim.other else [])]
            key = (*(word.start for name in named for word in name.words), hash(claim.groups), hash(claim.time))
            if key not in seen:
                seen.add(key)
                whole = claim.head.words[0].written in claim.said
                yield replace(claim, sentence=sentence, said=claim.said if whole else sentence.text.rstrip("."))

    def _has_a_name_with_years(self, row: Sequence[Word], text: str) -> bool:
        """Tell whether years belong to a name: "Albanian Lek (1946–1965)" is one of several."""
        bracketed = [
            number for number, word in enumerate(row) if word.time and text[word.start - 1 : word.start] == "("
        ]
        spans = ((row[first], row[last]) for last in bracketed for first in range(max(0, last - 5), last))
        return any(self._roles.index.entities(spoken(text[one.start : other.end])) for one, other in spans)

    def _clauses(
        self, chunks: Sequence[SentenceChunk], reader: ClauseReader, text: str, subjects: Subjects
    ) -> Iterator[Claim]:
        """Read what stands between commas: whole clauses, and those that go on with the same subject."""
        fronted: list[Word] = []
        subject: Name | None = None
        for number, chunk in enumerate(chunks):
            clause = self._clause((*fronted, *chunk.words), text)
            bare = self._clause(chunk.words, text)
            behind = chunks[number + 1] if number + 1 < len(chunks) else None
            more = _times_behind(chunks, number)
            if not bare.words:
                fronted = [*fronted, *chunk.words] if number == 0 else fronted
                continue
            clause = self._clause((*fronted, *chunk.words, *more), text) if more else clause
            fronted = []
            if self._is_cut(chunk, behind):
                continue
            claims = list(self._of_chunk(clause, reader, chunks, number, subject, subjects))
            if number:
                claims = [claim for claim in claims if not _is_fronted(chunks[0], claim)]
            if subject is None and number == 0:
                subject = subjects.of_clause(clause, claims)
            yield from claims

    def _of_chunk(
        self,
        clause: ClaimClause,
        reader: ClauseReader,
        chunks: Sequence[SentenceChunk],
        number: int,
        subject: Name | None,
        subjects: Subjects,
    ) -> Iterator[Claim]:
        row = clause.words
        first = row[0].text if row else ""
        if first in ("who", "which", "that"):
            if number and (antecedent := self._asides.antecedent(chunks[number - 1])):
                yield from reader.read(clause.from_word(1), antecedent)
            return
        meant = None
        if row and number and subject is not None:
            meant = subjects.of_sentence(row[0], subject, [word for chunk in chunks[:number] for word in chunk.words])
        elif row:
            meant = subjects.pronoun(row[0])
        if meant:
            yield from reader.read(clause.from_word(1), meant)
            return
        if (number and subject is not None and first in ("and", "but")) or (
            first in ("serving", "becoming") and subject is not None
        ):
            skip = 1 if first in ("and", "but") else 0
            before = [word for chunk in chunks[:number] for word in chunk.words]
            if skip and len(row) > 1 and subjects.of_sentence(row[1], subject, before):
                skip = 2  # "and he was ..."
            yield from reader.read(clause.from_word(skip), subject)
            if skip:
                yield from reader.read(clause.from_word(skip))
            return
        yield from reader.read(clause.from_word(1) if first in ("and", "but", "while", "so") else clause)

    def _is_cut(self, chunk: SentenceChunk, behind: SentenceChunk | None) -> bool:
        """Tell "the mayor of Paris, Texas" and "Springfield (Ohio)": the name goes on behind the pause."""
        if behind is None or not behind.words or not chunk.words or chunk.words[-1].time:
            return False
        return is_rest_of_name(behind) and chunk.words[-1].written[:1].isupper() and not self._starts_with_name(chunk)

    def _starts_with_name(self, chunk: SentenceChunk) -> bool:
        return any(length == len(chunk.words) for _, length in self._roles.names(chunk.words, 0, unknown=True))

    def _clause(self, row: Sequence[Word], text: str) -> ClaimClause:
        return clause_of(row, text, self.today)

    @cached_property
    def _roles(self) -> Roles:
        return roles_of(self.store)

    @cached_property
    def _shapes(self) -> ClaimShapes:
        return ClaimShapes(self._roles)

    @cached_property
    def _asides(self) -> Asides:
        return Asides(self._shapes, self.today)


def _caution(text: str, row: Sequence[Word]) -> str:
    """Say why a sentence is left alone as a whole; empty where it is not."""
    if not row:
        return "there are no words in it, or too many"
    if text.rstrip("\"”') ").endswith("?"):
        return "it is a question"
    if _QUOTED.search(text):
        return "it has a quotation in it"
    return caution(row)


def _before_words_of_others(row: Sequence[Word]) -> Sequence[Word]:
    """Leave out what somebody is told to have said."""
    for position, word in enumerate(row):
        behind = row[position + 1].text if position + 1 < len(row) else ""
        says = word.text in attributions() and not word.time and behind != "to"  # "Ann reports to Bob"
        if says and (word.written[:1].islower() or position == 0):
            return row[:position]
    return row


def _is_fronted(chunk: SentenceChunk, claim: Claim) -> bool:
    """Tell whether words before the clause may say of which time it speaks: "As of my last update"."""
    first = chunk.words[0]
    if (
        claim.time is not None
        or first.time
        or first.text not in words("fronting")
        or claim.head.words[0] in chunk.words
    ):
        return False
    timeless = not any(word.time for word in chunk.words)
    return not (timeless and claim.kind is ClaimKind.NOW and first.text in words("fronting_places"))


def _times_behind(chunks: Sequence[SentenceChunk], number: int) -> list[Word]:
    """Return the times that follow a clause behind a comma or in brackets."""
    found: list[Word] = []
    for chunk in chunks[number + 1 :]:
        if not all(word.time for word in chunk.words):
            break
        found += chunk.words
    return found
