"""From a claim and its facts to a verdict: holds, outdated, not yet, contradicted, unknown, or none at all.

What the base does not know contradicts nothing. A claim is contradicted where the base has its facts at other times
than
it says, or where another surely had the place in all of that time and only one can have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from asof.facts import Fact
from asof.reading.ask.evaluate.holding import why_not_sure
from asof.reading.verify.claim import Claim, ClaimKind
from asof.reading.verify.evidence import ClaimEvidence, EvidenceLookup
from asof.reading.verify.judgement import ClaimJudgement, ClaimVerdict, judged
from asof.reading.verify.terms import Term, cover, terms_of
from asof.timeline import MIN_DAY, Date, Open
from asof.timeline.days import Days

_UNKNOWN = ClaimJudgement(verdict=ClaimVerdict.UNKNOWN)
_TURNED = {
    ClaimVerdict.HOLDS: ClaimVerdict.CONTRADICTED, ClaimVerdict.OUTDATED: ClaimVerdict.HOLDS,
    ClaimVerdict.NOT_YET: ClaimVerdict.HOLDS, ClaimVerdict.CONTRADICTED: ClaimVerdict.HOLDS,
}  # fmt: skip


@dataclass(frozen=True)
class ClaimJudge:
    """Judges claims as of a day.

    Args:
        on: The days that "now" means.
    """

    lookup: EvidenceLookup
    on: Days

    def judge(self, claim: Claim) -> ClaimJudgement | str:
        """Return the verdict on a claim, or why it must be left alone."""
        evidence = self.lookup.of(claim)
        if claim.kind is ClaimKind.SUCCESSOR:
            found = self._successor(claim, evidence)
        elif isinstance(same := self._of_each_pair(claim, evidence), str):
            return same
        else:
            found = self._in_part(claim, evidence, same)
        if found is None:
            return "it may speak of another time than the facts do"
        if claim.negated:
            found = replace(found, verdict=_TURNED.get(found.verdict, found.verdict))
        if claim.says_more:
            return "it says more than the facts tell (its number, or that it was the first)"
        return replace(found, facts=self.lookup.labelled(found.facts), instead=self.lookup.labelled(found.instead))

    def _in_part(
        self, claim: Claim, evidence: ClaimEvidence, judgement: ClaimJudgement | None
    ) -> ClaimJudgement | None:
        """Judge "late 2021" by the whole of 2021 as well: where that says otherwise, nobody can say."""
        if claim.time is None or claim.time.whole is None or (judgement and judgement.verdict is ClaimVerdict.HOLDS):
            return judgement
        widened = replace(claim, time=replace(claim.time, days=claim.time.whole, whole=None))
        other = self._of_each_pair(widened, evidence)
        same = judgement and isinstance(other, ClaimJudgement) and other.verdict is judgement.verdict
        return judgement if same else None

    def _of_each_pair(self, claim: Claim, evidence: ClaimEvidence) -> ClaimJudgement | str | None:
        """Judge each two that the names may mean; they must agree, unless it holds of one."""
        pairs = {(fact.subject, fact.object) for fact in evidence.pair}
        if len(pairs) <= 1:
            return self._judged(claim, evidence)
        if len({frozenset(pair) for pair in pairs}) == 1:  # the same two, turned round
            return self._judged(claim, evidence)
        found = [
            self._judged(
                claim, replace(evidence, pair=tuple(one for one in evidence.pair if (one.subject, one.object) == pair))
            )
            for pair in sorted(pairs)
        ]
        holding = [one for one in found if one and one.verdict is ClaimVerdict.HOLDS]
        if holding:
            return min(holding, key=lambda one: one.possibly)
        return f"{(claim.other or claim.head).text!r} or {claim.head.text!r} may mean several"

    def _judged(self, claim: Claim, evidence: ClaimEvidence) -> ClaimJudgement | None:
        found = self._by_kind(claim, evidence)
        if found is None or (not claim.loose and claim.other is not None):
            return found
        mismatch = found.verdict is ClaimVerdict.CONTRADICTED
        return None if mismatch else found

    def _by_kind(self, claim: Claim, evidence: ClaimEvidence) -> ClaimJudgement | None:
        terms = terms_of(evidence.pair, self.known_by)
        if not terms:
            return self._without_facts(claim, evidence)
        days = claim.days or self.on
        match claim.kind:
            case ClaimKind.NOW:
                return self._at(claim, evidence, terms, self.on, whole=True)
            case ClaimKind.EVER:
                return self._ever(terms)
            case ClaimKind.DURING:
                return self._at(claim, evidence, terms, days, whole=False)
            case ClaimKind.SINCE:
                return self._since(claim, evidence, terms, days)
            case ClaimKind.UNTIL:
                return self._ended(claim, terms, days)
            case ClaimKind.SPAN:
                return self._span(claim, evidence, terms)
            case ClaimKind.START:
                return self._started(claim, terms, days)
            case ClaimKind.END:
                return self._ended(claim, terms, days)
            case ClaimKind.FORMER:
                return self._former(terms)
            case _:
                return self._beside(claim, evidence, terms)

    @property
    def known_by(self) -> Date | None:
        """The day to which the base is known."""
        return self.lookup.store.known_by

    def _at(
        self, claim: Claim, evidence: ClaimEvidence, terms: Sequence[Term], days: Days, *, whole: bool
    ) -> ClaimJudgement:
        """Judge by days: all of them for what is said to hold, some for what is said to have held."""
        for term in terms:
            if term.bounds.covers(days) or (not whole and term.bounds.surely_meets(days)):
                return judged(ClaimVerdict.HOLDS, term.facts)
        for term in terms:
            if term.bounds.possibly_meets(days):
                why = ", ".join(filter(None, (self._doubt(fact, days) for fact in term.facts)))
                return judged(ClaimVerdict.HOLDS, term.facts, why=why, possibly=True)
        return self._at_other_times(terms, days, self._instead(claim, evidence, days))

    def _doubt(self, fact: Fact, days: Days) -> str:
        bounds = fact.interval.bounds(known_by=self.known_by)
        if not bounds.possibly_meets(days):
            return ""
        if bounds.surely_meets(days):
            return f"only from {fact.start} to {fact.end}" if isinstance(fact.end, Date) else f"only from {fact.start}"
        return why_not_sure(fact, days, self.known_by)

    def _at_other_times(self, terms: Sequence[Term], days: Days, instead: tuple[Fact, ...]) -> ClaimJudgement:
        before = [term for term in terms if term.bounds.latest_end < days.first]
        after = [term for term in terms if term.bounds.earliest_start > days.last]
        if before:
            last = max(before, key=lambda one: one.bounds.latest_end)
            again = f"; again from {after[0].start}" if after else ""
            return judged(
                ClaimVerdict.OUTDATED,
                last.facts,
                why=f"held until {last.end}{again}",
                instead=instead,
                held_until=_date(last.end),
            )
        first = min(after, key=lambda one: one.bounds.earliest_start)
        return judged(
            ClaimVerdict.NOT_YET, first.facts, why=f"from {first.start}", instead=instead, holds_from=_date(first.start)
        )

    def _ever(self, terms: Sequence[Term]) -> ClaimJudgement:
        first = min(terms, key=lambda one: one.bounds.latest_start)
        if any(term.bounds.latest_start <= self.on.last for term in terms):
            begun = tuple(fact for term in terms if term.bounds.earliest_start <= self.on.last for fact in term.facts)
            return judged(ClaimVerdict.HOLDS, begun)
        if any(term.bounds.earliest_start <= self.on.last for term in terms):
            return judged(ClaimVerdict.HOLDS, first.facts, why=f"start {first.start}", possibly=True)
        return judged(ClaimVerdict.NOT_YET, first.facts, why=f"from {first.start}", holds_from=_date(first.start))

    def _since(self, claim: Claim, evidence: ClaimEvidence, terms: Sequence[Term], days: Days) -> ClaimJudgement:
        now = self._at(claim, evidence, terms, self.on, whole=True)
        if now.verdict is ClaimVerdict.OUTDATED and all(term.bounds.latest_end < days.first for term in terms):
            return replace(now, verdict=ClaimVerdict.CONTRADICTED, held_until=None)  # over before it is said to begin
        if now.verdict is not ClaimVerdict.HOLDS:
            return now
        term = next(term for term in terms if term.facts == now.facts)
        fits = term.starts_in(days)
        if fits is False:
            instead = () if claim.days is None else self._instead(claim, evidence, days)
            return judged(ClaimVerdict.CONTRADICTED, term.facts, why=f"since {term.start}", instead=instead)
        if fits is None and not now.possibly:
            return replace(now, possibly=True, why=f"start {term.start}")
        return now

    def _started(self, claim: Claim, terms: Sequence[Term], days: Days) -> ClaimJudgement | None:
        fits = [(fact, _in(fact.start, days)) for term in terms for fact in term.facts]
        return self._event(claim, fits, terms, "it began", [term.start for term in terms])

    def _ended(self, claim: Claim, terms: Sequence[Term], days: Days) -> ClaimJudgement | None:
        fits = [(fact, _in(fact.end, days)) for term in terms for fact in term.facts]
        still = [term for term in terms if term.end is Open.ONGOING and term.bounds.latest_start <= days.last]
        if still and not any(fit for _, fit in fits) and not self._is_known_beyond(days):
            return judged(ClaimVerdict.UNKNOWN, still[0].facts)
        ends = ["not yet" if term.end is Open.ONGOING else term.end for term in terms]
        return self._event(claim, fits, terms, "it ended", ends)

    def _is_known_beyond(self, days: Days) -> bool:
        return self.known_by is not None and days.last <= self.known_by.last

    def _event(
        self,
        claim: Claim,
        fits: Sequence[tuple[Fact, bool | None]],
        terms: Sequence[Term],
        said: str,
        ends: Sequence[object],
    ) -> ClaimJudgement | None:
        """Judge by when something began or ended."""
        if found := tuple(fact for fact, fit in fits if fit):
            return judged(ClaimVerdict.HOLDS, found)
        if found := tuple(fact for fact, fit in fits if fit is None and _may_be(fact, terms)):
            return judged(ClaimVerdict.HOLDS, found, why="its dates are not known precisely", possibly=True)
        first = terms[0].bounds.earliest_start
        if first > self.on.last:
            return judged(
                ClaimVerdict.NOT_YET, terms[0].facts, why=f"from {terms[0].start}", holds_from=_date(terms[0].start)
            )
        facts = tuple(fact for term in terms for fact in term.facts)
        return judged(ClaimVerdict.CONTRADICTED, facts, why=f"{said} {_and(ends)}")

    def _span(self, claim: Claim, evidence: ClaimEvidence, terms: Sequence[Term]) -> ClaimJudgement | None:
        time = claim.time
        if time is None or time.ends is None:
            return None
        one, other = time.ends
        every = [
            Term(fact.interval.bounds(known_by=self.known_by), fact.start, fact.end, (fact,)) for fact in evidence.pair
        ]
        possible: Term | None = None
        for term in (*terms, *every):
            begins, ends = term.starts_in(one), term.ends_in(other)
            if begins and ends:
                return judged(ClaimVerdict.HOLDS, term.facts)
            if begins is not False and ends is not False and self._may_be_over(term, other):
                possible = possible or term
        if possible:
            return judged(
                ClaimVerdict.HOLDS, possible.facts, why=f"from {possible.start} to {possible.end}", possibly=True
            )
        meeting = [term for term in terms if term.bounds.possibly_meets(time.days)]
        if not meeting:
            return self._at_other_times(terms, time.days, self._instead(claim, evidence, time.days))
        if time.text.casefold().startswith(("between", "during", "in")) and any(
            term.bounds.covers(Days(one.last, other.first)) for term in meeting
        ):
            return judged(ClaimVerdict.HOLDS, meeting[0].facts)
        said = _and([f"from {term.start} to {term.end}" for term in meeting])
        return judged(ClaimVerdict.CONTRADICTED, tuple(fact for term in meeting for fact in term.facts), why=said)

    def _may_be_over(self, term: Term, last: Days) -> bool:
        """Tell whether a term without a stated end may have ended then."""
        return isinstance(term.end, Date) or term.bounds.earliest_end <= last.last

    def _former(self, terms: Sequence[Term]) -> ClaimJudgement:
        still = next((term for term in terms if term.bounds.surely_meets(self.on)), None)
        if still:
            again = still.bounds.covers(self.on)
            return judged(ClaimVerdict.CONTRADICTED, still.facts, why="it still holds", possibly=not again)
        maybe = next((term for term in terms if term.bounds.possibly_meets(self.on)), None)
        if maybe:
            return judged(ClaimVerdict.HOLDS, maybe.facts, why=f"end {maybe.end}", possibly=True)
        return self._ever(terms)

    def _beside(self, claim: Claim, evidence: ClaimEvidence, terms: Sequence[Term]) -> ClaimJudgement | None:
        """Judge what is said in passing: where it does not fit now or then, it may speak of another time."""
        days = claim.days or self.on
        found = self._at(claim, evidence, terms, days, whole=False)
        if found.verdict is ClaimVerdict.HOLDS:
            return found
        return found if claim.present and claim.days is None else None

    def _successor(self, claim: Claim, evidence: ClaimEvidence) -> ClaimJudgement | None:
        if claim.before is None or not evidence.pair or len(evidence.subjects) != 1 or len(evidence.relations) != 1:
            return _UNKNOWN
        row = terms_by_holder((*evidence.pair, *evidence.others), self.known_by)
        before = set(claim.before.entities)
        mine = {fact.object for fact in evidence.pair}
        turns = [(one, other) for one, other in pairwise(row) if other.facts[0].object in mine]
        if claim.days is not None:
            fitting = [turn for turn in turns if turn[1].starts_in(claim.days) is not False]
        else:
            fitting = turns
        right = [turn for turn in fitting if turn[0].facts[0].object in before]
        if right:
            sure = claim.days is None or bool(right[0][1].starts_in(claim.days))
            return judged(ClaimVerdict.HOLDS, (*right[0][0].facts, *right[0][1].facts), possibly=not sure)
        if claim.loose or not before or claim.before.in_part:
            return None
        right = [turn for turn in turns if turn[0].facts[0].object in before]
        if right:
            facts = (*right[0][0].facts, *right[0][1].facts)
            return judged(ClaimVerdict.CONTRADICTED, facts, why=f"it began {right[0][1].start}")
        touching = [turn for turn in turns if turn[1].bounds.earliest_start <= turn[0].bounds.latest_end + 1]
        single = all(self.lookup.store.relations[one].one_at_a_time for one in evidence.relations)
        if touching and len(touching) == len(turns) and single and evidence.strict:
            instead = tuple(fact for turn in touching for fact in turn[0].facts)
            mine_facts = tuple(fact for turn in touching for fact in turn[1].facts)
            return judged(ClaimVerdict.CONTRADICTED, mine_facts, why="another came right before", instead=instead)
        return _UNKNOWN

    def _without_facts(self, claim: Claim, evidence: ClaimEvidence) -> ClaimJudgement | None:
        """Judge a claim of which there is no fact: another may have the place, or the base may promise all."""
        span = self._days_of(claim)
        if span is not None and (instead := self._instead(claim, evidence, span)):
            return judged(ClaimVerdict.CONTRADICTED, (), why=self._single(evidence), instead=instead)
        if claim.kind is ClaimKind.BESIDE and not claim.days and not claim.present:
            return None
        known = self._is_clear(claim, evidence) and not claim.title
        if known and self.lookup.is_complete(evidence.relations, evidence.subjects):
            return judged(ClaimVerdict.CONTRADICTED, (), why="the base promises that its facts are complete")
        return replace(_UNKNOWN, why=self._missing(claim, evidence), instead=self._shown(claim, evidence))

    def _days_of(self, claim: Claim) -> Days | None:
        if claim.kind is ClaimKind.NOW:
            return self.on
        if claim.kind is ClaimKind.SINCE:
            return self.on
        if claim.kind in (ClaimKind.DURING, ClaimKind.SPAN, ClaimKind.START):
            return claim.days
        if claim.kind is ClaimKind.BESIDE:
            return claim.days or (self.on if claim.present else None)
        return None

    def _instead(self, claim: Claim, evidence: ClaimEvidence, days: Days) -> tuple[Fact, ...]:
        """Return who surely had the place in all of some days, where only one can have it."""
        if days.first == MIN_DAY or not self._is_clear(claim, evidence):
            return ()
        return tuple(cover(evidence.others, days, self.known_by))

    def _is_clear(self, claim: Claim, evidence: ClaimEvidence) -> bool:
        """Tell whether the base would know it: one subject, one relation, a thing that it knows, one at a time."""
        relations = [self.lookup.store.relations[one] for one in evidence.relations]
        held = next(
            (
                claim.at("object", use.head)
                for group in claim.groups
                for use in group
                if use.relation in evidence.relations
            ),
            None,
        )
        known = held is not None and bool(held.entities) and not held.in_part
        single = len(evidence.subjects) == 1 and len(relations) == 1 and bool(relations[0].one_at_a_time)
        return known and single and evidence.strict and not claim.loose and claim.other is not None

    def _single(self, evidence: ClaimEvidence) -> str:
        (relation,) = (self.lookup.store.relations[one] for one in evidence.relations)
        guessed = "one_at_a_time" in relation.proposed
        return f"{relation.label} is one at a time" + (", as its facts suggest" if guessed else "")

    def _missing(self, claim: Claim, evidence: ClaimEvidence) -> str:
        base = self.lookup.store.manifest.name
        for name in (claim.head, claim.other):
            if name is not None and not name.entities:
                return f"{base} does not know {name.text!r}"
        return f"{base} has no such fact"

    def _shown(self, claim: Claim, evidence: ClaimEvidence) -> tuple[Fact, ...]:
        """Return what the base knows of that time, beside what is claimed."""
        days = self._days_of(claim)
        if days is None or len(evidence.subjects) != 1:
            return ()
        return tuple(
            fact for fact in evidence.others if fact.interval.bounds(known_by=self.known_by).possibly_meets(days)
        )[:3]


def terms_by_holder(facts: Sequence[Fact], known_by: Date | None) -> list[Term]:
    """Return the terms of all holders in the order of their starts."""
    holders: dict[str, list[Fact]] = {}
    for fact in facts:
        holders.setdefault(fact.object, []).append(fact)
    rows = [term for row in holders.values() for term in terms_of(row, known_by)]
    return sorted(rows, key=lambda one: (one.bounds.earliest_start, one.bounds.latest_start))


def _in(end: object, days: Days) -> bool | None:
    if not isinstance(end, Date):
        return None if end is not Open.ONGOING else False
    if end.last < days.first or days.last < end.first:
        return False
    return True if end.last - end.first <= days.last - days.first else None


def _may_be(fact: Fact, terms: Sequence[Term]) -> bool:
    return any(fact in term.facts for term in terms)


def _date(end: object) -> Date | None:
    return end if isinstance(end, Date) else None


def _and(ends: Sequence[object]) -> str:
    return " and ".join(dict.fromkeys(map(str, ends)))
