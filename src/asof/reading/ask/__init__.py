"""Asking a base: a question is read as a query, and the facts of the base decide what it is answered."""

from asof.reading.ask.flat_schema import flat_schema
from asof.reading.ask.query import (
    Compare,
    Count,
    Duration,
    During,
    Extreme,
    Lookup,
    Neighbour,
    Ordered,
    Query,
    When,
    YesNo,
)
from asof.reading.ask.query_json import query_json, query_row, read_query
from asof.reading.ask.query_schema import query_schema
from asof.reading.ask.query_words import in_words

__all__ = [
    "Compare", "Count", "Duration", "During", "Extreme", "Lookup", "Neighbour", "Ordered", "Query", "When", "YesNo",
    "flat_schema", "in_words", "query_json", "query_row", "query_schema", "read_query",
]  # fmt: skip
