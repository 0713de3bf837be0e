"""``asof teach`` from the command line, as a stranger uses it: a base of their own, a run, a report, a training set."""

import json
from pathlib import Path

import pytest

from asof.cli import asof
from asof.errors import UserError
from tests.models.tiny_model import make_tiny_model
from tests.teaching.galleries import PROSE, gallery_base, rows

SMALL = ("--epochs", "2", "--set", "batch=2", "--set", "warm_up=1", "--set", "rank=4", "--dtype", "float32")
QUESTIONS = "Amber Hall,directed by,{},who ran Amber Hall?\n"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, a base, a benchmark of it, and a model that was taught."""
    folder = tmp_path_factory.mktemp("work")
    make_tiny_model(folder / "model")
    base = gallery_base(folder, rows(8))
    (folder / "prose.txt").write_text("\n\n".join(PROSE), encoding="utf-8")
    (folder / "questions.csv").write_text(
        "subject,relation,object,question\n" + "".join(QUESTIONS.format(one) for one in ("Ana Ruiz", "Ben Okoro")),
        encoding="utf-8",
    )
    called("build", "timestress", "--base", str(base), "--set", f"questions={folder / 'questions.csv'}",
           "--set", "stride=0.5", "--to", str(folder / "bench"))  # fmt: skip
    called("run", str(folder / "bench"), str(folder / "model"), "--to", str(folder / "run"), "--json")
    called("teach", str(folder / "model"), "--base", str(base), "--run", str(folder / "run"), "--prose",
           str(folder / "prose.txt"), "--to", str(folder / "taught"), *SMALL)  # fmt: skip
    return folder


def called(*words: str) -> None:
    asof.main(list(words), standalone_mode=False)


def test_what_a_run_found_wrong_is_taught_and_run_again(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    called("teach", str(work / "taught"), "--measure", "--json")
    measures = {row["metric"] for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert "robustness, years taught" in measures
    card = (work / "taught" / "README.md").read_text(encoding="utf-8")
    assert "* Amber Hall, directed by: Ana Ruiz" in card and "Birch House" not in card.partition("## Facts taught")[2]
    called("run", str(work / "bench"), str(work / "taught"), "--to", str(work / "again"), "--json")
    called("compare", str(work / "run"), str(work / "again"))
    assert "win-rate year" in capsys.readouterr().out


def test_the_report_shows_what_teaching_did(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    called("report", str(work / "taught"), str(work / "run"), "-o", str(work / "page"))
    assert "1 run and 1 taught model" in " ".join(capsys.readouterr().err.split())
    page = (work / "page" / "index.html").read_text(encoding="utf-8")
    for said in ("What was taught", "Learnt", "Kept", "Damaged", "Facts not taught, one by one", "perplexity, prose"):
        assert said in page


@pytest.mark.parametrize(
    ("form", "file", "keys"),
    [
        ("edits", "edits.json", {"prompt", "target_new", "rephrase_prompt", "locality", "portability"}),
        ("chat", "chat.jsonl", {"messages"}),
        ("preferences", "pairs.jsonl", {"prompt", "chosen", "rejected"}),
        ("preferences", "labelled.jsonl", {"prompt", "completion", "label"}),
    ],
)
def test_the_same_facts_for_other_tools(form: str, file: str, keys: set[str], work: Path, tmp_path: Path) -> None:
    base = str(work / "base")
    called("export", str(work / "run"), "--as", form, "--base", base, "-o", str(tmp_path / "set"))
    text = (tmp_path / "set" / file).read_text(encoding="utf-8")
    found = json.loads(text) if file.endswith(".json") else [json.loads(line) for line in text.splitlines()]
    assert found and all(keys <= set(row) for row in found)
    called("export", str(work / "run"), "--as", form, "--base", base, "-o", str(tmp_path / "set"))  # replaced
    assert (tmp_path / "set" / file).read_text(encoding="utf-8") == text
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(UserError, match="is not empty and is not an export"):
        called("export", str(work / "run"), "--as", form, "--base", base, "-o", str(tmp_path / "mine"))


def test_sets_say_what_is_true(work: Path, tmp_path: Path) -> None:
    called(
        "export", str(work / "bench"), "--as", "preferences", "--base", str(work / "base"), "-o", str(tmp_path / "p")
    )
    held = {"Ana Ruiz": (1995, 2000), "Ben Okoro": (2001, 2006), "Cleo Marsh": (2007, 2012), "Dan Weir": (2013, 2024)}

    def right(prompt: str, answer: str) -> bool:
        year = int(next(word for word in prompt.replace(",", " ").split() if word.isdigit() and len(word) == 4))
        first, last = held[answer.strip()]
        return first <= year <= last

    for line in (tmp_path / "p" / "pairs.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert right(row["prompt"], row["chosen"]) and not right(row["prompt"], row["rejected"])
    for line in (tmp_path / "p" / "labelled.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert right(row["prompt"], row["completion"]) is row["label"]


def test_show_describes_it(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    called("show", str(work / "taught"), "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["kind"] == "taught model" and found["counts"] == {"facts": 2}
    assert {"metric", "before", "value", "facts"} == set(found["rows"][0])


def test_mistakes_are_told(work: Path) -> None:
    base = str(work / "base")
    with pytest.raises(UserError, match="no setting 'margn'"):
        called("teach", str(work / "model"), "--base", base, "--set", "margn=2")
    with pytest.raises(UserError, match="asof teach did not make it"):
        called("teach", str(work / "model"), "--measure")
    with pytest.raises(UserError, match="has no fact to teach: none fits the selection"):
        called("teach", str(work / "model"), "--base", base, "--since", "2030")
    with pytest.raises(UserError, match="Did you mean 'edits'"):
        called("export", str(work / "run"), "--as", "edit")


def test_a_benchmark_in_words_of_ones_own_is_taught_in_them(tmp_path: Path) -> None:
    base, words = gallery_base(tmp_path, rows(2)), tmp_path / "words.toml"
    words.write_text(
        '["directed by"]\npresent = "{subject} is led by {object}"\npast = "{subject} was led by {object}"\n'
        'starts = "{subject} came to be led by {object}"\nquestions = ["who led {subject}?", "whose was {subject}?"]\n',
        encoding="utf-8",
    )
    bench, chat = tmp_path / "bench", ("--as", "chat", "--base", str(base))
    called("build", "timestress", "--base", str(base), "--set", f"templates={words}", "--to", str(bench))
    called("export", str(bench), *chat, "-o", str(tmp_path / "chat"))
    asked = [json.loads(line)["messages"][0]["content"] for line in (tmp_path / "chat" / "chat.jsonl").open()]
    assert asked and all(question.endswith((" Hall?", " House?")) for question in asked)
    assert all("who led" in question or "whose was" in question for question in asked)
    words.rename(tmp_path / "moved.toml")
    with pytest.raises(UserError, match=r"was built with the words in .*words\.toml, which is not there.*--templates"):
        called("export", str(bench), *chat, "-o", str(tmp_path / "other"))
    called("export", str(bench), *chat, "--set", f"templates={tmp_path / 'moved.toml'}", "-o", str(tmp_path / "other"))
    assert (tmp_path / "other" / "chat.jsonl").read_bytes() == (tmp_path / "chat" / "chat.jsonl").read_bytes()
