"""Entities whose names look like one: "Acme Ltd" and "ACME Ltd.", "Lee, Ann" and "Ann Lee", a letter too many.

Names are compared without case, accents, signs and the order of words. Those that differ in a letter meet because each
is written once without each of its letters: as many rows as letters, never every name with every other. Digits are not
left out, so that "unit 1" and "unit 2" never meet.

Two names count as one entity only where both stand on the same side of the same relation. Where ids are names, as in
most tables, it is enough that they are equal but for signs; with a letter that differs (not the first of a word, whose
length is five or more, or four where a letter is left out and another word is the same: Nina Falk, Nina Falck) they
must share a neighbour ("both led Acme"), or, of words of five, one has a fact or two and the other three
times as many: so look typing errors. Where a source has ids of its own, it tells entities apart by itself: then the
names must be equal but for signs, and share a neighbour.
"""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa

from asof.facts.near_names import likeness
from asof.facts.store import FactStore

LEAST_ALIKE = 0.9  # one letter of ten
_LEAST_LETTERS = 8  # of a name that may have a letter wrong
_LEAST_OF_WORD = 5  # and of the word that has it: Mara and Tara are two names
_MOST_LETTERS = 60
_MOST_SHARING = 20  # names that become equal without a letter; more of them are a pattern, not errors
_RARE, _TIMES = 2, 3

_NUMERAL = re.compile(r"[ivxlcdm]+|\w|\d+\w*")  # Henry VII and Henry VIII, Group A and Group B: a letter is all

_PLAIN = r"trim(regexp_replace(strip_accents(lower(label)), '[^\p{L}\p{N}]+', ' ', 'g'))"
_PAIRS = f"""
    WITH named AS MATERIALIZED (
        SELECT id, label, {_PLAIN} AS plain, CAST(row_number() OVER (ORDER BY id) AS INT) AS number FROM entities
        WHERE NOT regexp_matches(label, '^[0-9 .,:-]*$')
    ), long AS (
        SELECT number, plain FROM named WHERE length(plain) BETWEEN {_LEAST_LETTERS} AND {_MOST_LETTERS}
    ), keyed AS MATERIALIZED (
        SELECT number, hash(array_to_string(list_sort(string_split(plain, ' ')), ' ')) AS key FROM named
        WHERE plain <> ''
        UNION ALL
        SELECT number, hash(plain) FROM long
        UNION ALL
        SELECT number, hash(concat(left(plain, place - 1), substr(plain, place + 1)))
        FROM (SELECT number, plain, CAST(unnest(range(1, length(plain) + 1)) AS INT) AS place FROM long)
        WHERE substr(plain, place, 1) NOT BETWEEN '0' AND '9'
    ), shared AS (SELECT key FROM keyed GROUP BY key HAVING min(number) < max(number)),
    met AS (
        SELECT list_distinct(list(number)) AS numbers FROM keyed SEMI JOIN shared USING (key) GROUP BY key
    ), pairs AS (
        SELECT DISTINCT one, other FROM (
            SELECT one, unnest(numbers) AS other
            FROM (SELECT unnest(numbers) AS one, numbers FROM met WHERE len(numbers) <= {_MOST_SHARING})
        ) WHERE one < other
    )
    SELECT a.id AS one, a.label AS one_label, a.plain AS one_plain,
        b.id AS other, b.label AS other_label, b.plain AS other_plain
    FROM pairs JOIN named a ON a.number = pairs.one JOIN named b ON b.number = pairs.other ORDER BY 1, 4
"""
_STANDING = """
    WITH wanted AS (SELECT unnest(ids) AS id FROM asked), sides AS (
        SELECT subject AS id, 'subject ' || relation AS side, object AS neighbour
        FROM facts SEMI JOIN wanted ON id = subject
        UNION ALL
        SELECT object, 'object ' || relation, subject FROM facts SEMI JOIN wanted ON id = object
    ), counts AS (SELECT id, count(*) AS facts FROM sides GROUP BY id),
    alike AS (
        SELECT DISTINCT one, other FROM pairs
        JOIN (SELECT DISTINCT id, side FROM sides) a ON a.id = one
        JOIN (SELECT DISTINCT id, side FROM sides) b ON b.id = other AND a.side = b.side
    ), sharing AS (
        SELECT one, other, count(DISTINCT a.neighbour) AS shared FROM pairs
        JOIN sides a ON a.id = one JOIN sides b ON b.id = other AND a.side = b.side AND a.neighbour = b.neighbour
        GROUP BY ALL
    )
    SELECT alike.one, alike.other, coalesce(shared, 0) AS shared, a.facts, b.facts AS other_facts
    FROM alike JOIN counts a ON a.id = alike.one JOIN counts b ON b.id = alike.other
    LEFT JOIN sharing USING (one, other)
"""


