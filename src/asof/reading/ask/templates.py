"""Questions in the very words of our templates (``wording/templates``): found by looking up, not by reading."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from asof.reading.ask.lexicon import End
from asof.reading.ask.spoken import spoken
from asof.reading.ask.tags import Name
from asof.reading.ask.words import ARTICLES
from asof.wording import templates

_SLOT = "{}"


@dataclass(frozen=True)
class QuestionTemplates:
    """The questions of all relations of a base with a slot for the name: what they ask, and which end they give."""

    patterns: dict[tuple[str, ...], list[tuple[str, End]]]

    @classmethod
    def of(cls, relations: Collection[str]) -> QuestionTemplates:
        """Read the templates of some relations."""
        patterns: dict[tuple[str, ...], list[tuple[str, End]]] = {}
        for relation, template in templates().items():
            if relation in relations:
                for question in template.questions:
                    patterns.setdefault(_pattern(question, "subject"), []).append((relation, "subject"))
                for question in template.subject_questions:
                    patterns.setdefault(_pattern(question, "object"), []).append((relation, "object"))
        return cls(patterns)

    def asked(self, texts: Sequence[str], names: Sequence[tuple[Name, int, int]]) -> Iterator[tuple[str, End, Name]]:
        """Walk over the templates that a question follows, the longest name first: relation, given end, name."""
        for name, position, length in names:
            behind = texts[position + length :]
            named = [*behind, "of", _SLOT] if name.possessive else [_SLOT, *behind]  # "Italy's capital"
            row = tuple(word for word in (*texts[:position], *named) if word not in ARTICLES)
            for relation, end in self.patterns.get(row, ()):
                yield relation, end, name


def _pattern(question: str, end: End) -> tuple[str, ...]:
    before, _, after = question.partition(f"{{{end}}}")
    row = [*spoken(before).split(), _SLOT, *spoken(after).split()]
    return tuple(word for word in row if word not in ARTICLES)
