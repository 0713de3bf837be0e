"""What outsiders look for in a repository: a citation, workflows, templates, a version that is one everywhere."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from asof import __version__

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_version_is_one_everywhere() -> None:
    assert read(ROOT / "CITATION.cff")["version"] == __version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.+)$", changes, re.MULTILINE)
    assert versions[0].startswith(f"{__version__} (") and versions[-1].startswith("0.1.0 (")
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \((unreleased|\d{4}-\d\d-\d\d)\)", one) for one in versions)


def test_the_citation_names_the_five_papers() -> None:
    citation = read(ROOT / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0" and {"message", "title", "authors"} <= citation.keys()
    papers = citation["references"]
    assert [paper["year"] for paper in papers] == [2022, 2020, 2021, 2023, 2025]
    for paper in papers:
        assert paper["type"] in ("article", "conference-paper") and paper["url"].startswith("https://")
        assert all("name" in one or {"family-names", "given-names"} <= one.keys() for one in paper["authors"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_pin_their_actions_and_may_do_little(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        for step in job.get("steps", []):
            assert "run" in step or re.fullmatch(r"[\w/-]+@v\d+(\.\d+)*", step["uses"])
        for needed in [job.get("needs", [])]:
            assert set([needed] if isinstance(needed, str) else needed) <= workflow["jobs"].keys()
    for target in re.findall(r"make (\w+)", path.read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_what_the_workflows_promise() -> None:
    tests, release, docs = (
        read(ROOT / ".github" / "workflows" / f"{name}.yml") for name in ("tests", "release", "docs")
    )
    matrix = tests["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos"}
    assert release[True]["push"]["tags"] == ["v*"]  # YAML reads the key "on" as a yes
    assert release["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    assert docs["jobs"]["deploy"]["permissions"] == {"pages": "write", "id-token": "write"}


def test_pre_commit_has_the_ruff_of_the_constraints() -> None:
    pinned = re.search(r"^ruff==(.+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    config = read(ROOT / ".pre-commit-config.yaml")
    assert pinned and config["repos"][0]["rev"] == f"v{pinned[1]}"
    assert [hook["id"] for repo in config["repos"] for hook in repo["hooks"]] == ["ruff-check", "ruff-format", "mypy"]


def test_templates_ask_for_something() -> None:
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        if path.stem != "config":
            assert {"name", "description", "body"} <= read(path).keys()


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "src" / "asof" / "py.typed").is_file()  # tests/test_wheel.py sees that it is in the wheel
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    assert "Typing :: Typed" in classifiers


@pytest.mark.parametrize(("words", "wanted"), [("asof tim", "timeline"), ("asof schema fa", "fact")])
def test_the_shell_completes_what_the_docs_say(words: str, wanted: str) -> None:
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_ASOF_COMPLETE": "bash_complete"}
    code = "import sys; sys.argv[0] = 'asof'; from asof.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", code], env=os.environ | asked, capture_output=True, text=True)
    assert ran.stdout == f"plain,{wanted}\n"
    told = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert all(f"_ASOF_COMPLETE={shell}_source asof" in told for shell in ("bash", "zsh", "fish"))
