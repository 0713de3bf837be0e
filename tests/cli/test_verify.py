"""``asof verify``: a text, a file, passages; exit 3 where a claim fails; the same in Python."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import asof as package
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore

OLD = "Mario Draghi is the prime minister of Italy."


def ran(*words: str, text: str | None = None) -> Result:
    return CliRunner().invoke(asof, ["verify", *words], input=text)


def test_a_claim_its_verdict_and_its_facts_are_told(almanac: FactStore) -> None:
    told = ran(OLD, "Is it so?", "--on", "2024-05", "--base", str(almanac.folder))
    assert told.exit_code == 0
    assert told.stdout.splitlines() == [
        "outdated (held until 2022-10-22): Mario Draghi is the prime minister of Italy",
        "  Italy, head of government: Mario Draghi, 2021-02-13 to 2022-10-22",
        "  instead: Italy, head of government: Giorgia Meloni, 2022-10-22 to ongoing",
        "left alone: Is it so?",
        "  it is a question",
    ]


def test_a_check_that_fails_ends_with_3(almanac: FactStore, tmp_path: Path) -> None:
    path = tmp_path / "answer.txt"
    path.write_text(f"Good news. {OLD}", encoding="utf-8")
    on = ("--on", "2024-05", "--base", str(almanac.folder))
    assert ran("--file", str(path), *on, "--fail-on", "outdated,contradicted").exit_code == 3
    assert ran("--file", "-", *on, "--fail-on", "outdated", text=OLD).exit_code == 3
    assert ran("--file", str(path), *on, "--fail-on", "contradicted,not-yet").exit_code == 0
    assert ran(OLD, "--on", "2021-05", "--fail-on", "outdated").exit_code == 0
    row = json.loads(ran(OLD, *on, "--json").stdout)
    assert row["verdict"] == "outdated" and row["claims"][0]["instead"][0]["object"] == "Giorgia Meloni"


def test_passages_are_filtered(almanac: FactStore, tmp_path: Path) -> None:
    path = tmp_path / "passages.jsonl"
    lines = [{"id": 1, "text": OLD}, {"id": 2, "text": "Pasta."}]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    on = ("--on", "2024-05", "--base", str(almanac.folder))
    told = ran("--passages", str(path), *on)
    assert [(row["id"], row["keep"]) for row in map(json.loads, told.stdout.splitlines())] == [(1, False), (2, True)]
    assert told.exit_code == 0 and "1 passage kept, 1 dropped as of 2024-05." in told.stderr
    kept = ran("--passages", str(path), *on, "--only-kept", "--fail-on", "outdated")
    assert [json.loads(line)["id"] for line in kept.stdout.splitlines()] == [2] and kept.exit_code == 3
    for text, said in (
        ("{", "line 1, is not JSON"),
        ("[1]", "line 1, is not a JSON object"),
        ('{"a": 1}', "it has: a"),
    ):
        path.write_text(text, encoding="utf-8")
        wrong = ran("--passages", str(path), *on)
        assert isinstance(wrong.exception, UserError) and said in str(wrong.exception)


def test_wrong_usage_says_what_is_right(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    for words, said in (
        ((), "Give a text, --file FILE or --passages FILE"), (("a", "--file", "b"), "one of them"),
        (("a", "--fail-on", "outdatet"), "Did you mean 'outdated'?"), (("a", "--on", "2024-02-31"), "2024 has 29 days"),
    ):  # fmt: skip
        told = ran(*words)
        assert told.exit_code == 2 and said in told.stderr, told.stderr
    for path, said in (("none.txt", "does not exist"), (str(tmp_path / "x"), "not a text in UTF-8")):
        wrong = ran("--file", path)
        assert isinstance(wrong.exception, UserError) and said in str(wrong.exception)


def test_python_gives_a_frame(almanac: FactStore) -> None:
    base = package.open(almanac)
    found = base.verify(f"{OLD} It is sunny.", on="2024-05")
    assert found.verdict == "outdated" and found.fails() and not found.fails("contradicted")
    assert found["held_until"] == ["2022-10-22"] and found.left_alone == ("It is sunny.",)
    assert "Giorgia Meloni" in found["instead"][0] and "outdated" in repr(found) and "<strong>" in found._repr_html_()
    assert found.verification == json.loads(ran(f"{OLD} It is sunny.", "--on", "2024-05", "--json").stdout)
    nothing = base.verify("It is sunny.")
    assert len(nothing) == 0 and nothing.verdict is None and not nothing.fails()
    assert [one["keep"] for one in base.verify_passages([OLD, {"text": "Pasta."}], on="2024-05")] == [False, True]
    assert len(base.verify_passages([OLD], on="2024-05", only_kept=True)) == 0
    assert len(base.verify_passages([OLD], on="2021-05", only_kept=True)) == 1
    with pytest.raises(UserError, match="There is no text"):
        base.verify("")
