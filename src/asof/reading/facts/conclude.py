"""From the facts of a reading to its answer: who, when, how long, how many, yes or no, or why it is unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from asof.facts import Fact
from asof.reading.facts.answer import AnswerItem, FactEvidence, FactsAnswer, Holds, Status
from asof.reading.facts.duration import joined, length_in_words
from asof.reading.facts.holding import in_order, judged, nearest
from asof.reading.facts.kept import AnswerFacts, Pair, without_breaks
from asof.reading.facts.lookup import FactMatch, Lookup
from asof.reading.facts.phrases import Phrases
from asof.reading.facts.readings import Reading
from asof.reading.facts.whole import CompletenessCheck
from asof.timeline import Date
from asof.timeline.specifier import Days

_POSTS = frozenset(("position", "office", "post", "role", "job"))
_CAREER = "P39"
_OFFICES = frozenset((_CAREER, "P1308"))
_RULERS = frozenset(("P6", "P35", "P1308"))
_SUREST = (Holds.WHOLE, Holds.ALWAYS, Holds.PART, Holds.POSSIBLY)


@dataclass(frozen=True)
class Conclusion:
    """Draws the answer to a question from its reading."""

    question: str
    reading: Reading
    lookup: Lookup
    phrases: Phrases
    today: Date

    def answer(self) -> FactsAnswer:
        """Return the answer."""
        kinds: dict[str, Callable[[list[Pair]], tuple[AnswerItem, ...]]] = {
            "which": self._entities,
            "yes or no": self._yes,
            "when": self._times,
            "how long": self._lengths,
            "how many": self._count,
            "how many times": self._count_times,
        }
        kind, kept = self.reading.question.kind, self._kept.pairs
        if kept:
            answer = self._made(Status.ANSWERED, kinds[kind](kept), self._notes())
            complete = None if self._doubt is None else not self._doubt
            return replace(answer, complete=complete, hedge=self._whole.hedge if self._doubt else "")
        if kind == "yes or no" and not self._kept.others and not self._kept.lies_ahead and self._would_be_known:
            return self._no()
        return self._unknown()

    def somebody_else(self) -> FactsAnswer | None:
        """Say no, when the facts of the reading are those of others and one of them covers the whole time asked."""
        kept = [evidence for _, evidence in self._kept.pairs if evidence.holds is Holds.WHOLE]
        return self._made(Status.ANSWERED, (AnswerItem("no", Holds.WHOLE, tuple(kept)),), ()) if kept else None

    @property
    def has_other_titles(self) -> bool:
        """Whether there are facts for that time, but under another title than the one asked for."""
        return bool(self._kept.others)

    @property
    def _would_be_known(self) -> bool:
        """Whether a base that knows other times would know this one: not who else somebody was the head of."""
        return all(one.wanted is None or one.fact.relation in _RULERS for one in self.reading.found)

    @cached_property
    def _whole(self) -> CompletenessCheck:
        return CompletenessCheck(self.reading, self.lookup, self.phrases)

    @cached_property
    def _doubt(self) -> str | None:
        """Why the base may lack what the answer depends on; None where it depends on its own facts alone."""
        return self._whole.doubt([one for one, _ in self._kept.pairs]) if self._whole.needed else None

    @cached_property
    def _kept(self) -> AnswerFacts:
        return AnswerFacts(self.reading, self.lookup, self.phrases, self.today)

    def _entities(self, kept: list[Pair]) -> tuple[AnswerItem, ...]:
        by_answer: dict[str, list[Pair]] = {}
        for one, evidence in kept:
            by_answer.setdefault(self._text(one) if self._is_post(one) else one.answer, []).append((one, evidence))
        return tuple(
            AnswerItem(
                self._text(pairs[0][0]),
                min((evidence.holds for _, evidence in pairs), key=_SUREST.index),
                tuple(evidence for _, evidence in pairs),
                pairs[0][0].answer,
            )
            for pairs in by_answer.values()
        )

    def _is_post(self, match: FactMatch) -> bool:
        asks_for_posts = match.wanted == "subject" and bool(_POSTS & set(self.reading.sense.said))
        return asks_for_posts and match.fact.relation not in _OFFICES

    def _text(self, match: FactMatch) -> str:
        if self._is_post(match):
            return f"{match.fact.relation_label} of {match.fact.subject_label}"
        return match.answer_label

    def _yes(self, kept: list[Pair]) -> tuple[AnswerItem, ...]:
        surest = min((evidence.holds for _, evidence in kept), key=_SUREST.index)
        words = {Holds.PART: "yes, for a part of that time", Holds.POSSIBLY: "possibly"}
        return (AnswerItem(words.get(surest, "yes"), surest, tuple(evidence for _, evidence in kept)),)

    def _times(self, kept: list[Pair]) -> tuple[AnswerItem, ...]:
        event = self.reading.sense.event

        def text(fact: Fact) -> str:
            ends = {"start": fact.start, "end": fact.end}
            whole = fact.start if fact.start == fact.end else fact.interval  # 1971, not 1971..1971
            return str(ends[event] if event else whole)

        return self._said_once(kept, text, text)

    def _lengths(self, kept: list[Pair]) -> tuple[AnswerItem, ...]:
        return self._said_once(
            kept, lambda fact: length_in_words(fact, self.today), lambda fact: f"{fact.start} {fact.end}"
        )

    def _said_once(
        self, kept: list[Pair], text: Callable[[Fact], str], same: Callable[[Fact], str]
    ) -> tuple[AnswerItem, ...]:
        """Say what facts tell, and of those that are the same, as of a queen of several realms, once."""
        items: dict[str, AnswerItem] = {}
        for row in self._runs(self._outermost(kept)):
            one, evidence = row[0]
            fact = joined([one.fact for one, _ in row])
            said = items.get(same(fact))
            before = said.evidence if said else ()
            facts = (*before, *(evidence for _, evidence in row))
            items[same(fact)] = AnswerItem(text(fact), said.holds if said else evidence.holds, facts, one.answer)
        return tuple(items.values())

    def _runs(self, kept: list[Pair]) -> list[list[Pair]]:
        """Put the terms of somebody in a legislature together where they follow each other."""
        if len(kept) > 1 and all(one.fact.relation == _CAREER and one.wanted is None for one, _ in kept):
            return without_breaks(kept, self._kept.known_by)
        return [[pair] for pair in kept]

    def _outermost(self, kept: list[Pair]) -> list[Pair]:
        """Leave out times in an office that lie within another: the terms of a senator, a queen's other realms."""
        bounds = [one.fact.interval.bounds(known_by=self._kept.known_by) for one, _ in kept]

        def within(index: int) -> bool:
            its = bounds[index]
            whole = Days(its.earliest_start, its.latest_end)
            return any(other.covers(whole) and other != its for other in bounds)

        return [
            pair
            for index, pair in enumerate(kept)
            if pair[0].fact.relation not in _OFFICES | _RULERS or not within(index)
        ]

    def _count(self, kept: list[Pair]) -> tuple[AnswerItem, ...]:
        if all(one.wanted is None for one, _ in kept):
            return self._count_times(kept)
        return self._counted(self._entities(kept))

    def _count_times(self, kept: list[Pair]) -> tuple[AnswerItem, ...]:
        times = {(one.fact.start, one.fact.end): evidence for one, evidence in reversed(self._outermost(kept))}
        return self._counted([AnswerItem("", evidence.holds, (evidence,)) for evidence in reversed(times.values())])

    def _counted(self, items: Sequence[AnswerItem]) -> tuple[AnswerItem, ...]:
        """Count what surely holds, then what possibly does, too."""
        sure = [item for item in items if item.holds is not Holds.POSSIBLY]
        counts = [(sure, Holds.ALWAYS)] if sure else []
        if len(sure) < len(items):
            counts.append((list(items), Holds.POSSIBLY))
        return tuple(
            AnswerItem(str(len(counted)), holds, tuple(evidence for item in counted for evidence in item.evidence))
            for counted, holds in counts
        )

    def _no(self) -> FactsAnswer:
        """Say no: the fact held at another time; where one at a time can hold, who or what did then is named too."""
        found = in_order(self.reading.found, self._kept.known_by)
        asked = next(
            one for group in self.reading.sense.groups for one in group if one.relation == found[0].fact.relation
        )
        then: list[FactMatch] = []
        if self.lookup.store.relations[asked.relation].one_at_a_time and self.reading.times:
            instead = self.lookup.facts(replace(asked, object=None))
            then = [one for one in instead if judged(one.fact, self.reading.times, None, self._kept.known_by)]
        return self._made(Status.ANSWERED, (AnswerItem("no", Holds.ALWAYS, ()),), self._notes(), [*then, *found])

    def _unknown(self) -> FactsAnswer:
        """Say that nothing is known for that time, and what comes nearest."""
        base, sense = self.lookup.store.manifest.name, self.reading.sense
        when = f" {self.reading.when}" if self.reading.when else ""
        if self._kept.others:
            note = f"{base} knows no {' '.join(sense.said)} there{when}; it has a fact under another title."
            return self._made(Status.UNKNOWN, (), (note,), [one for one, _ in self._kept.others][:3])
        if self._kept.lies_ahead:
            note = f"That is after today, {self.today}: {base} cannot know it."
            return self._made(Status.UNKNOWN, (), (note,), [])
        if sense.neighbour:
            when = f" {sense.side_in_words} {sense.leans_on}{when}"
        near = nearest(in_order(self.reading.found, self._kept.known_by), self.reading.times, self._kept.known_by)
        return self._made(Status.UNKNOWN, (), (f"{base} has no matching fact{when}.",), near)

    def _notes(self) -> tuple[str, ...]:
        notes = []
        question, sense, kept = self.reading.question, self.reading.sense, self._kept.pairs
        timeless = self.reading.times is None and not (sense.neighbour or sense.order or sense.before_now)
        if timeless and question.kind == "which":
            notes.append("No time was given: these are all matching facts of the base, in the order of time.")
        several = sense.neighbour and (sense.until or sense.all_on_side)
        base = self.lookup.store.manifest.name
        if several:
            notes.append(f"As far as {base} knows them.")
        notes += [self._doubt] if self._doubt else []
        if sense.event == "end" and self.phrases.words("how_it_ended") & {word.text for word in question.words}:
            notes.append(f"{self.lookup.store.manifest.name} records when something ended, not how.")
        if self.phrases.words("music") & {word for said in sense.said for word in said.split()}:
            notes.append(f"{self.lookup.store.manifest.name} records who was in a band, not what they did there.")
        if kept and {one.fact.relation for one, _ in kept} == {"P39"} and kept[0][0].wanted == "subject":
            notes.append("Found in the careers of people: others may have held it too.")
        return (*notes, *self.lookup.notes)

    def _made(
        self, status: Status, items: tuple[AnswerItem, ...], notes: tuple[str, ...], near: Sequence[FactMatch] = ()
    ) -> FactsAnswer:
        sense = self.reading.sense
        relations = self.lookup.store.relations
        asked = sense.groups[0][0]
        used = dict.fromkeys(one.fact.relation for one in self.reading.found)
        names = {"subject": asked.subject, "object": asked.object}
        read_as = {
            "kind": self.reading.question.kind,
            "relation": ", ".join(str(relations[id]) for id in used),
            **{role: name.text for role, name in names.items() if name},
        }
        if self.reading.when:
            read_as["when"] = self.reading.when
        if sense.neighbour:
            read_as["beside"] = f"{sense.side_in_words} {sense.leans_on}"
        if sense.order or sense.event:
            read_as["which"] = ", ".join(str(word) for word in (sense.order, sense.event) if word)
        shown = tuple(FactEvidence(one.fact, Holds.ALWAYS) for one in self.lookup.labelled(near))
        unclear, others = next(iter(self.lookup.namesakes.items()), ("", []))
        return FactsAnswer(
            question=self.question,
            status=status,
            items=items,
            notes=notes,
            near=shown,
            candidates=tuple(self.lookup.entities(others).values()) if others else (),
            read_as=read_as,
            times=self.reading.times or (),
            unclear=unclear,
        )
