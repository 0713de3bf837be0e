"""The table of reproductions says what their files say."""

import subprocess
import sys
import tomllib
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "reproductions"


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(FOLDER / "run.py"), *args], capture_output=True, text=True)


def rows_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]


def test_every_figure_of_every_file_is_in_the_table() -> None:
    printed = run("--table").stdout
    rows = [row for row in rows_of(printed) if row[1] not in ("figure", "---")]
    expected = []
    for path in sorted(FOLDER.glob("*.toml")):
        assert f"## {path.stem}\n" in printed
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["row"]:
            for figure in {**row["ours"], **row.get("published", {})}:
                published, ours = (row.get(whose, {}).get(figure) for whose in ("published", "ours"))
                written = ["" if value is None else f"{value:.4f}" for value in (published, ours)]
                expected.append([figure, *written, f"{row['tolerance']:g}"])
    assert [row[1:] for row in rows] == expected and len(expected) > 10
    assert any(row[0] == "YAGO11k evidence, mean of 3 seeds" for row in rows)


def test_one_file_can_be_asked_for(tmp_path: Path) -> None:
    content = 'paper = "A"\n[[row]]\nname = "a|b"\ntolerance = 0.1\n[row.ours]\nx = 1\n[row.published]\ny = 2.5\n'
    (tmp_path / "one.toml").write_text(content, encoding="utf-8")
    assert run("--table", str(tmp_path / "one.toml")).stdout.splitlines()[-2:] == [
        "| a\\|b | x |  | 1.0000 | 0.1 |",
        "|  | y | 2.5000 |  | 0.1 |",
    ]


def test_what_is_missing_is_told() -> None:
    for args, said in (
        ((), "give a file, or --table: there are completion.toml"),
        (("none.toml",), "none.toml does not exist; there are completion.toml"),
        (("--table", str(FOLDER / "completion.toml"), "x"), "--table prints whole files; leave out x"),
    ):
        ran = run(*args)
        assert ran.returncode == 2 and said in ran.stderr
