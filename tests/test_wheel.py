"""The release: a wheel with all its data, installed beside nothing but its base dependencies, used with no network."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
NO_NETWORK = """\
import socket


def refuse(*args, **options):
    raise OSError("this test has no network")


socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = socket.create_connection = refuse
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="hatchling, which makes the wheel, is not here")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the wheel and what the base install asks for, and nothing else."""
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    pip += ["--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    for name in base_dependencies(packages):
        put_beside(name, packages)
    (packages / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    return folder


def base_dependencies(packages: Path) -> set[str]:
    """Return what the wheel asks for without extras, and what that asks for."""
    metadata = next(packages.glob("asof-*.dist-info/METADATA")).read_text(encoding="utf-8")
    waiting = re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE)
    found: set[str] = set()
    while waiting:
        wanted = Requirement(waiting.pop())
        if wanted.name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        try:
            waiting += distribution(wanted.name).requires or []
        except PackageNotFoundError:
            pytest.fail(f"{wanted} of the base install is not here")
        found.add(wanted.name)
    return found


def put_beside(name: str, packages: Path) -> None:
    """Link the files of a package that is installed here."""
    known = distribution(name)
    for top in {Path(file).parts[0] for file in known.files or [] if ".." not in Path(file).parts}:
        source, target = Path(str(known.locate_file(top))), packages / top
        if source.exists() and not target.exists():
            target.symlink_to(source)


def without_network(command: list[str]) -> list[str]:
    """Put a command into a network of its own that has no wires, where the system allows that."""
    apart = [str(shutil.which("unshare")), "-rn"]
    allowed = shutil.which("unshare") and subprocess.run([*apart, "true"], capture_output=True).returncode == 0
    return [*apart, *command] if allowed else command


def ran(clean: Path, *words: str, command: str = "asof") -> subprocess.CompletedProcess[str]:
    """Run an installed command as a newcomer does: an empty home, an empty folder."""
    home = clean / "home"
    home.mkdir(exist_ok=True)
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    apart = without_network([str(clean / "bin" / command), *words])
    return subprocess.run(apart, cwd=home, env=env, capture_output=True, text=True)


def test_the_wheel_has_its_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    source = {path for path in (ROOT / "src" / "asof").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    missing = {str(path.relative_to(ROOT / "src")) for path in source} - names
    assert not missing
    for ending in (
        "P6_head_of_government.tsv",
        "templates/en.toml",
        "inspect_task.txt",
        "explorer.css",
        "asof/py.typed",
    ):
        assert any(name.endswith(ending) for name in names), ending
    assert not [name for name in names if not name.startswith("asof")]


def test_the_base_install_takes_as_much_as_it_says(wheel: Path, clean: Path) -> None:
    """The files of the wheel and of all that it asks for, against the megabytes that the docs name."""
    packages = next(clean.glob("lib/python*/site-packages"))
    size = sum(part.file_size for part in zipfile.ZipFile(wheel).infolist())
    for name in base_dependencies(packages):
        paths = (Path(str(file.locate())) for file in distribution(name).files or [] if file.suffix != ".pyc")
        size += sum(path.stat().st_size for path in paths if path.is_file())
    pages = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/architecture.md")]
    said = [int(megabytes) for page in pages for megabytes in re.findall(r"base install[^.]*? (\d+) MB", page)]
    assert said, "docs/architecture.md says no longer how large the base install is"
    for megabytes in said:  # on disk, files take whole blocks, and compiled ones come beside
        assert 0.6 * megabytes < size / 1e6 < megabytes, f"the base install has {size / 1e6:.0f} MB of files"


def test_all_that_the_base_install_asks_for_is_imported() -> None:
    names = {found for found, kinds in packages_distributions().items() for _ in kinds}
    imported = set()
    for path in (ROOT / "src" / "asof").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.split(".")[0])
    known = {kind.lower().replace("_", "-") for name in imported & names for kind in packages_distributions()[name]}
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert {Requirement(text).name.lower() for text in asked} <= known


def test_the_first_commands_work(clean: Path) -> None:
    asked = ("facts", "--subject", "Italy", "--relation", "head of government", "--on", "2021-03")
    found = ran(clean, *asked)
    assert "Mario Draghi" in found.stdout, found.stderr
    answer = ran(clean, "ask", "Who was the prime minister of Italy before Mario Draghi?")
    assert answer.stdout.startswith("Giuseppe Conte."), answer.stderr
    built = ran(clean, "build", "timeqa", "--limit", "2", "--to", "quiz", "--set", "relations=P6")
    assert built.returncode == 0, built.stderr
    exported = ran(clean, "export", "quiz", "--as", "lm-eval")
    assert exported.returncode == 0 and "Next: lm_eval" in exported.stderr, exported.stderr


DOOR = """
import sys
import asof

dir(asof)
assert not {"torch", "pandas", "numpy", "duckdb", "pyarrow"} & set(sys.modules), "import asof loads too much"
base = asof.open("almanac")
assert base.facts(subject="Italy", relation="head of government", on="2021-03")["object"] == ["Mario Draghi"]
assert base.timeline("Italy", "head of government") and len(base.diff("2021-Q1", "2021-Q2"))
assert base.ask("Who was the prime minister of Italy in 2012?").text == "Mario Monti."
own = asof.open({"subject": ["A"], "relation": ["r"], "object": ["x"], "start": ["2001"]}, known_by="2020")
assert repr(own) and own.facts()["object"] == ["x"] and own.timeline("A")._repr_html_()
bench = asof.build("timestress", base, limit=20)


class Short:
    def answer_logprob(self, requests):
        return [-float(len(one.prompt)) for one in requests]


run, other = asof.run(bench, Short()), asof.run(bench, Short())
assert len(run.predictions()) == len(bench) and len(run.scores()) and len(run.scores(by="relation"))
assert set(asof.compare(run, other)["difference"]) == {0.0}
assert asof.report([run, other]).path.is_file()
assert not {"torch", "pandas", "polars", "matplotlib", "transformers"} & set(sys.modules)
premiers = base.timeline("Italy", "head of government")
for needs in (run.scores().to_pandas, run.scores().to_polars, run.plot, premiers.plot):
    try:
        needs()
    except asof.UserError as error:
        print(error)
try:
    asof.train("timeplex", base)
except asof.UserError as error:
    print(error)
"""


def test_the_python_door_works_and_says_what_needs_an_extra(clean: Path) -> None:
    done = ran(clean, "-c", DOOR, command="python")
    assert done.returncode == 0, done.stderr
    extra = "Install it with: pip install 'asof[notebook]'"
    assert done.stdout.splitlines() == [
        f"This needs pandas. {extra}",
        f"This needs polars. {extra}",
        f"This needs matplotlib. {extra}",
        f"This needs matplotlib. {extra}",
        "Completion needs torch and safetensors. Install them with: pip install 'asof[completion]'",
    ]


@pytest.mark.parametrize("verb", ["mcp", "serve"])
def test_what_needs_an_extra_says_which(verb: str, clean: Path) -> None:
    refused = ran(clean, verb)
    assert refused.returncode == 1 and re.search(r"pip install 'asof\[\w+\]'", refused.stderr), refused.stderr


def test_no_command_reaches_the_network(clean: Path) -> None:
    code = "import socket; socket.create_connection(('192.0.2.1', 80))"
    refused = subprocess.run([str(clean / "bin" / "python"), "-c", code], capture_output=True, text=True)
    assert "this test has no network" in refused.stderr
