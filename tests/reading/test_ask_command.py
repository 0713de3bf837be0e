"""``asof ask``: what is printed, what goes to stderr, and the exit codes."""

import json
import subprocess
import sys

from click.testing import CliRunner

from asof.cli.ask import command
from asof.errors import UserError


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(command, [*words, "--today", "2024-12-01"])
    if isinstance(result.exception, UserError):
        return 1, result.stdout, str(result.exception)
    return result.exit_code, result.stdout, result.stderr


def test_the_answer_comes_first_then_the_facts() -> None:
    assert run("Who was the prime minister of Italy before Mario Draghi?") == (
        0,
        "Giuseppe Conte.\n  Italy, head of government: Giuseppe Conte, 2018-06-01 to 2021-02-13\n",
        "",
    )


def test_words_need_no_quotes() -> None:
    assert run("capital", "of", "Germany", "in", "1975")[1].startswith("Bonn.\n")


def test_what_holds_only_possibly_is_said() -> None:
    code, out, _ = run("Who conducted the Berlin Philharmonic in 1970?")
    assert code == 0
    assert out.startswith("Herbert von Karajan; possibly Claudio Abbado.\n")
    assert "[possibly: start unknown]" in out


def test_now_is_said_as_far_as_known() -> None:
    out = CliRunner().invoke(command, ["Who is the CEO of Apple?", "--today", "2026-01-01"]).stdout
    assert out.startswith("Tim Cook, unconfirmed since 2024-12-31.\n")
    out = CliRunner().invoke(command, ["Is Tim Cook CEO of Apple?", "--today", "2026-01-01"]).stdout
    assert out.startswith("Yes, unconfirmed since 2024-12-31.\n")


def test_unknown_is_an_answer_and_shows_what_is_near() -> None:
    code, out, talk = run("Who was the CEO of Apple in 1950?")
    assert (code, out.splitlines()[0]) == (0, "Unknown.")
    assert "Michael Scott" in out
    assert "almanac has no matching fact in 1950" in talk


def test_a_question_that_is_not_understood_names_the_words() -> None:
    code, out, talk = run("What is the meaning of life?")
    assert (code, out) == (1, "")
    assert talk.startswith("asof does not understand these words: 'meaning', 'life'.\nalmanac has facts of: anthem, ")


def test_an_unclear_name_lists_ids_and_the_option() -> None:
    code, _, talk = run("Which position did John Smith hold in 1840?")
    assert code == 1
    assert "bioguide:S000565 John Smith, U.S. representative from Vermont" in talk
    assert "--entity" in talk
    code, out, _ = run("Which position did John Smith hold in 1840?", "--entity", "bioguide:S000565")
    assert (code, "Vermont" in out) == (0, True)


def test_an_unknown_entity_is_named() -> None:
    assert run("Who is the pope?", "--entity", "Q0")[2] == "almanac has no entity 'Q0'."


def test_json_has_answers_facts_and_the_reading() -> None:
    code, out, _ = run("Was Bonn the capital of Germany in 1980?", "--json")
    row = json.loads(out)
    assert (code, row["status"], row["answers"][0]["text"]) == (0, "answered", "yes")
    assert row["read_as"]["relation"] == "capital (P36)"
    code, out, _ = run("hello", "--json")
    assert (code, json.loads(out)["status"]) == (1, "not understood")


def test_explain_tells_how_it_was_read() -> None:
    talk = run("Who was the mayor of Paris in the late 1990s?", "--explain")[2]
    assert "subject: Paris; relation: head of government (P6); when: in the late 1990s (1997-01-01..1999-12-31)" in talk
    assert '"ask": "lookup", "relation": "head of government", "subject": "Paris"' in talk


def test_a_long_list_is_cut_and_says_so() -> None:
    _, out, talk = run("Who was the Pope?", "--limit", "3")
    assert out.count("position holder") == 3
    assert "more. Show all with --limit" in talk and "No time was given" in talk


def test_the_command_as_a_user_runs_it() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "asof", "ask", "Who was pope on 30 February 1990?"], capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "February 1990 has 28 days" in ran.stderr
