"""Published figures made again: what is listed, what is run, what is said when it cannot be, and broken files."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from asof.cli.reproduce import command
from asof.errors import UserError
from asof.reproductions import Figure, Row, read_entries, read_entry, reproductions_folder, run_again
from asof.reproductions.again import figures_of
from asof.reproductions.needs import absent_packages, what_is_missing

OURS = read_entries(reproductions_folder())
ROW = """
[[row]]
name = "one"
commands = ["says.py 0", "says.py SEED"]
tolerance = 0.1
seeds = [1, 3]
[row.published]
x = 2.05
[row.ours]
x = 2
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASOF_DATA", raising=False)


def reproduce(*args: str) -> tuple[int, str, str]:
    """Run the verb in this process; what it runs are processes of their own."""
    ran = CliRunner().invoke(command, args)
    if isinstance(ran.exception, UserError):  # as asof.cli.main shows it
        return 1, ran.stdout, ran.stderr + str(ran.exception)
    assert ran.exception is None or isinstance(ran.exception, SystemExit)
    return ran.exit_code, ran.stdout, ran.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A reproduction of our own: a program that prints its seed."""
    (tmp_path / "says.py").write_text("import sys\nprint('{\"x\": %s.0}' % sys.argv[1])\n", encoding="utf-8")
    (tmp_path / "small_one.toml").write_text(f'paper = "none"\n{ROW}', encoding="utf-8")
    return tmp_path


def test_the_worked_example_of_the_paper_is_made_again(tmp_path: Path) -> None:
    code, shown, told = reproduce("worked-examples", "--json")
    assert code == 0, told
    rows = {row["figure"]: row for row in map(json.loads, shown.splitlines())}
    assert rows["rank, instants"]["now"] == rows["rank, instants"]["published"] == 3.25
    assert {row["check"] for row in rows.values()} == {"good"}
    assert "all figures are good" in told
    assert not list(tmp_path.iterdir())  # nothing is left behind


def test_questions_made_from_facts_are_answered_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASOF_BASE", "no such base")  # the user's own base plays no part
    code, shown, told = reproduce("timeqa", "answers from the facts themselves")
    assert code == 0, told
    assert "em hard\t\t1.0\t1.0" in shown


def test_everything_is_listed_with_what_it_needs() -> None:
    rows = {(row["name"], row["row"]): row for row in map(json.loads, reproduce("--json")[1].splitlines())}
    assert set(rows) == {(entry.name, row.name) for entry in OURS for row in entry.rows}
    yago = rows["completion", "YAGO11k timeplex-base"]
    assert "YAGO11k" in yago["needs"] and not yago["here"] and "--data" in yago["why"]
    assert yago["figures"][0] == {
        "figure": "instants mrr", "published": 0.1835, "ours": 0.1827, "tolerance": 0.01, "verdict": "as published",
    }  # fmt: skip
    assert rows["timeqa", "answers from the facts themselves"]["here"]


def test_the_mean_over_seeds_counts(folder: Path) -> None:
    (entry,) = read_entries(folder)
    assert entry.name == "small-one"
    heard: list[str] = []
    (figure,) = run_again(entry, entry.rows[0], data=folder, work=folder / "work", on_message=heard.append)
    assert figure == Figure("x", 0.1, published=2.05, ours=2.0, now=2.0)
    assert heard == ["says.py 0", "says.py 1", "says.py 0", "says.py 3"]
    assert run_again(entry, entry.rows[0], data=folder, work=folder / "work", on_message=heard.append) == [figure]
    assert len(heard) == 4  # all of it had ended before
    (alone,) = run_again(entry, entry.rows[0], data=folder, work=folder / "work", seeds=[3], on_message=heard.append)
    assert alone.now == 3.0 and len(heard) == 4


def test_work_of_other_commands_is_not_taken_for_ours(folder: Path) -> None:
    (entry,) = read_entries(folder)
    run_again(entry, entry.rows[0], data=folder, work=folder / "work", seeds=[1])
    done = folder / "work" / "small-one" / "one" / "seed-1" / "done.jsonl"
    for broken in (done.read_text(encoding="utf-8").replace("says.py 0", "says.py 7"), '{"asof": "0', "[]\n"):
        done.write_text(broken, encoding="utf-8")
        with pytest.raises(UserError, match="work of other commands"):
            run_again(entry, entry.rows[0], data=folder, work=folder / "work", seeds=[1])


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (("x = 2\n", "x = 2.05\n"), 0, "good"),
        (("x = 2\n", "x = 2.3\n"), 3, "OFF"),  # not what we had
        (("x = 2.05", "x = 3"), 3, "lower"),  # not what was published
        (("x = 2.05", "x = 3\n[row.ours]\nx = 2\n[[row]]\nname = 'two'\nnot_run = 'No time.'"), 3, "No time"),
        (("tolerance = 0.1", "tolerance = 0.1\ndiffers = 'Another model.'\nextras = []"), 0, "good"),
        (("says.py SEED", "says.py"), 1, "ended with exit code 1"),
        (("x = 2\n", "y = 2\n"), 1, "the last command gives no figure 'y'. It gives: x."),
        (("says.py SEED", "asof list DATA/Nowhere"), 1, "the dataset Nowhere is not in data; say with --data"),
        (("seeds = [1, 3]", "weights = ['smollm3']"), 1, "no weights are called smollm3; see: asof models list"),
    ],
)
def test_the_exit_code_tells(folder: Path, change: tuple[str, str], code: int, said: str) -> None:
    text = ROW.replace(*change)
    if text.count("[row.ours]") > 1:
        text = text[: text.rindex("[row.ours]")]
    (folder / "small_one.toml").write_text(f'paper = "none"\n{text}', encoding="utf-8")
    ended, shown, told = reproduce("small_one", "--folder", str(folder))
    assert (ended, said in shown + told) == (code, True), shown + told


def test_why_a_figure_differs_is_said_and_is_no_failure(folder: Path) -> None:
    text = ROW.replace("x = 2.05", "x = 9").replace("seeds", "differs = 'It was another question.'\nseeds")
    (folder / "small_one.toml").write_text(f'paper = "none"\n{text}', encoding="utf-8")
    code, _, told = reproduce("small-one", "one", "--seed", "2", "--folder", str(folder), "--to", "kept")
    assert code == 0 and "It was another question." in told
    assert (folder / "kept" / "small-one" / "one" / "seed-2" / "done.jsonl").is_file()


def test_a_dry_run_runs_nothing_and_shows_all(folder: Path) -> None:
    code, shown, told = reproduce("small-one", "--dry-run", "--folder", str(folder), "--to", "kept")
    assert code == 0 and "says.py SEED" in told and "as published" in shown
    assert not (folder / "kept").exists()


def test_what_has_no_such_name_gets_a_guess(folder: Path) -> None:
    code, _, told = reproduce("smal-one", "--folder", str(folder))
    assert code == 1 and "Did you mean 'small-one'?" in told
    code, _, told = reproduce("small-one", "on", "--folder", str(folder))
    assert code == 1 and "has no row 'on'. Did you mean 'one'?" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("paper = ", "small_one.toml cannot be read: Invalid value (at end of document)"),
        ("papr = 'a'\nrow = []", "small_one.toml, at the top: Object contains unknown field `papr`"),
        ("paper = 'a'", "small_one.toml, at the top: Object missing required field `row`"),
        ("paper = 'a'\n[[row]]\nname = 'b'\ncommands = 'asof'", "row 1 ('b'), commands: Expected `array`, got `str`"),
        (f"paper = 'a'\n{ROW}\n[[row]]\ncommands = []", "row 2: Object missing required field `name`"),
        ("paper = 'a'\n" + ROW.replace("tolerance = 0.1", ""), "row 1 ('one'): a row with commands needs a tolerance"),
        ("paper = 'a'\n" + ROW.replace("0.1", "-0.1"), "the tolerance not below zero"),
        ("paper = 'a'\n" + ROW.replace("x = 2\n", "x = nan\n"), "figures must be numbers"),
        ("paper = 'a'\n" + ROW.replace("x = 2\n", "x = 'two'\n"), "row 1 ('one'), ours[...]: Expected `float`"),
        ("paper = 'a'\n" + ROW.replace("[1, 3]", "[1, 1]"), "seeds must be different"),
        ("paper = 'a'\n" + ROW.replace("[1, 3]", "[]"), "seeds must be different"),
        ("paper = 'a'\n" + ROW + ROW, "two rows are called 'one'"),
        ("paper = 'a'\n[[row]]\nname = 'b'", "either commands or not_run"),
        ("paper = 'a'\n" + ROW.replace("tolerance", "not_run = 'b'\ntolerance"), "either commands or not_run"),
        ("paper = 'a'\n" + ROW.replace("says.py", "rm -rf"), "begins with 'rm'. Commands are those of asof"),
        ("paper = 'a'\n" + ROW.replace("says.py", "../says.py"), "begins with '../says.py'"),
        ("paper = 'a'\n" + ROW.replace("says.py", "not_there.py"), "begins with 'not_there.py'"),
        ("paper = 'a'\n" + ROW.replace("says.py SEED", "'"), "cannot be read: No closing quotation"),
        ("paper = 'a'\n" + ROW.replace("says.py SEED", ""), "cannot be read"),
    ],
)
def test_a_broken_file_is_named_with_the_place(folder: Path, text: str, said: str) -> None:
    (folder / "small_one.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as error:
        read_entry(folder / "small_one.toml")
    assert said in str(error.value) and "small_one.toml" in str(error.value)


def test_a_file_that_is_no_text_and_a_folder_without_files(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no reproductions"):
        read_entries(tmp_path)
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match=r"a\.toml cannot be read"):
        read_entries(tmp_path)


def test_what_is_missing_is_named_with_the_next_step(tmp_path: Path) -> None:
    row = Row(name="a", commands=("asof x DATA/Some DATA/Some/part",), tolerance=0, ours={"b": 1}, extras=("gguf",))
    assert row.datasets == ["Some"]
    assert what_is_missing(row, tmp_path)[0].startswith("the dataset Some is not in")
    (tmp_path / "Some").mkdir()
    assert all("asof[gguf]" in told for told in what_is_missing(row, tmp_path))
    assert absent_packages("docs") == [] and absent_packages("no such extra") == []


def test_figures_are_found_by_name() -> None:
    assert figures_of('{"metric": "em", "value": 1, "n": 4}\n{"measures": "links", "mrr": 0.5, "n": 4}') == {
        "em": 1.0,
        "mrr": 0.5,
    }


@pytest.mark.parametrize("entry", OURS, ids=lambda entry: entry.name)
def test_what_is_not_as_published_is_explained(entry: object) -> None:
    for row in entry.rows:  # type: ignore[attr-defined]
        if any(figure.against_published in ("higher", "lower") for figure in row.figures):
            assert row.differs, f"{entry.name}, {row.name}: say with differs why it is not as published"  # type: ignore[attr-defined]
