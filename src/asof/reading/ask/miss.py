"""What to say where a question was not understood: which words were not, what the base does know, and what to try."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asof.facts import FactStore
from asof.facts.base_in_commands import base_argument
from asof.reading.ask.evaluate.unknown import known_of
from asof.reading.ask.lattice import Lattice
from asof.reading.ask.lexicon.labels import LINKS, plain_label
from asof.reading.ask.tags import Name, RelationTag
from asof.reading.ask.words import Word
from asof.timeline import Date

_NAMES, _SUBJECTS, _RELATIONS = 2, 6, 12  # as many are listed
_SHORTEST = 4  # letters of a name that is surely meant
_NOT_TOGETHER = (
    "asof knows the words, but not what they ask together: a relation or a name is missing, or one too many."
)
_KINDS = "asof answers who, which, what, where, when, how long, how many, and yes or no, about one relation of a thing"


@dataclass(frozen=True)
class MissedQuestion:
    """The words of a question that was not understood, and what the base that was asked knows of them."""

    store: FactStore
    lattice: Lattice
    words: Sequence[Word]
    example: str  # of a question

    def notes(self) -> tuple[str, ...]:
        """Return what to say."""
        strange = self.strange
        missing = f"asof does not understand these words: {', '.join(map(repr, strange))}."
        known = list(self._of_names()) or list(self._of_relations()) or [self._of_all]
        return (
            missing if strange else _NOT_TOGETHER,
            *known,
            f"{_KINDS}, at a time: {self.example}. See: asof relations{base_argument(self.store)}",
        )

    @property
    def strange(self) -> tuple[str, ...]:
        """Return the words that have no part in the question, and are in no name."""
        row = self.lattice.unexplained(self.words)
        return tuple(one.written for one in row if one.written[:1].islower() or not self.lattice.in_part(one))

    def _of_names(self) -> Iterator[str]:
        """Walk over what the base knows of the things that are named, in full or in part."""
        plain = [word for word in self.words if not word.time]
        names = (name for name, _, _ in self.lattice.names(plain) if name.spoken not in self.lattice.vocabulary)
        named = [name.entities for name in names if len(name.spoken) >= _SHORTEST]
        named += [self.lattice.in_part(word) for word in self.lattice.unexplained(plain)]
        ids = dict.fromkeys(next(iter(one)) for one in named if len(one) == 1)
        for id in list(ids)[:_NAMES]:
            yield from known_of(self.store, self.lattice.index, id)

    def _of_relations(self) -> Iterator[str]:
        """Say of whom or what a relation is known that is asked of nobody."""
        tags = (tag for row in self.lattice.coverings(self.words) for tag in row)
        said = next((tag.saying for tag in tags if isinstance(tag, RelationTag)), None)
        if said is None or any(isinstance(tag, Name) for row in self.lattice.coverings(self.words) for tag in row):
            return
        relation = said.groups[0][0].relation
        query = "SELECT DISTINCT e.label FROM facts f JOIN entities e ON e.id = f.subject WHERE f.relation = $relation"
        rows = self.store.sql(f"{query} ORDER BY 1 LIMIT {_SUBJECTS + 1}", {"relation": relation})
        labels = rows["label"].to_pylist()
        more = ", ..." if len(labels) > _SUBJECTS else ""
        label = self.store.relations[relation].label
        yield f"Of whom or what? {self.store.manifest.name} knows {label!r} of: {', '.join(labels[:_SUBJECTS])}{more}."

    @property
    def _of_all(self) -> str:
        labels = sorted(relation.label for relation in self.store.relations.values())
        more = f" and {len(labels) - _RELATIONS} more" if len(labels) > _RELATIONS else ""
        return f"{self.store.manifest.name} has facts of: {', '.join(labels[:_RELATIONS])}{more}."


def example_question(store: FactStore) -> str:
    """Return a question that a base surely answers, made of one of its last facts."""
    query = """
        SELECT e.label, f.relation, f.start_first FROM facts f JOIN entities e ON e.id = f.subject
        WHERE f.start_first IS NOT NULL AND f.subject <> f.object ORDER BY f.start_first DESC, f.subject, f.relation
        LIMIT 50
    """
    for row in store.sql(query).to_pylist():
        words = plain_label(store.relations[row["relation"]].label)
        if words[-1] not in LINKS:
            year = Date.from_day(row["start_first"]).year
            return f'"Who or what was the {" ".join(words)} of {row["label"]} in {year}?"'
    return '"Who was president of France in 1985?"'
