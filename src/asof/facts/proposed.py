"""What the facts of a base suggest that its relations are: one object at a time, symmetric, the inverse of another.

**One at a time.** Of each subject's facts in the order of their starts, a fact and the next one with another object are
compared where the next begins within twice the length of the first. If starts did not care for ends, at least half of
these would begin before the first has ended, whatever the lengths are and however sparse the facts: starts are no rarer
during a fact than in an equal time after it. It is proposed where at most one in twenty does, of thirty or more.

**Symmetric, inverse.** Of thirty pairs or more at least nine in ten also stand the other way round with a start that
may be the same, and not because nearly everything is paired with everything.

Facts are read part by part (they are sorted by subject), and of many facts a sample of pairs is compared, so the memory
is bounded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from asof.facts.manifest import quoted
from asof.facts.meanings import MEANINGS
from asof.facts.store import FactStore, bounds_sql

LEAST = 30  # successions, or pairs: fewer prove nothing
MOST_OVERLAPS = 0.05  # among successions; errors in data are rarer
LEAST_TURNED = 0.9  # of pairs that stand the other way round, too
MOST_BY_CHANCE = 0.5  # of pairs that would, if all were drawn by chance
_PAIRS_COMPARED = 1_000_000

Suggested = Literal["one_at_a_time", "symmetric", "inverse"]


@dataclass(frozen=True, kw_only=True)
class ProposalEvidence:
    """What the facts say for a meaning of a relation: in how many of the cases it is so."""

    relation: str
    meaning: Suggested
    value: bool | str
    cases: int
    fits: int

    @property
    def in_words(self) -> str:
        """The evidence as a line for people.

        >>> ProposalEvidence(relation="manager", meaning="one_at_a_time", value=True, cases=402, fits=400).in_words
        '400 of 402 began when the one before had ended; 2 overlap'
        """
        of = f"{self.fits:,} of {self.cases:,}"
        if self.meaning == "one_at_a_time":
            against = self.cases - self.fits
            overlaps = f"; {against:,} {'overlaps' if against == 1 else 'overlap'}" if against else ""
            return f"{of} began when the one before had ended{overlaps}"
        return f"{of} stand the other way round, too" + (f", as {self.value}" if self.meaning == "inverse" else "")


def evidence_in(store: FactStore, relations: Collection[str] | None = None) -> list[ProposalEvidence]:
    """Return what the facts suggest, in the order of relations; enough evidence only.

    Args:
        relations: Look at these alone.
    """
    found = [*_one_at_a_time(store), *_turned_round(store)]
    wanted = [one for one in found if relations is None or one.relation in relations]
    return sorted(wanted, key=lambda one: (one.relation, MEANINGS.index(one.meaning)))


# The middle of an imprecise start or end stands for it, but what counts as an overlap is sure. An imprecise end that
# may lie before or after the next start tells nothing, unless both are the same year (or month): that is a handover.
_SUCCESSIONS = """
    WITH dated AS (
        SELECT subject, relation, object, start_first, start_last, earliest_end, latest_end, ends,
            (start_first + start_last) / 2.0 AS begins, (earliest_end + ends) / 2.0 AS ceases
        FROM (SELECT *, CASE WHEN end_last IS NULL THEN earliest_end ELSE end_last END AS ends FROM ({facts}))
        WHERE start_first IS NOT NULL AND NOT coalesce(end_last < start_first, false)
    ), followed AS (
        SELECT *, lead(object) OVER later AS next, lead(begins) OVER later AS next_begins,
            lead(start_first) OVER later AS next_first, lead(start_last) OVER later AS next_last
        FROM dated
        WINDOW later AS (PARTITION BY subject, relation ORDER BY begins, ceases, object)
    )
    SELECT relation, count(*) AS cases, count(*) FILTER (next_last >= earliest_end) AS fits
    FROM followed
    WHERE next <> object AND ceases > begins AND next_begins - begins < 2 * (ceases - begins)
        AND (next_last < earliest_end OR next_first >= ends OR (next_first = earliest_end AND next_last = ends))
    GROUP BY relation
"""


def _one_at_a_time(store: FactStore) -> Iterator[ProposalEvidence]:
    cases: dict[str, int] = {}
    fits: dict[str, int] = {}
    for part in store.manifest.tables["facts"]:
        file = quoted((store.folder / part.path).resolve())
        facts = f"SELECT *, {bounds_sql(store.known_by)} FROM read_parquet([{file}])"
        for row in store.sql(_SUCCESSIONS.format(facts=facts)).to_pylist():
            cases[row["relation"]] = cases.get(row["relation"], 0) + row["cases"]
            fits[row["relation"]] = fits.get(row["relation"], 0) + row["fits"]
    for relation, count in cases.items():
        if count >= LEAST and count - fits[relation] <= MOST_OVERLAPS * count:
            yield ProposalEvidence(
                relation=relation, meaning="one_at_a_time", value=True, cases=count, fits=fits[relation]
            )


# A pair and the same pair turned round are drawn together. One relation may be paired with itself.
_TURNED = """
    WITH drawn AS (
        SELECT row_number() OVER () AS number, subject, relation, object, start_first, start_last FROM facts
        WHERE subject <> object
            AND hash(least(subject, object) || chr(31) || greatest(subject, object)) % $every = 0
    ), turned AS (
        SELECT one.relation, other.relation AS inverse, count(DISTINCT one.number) AS fits
        FROM drawn one JOIN drawn other ON one.subject = other.object AND one.object = other.subject
        WHERE coalesce(one.start_first <= other.start_last AND other.start_first <= one.start_last,
            one.start_first IS NULL AND other.start_first IS NULL)
        GROUP BY ALL
    ), sizes AS (SELECT relation, count(*) AS cases FROM drawn GROUP BY relation),
    spread AS (
        SELECT relation, count(*) / (count(DISTINCT subject) * count(DISTINCT object)) AS density
        FROM facts GROUP BY relation
    )
    SELECT turned.relation, inverse, fits, cases, density FROM turned
    JOIN sizes ON turned.relation = sizes.relation JOIN spread ON turned.inverse = spread.relation
    ORDER BY ALL
"""


def _turned_round(store: FactStore) -> Iterator[ProposalEvidence]:
    every = 1 + store.manifest.rows("facts") // _PAIRS_COMPARED
    rows = store.sql(_TURNED, {"every": every}).to_pylist()
    likely = {
        (row["relation"], row["inverse"]): row
        for row in rows
        if row["cases"] >= LEAST and row["fits"] >= LEAST_TURNED * row["cases"] and row["density"] <= MOST_BY_CHANCE
    }
    symmetric = {one for one, other in likely if one == other and likely[one, one]["cases"] >= 2 * LEAST}
    named = set()
    for (relation, inverse), row in likely.items():
        if relation == inverse in symmetric:
            yield _turned_evidence(row, "symmetric", True)
        elif (inverse, relation) in likely and not {relation, inverse} & symmetric and relation not in named:
            named.add(relation)
            yield _turned_evidence(row, "inverse", inverse)


def _turned_evidence(row: dict[str, Any], meaning: Suggested, value: bool | str) -> ProposalEvidence:
    return ProposalEvidence(
        relation=row["relation"], meaning=meaning, value=value, cases=row["cases"], fits=row["fits"]
    )
