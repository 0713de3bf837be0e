"""What comes next, asked from the shell of a dataset that no model was trained on."""

import json
from pathlib import Path

import pytest

from tests.cli.test_completion import ask, told
from tests.completion.test_what_comes_next import POSTS, terms


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_terms(tmp_path_factory.mktemp("data") / "towns"))


def write_terms(folder: Path) -> Path:
    facts = terms(3).all_facts
    names = ["mayor", "deputy mayor"]
    lines = [
        f"Town {s}\t{names[r]}\t{'Town' if o < POSTS else 'Person'} {o}\t{start}-##-##\t{end}-##-##\n"
        for s, r, o, start, end in zip(facts.subject, facts.relation, facts.object, facts.start, facts.end, strict=True)
    ]
    folder.mkdir()
    (folder / "train.txt").write_text("".join(lines))
    (folder / "valid.txt").write_text(lines[0])
    (folder / "test.txt").write_text(lines[1])
    return folder


def test_a_person_asks_what_comes_next(towns: str) -> None:
    ran = ask("predict", towns, "--subject", "Town 3", "--relation", "mayor", "--after", "2001", "--json")
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [row["what"] for row in rows[:2]] == ["ends", "next begins"] and rows[0]["first"] <= rows[0]["last"]
    assert rows[0]["probability"] > 0.7
    followers = [row for row in rows if row["what"] == "next is"]
    assert followers[0]["object"] == "(new to the base)" and followers[1]["object"].startswith("Person")
    assert followers[0]["object_id"] is None and {row["subject"] for row in rows} == {"Town 3"}
    assert [row["probability"] for row in followers] == sorted((r["probability"] for r in followers), reverse=True)
    assert "Nothing after 2001 was looked at." in ran.stderr and "calibration error" in ran.stderr
    holder = rows[0]["object"]
    alone = ask("predict", towns, "--subject", "Town 3", "--relation", "mayor", "--object", holder, "--after", "2001")
    assert alone.stdout.splitlines()[1].startswith(f"ends\tTown 3\tmayor\t{holder}\t")
    late = ask("predict", towns, "--subject", "Town 3", "--relation", "mayor", "--after", "2090")
    assert "so it is asked as of then, not of 2090" in late.stderr


def test_of_what_never_changed_nothing_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    for split, line in (("train", "A\tr\t(unseen)\t2000-##-##\t2001-##-##\n"), ("valid", ""), ("test", "")):
        (folder / f"{split}.txt").write_text(line)
    for day in ("2000", "1990"):
        ran = ask("predict", str(folder), "--subject", "A", "--relation", "r", "--after", day)
        assert ran.exit_code == 0 and not ran.stdout
        assert f"Until {day} nothing followed anything as r, so nothing is known of who follows." in ran.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--subject", "Town 3", "--after", "2001", "--on", "2001"], "--after asks what comes next: omit --on"),
        (["--after", "2001"], "What comes next of what? Give --subject or --object"),
        (["--subject", "Town 3", "--object", "Town 4", "--after", "2001"], "does not know that mayor Town 4 held on"),
        (["--subject", "Twon 3", "--after", "2001"], "has no entity 'Twon 3'. Did you mean 'Town 3'"),
        (["--subject", "Town 3", "--after", "2001-02-30"], "February 2001 has 28 days"),
    ],
)
def test_what_cannot_be_asked_is_told(options: list[str], message: str, towns: str) -> None:
    assert message in told("predict", towns, "--relation", "mayor", *options)