def alike_names(store: FactStore) -> pa.Table:
    """Return pairs of entities whose names look like one: one, other, and the words that say why."""
    pairs = [row for row in store.sql(_PAIRS).to_pylist() if _may_be_one(row)]
    if not pairs:
        return pa.table({name: pa.array([], pa.string()) for name in ("one", "other", "why")})
    asked = pa.table({"ids": [sorted({row[end] for row in pairs for end in ("one", "other")})]})
    given = pa.table({end: [row[end] for row in pairs] for end in ("one", "other")})
    standing = {
        (row["one"], row["other"]): row
        for row in store.sql(_STANDING, tables={"asked": asked, "pairs": given}).to_pylist()
    }
    found = [(row, why) for row in pairs if (why := _why(row, standing.get((row["one"], row["other"]))))]
    columns = {"one": [row["one"] for row, _ in found], "other": [row["other"] for row, _ in found]}
    return pa.table(
        columns | {"why": [why for _, why in found]}, pa.schema([(n, pa.string()) for n in (*columns, "why")])
    )


def _may_be_one(row: dict[str, Any]) -> bool:
    one, other = row["one_plain"], row["other_plain"]
    if _same_words(one, other):
        return True
    if not _names_are_ids(row) or likeness(one, other) < LEAST_ALIKE:
        return False
    differ = set(one.split()) ^ set(other.split())
    long = all(len(word) >= _LEAST_OF_WORD - _has_one_more(row) and not _NUMERAL.fullmatch(word) for word in differ)
    return long and len({word[0] for word in differ}) == 1


def _has_one_more(row: dict[str, Any]) -> bool:
    """Tell whether one of two names has a letter more, and another word is the same: Nina Falk and Nina Falck."""
    one, other = row["one_plain"], row["other_plain"]
    return len(one) != len(other) and bool(set(one.split()) & set(other.split()))


def _why(row: dict[str, Any], standing: dict[str, Any] | None) -> str | None:
    """Say why two entities may be one, or None where that is too weak."""
    if standing is None:  # they never stand on the same side of a relation
        return None
    same = _same_words(row["one_plain"], row["other_plain"])
    said = "written alike" if same else "a letter differs"
    if standing["shared"]:
        return f"{said}, and they share {standing['shared']} on the other side of a relation"
    if same:
        return said if _names_are_ids(row) else None
    differ = set(row["one_plain"].split()) ^ set(row["other_plain"].split())
    if min(map(len, differ)) < _LEAST_OF_WORD:
        return None  # so short a word is a name of its own elsewhere
    rare, often = sorted((standing["facts"], standing["other_facts"]))
    return (
        f"{said}, and one stands in {rare} of {rare + often} facts"
        if rare <= _RARE and often >= _TIMES * rare
        else None
    )


def _names_are_ids(row: dict[str, Any]) -> bool:
    return bool(row["one"] == row["one_label"] or row["other"] == row["other_label"])


def _same_words(name: str, other: str) -> bool:
    return sorted(name.split()) == sorted(other.split())
