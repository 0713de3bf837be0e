"""Queries as JSON, in words, and as a schema; what is wrong with one is said with the key and what is possible."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from asof.errors import UserError
from asof.facts import FactStore
from asof.reading.ask import (
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
    flat_schema,
    in_words,
    query_json,
    query_schema,
    read_query,
)
from tests.reading.ask.conftest import Asking

QUERIES: list[Query] = [
    Lookup(relation="manager", subject="Acme", when="2014"),
    Lookup(relation=("manager", "^boss"), object=("Ann Lee", "Bo"), kind="company", title="chief", besides="Zed"),
    Lookup(relation="manager", subject="Acme", object=("A", "B"), wanted="object", when=("2014", "before June 2014")),
    Lookup(relation="manager", subject="Acme", event="start", when="2010s", which=Ordered(order=-1, count=3)),
    Count(relation="manager", subject="Acme", what="times", which=Neighbour(side="before", of="Ann", all=True)),
    Duration(relation="manager", subject="Acme", object="Ann"),
    When(relation="manager", subject="Acme", event="end", which=Neighbour(side="after", of="Ann", until="Bo", count=2)),
    YesNo(relation="manager", subject="Acme", object="Ann", which=Extreme(most="most often")),
    Lookup(relation="manager", subject="Acme", when=During(
        facts=Lookup(relation="crane", object="Old Tom", when="1980", which=Neighbour(side="before")), moment="after",
    )),
    Compare(one=Lookup(relation="a", subject="b"), other=Lookup(relation="a", subject="c"), by="longer", yes_no=True),
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES, ids=in_words)
def test_a_query_comes_back_as_it_was_and_fits_its_schema(query: Query) -> None:
    text = query_json(query)
    assert read_query(text) == query == read_query(json.loads(text)) == read_query(query)
    assert Draft202012Validator(query_schema()).is_valid(json.loads(text))
    assert Draft202012Validator(flat_schema()).is_valid(json.loads(text))
    names = [value for value in _texts(json.loads(text)) if value not in ("lookup", "compare")]
    assert all(name in in_words(query) for name in names if name[:1].isupper())


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [value] if isinstance(value, str) else []


WRONG = {
    "": "no JSON", "{": "no JSON", "[" * 9_000: "nested too deep", "[1]": "a list", "3": "this is 3",
    '{"relation": "a"}': "needs a key 'ask', one of lookup, count",
    '{"ask": "lokup", "relation": "a"}': "'ask' is 'lokup'. Did you mean 'lookup'? Possible: lookup, count",
    '{"ask": "lookup"}': "needs a key 'relation'",
    '{"ask": "lookup", "relation": 7}': "'relation' is 7",
    '{"ask": "lookup", "relation": ""}': "'relation' is ''",
    '{"ask": "lookup", "relation": []}': "'relation' is a list: Expected array of length >= 1",
    '{"ask": "lookup", "relation": "a", "subjet": "b"}': "key 'subjet', which is none of a query. Did you mean",
    '{"ask": "lookup", "relation": "a", "what": "times"}': "'lookup' has: ask, relation, subject",
    '{"ask": "lookup", "relation": "a", "event": "begin"}': "'event' is 'begin'. Possible: end, start",
    '{"ask": "lookup", "relation": "a", "which": {"pick": "next"}}': "'which.pick' is 'next'",
    '{"ask": "lookup", "relation": "a", "which": {"pick": "neighbour"}}': "which needs a key 'side'",
    '{"ask": "lookup", "relation": "a", "which": {"pick": "extreme", "most": "big"}}': "longest, most often, shortest",
    '{"ask": "lookup", "relation": "a", "which": {"pick": "ordered", "order": 4000}}': "'which.order' is 4000",
    '{"ask": "lookup", "relation": "a", "when": {"facts": {"relation": "b", "subjet": "c"}}}': "when.facts has a key",
    '{"ask": "lookup", "relation": "a", "when": {"facts": {"ask": "count", "relation": "b"}}}': "Possible: lookup.",
    '{"ask": "compare", "one": {"relation": "a"}, "other": {"relation": "b"}, "by": "size"}': "'by' is 'size'",
    '{"ask": "lookup", "relation": "' + "x" * 100_000 + '"}': "queries of up to 100,000",
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), WRONG.items(), ids=[text[:60] for text in WRONG])
def test_what_is_wrong_with_a_query_is_said(text: str, said: str) -> None:
    with pytest.raises(UserError) as error:
        read_query(text)
    assert said in str(error.value)


def test_the_schema_of_a_base_has_its_relations(harbour: Asking, almanac: FactStore) -> None:
    for store, relation in ((harbour.store, "harbour master"), (almanac, "head of government")):
        for schema in (query_schema(store), flat_schema(store)):
            Draft202012Validator.check_schema(schema)
            held = Draft202012Validator(schema)
            assert held.is_valid({"ask": "lookup", "relation": relation, "subject": "x"})
            assert not held.is_valid({"ask": "lookup", "relation": "no such", "subject": "x"})
    assert "$ref" not in json.dumps(flat_schema(almanac))


def test_relations_of_one_label_are_told_apart_by_id(harbour: Asking) -> None:
    harbour.means("crane", label="owner")
    names = query_schema(harbour.store)["$defs"]["RelationName"]["enum"]
    assert "crane" in names and names.count("owner") == 1, "of two with one label, each is called by its id"
