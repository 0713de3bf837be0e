"""The house in order: who may import whom, what the base install needs, what parts there are."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from asof import registry
from asof.errors import UserError

SOURCE = Path(__file__).parents[1] / "src" / "asof"

# The way of a fact, as in docs/architecture.md: a folder imports only from folders to its left.
ORDER = (
    "timeline", "places", "facts", "sources", "live", "pages", "wording", "benchmarks", "weights", "models", "metrics",
    "probes", "runs", "annotation", "training", "completion", "memorize", "teaching", "reading", "reproductions",
    "reports", "export", "web", "agents", "api", "watches", "cli",
)  # fmt: skip
EVERYWHERE = {
    "cache", "cores", "devices", "errors", "json_numbers", "json_schema", "lock", "registry", "servers", "whole_file",
}  # fmt: skip
HEAVY = {"torch", "transformers", "pyspark", "fastapi", "matplotlib", "httpx", "requests", "babel"}


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names if node.module == "asof"}
    return names


def test_every_folder_is_known() -> None:
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= set(ORDER)
    assert not {"utils", "helpers", "common", "misc"} & {path.stem for path in SOURCE.rglob("*")}


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_folder_imports_only_from_its_left(path: Path) -> None:
    parts = path.relative_to(SOURCE).parts
    if len(parts) == 1 and parts[0] not in {f"{name}.py" for name in EVERYWHERE}:
        return  # the package itself and python -m asof
    allowed = set(ORDER[: ORDER.index(parts[0]) + 1]) | EVERYWHERE if len(parts) > 1 else EVERYWHERE
    used = {name.split(".")[1] for name in imports(path) if name.startswith("asof.")}
    assert used - {"__version__"} <= allowed


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_folder_imports_from_a_private_file_of_another(path: Path) -> None:
    own = ("asof", *path.relative_to(SOURCE).parts[:-1])
    crossings = []
    for module, name in imported(path):
        parts = module.split(".") if name.startswith("__") else [*module.split("."), name]
        private = [number for number, part in enumerate(parts) if part.startswith("_")]
        if private and parts[0] == "asof" and tuple(parts[: private[0]]) != own[: private[0]]:
            crossings.append(module)
    assert not crossings


def imported(path: Path) -> list[tuple[str, str]]:
    """Return modules and what is taken from each: a name, or "__all__" of one that is imported as a whole."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, "__all__") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, alias.name) for alias in node.names]
    return found


# Words of English that say of a class how it came about, not what it is.
PARTICIPLES = {
    "Answered", "Asked", "Attached", "Chosen", "Compared", "Declared", "Drawn", "Filled", "Found", "Held",
    "Hidden", "Judged", "Kept", "Made", "Measured", "Merged", "Mined", "Opened", "Recited", "Refused", "Said",
    "Selected", "Shown", "Told", "Trained", "Translated", "Wanted", "Written",
}  # fmt: skip


def public_classes() -> list[tuple[str, str]]:
    """Return the public classes of the package: the file and the name of each."""
    return [
        (str(path.relative_to(SOURCE)), node.name)
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def test_a_class_name_means_one_thing_in_the_package() -> None:
    files: dict[str, list[str]] = {}
    for path, name in public_classes():
        files.setdefault(name, []).append(path)
    assert {name: where for name, where in files.items() if len(where) > 1} == {}


def test_classes_are_called_by_nouns() -> None:
    assert [(path, name) for path, name in public_classes() if name in PARTICIPLES] == []


def test_timeline_needs_numpy_only() -> None:
    used = {name.split(".")[0] for path in (SOURCE / "timeline").glob("*.py") for name in imports(path)}
    assert used - set(sys.stdlib_module_names) <= {"asof", "numpy"}


def test_the_command_starts_without_heavy_packages() -> None:
    assert not loaded_by("list", "sources") & HEAVY


def test_asking_loads_neither_pandas_nor_ibis() -> None:
    question = "Who was the prime minister of Italy in 2012?"
    loaded_by("ask", question)  # the first one ever makes the base and its index of names
    assert not loaded_by("ask", question) & {*HEAVY, "ibis", "pandas"}


def loaded_by(*arguments: str) -> set[str]:
    """Run a command in a new process and return the packages that it has loaded at its end."""
    code = f"import sys, asof.cli; asof.cli.asof.main({list(arguments)}, standalone_mode=False); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in ran.stdout.splitlines()[-1].split()}


def test_pyarrow_still_makes_data_frames_for_whoever_asks() -> None:
    code = (
        "import asof.cli, pyarrow; asof.cli.asof.main(['list', 'sources'], standalone_mode=False);"
        "print(pyarrow.table({'a': [1, 2]}).to_pandas()['a'].sum())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "3"


def test_parts_are_found_by_file_name_and_unknown_ones_get_a_guess() -> None:
    assert registry.sources.names() == ["almanac", "changes", "table", "tkbc", "wikidata-dump", "wikidata-sparql"]
    with pytest.raises(
        UserError, match=r"(?s)No source is called 'almanack'. Did you mean 'almanac'\?.*Known: almanac"
    ):
        registry.sources.get("almanack")


def test_only_parts_are_listed_as_parts() -> None:
    assert registry.benchmarks.names() == ["dynamic-templama", "lama-tk", "templama", "timeqa", "timestress"]
    assert registry.models.names() == [
        "anthropic", "gguf", "openai-chat", "openai-completions", "transformers-causal", "transformers-masked",
        "transformers-seq2seq",
    ]  # fmt: skip
    assert registry.probes.names() == [
        "answer-likelihood", "choose", "fill-many", "fill-one", "pseudo-likelihood", "write-answer", "yes-no",
    ]  # fmt: skip
    assert registry.metrics.names() == [
        "acc-at-k", "aeiou", "exact-match", "far-failures", "gaeiou", "giou", "hit-at-k", "iou",
        "knowledge-transfer", "mrr", "precision-at-k", "robustness", "rouge", "squad-em", "squad-f1", "tac",
        "token-f1", "win-rate",
    ]  # fmt: skip


@pytest.mark.parametrize("name", registry.models.names())
def test_every_model_keeps_the_contract(name: str) -> None:
    kind = registry.models.get(name)
    assert registry.models.summary(name).endswith(".")
    assert kind.can <= {"answer_logprob", "choose", "write", "fill", "token_logprobs"}
    for verb in kind.can:
        assert callable(getattr(kind, verb))
    assert callable(kind.describe)


@pytest.mark.parametrize("name", registry.sources.names())
def test_every_source_keeps_the_contract(name: str) -> None:
    kind = registry.sources.get(name)
    assert registry.sources.summary(name).endswith(".")
    assert kind.recognises("no such place at all") is False
    assert callable(kind.facts) and callable(kind.entities) and callable(kind.relations)
