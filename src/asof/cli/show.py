"""``asof show``: what is in a folder that asof wrote."""

import json
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import click

from asof.benchmarks import read_benchmark
from asof.cli.options import json_option, open_base
from asof.cli.output import show, show_record, talk, write_json
from asof.errors import UserError
from asof.runs import read_run

_ROWS = 3  # that are shown of what a folder holds
_NAMES = 6  # of the files that an error lists
_PROMPT = 200  # characters


@click.command("show")
@click.argument("place", metavar="BENCHMARK|RUN|BASE|MODEL")
@json_option
def command(place: str, as_json: bool) -> None:
    """Describe a folder: a base, benchmark, run or trained model.

    Shows what it was made with and when, its size and settings, a few rows, and what to do with it next.
    """
    about = _about(place)
    if as_json:
        write_json(about)
        return
    rows, following = about.pop("rows"), about.pop("next")
    show_record({name: _said(value) for name, value in about.items()})
    if rows:
        click.echo()
        show(rows, columns=list(rows[0]), as_json=False)
    for one in following:
        talk(f"Next: {one}")


def _about(place: str) -> dict[str, Any]:
    folder = Path(place)
    if place == "almanac" and not folder.exists():
        return _base(place)
    for name, kind in _KINDS.items():
        if (folder / name).is_file():
            when = datetime.fromtimestamp((folder / name).stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC")
            about = kind(place)
            return {"kind": about.pop("kind"), "folder": place, "made": when, **about}
    known = "a base, a benchmark, a run or a trained model"
    if not folder.exists():
        raise UserError(f"{place} does not exist. Give the folder of {known}.")
    if folder.is_file():
        raise UserError(f"{place} is a file. Give the folder of {known}; facts of a table: asof mine {place} --to BASE")
    raise UserError(f"{place} is not {known}: {_found(folder)}")


def _found(folder: Path) -> str:
    """Say what a folder of another kind holds, and what that may be."""
    names = sorted(path.name for path in folder.iterdir())
    if "checkpoint.safetensors" in names:
        return "it holds an unfinished training. Resume it with the command that started it."
    if "train.txt" in names:
        return f"it holds a link prediction dataset. Train on it: asof train timeplex-base {folder}"
    if not names:
        return "it is empty."
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return f"it holds {', '.join(names[:_NAMES])}{more}. Look for the folder that asof wrote."


def _base(place: str) -> dict[str, Any]:
    store = open_base(place)
    found = store.manifest
    sample = islice(store.facts(limit=_ROWS), _ROWS)
    return {
        "kind": "base",
        "name": found.name,
        "sources": found.sources,
        "known_by": found.known_by,
        "counts": {table: found.rows(table) for table in found.tables},
        "settings": found.selection or {},
        "rows": [
            {"subject": one.subject_label, "relation": one.relation_label, "object": one.object_label,
             "start": str(one.start), "end": str(one.end)}
            for one in sample
        ],
        "next": [f"asof facts --base {place} --on today", f"asof check --base {place}",
                 f"asof build timestress --base {place}"],
    }  # fmt: skip


def _benchmark(place: str) -> dict[str, Any]:
    found = read_benchmark(Path(place))
    return {
        "kind": "benchmark",
        "name": found.name,
        "made_with": found.description["base"],
        "probe": found.probe,
        "counts": {"items": found.items_count, str(found.description.get("group", "fact")): found.groups_count},
        "settings": found.settings,
        "rows": [
            {"id": item.id, "prompt": item.prompt[-_PROMPT:], "answers": list(item.answers)[:_ROWS]}
            for item in islice(found.items(), _ROWS)
        ],
        "next": [f"asof run {place} MODEL", f"asof export {place} --as lm-eval"],
    }


def _run(place: str) -> dict[str, Any]:
    found = read_run(Path(place))
    rows = found.rows()
    left_out = found.left_out()
    return {
        "kind": "run",
        "name": found.name,
        "made_with": found.versions,
        "counts": {"predictions": len(rows) - sum(left_out.values()), "left_out": sum(left_out.values())},
        "settings": found.settings,
        "rows": [
            {"id": id, found.probe.scored: row.get(found.probe.scored)} for id, row in islice(rows.items(), _ROWS)
        ],
        "next": [f"asof score {place}", f"asof report {place}"],
    }


def _model(place: str) -> dict[str, Any]:
    found = tomllib.loads((Path(place) / "model.toml").read_text(encoding="utf-8"))
    taught = "scorer" not in found
    return {
        "kind": "memorized statements" if taught else "completion model",
        "name": "memorize" if taught else found["scorer"],
        "made_with": found.get("versions", {}),
        "counts": found.get("learnt") or {key: value for key, value in found["dataset"].items() if key != "facts"},
        "settings": found["settings"],
        "training": found["training"],
        "results": found.get("recited") or found.get("valid", {}),
        "rows": [],
        "next": [f'asof recite {place} "… _X_ …"'] if taught else [f"asof rank {place}", f"asof diagnose {place}"],
    }


def _reader(place: str) -> dict[str, Any]:
    found = tomllib.loads((Path(place) / "reader.toml").read_text(encoding="utf-8"))
    plain = {name: value for name, value in found.items() if not isinstance(value, dict)}
    return {
        "kind": "reader",
        "name": "temporal",
        "settings": found.get("settings", plain),
        "results": found.get("cross_validation", {}),
        "rows": [],
        "next": [f"asof run BENCHMARK temporal:{place}"],
    }


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {one if isinstance(one, str) else json.dumps(one)}" for name, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


# The file that is written last says what a folder is.
_KINDS: dict[str, Callable[[str], dict[str, Any]]] = {
    "manifest.json": _base,
    "benchmark.toml": _benchmark,
    "settings.toml": _run,
    "model.toml": _model,
    "reader.toml": _reader,
}
