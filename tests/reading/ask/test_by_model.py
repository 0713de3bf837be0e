"""A language model as the front: what it writes is checked, shown, and never trusted beyond the facts."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from asof.cli import asof
from asof.errors import UserError
from asof.models import open_model
from asof.reading.ask.answer import FactsAnswer, Status
from asof.reading.ask.by_model import ModelFront, check_writes
from asof.reading.ask.by_model.prompt import near_relations, prompt_of
from asof.reading.ask.evaluate import evaluate
from asof.reading.ask.query import Lookup
from tests.reading.ask.conftest import TODAY, Asking
from tests.reading.ask.scripted_server import ScriptedServer, writing

QUESTION = "Who ran the Harbour of Nyx in 2005?"
RIGHT = '{"ask": "lookup", "relation": "harbour master", "subject": "Harbour of Nyx", "when": "2005"}'


def front(server: ScriptedServer, asked: Asking, own: FactsAnswer | None = None) -> ModelFront:
    own = own or FactsAnswer(question="", status=Status.NOT_UNDERSTOOD)
    model = check_writes(open_model(server.place))
    return ModelFront(store=asked.store, model=model, own=lambda _: own, today=TODAY)


def test_the_facts_answer_what_the_model_wrote_and_it_is_shown(harbour: Asking) -> None:
    with writing(f" {RIGHT}\nAnd so on.") as server:
        answer = front(server, harbour).ask(QUESTION)
    assert answer.texts == ["Bo Reed"] and answer.query == json.loads(RIGHT) and answer.question == QUESTION
    assert "read this as: who or what was 'harbour master' of 'Harbour of Nyx'" in answer.notes[0]
    assert "asof itself does not understand the question" in answer.notes[1]
    (prompt,) = server.prompts
    assert prompt.endswith(f"Question: {QUESTION}\nQuery:") and "harbour master" in prompt


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("I do not know.", "There is no JSON"),
        ('{"ask": "lookup", "relation": "harbour', "is not JSON"),
        ('{"ask": "lookup", "relation": "mayor", "subject": "Harbour of Nyx"}', "has no relation 'mayor'"),
        ('{"ask": "who", "relation": "harbour master"}', "'ask' is 'who'"),
        (RIGHT.replace("Harbour of Nyx", "Umbrellia"), "'Umbrellia' does not stand in the question"),
        (RIGHT.replace("2005", "1984"), "The time '1984' does not stand in the question"),
        ('{"ask": "lookup", "relation": "harbour master", "when": "2005"}', "Neither a subject nor an object"),
        (RIGHT[:-1] + ', "which": {"pick": "neighbour", "side": "after", "of": "Zorro Quibble"}}', "'Zorro Quibble'"),
    ],
)
def test_a_mistake_is_told_to_the_model_once_and_then_refused(harbour: Asking, wrong: str, said: str) -> None:
    with writing(wrong, RIGHT) as server:
        assert front(server, harbour).ask(QUESTION).texts == ["Bo Reed"]
        assert said in server.prompts[1] and "That is wrong" in server.prompts[1]
    with writing(wrong, wrong) as server, pytest.raises(UserError) as error:
        front(server, harbour).ask(QUESTION)
    assert said in str(error.value) and "wrote no query that fits the question" in str(error.value)


def test_where_asof_reads_it_otherwise_it_says_so(harbour: Asking) -> None:
    other = RIGHT.replace("harbour master", "crane")
    own = evaluate(Lookup(relation="harbour master", subject="Harbour of Nyx", when="2005"), harbour.store, today=TODAY)
    with writing(other, RIGHT) as server:
        differs = front(server, harbour, own).ask(QUESTION)
        agrees = front(server, harbour, own).ask(QUESTION)
    assert "asof itself reads the question otherwise, and answers: Bo Reed" in differs.notes[1]
    assert len(agrees.notes) == 1


def test_the_prompt_has_the_relations_near_the_question_first(harbour: Asking) -> None:
    assert near_relations("Who won the Rook Prize, who were its winners?", harbour.store)[0] == "winner"
    assert "That is wrong: no" in prompt_of("Who?", harbour.store, mistake="no", before="{}")


def test_the_command_asks_with_a_model(harbour: Asking) -> None:
    pytest.importorskip("httpx")
    with writing(RIGHT) as server:
        argv = ["ask", QUESTION, "--with", server.place, "--base", str(harbour.store.folder), "--explain"]
        ran = CliRunner().invoke(asof, argv)
    assert ran.exit_code == 0 and ran.stdout.startswith("Bo Reed.")
    assert "openai-completions" in ran.stderr or "scripted" in ran.stderr
    assert f"Query: {RIGHT}" in ran.stderr
