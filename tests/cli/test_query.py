"""``asof query``: JSON in, the answer out; from the standard input, too."""

import json

import pytest
from click.testing import CliRunner

import asof as package
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.reading.ask import Lookup

QUERY = {"ask": "lookup", "relation": "head of government", "subject": "Italy", "when": "2012"}


def test_a_query_is_answered_from_an_argument_and_from_a_pipe(almanac: FactStore) -> None:
    argv = ["query", "--base", str(almanac.folder), "--explain"]
    given = CliRunner().invoke(asof, [*argv, json.dumps(QUERY)])
    piped = CliRunner().invoke(asof, [*argv, "-"], input=json.dumps(QUERY))
    assert given.exit_code == 0 and given.stdout.startswith("Mario Monti.\n  Italy, head of government: Mario Monti")
    assert piped.stdout == given.stdout and f"Query: {json.dumps(QUERY)}" in given.stderr
    assert "who or what was 'head of government' of 'Italy'" in given.stderr


def test_what_is_wrong_is_said_and_an_unclear_name_ends_with_1(almanac: FactStore) -> None:
    wrong = CliRunner().invoke(asof, ["query", '{"ask": "lookup", "relaton": "capital"}'])
    assert isinstance(wrong.exception, UserError) and "Did you mean 'relation'?" in str(wrong.exception)
    unclear = {"ask": "lookup", "relation": "position held", "subject": "John Smith", "when": "1840"}
    argv = ["query", json.dumps(unclear), "--base", str(almanac.folder)]
    ran = CliRunner().invoke(asof, [*argv, "--json"])
    assert ran.exit_code == 1 and json.loads(ran.stdout)["status"] == "ambiguous"


def test_python_takes_keys_classes_and_json(almanac: FactStore) -> None:
    base = package.open(almanac)
    answers = [base.query(given).text for given in (QUERY, json.dumps(QUERY), Lookup(**_said(QUERY)))]
    assert answers == ["Mario Monti."] * 3
    assert base.query(QUERY | {"when": "today"}, today="2012-05-05").text == "Mario Monti."
    with pytest.raises(UserError, match="Did you mean 'relation'"):
        base.query({"ask": "lookup", "relaton": "capital"})


def _said(query: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in query.items() if key != "ask"}


def test_the_schema_goes_with_a_base_only_for_queries() -> None:
    ran = CliRunner().invoke(asof, ["schema", "answer", "--base", "almanac"])
    assert ran.exit_code == 2 and "--base goes with a query alone" in ran.output
