"""A text held against a base: ``asof verify``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from asof.errors import UserError
from asof.facts import FactStore
from asof.reading.verify.claim import Claim, UnreadSentence
from asof.reading.verify.claim_row import VerificationRow, claim_row, left_alone_row
from asof.reading.verify.evidence import evidence_lookup
from asof.reading.verify.judge import ClaimJudge
from asof.reading.verify.judgement import ClaimJudgement, ClaimVerdict
from asof.reading.verify.reader import ClaimReader
from asof.timeline import Date, Span
from asof.timeline.days import Days

LONGEST_TEXT = 1_000_000  # letters
# From what must be mended to what is fine.
WORST_FIRST = (
    ClaimVerdict.CONTRADICTED, ClaimVerdict.OUTDATED, ClaimVerdict.NOT_YET, ClaimVerdict.UNKNOWN, ClaimVerdict.HOLDS,
)  # fmt: skip


@dataclass(frozen=True)
class VerifiedClaim:
    """A claim and the verdict on it."""

    claim: Claim
    judgement: ClaimJudgement


@dataclass(frozen=True, kw_only=True)
class TextVerification:
    """What became of a text.

    Args:
        on: What "now" means in it.
        left_alone: The sentences of which no claim was judged.
    """

    on: Span
    base: str
    known_to: Date | None
    claims: tuple[VerifiedClaim, ...]
    left_alone: tuple[UnreadSentence, ...]
    relations: dict[str, str] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> ClaimVerdict | None:
        """The worst of the verdicts that are sure; None where there is no claim."""
        found = {one.judgement.verdict for one in self.claims if not one.judgement.possibly}
        unsure = {one.judgement.verdict for one in self.claims}
        rest = {ClaimVerdict.HOLDS} & unsure or ({ClaimVerdict.UNKNOWN} if unsure else set())
        return next((one for one in WORST_FIRST if one in found), next(iter(rest), None))

    @property
    def stale(self) -> bool:
        """Whether the base ends before the day that it is asked about."""
        return self.known_to is not None and self.on.last > self.known_to.last

    @property
    def counts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        found = Counter(one.judgement.verdict for one in self.claims)
        return {str(verdict): found[verdict] for verdict in WORST_FIRST[::-1] if found[verdict]}

    def fails(self, verdicts: Iterable[str]) -> list[VerifiedClaim]:
        """Return the claims that surely have one of some verdicts."""
        wanted = set(verdicts)
        return [one for one in self.claims if one.judgement.verdict in wanted and not one.judgement.possibly]

    def row(self) -> VerificationRow:
        """Return it as a row of dataclasses."""
        return VerificationRow(
            verdict=self.verdict.value if self.verdict else None,
            on=str(self.on),
            base=self.base,
            known_to=str(self.known_to) if self.known_to else None,
            stale=self.stale,
            counts=self.counts,
            claims=[claim_row(one.claim, one.judgement, self.relations, self.known_to) for one in self.claims],
            left_alone=[left_alone_row(one) for one in self.left_alone],
            notes=list(self.notes),
        )

    def as_row(self) -> dict[str, Any]:
        """Return plain values, the same at every door; what they mean is in ``asof schema verification``."""
        return asdict(self.row())


class TextVerifier:
    """Holds texts against one base; keep it to verify many.

    Args:
        on: What "now" means in the texts; by default today, or the day to which the base is current where that is
            earlier.
    """

    def __init__(self, store: FactStore, *, on: Span | None = None) -> None:
        self.store = store
        today = Date.today()
        self._is_default = on is None
        known = store.known_by
        self.on: Span = on or (known if known and known.last < today.last else today)
        self._reader = ClaimReader(store, _last_day(self.on))
        self._judge = ClaimJudge(evidence_lookup(store), Days(self.on.first, self.on.last))
        self._relations = {id: relation.label for id, relation in store.relations.items()}

    def verify(self, text: str) -> TextVerification:
        """Return what the base says of the claims of a text.

        Raises:
            UserError: The text is empty or too long.
        """
        if not any(letter.isalnum() for letter in text):
            raise UserError(
                'There is no text to verify. Give a sentence: asof verify "Mario Draghi is prime minister of Italy."'
            )
        if len(text) > LONGEST_TEXT:
            raise UserError(
                f"The text has {len(text):,} characters; asof verify takes up to {LONGEST_TEXT:,}. Give it in parts."
            )
        claims: list[VerifiedClaim] = []
        left: list[UnreadSentence] = []
        for found in self._reader.read(text):
            reasons = []
            judged = 0
            for claim in found.claims:
                verdict = self._judge.judge(claim)
                if isinstance(verdict, str):
                    reasons.append(verdict)
                else:
                    judged += 1
                    claims.append(VerifiedClaim(claim, verdict))
            if not judged:
                left.append(found.unread or UnreadSentence(found.sentence, reasons[0]))
        return TextVerification(
            on=self.on, base=self.store.manifest.name, known_to=self.store.known_by, claims=tuple(claims),
            left_alone=tuple(left), relations=self._relations, notes=self.notes,
        )  # fmt: skip

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of the day on which texts are judged."""
        known, name = self.store.known_by, self.store.manifest.name
        if known is None:
            return (f"{name} does not say to which day it is current: what is ongoing in it is not confirmed.",)
        if self._is_default and known.last < Date.today().last:
            return (f"Judged as of {known}, the day to which {name} is current.",)
        if self.on.last > known.last:
            return (f"{name} is current to {known}: what is ongoing in it is unconfirmed for later days.",)
        return ()


def _last_day(span: Span) -> Date:
    return Date.from_day(span.last)
