"""What the written questions ask of the almanac, as queries: the facts give the same answers without any language.

Each is a question that has its right answer (see ``test_ask_questions``), with the query that it was read as.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from asof.facts import FactStore
from asof.reading.ask import read_query
from asof.reading.ask.answer import Holds
from asof.reading.ask.evaluate import evaluate
from asof.timeline import Date

QUERIES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "almanac_queries.jsonl").read_text(encoding="utf-8").splitlines()
]
TODAY = Date.parse("2026-11-16")


@pytest.mark.parametrize("ask", sorted({row["query"]["ask"] for row in QUERIES}))
def test_queries_of_the_written_questions(ask: str, almanac: FactStore) -> None:
    wrong = []
    for row in (row for row in QUERIES if row["query"]["ask"] == ask):
        answer = evaluate(read_query(row["query"]), almanac, today=TODAY)
        texts = [item.text + ("?" if item.holds is Holds.POSSIBLY else "") for item in answer.items]
        if (answer.status, texts) != (row["status"], row["answers"]):
            wrong.append((row["question"], row["query"], row["answers"], answer.status, texts))
    assert not wrong


def test_there_are_queries_of_every_kind() -> None:
    assert len(QUERIES) > 1_400
    asks = {row["query"]["ask"] for row in QUERIES}
    assert asks >= {"lookup", "count", "duration", "when", "yes-no"}
    picks = {row["query"]["which"]["pick"] for row in QUERIES if "which" in row["query"]}
    assert picks == {"neighbour", "ordered", "extreme"}
