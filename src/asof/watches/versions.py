"""The versions of a benchmark that a history keeps: each a folder, named by the hash of its items.

A recipe is made again when its base has other facts, when its settings mean another time, or when asof has another
version. What comes out the same is the same version.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import asof
from asof import registry
from asof.api.base import open_base
from asof.api.benchmark import benchmark_kind
from asof.benchmarks import Benchmark, build, read_benchmark
from asof.facts import FactStore
from asof.facts.manifest import sha256_of
from asof.watches.identity import is_file
from asof.watches.settings import SETTING_WORDS, WatchedBenchmark, WatchSettings
from asof.whole_file import whole_folder, write_text
from asof.wording import Wording

_HASH_LETTERS = 12
_BUILT = "built.json"  # which recipe came to which version


@dataclass(frozen=True)
class BenchmarkRecipe:
    """How a benchmark is made at present: what was looked up, and nothing made yet."""

    kind: Any
    store: FactStore
    language: str

    @property
    def record(self) -> dict[str, str]:
        """What a version depends on, for comparison with what was built before."""
        values = {
            name: sha256_of(Path(value)) if isinstance(value, str) and is_file(value) else value  # wherever it lies
            for name, value in asdict(self.kind).items()
        }
        settings = json.dumps(values, sort_keys=True, default=str)
        base = self.store.manifest
        return {
            "base": base.name,
            "base_hash": base.hash,
            "settings": hashlib.sha256(f"{self.kind.name} {settings} {self.language}".encode()).hexdigest(),
            "asof": asof.__version__,
        }


class Versions:
    """The versions of one benchmark of a watch."""

    def __init__(self, watch: WatchSettings, benchmark: WatchedBenchmark) -> None:
        self._watch, self._benchmark = watch, benchmark
        self.folder = watch.history_folder / "benchmarks" / benchmark.name

    @cached_property
    def recipe(self) -> BenchmarkRecipe:
        """Look up the base and the settings of a recipe."""
        settings = {
            SETTING_WORDS.get(name, name): self._watch.place(value) if isinstance(value, str) else value
            for name, value in self._benchmark.settings.items()
        }
        kind = benchmark_kind(self._benchmark.build, settings)
        store = open_base(self._watch.place(self._benchmark.base)).store
        return BenchmarkRecipe(kind, store, self._benchmark.language)

    def present(self) -> tuple[str | None, str]:
        """Return the version that is there for the present facts; None and why, if it is to be made."""
        if self._benchmark.folder:
            found = self._given
            there = (self._folder(found.items_sha256) / "benchmark.toml").is_file()
            return (found.items_sha256, "") if there else (None, "the benchmark was rebuilt" if self.latest() else "")
        now, built = self.recipe.record, self._built()
        for entry in reversed(built):
            if entry["recipe"] == now:
                return str(entry["items_sha256"]), ""
        if not built:
            return None, ""
        before = built[-1]["recipe"]
        if before["settings"] == now["settings"] and not self._watch.when.new_facts:
            return str(built[-1]["items_sha256"]), ""
        if before["settings"] != now["settings"]:
            return None, "the recipe asks for something else"
        if before["base_hash"] != now["base_hash"]:
            return None, f"new facts in {now['base']}"
        return None, "another version of asof"

    def make(self) -> Benchmark:
        """Return the version for the present facts, made if it is not there."""
        sha256, _ = self.present()
        if sha256 is not None:
            return self.read(sha256)
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._benchmark.folder:
            given = self._given
            with whole_folder(self._folder(given.items_sha256)) as folder:
                for path in given.folder.iterdir():
                    if path.is_file() and not path.name.startswith("."):
                        shutil.copyfile(path, folder / path.name)
            return self.read(given.items_sha256)
        recipe = self.recipe
        with whole_folder(self.folder / "new") as folder:
            build(folder, recipe.kind, recipe.store, Wording(language=recipe.language))
        made = read_benchmark(self.folder / "new")
        place = self._folder(made.items_sha256)
        if place.exists():
            shutil.rmtree(made.folder)
        else:
            made.folder.rename(place)
        entry = {"recipe": recipe.record, "items_sha256": made.items_sha256}
        write_text(self.folder / _BUILT, json.dumps([*self._built(), entry], indent=1) + "\n")
        return self.read(made.items_sha256)

    def probe(self) -> str:
        """Return the probe that the benchmark declares."""
        if self._benchmark.folder:
            return self._given.probe
        return str(registry.benchmarks.get(self._benchmark.build).probe)

    def read(self, sha256: str) -> Benchmark:
        """Open a version."""
        return read_benchmark(self._folder(sha256))

    def latest(self) -> str | None:
        """Return a version that is there, the one built last; None before the first."""
        if built := self._built():
            return str(built[-1]["items_sha256"])
        found = sorted(self.folder.glob("*/benchmark.toml"), key=lambda path: path.stat().st_mtime)
        return read_benchmark(found[-1].parent).items_sha256 if found else None

    @cached_property
    def _given(self) -> Benchmark:
        return read_benchmark(Path(self._watch.place(self._benchmark.folder)))

    def _folder(self, sha256: str) -> Path:
        return self.folder / sha256[:_HASH_LETTERS]

    def _built(self) -> list[dict[str, Any]]:
        path = self.folder / _BUILT
        return list(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else []
