"""The docs tell the truth: their Python runs, their commands print what they show, their files exist.

ASOF_WRITE_DOCS=1 puts the present output of every command into the docs.
"""

import doctest
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
WIDTH = "110"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_the_docs_runs(page: Path) -> None:
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    parsed = doctest.DocTestParser().get_doctest(blocks, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(parsed).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_docs_print_what_they_show(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    text = page.read_text(encoding="utf-8")
    shown = CONSOLE.findall(text)
    printed = ["".join(f"$ {command}\n{run(command, tmp_path)}" for command in commands(block)) for block in shown]
    if os.environ.get("ASOF_WRITE_DOCS"):
        for old, new in zip(shown, printed, strict=True):
            text = text.replace(f"```console\n{old}```", f"```console\n{new}```")
        page.write_text(text, encoding="utf-8")
    else:
        assert [steady(block) for block in shown] == [steady(block) for block in printed]


def commands(block: str) -> list[str]:
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def steady(block: str) -> str:
    """Leave out what differs from run to run: times, and the day on which a table is read."""
    block = re.sub(r"taken to hold up to [0-9-]+", "taken to hold up to ...", block)
    return re.sub(r"\([0-9.]+ s\)", "(... s)", block)


def run(command: str, folder: Path) -> str:
    """Run a command on a terminal and return what a person sees."""
    words = shlex.split(command)
    argv = [sys.executable, "-m", "asof", *words[1:]] if words[0] == "asof" else words
    main, side = pty.openpty()
    env = dict(os.environ, COLUMNS=WIDTH, TERM="xterm")
    process = subprocess.Popen(argv, stdout=side, stderr=side, cwd=folder, env=env)
    os.close(side)
    seen = b""
    try:
        while chunk := os.read(main, 65536):
            seen += chunk
    except OSError:
        pass  # the terminal is closed when the command has ended
    process.wait()
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.decode().replace("\r\n", "\n"))
    lines = [line.split("\r")[-1].rstrip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line and "━" not in line) + "\n"  # without the progress bar


def test_files_and_verbs_that_the_docs_name_exist() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for name in re.findall(
            r"`((?:src|docs|bench|scripts|tests|reproductions)/[\w./]+)`", page.read_text(encoding="utf-8")
        ):
            assert (ROOT / name).exists(), f"{page.name} names {name}"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) < 150
    from asof.cli import asof

    for verb in asof.list_commands(None):  # type: ignore[arg-type]
        assert f"`asof {verb}" in readme
