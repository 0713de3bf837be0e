"""The columns of a base: facts, entities, relations, and the names that point to entities.

Both ends of a fact are a pair of day numbers (null when the end is no date) and a word: the precision of the date, or
``ongoing``, ``unknown``, ``not stated``.
"""

from enum import StrEnum

import pyarrow as pa

_WORD = pa.dictionary(pa.int32(), pa.string())


class Rank(StrEnum):
    """How a source rates a fact among others of the same subject and relation."""

    PREFERRED = "preferred"
    NORMAL = "normal"


FACTS = pa.schema(
    [
        pa.field("subject", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),
        pa.field("object", pa.string(), nullable=False),
        pa.field("start_first", pa.int32()),
        pa.field("start_last", pa.int32()),
        pa.field("start_precision", _WORD, nullable=False),
        pa.field("end_first", pa.int32()),
        pa.field("end_last", pa.int32()),
        pa.field("end_precision", _WORD, nullable=False),
        pa.field("rank", _WORD, nullable=False),
        pa.field("source", _WORD, nullable=False),
        pa.field("statement", pa.string()),
        pa.field(
            "best", pa.bool_()
        ),  # no other fact of its subject and relation is rated higher; null: nobody has said
        pa.field("qualifiers", pa.string()),  # what else the source says of it, as JSON: {"P768":["Q1"]}
    ]
)

ENTITIES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("label", pa.string(), nullable=False),
        pa.field("aliases", pa.list_(pa.string()), nullable=False),
        pa.field("description", pa.string()),
        pa.field("kind", pa.string()),
        pa.field("popularity", pa.float64()),
    ]
)

RELATIONS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("label", pa.string(), nullable=False),
        pa.field("aliases", pa.list_(pa.string()), nullable=False),
        # What the relation is (``meanings``); null: nobody has said.
        pa.field("one_at_a_time", pa.bool_()),  # a subject has at most one object at a time
        pa.field("symmetric", pa.bool_()),  # what holds of a and b holds of b and a
        pa.field("inverse", pa.string()),  # the relation that says the same from the object's side, by its id
        pa.field("kind", pa.string()),  # office, career, place, award, membership, name, creative role
        pa.field("for_life", pa.bool_()),  # it usually ends with a death: that of the holder
        pa.field("complete", pa.bool_()),  # no fact of it is missing between the first and the last of a subject
        pa.field("proposed", pa.list_(pa.string())),  # which of these the facts suggest, and nobody has confirmed
    ]
)

FOLD_NAME = "strip_accents(lower({}))"  # how names are compared, in SQL

# Which timelines are complete, as far as a source says so; of all others nobody has said.
TIMELINES = pa.schema(
    [
        pa.field("entity", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),  # whether the entity is the subject or the object of the facts
        pa.field("relation", pa.string(), nullable=False),
        pa.field("first", pa.bool_(), nullable=False),  # nothing came before the first one
        pa.field("last", pa.bool_(), nullable=False),  # nothing came after the last one, up to the day of the base
        pa.field("between", pa.bool_(), nullable=False),  # nothing between the two is missing
    ]
)

# Derived from the entities when a base is written, sorted by name, so that a name is found without a scan.
NAMES = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),  # lower case, accents stripped
        pa.field("entity", pa.string(), nullable=False),
        pa.field("is_label", pa.bool_(), nullable=False),
    ]
)

# Names in other languages than that of the entities; a base has this table only where a source gave some.
LABELS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        pa.field("label", pa.string(), nullable=False),
    ]
)

# When a base said a fact, beside when it held. Without a first day it says so since its first version; files that no
# update has written do not have that column at all (``Part.with_known_from``).
KNOWN_FROM = pa.field("known_from", pa.int32())  # the first day on which the base said so
KNOWN_UNTIL = pa.field("known_until", pa.int32())  # the last one; null: it still does
DATED_FACTS = FACTS.append(KNOWN_FROM)

# Facts that the base says no longer, as ``update`` found them.
HISTORY = DATED_FACTS.append(KNOWN_UNTIL)

# What the base has read of each entity, so that an older revision never replaces a newer one.
REVISIONS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("revision", pa.int64(), nullable=False),
        pa.field("modified", pa.int32()),  # the day on which it was made, where a source says so
        pa.field("state", pa.string(), nullable=False),  # live, deleted, redirect
        pa.field("target", pa.string()),  # of a redirect
    ]
)

WIKIDATA_ID = r"^[QLP][0-9]+$"  # an id that says nothing to a reader; those of a table are names

TABLES: dict[str, pa.Schema] = {"facts": FACTS, "entities": ENTITIES, "relations": RELATIONS, "names": NAMES}
# Written only where a source has such rows: from its method of the same name, beside ``entities``.
OPTIONAL_TABLES: dict[str, pa.Schema] = {"timelines": TIMELINES, "labels": LABELS, "revisions": REVISIONS}
# Written by updates, never by a source.
KEPT_TABLES: dict[str, pa.Schema] = {"history": HISTORY}

# A total order, so that a base written twice is the same to the byte; subjects together, so that a query on one
# subject reads one row group.
KEYS = {
    "facts": "subject",
    "entities": "id",
    "relations": "id",
    "names": "name",
    "timelines": "entity",
    "labels": "id",
    "revisions": "id",
    "history": "subject",
}
_FACTS_IN_ORDER = (
    "subject, relation, start_first NULLS FIRST, end_last NULLS LAST, object, start_last, end_first,"
    " start_precision, end_precision, rank, source, statement, best, qualifiers"
)
SORT_KEYS: dict[str, str] = {
    "facts": _FACTS_IN_ORDER,
    "entities": "id",
    "relations": "id",
    "names": "name, is_label DESC, entity",
    "timelines": "entity, role, relation",
    "labels": "id, language, label",
    "revisions": "id, revision DESC, state, target",
    "history": f"{_FACTS_IN_ORDER}, known_from NULLS FIRST, known_until",
}
