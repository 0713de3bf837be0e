"""A benchmark that was built, as a notebook holds it: ``asof.build``."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, get_type_hints

import tomli_w

from asof import __version__, registry
from asof.api.base import Base, open_base
from asof.api.frame import Frame
from asof.api.python_words import in_python, says_it_in_python
from asof.api.where import in_words
from asof.benchmarks import Benchmark, BenchmarkKind, Item, read_benchmark
from asof.benchmarks import build as build_into
from asof.cache import cache_folder
from asof.errors import UserError, did_you_mean
from asof.facts import FactStore
from asof.timeline import Period
from asof.whole_file import write_text
from asof.wording import Wording

_TAGS_SHOWN = 4
# What users say, as the command does, for settings that benchmarks call otherwise.
_WORDS = {"limit": "facts", "until": "last"}


class BuiltBenchmark:
    """A benchmark in its folder."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark

    @property
    def name(self) -> str:
        """Which benchmark it is, such as timestress."""
        return self.benchmark.name

    @property
    def folder(self) -> Path:
        """Where it is; the command takes this folder, too."""
        return self.benchmark.folder

    def __len__(self) -> int:
        return self.benchmark.items_count

    def __repr__(self) -> str:
        about = in_python(str(self.benchmark.account))
        told = (
            f"<asof benchmark {self.name!r} from {self.benchmark.base}: {self.benchmark.size}; {in_words(self.folder)}>"
        )
        return f"{told}\n{about}" if about else told

    def _repr_html_(self) -> str:
        about = "<br>".join(escape(line.strip("<>")) for line in repr(self).splitlines())
        return f"<p>{about}</p>{self.items(limit=1).head()._repr_html_()}"

    def items(self, limit: int | None = None) -> Frame:
        """Return the items: prompt, answers, the fact they are about (group) and their tags.

        Args:
            limit: The items of so many facts.
        """
        if limit is None:
            return _with_first_tags(Frame(self.benchmark.table()))
        return _with_first_tags(Frame.of(_row(item) for item in self.benchmark.items(limit=limit)))

    def statistics(self) -> Frame:
        """Return what the benchmark counted of itself; no rows where it counts nothing."""
        found = self.benchmark.statistics()
        return Frame.of([]) if found is None else Frame(found)

    def left_out(self) -> Frame:
        """Return which facts its rules left out, how many, with an example of each kind."""
        return Frame.of({"reason": reason, **vars(one)} for reason, one in self.benchmark.account.left_out.items())

    def export(self, form: str, to: str | PathLike[str], *, name: str | None = None, **settings: Any) -> list[str]:
        """Write it as another tool reads it: lm-eval, inspect, huggingface, croissant, csv.

        Args:
            name: What it is called in the other tool.
            settings: ``license="cc0-1.0"``, ``probe="fill-many"``, and the settings of the form.

        Returns:
            What a person should know of it; the last line is how it is read there.
        """
        from asof.export import ExportRequest, export
        from asof.probes import open_probe

        licence, probe = settings.pop("license", None), settings.pop("probe", None)
        kind = registry.export.get(form)
        known = ["name", "license", "probe", *(field.name for field in fields(kind))]
        for key in settings:
            if key not in known:
                raise UserError(f"{form} has no setting {key!r}.{did_you_mean(key, known)} It has: {', '.join(known)}.")
        called = name or f"asof_{self.name.replace('-', '_')}"
        asked = open_probe(probe) if probe else None
        wanted = ExportRequest(benchmark=self.benchmark, name=called, licence=licence, probe=asked)
        return export(kind(**settings), wanted, Path(to))


def open_benchmark(what: str | PathLike[str] | Benchmark | BuiltBenchmark) -> BuiltBenchmark:
    """Open a benchmark that was built, by its folder."""
    if isinstance(what, BuiltBenchmark):
        return what
    return BuiltBenchmark(what if isinstance(what, Benchmark) else read_benchmark(Path(what)))


