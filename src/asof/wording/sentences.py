"""Say a fact: as a statement, as a question, with a blank for subject, object, start or end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Literal

from asof.errors import UserError
from asof.facts import Fact
from asof.timeline import Date, End, Interval, Open, Period, when
from asof.timeline.words import at, in_words
from asof.wording.grammar import GRAMMARS, Grammar
from asof.wording.plain import plain_template
from asof.wording.templates import Template, templates

Blank = Literal["subject", "object", "start", "end"]
Tense = Literal["present", "past"]


@dataclass(frozen=True, kw_only=True)
class Wording:
    """Says facts in a language.

    >>> draghi = Fact(subject="Q38", relation="P6", object="Q294", interval=Interval.parse("2021-02-13", "2022-10-22"),
    ...     subject_label="Italy", object_label="Mario Draghi")
    >>> say = Wording()
    >>> say.statement(draghi)
    'Mario Draghi was the head of the government of Italy from February 13, 2021 to October 22, 2022.'
    >>> say.cloze(draghi, blank="object", tense="present", scope=False)
    '_X_ is the head of the government of Italy.'
    >>> f"{say.when(Date.parse('2021-03'))}, {say.question(draghi)}"
    'In March 2021, who was the head of the government of Italy?'

    Args:
        paper: Use the sentences of this paper where they differ from ours: margatina2023, lama-tk.
        own: A TOML file of templates that go before ours.
        labels: Relations that have no template are said by their label, where it is given here.
    """

    language: str = "en"
    paper: str | None = None
    own: Path | None = None
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)

    @cached_property
    def _templates(self) -> dict[str, Template]:
        found = templates(self.language, self.own)
        plain = {id: plain_template(label, self.language) for id, label in self.labels.items() if id not in found}
        return found | plain

    @property
    def grammar(self) -> Grammar:
        """The small words of the language."""
        return GRAMMARS[self.language]

    def template(self, relation: str) -> Template:
        """Return the template of a relation, or say how to add one."""
        if relation not in self._templates:
            raise UserError(
                f"There is no {self.language} wording for relation {relation!r}. "
                f"Write one in a TOML file, in the form of asof's wording/templates/{self.language}.toml."
            )
        return self._templates[relation]

    def can_say(self, relation: str) -> bool:
        """Tell whether there is a template for a relation."""
        return relation in self._templates

    def statement(self, fact: Fact, *, tense: Tense = "past", scope: bool = True) -> str:
        """Say a fact in one sentence, with the time in which it held unless ``scope`` is off."""
        return self._sentence(fact, tense, scope=scope)

    def present_cloze(self, fact: Fact, *, wording: int, mask: str = "_X_") -> str:
        """Say a fact in the present tense with a blank for its object, in one of several wordings, counted from 1."""
        sentence = self.template(fact.relation).present_wording(wording, self.paper)
        if sentence is None:
            there = 1 + len(self.template(fact.relation).wordings)
            raise UserError(
                f"Relation {fact.relation!r} has {there} {self.language} {'wording' if there == 1 else 'wordings'}, "
                f"not {wording}. Write more as 'wordings' in a TOML file like asof's wording/templates/en.toml, "
                "and name it with --set templates=FILE; or ask for fewer with --set wordings=N."
            )
        return self._filled(sentence, fact, "object", mask) + "."

    def cloze(self, fact: Fact, *, blank: Blank, tense: Tense = "past", scope: bool = True, mask: str = "_X_") -> str:
        """Say a fact with a blank in the place of its subject, object, start or end."""
        if blank in ("start", "end") and not isinstance(getattr(fact, blank), Date):
            raise UserError(f"{fact} has no {blank} to leave out: it is {getattr(fact, blank)}.")
        return self._sentence(fact, tense, scope=scope or blank in ("start", "end"), blank=blank, mask=mask)

    def started(self, fact: Fact) -> str:
        """Say that a fact began: "Mario Draghi became the head of the government of Italy on February 13, 2021."."""
        return self._event(fact, "starts", fact.start)

    def ended(self, fact: Fact) -> str:
        """Say that a fact came to its end."""
        if self.template(fact.relation).ends is None:
            raise UserError(f"{fact.relation} happens at one moment: it has a start and no end to speak of.")
        return self._event(fact, "ends", fact.end)

    def question(self, fact: Fact, *, seed: int | None = None) -> str:
        """Ask for the object of a fact, in lower case, as it follows a date; a seed chooses among several wordings."""
        questions = self.template(fact.relation).questions
        if not questions:
            raise UserError(f"There is no {self.language} question for relation {fact.relation!r}.")
        chosen = 0 if seed is None else Random(f"{seed} {fact.id}").randrange(len(questions))
        return self.grammar.fill(questions[chosen], self._names(fact))

    def when(self, date: Date | Period) -> str:
        """Say a date as the beginning of a sentence: "In 2011"."""
        return when(date, self.language)

    def scope(self, interval: Interval, *, instant: bool = False, mask: tuple[Blank, str] | None = None) -> str:
        """Say the time in which a fact held: "from 2005 to 2021", "in 2011", "since 2022", or nothing."""
        words = self.grammar
        spoken = {"start": self._spoken(interval.start), "end": self._spoken(interval.end)}
        if mask:
            spoken[mask[0]] = mask[1]
        if instant or (interval.start == interval.end and isinstance(interval.start, Date)):
            if mask and mask[0] in ("start", "end"):
                return words.at_blank.format(date=mask[1])
            moment = interval.start if isinstance(interval.start, Date) else interval.end
            return at(moment, self.language) if isinstance(moment, Date) else ""
        if spoken["start"] and spoken["end"]:
            pattern = words.from_to
        elif spoken["start"]:
            pattern = words.since if interval.end is Open.ONGOING else words.from_start
        else:
            pattern = words.until if spoken["end"] else ""
        return words.contract(pattern.format(**spoken))

    def _spoken(self, end: End) -> str:
        return in_words(end, self.language) if isinstance(end, Date) else ""

    def _sentence(self, fact: Fact, tense: str, *, scope: bool, blank: Blank | None = None, mask: str = "") -> str:
        template = self.template(fact.relation)
        text = self._filled(template.sentence(tense, self.paper), fact, blank, mask)
        if scope:
            masked = (blank, mask) if blank in ("start", "end") else None
            text += f" {self.scope(fact.interval, instant=template.instant, mask=masked)}".rstrip()
        return text + "."

    def _event(self, fact: Fact, name: str, date: End) -> str:
        text = self._filled(self.template(fact.relation).sentence(name, self.paper), fact)
        return f"{text} {at(date, self.language)}." if isinstance(date, Date) else f"{text}."

    def _filled(self, sentence: str, fact: Fact, blank: Blank | None = None, mask: str = "") -> str:
        names = self._names(fact)
        if blank in ("subject", "object"):
            before, after = sentence.split(f"{{{blank}}}")
            return self.grammar.fill(before, names) + mask + self.grammar.fill(after, names, opening=not before)
        return self.grammar.fill(sentence, names)

    @staticmethod
    def _names(fact: Fact) -> dict[str, str]:
        return {"subject": fact.subject_label or fact.subject, "object": fact.object_label or fact.object}
