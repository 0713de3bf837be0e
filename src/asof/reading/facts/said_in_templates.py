"""Questions in the very words of our templates (``wording/templates/en.toml``): found by looking up, not by reading."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from asof.reading.facts.cover import Cover
from asof.reading.facts.phrases import ARTICLES, Role
from asof.reading.facts.question import Question
from asof.reading.facts.sense import RelationQuery, Sense
from asof.reading.facts.words import Word, spoken
from asof.wording import templates

_SLOT = "{}"
_TURNED = {"P39": "P1308", "P1308": "P39"}


@dataclass(frozen=True)
class Templates:
    """The questions of all relations of a base with a slot for the name: what they ask, which end they give."""

    patterns: dict[tuple[str, ...], list[tuple[str, Role]]]

    @classmethod
    def of(cls, relations: Collection[str]) -> Templates:
        """Read the templates of some relations."""
        patterns: dict[tuple[str, ...], list[tuple[str, Role]]] = {}
        for relation, template in templates().items():
            if relation in relations:
                for question in template.questions:
                    patterns.setdefault(_pattern(question, "subject"), []).append((relation, "subject"))
                for question in template.subject_questions:
                    patterns.setdefault(_pattern(question, "object"), []).append((relation, "object"))
        return cls(patterns)

    def senses(self, words: Sequence[Word], question: Question, cover: Cover) -> Iterator[Sense]:
        """Walk over the templates that a question follows, the longest name first."""
        if question.kind != "which":
            return
        texts = [word.text for word in words]
        lead = [question.fronted] if question.fronted else []
        for name, index, length in cover.names(words):
            behind = texts[index + length :]
            named = [*behind, "of", _SLOT] if name.possessive else [_SLOT, *behind]  # "Italy's capital"
            row = [*lead, *texts[:index], *named]
            uses = self.patterns.get(tuple(word for word in row if word not in ARTICLES))
            if uses:
                group = tuple(
                    RelationQuery(relation, name if role == "subject" else None, name if role == "object" else None)
                    for relation, role in uses
                )
                yield Sense(groups=(group + _turned(group),), said=())


def _turned(group: Sequence[RelationQuery]) -> tuple[RelationQuery, ...]:
    """Return the same said of the other end: who holds an office, which office somebody holds."""
    turned = [RelationQuery(_TURNED[one.relation], one.object, one.subject) for one in group if one.relation in _TURNED]
    return tuple(one for one in turned if one not in group)


def _pattern(question: str, role: Role) -> tuple[str, ...]:
    before, _, after = question.partition(f"{{{role}}}")
    row = [*spoken(before).split(), _SLOT, *spoken(after).split()]
    return tuple(word for word in row if word not in ARTICLES)