def build(
    kind: str | BenchmarkKind,
    base: Base | FactStore | str | PathLike[str] | Any = "almanac",
    *,
    to: str | PathLike[str] | None = None,
    language: str = "en",
    keep_unnamed: bool = False,
    **settings: Any,
) -> BuiltBenchmark:
    """Make a benchmark from the facts of a base. The same base, settings and seed give the same items.

    Args:
        kind: timestress, dynamic-templama, templama, lama-tk, timeqa, the name of one in another package, or an object
            that makes items (see CONTRIBUTING).
        base: Whatever ``asof.open`` opens.
        to: The folder; without one it is kept in the cache, and the same call finds it there.
        language: Of prompts and of the names in them.
        keep_unnamed: Keep facts without a name in the language, under the name that they have.
        settings: ``limit=20`` for so many facts, ``first=`` and ``until=`` for periods, ``protocol=``, ``seed=`` and
            whatever else the benchmark has. ``templates={"works at": {"present": "{subject} works at {object}", …}}``,
            or a file of them, has words for relations that asof has none for.
    """
    opened = open_base(base)
    made = benchmark_kind(kind, settings) if isinstance(kind, str) else kind
    folder = Path(to) if to is not None else _folder(made, opened.store, language, keep_unnamed)
    if to is None and isinstance(kind, str) and not _reads_files(made) and (folder / "benchmark.toml").is_file():
        return open_benchmark(folder)
    say = Wording(language=language)
    with says_it_in_python():
        return BuiltBenchmark(build_into(folder, made, opened.store, say, keep_unnamed=keep_unnamed))


def benchmark_kind(name: str, settings: dict[str, Any]) -> BenchmarkKind:
    """Make a benchmark by its name; a setting that it does not have is an error."""
    kind = registry.benchmarks.get(name)
    types = get_type_hints(kind)
    known = [field.name for field in fields(kind)]
    chosen = {_WORDS.get(key, key): value for key, value in settings.items() if value is not None}
    for key in chosen:
        if key not in known:
            raise UserError(f"{name} has no setting {key!r}.{did_you_mean(key, known)} It has: {', '.join(known)}.")
        if isinstance(chosen[key], Mapping) and key == "templates":
            chosen[key] = str(_written_templates(chosen[key]))
        elif key in ("first", "last"):
            chosen[key] = str(Period.parse(str(chosen[key])))
        elif isinstance(chosen[key], PathLike) and types[key] is not Path:
            chosen[key] = str(chosen[key])
    made: BenchmarkKind = kind(**chosen)
    return made


def _written_templates(templates: Mapping[str, Mapping[str, Any]]) -> Path:
    """Write sentences to a file in the cache, named by what is in it."""
    text = tomli_w.dumps(templates)
    path = cache_folder() / "templates" / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    return path


def _folder(kind: BenchmarkKind, store: FactStore, language: str, keep_unnamed: bool) -> Path:
    """Return a folder in the cache for a benchmark with just these settings, of just these facts."""
    key = (__version__, kind.name, store.manifest.hash, sorted(asdict(kind).items()), language, keep_unnamed)  # type: ignore[call-overload]
    return cache_folder() / "benchmarks" / f"{kind.name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:8]}"


def _reads_files(kind: BenchmarkKind) -> bool:
    """Tell whether a setting names a file, which may have changed since."""
    values = asdict(kind).values()  # type: ignore[call-overload]
    return any(isinstance(value, str | Path) and len(str(value)) < 4096 and Path(value).exists() for value in values)


def _with_first_tags(frame: Frame) -> Frame:
    """Show the prompt, the answers and the first tags; a label goes before the id that it names."""
    labelled = {name.removesuffix("_label") for name in frame.columns if name.endswith("_label")}
    unseen = {"id", "prompt", "answers", "group"} | labelled
    tags = [name for name in frame.columns if name not in unseen]
    return replace(frame, shown=("prompt", "answers", *tags[:_TAGS_SHOWN]))


def _row(item: Item) -> dict[str, Any]:
    own = {"id": item.id, "prompt": item.prompt, "answers": list(item.answers), "group": item.group}
    return {**own, **item.tags}
