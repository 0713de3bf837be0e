"""Parts by name: a file in a folder is a part, its name is what a user types.

``benchmarks/lama_tk.py`` is ``lama-tk``. File names are read without importing them; outside packages add parts through
entry points named like the folder (``asof.benchmarks``, ``asof.sources`` ...).
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files
from typing import Any, TypeVar

from asof.errors import UserError, did_you_mean

Part = TypeVar("Part")


@dataclass(frozen=True)
class Registry:
    """All parts of one kind; ``folder`` is their folder in the package and the plural of what they are.

    ``beside`` are files of the folder that are no parts; ``extras`` names the extra of asof that brings a package which
    some parts need.
    """

    folder: str
    beside: tuple[str, ...] = ()
    extras: Mapping[str, str] = field(default_factory=dict)
    _parts: dict[str, Any] = field(default_factory=dict)

    def register(self, name: str) -> Callable[[Part], Part]:
        """Return a decorator that makes a class or function a part of this kind."""

        def remember(part: Part) -> Part:
            self._parts[name] = part
            return part

        return remember

    def names(self) -> list[str]:
        """List the parts without importing them."""
        inside = [
            entry.name.removesuffix(".py").replace("_", "-")
            for entry in files("asof").joinpath(*self.folder.split(".")).iterdir()
            if not entry.name.startswith(("_", "."))
            and entry.name.removesuffix(".py") not in self.beside
            and (entry.name.endswith(".py") or entry.joinpath("__init__.py").is_file())
        ]
        return sorted({*inside, *(point.name for point in self._entry_points())})

    def get(self, name: str) -> Any:
        """Import a part and return it."""
        if name not in self._parts:
            if name not in self.names():
                kinds = self.folder.rpartition(".")[2]
                raise UserError(
                    f"No {kinds.removesuffix('s')} is called {name!r}.{did_you_mean(name, self.names())}\n"
                    f"Known: {', '.join(self.names())}. See: asof list {kinds}"
                )
            points = {point.name: point for point in self._entry_points()}
            if name in points:
                return self._parts.setdefault(name, points[name].load())
            with self.naming_extras(name):
                import_module(f"asof.{self.folder}.{name.replace('-', '_')}")
        return self._parts[name]

    @contextmanager
    def naming_extras(self, name: str) -> Iterator[None]:
        """Where a package that a part needs is not installed, say how it is."""
        try:
            yield
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if package not in self.extras:
                raise
            install = f"pip install 'asof[{self.extras[package]}]'"
            raise UserError(f"{name} needs {package}. Install it with: {install}") from error

    def summary(self, name: str) -> str:
        """Return the first line of a part's documentation; what the part needs does not have to be installed."""
        written = self._documentation(name)
        return (written if written is not None else self.get(name).__doc__ or "").strip().split("\n")[0]

    def _documentation(self, name: str) -> str | None:
        """Read the documentation of a part from its file, without importing it; None where it is not found there."""
        inside = files("asof").joinpath(*self.folder.split("."))
        stem = name.replace("-", "_")
        for path in (inside / f"{stem}.py", inside / stem / "__init__.py"):
            if path.is_file():
                for node in ast.parse(path.read_text(encoding="utf-8")).body:
                    if isinstance(node, ast.ClassDef | ast.FunctionDef) and _registers(node, name):
                        return ast.get_docstring(node)
        return None

    def _entry_points(self) -> tuple[Any, ...]:
        return _entry_points(f"asof.{self.folder}", tuple(sys.path))


def _registers(node: ast.ClassDef | ast.FunctionDef, name: str) -> bool:
    """Tell whether a decorator makes a class or a function the part of a name."""
    calls = (one for one in node.decorator_list if isinstance(one, ast.Call) and one.args)
    return any(isinstance(call.args[0], ast.Constant) and call.args[0].value == name for call in calls)


@cache  # each look reads the files of all installed packages
def _entry_points(group: str, path: tuple[str, ...]) -> tuple[Any, ...]:
    """Find the entry points of a group; the path is that of now, so that they are looked for again when it changes."""
    return tuple(entry_points(group=group))


sources = Registry("sources")
benchmarks = Registry("benchmarks")
models = Registry("models", beside=("statement_trees", "usage"))
probes = Registry("probes")
metrics = Registry("metrics", beside=("intervals", "result"))
scores = Registry("runs.scores")
preferences = Registry("runs.preferences")
logs = Registry("runs.logs")
pages = Registry("reports.pages")
scorers = Registry("completion.scorers", extras={"torch": "completion"})
engines = Registry("facts.engines")
recipes = Registry("facts.recipes")
readers = Registry("reading.readers", extras={"lightgbm": "reading", "torch": "transformers"})
kinds = Registry("reading.ask.kinds", beside=("patterns",))
export = Registry("export")
objectives = Registry("teaching.objectives", extras={"torch": "teach"})
sets = Registry("teaching.sets")
trainings = Registry("api.trainings", extras={"torch": "completion"})
