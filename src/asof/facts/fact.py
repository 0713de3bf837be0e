"""One fact, one entity, one relation, as objects. Bulk work stays in Arrow tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from asof.facts.meanings import Kind
from asof.facts.row import fact_row
from asof.facts.schema import Rank
from asof.timeline import Date, End, Interval, Open, Precision, Span

_PRECISIONS = {str(precision): precision for precision in Precision}
_OPEN_ENDS = {str(end): end for end in Open}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A thing that facts speak of."""

    id: str
    label: str
    aliases: tuple[str, ...] = ()
    description: str | None = None
    kind: str | None = None
    popularity: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The label and every alias: all accepted answers."""
        return (self.label, *self.aliases)

    def __str__(self) -> str:
        return f"{self.label} ({self.id})" if self.label != self.id else self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A way in which a subject and an object belong together, and what is known of it; None: nobody has said.

    Args:
        one_at_a_time: A subject has at most one object at a time.
        symmetric: What holds of a and b holds of b and a.
        inverse: The id of the relation that says the same from the object's side.
        kind: What sort of relation it is.
        for_life: It usually ends with the death of the holder.
        complete: No fact is missing between the first and the last of a subject.
        proposed: Which of these the facts suggest, and nobody has confirmed.
    """

    id: str
    label: str
    aliases: tuple[str, ...] = ()
    one_at_a_time: bool | None = None
    symmetric: bool | None = None
    inverse: str | None = None
    kind: Kind | None = None
    for_life: bool | None = None
    complete: bool | None = None
    proposed: tuple[str, ...] = ()

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "Relation":
        """Make it from a row of the table of relations."""
        lists = {name: tuple(row[name] or ()) for name in ("aliases", "proposed")}
        return cls(**{**row, **lists})

    def __str__(self) -> str:
        return f"{self.label} ({self.id})" if self.label != self.id else self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Subject, relation, object, and the interval in which that holds.

    >>> fact = Fact(subject="Q38", relation="P6", object="Q294", interval=Interval.parse("2021-02-13", "2022-10-22"))
    >>> print(fact)
    Q38 P6 Q294 2021-02-13..2022-10-22
    """

    subject: str
    relation: str
    object: str
    interval: Interval
    rank: Rank = Rank.NORMAL
    source: str = ""
    statement: str | None = None
    subject_label: str | None = None
    relation_label: str | None = None
    object_label: str | None = None
    known_from: Date | None = None  # the first day on which the base said so, and the last; None: it still does
    known_until: Date | None = None

    @property
    def start(self) -> End:
        """When it began to hold."""
        return self.interval.start

    @property
    def end(self) -> End:
        """When it ceased to hold."""
        return self.interval.end

    @property
    def id(self) -> str:
        """A name for the fact that is the same in every run."""
        return self.statement or str(self)

    @property
    def in_names(self) -> str:
        """The fact as a person reads it.

        >>> fact = Fact(subject="Q38", relation="P6", object="Q294", interval=Interval.parse("2021-02-13", "2022"),
        ...     subject_label="Italy", relation_label="head of government", object_label="Mario Draghi")
        >>> fact.in_names
        'Italy, head of government: Mario Draghi, 2021-02-13 to 2022'
        """
        names = (self.subject_label or self.subject, self.relation_label or self.relation)
        time = str(self.start) if self.start == self.end else f"{self.start} to {self.end}"
        return f"{', '.join(names)}: {self.object_label or self.object}, {time}"

    def as_row(self, *, known_to: Date | None = None, on: Span | None = None) -> dict[str, Any]:
        """Return plain values, the same at every door; what they mean is in ``asof schema fact``.

        Args:
            known_to: The day to which the base is current: later than that, ongoing facts are unconfirmed.
            on: A time, by which the fact is judged: then ``holds``, ``possibly`` and ``why`` are filled.

        >>> fact = Fact(subject="Q38", relation="P6", object="Q294", interval=Interval.parse("2021-02-13", "2022"))
        >>> row = fact.as_row(on=Date.parse("2021"))
        >>> row["end"], row["end_precision"], row["holds"], row["why"]
        ('2022', 'year', 'transitional', 'starts 2021-02-13')
        """
        return vars(fact_row(self, known_to=known_to, on=on)).copy()

    def __str__(self) -> str:
        return f"{self.subject} {self.relation} {self.object} {self.interval}"


def end_of_row(row: dict[str, Any], which: str) -> End:
    """Make one end of an interval from the three columns of a row; ``which`` is "start" or "end"."""
    word = row[f"{which}_precision"]
    if word in _OPEN_ENDS:
        return _OPEN_ENDS[word]
    return Date(row[f"{which}_first"], row[f"{which}_last"], _PRECISIONS[word])


def facts_of_table(table: pa.Table) -> Iterator[Fact]:
    """Walk over the rows of a table of facts, with or without label columns, as objects."""
    for batch in table.to_batches():
        for row in batch.to_pylist():
            yield Fact(
                subject=row["subject"],
                relation=row["relation"],
                object=row["object"],
                interval=Interval(end_of_row(row, "start"), end_of_row(row, "end")),
                rank=Rank(row["rank"]),
                source=row["source"],
                statement=row["statement"],
                subject_label=row.get("subject_label"),
                relation_label=row.get("relation_label"),
                object_label=row.get("object_label"),
                known_from=_day(row.get("known_from")),
                known_until=_day(row.get("known_until")),
            )


def _day(number: int | None) -> Date | None:
    return None if number is None else Date.from_day(number)
