"""``asof show``: what is in a folder that asof wrote."""

import json
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import click

from asof.benchmarks import read_benchmark
from asof.cli.options import json_option, open_base
from asof.cli.output import show, show_record, talk, write_json
from asof.errors import UserError
from asof.facts.mirror import is_base, local_base
from asof.places import remote_address
from asof.places.folders import local_folder
from asof.runs import Run, read_run
from asof.runs.spending import read_prices
from asof.teaching.card import open_taught

_ROWS = 3  # that are shown of what a folder holds
_NAMES = 6  # of the files that an error lists
_PROMPT = 200  # characters


@click.command("show")
@click.argument("location", metavar="BENCHMARK|RUN|BASE|MODEL")
@json_option
def command(location: str, as_json: bool) -> None:
    """Describe a folder: a base, benchmark, run or trained model.

    Shows what it was made with and when, its size and settings, a few rows, and what to do with it next.
    """
    about = _about(location)
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


def _about(location: str) -> dict[str, Any]:
    if remote_address(location) is not None:
        folder = local_base(location) if is_base(location) else local_folder(location)
        return _about(str(folder)) | {"folder": location}
    folder = Path(location)
    if location == "almanac" and not folder.exists():
        return _base(location)
    for name, kind in _KINDS.items():
        if (folder / name).is_file():
            when = datetime.fromtimestamp((folder / name).stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC")
            about = kind(location)
            return {"kind": about.pop("kind"), "folder": location, "made": when, **about}
    known = "a base, a benchmark, a run or a trained model"
    if not folder.exists():
        raise UserError(f"{location} does not exist. Give the folder of {known}.")
    if folder.is_file():
        raise UserError(
            f"{location} is a file. Give the folder of {known}; facts of a table: asof mine {location} --to BASE"
        )
    raise UserError(f"{location} is not {known}: {_found(folder)}")


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


def _base(location: str) -> dict[str, Any]:
    store = open_base(location)
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
        "next": [f"asof facts --base {location} --on today", f"asof check --base {location}",
                 f"asof build timestress --base {location}"],
    }  # fmt: skip


def _benchmark(location: str) -> dict[str, Any]:
    found = read_benchmark(Path(location))
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
        "next": [f"asof run {location} MODEL", f"asof export {location} --as lm-eval"],
    }


def _run(location: str) -> dict[str, Any]:
    found = read_run(Path(location))
    rows = found.rows()
    left_out = found.left_out()
    return {
        "kind": "run",
        "name": found.name,
        "made_with": found.versions,
        "counts": {"predictions": len(rows) - sum(left_out.values()), "left_out": sum(left_out.values())}
        | _spending(found),
        "settings": found.settings,
        "rows": [
            {"id": id, found.probe.scored: row.get(found.probe.scored)} for id, row in islice(rows.items(), _ROWS)
        ],
        "next": [f"asof score {location}", f"asof report {location}"],
    }


def _spending(run: Run) -> dict[str, Any]:
    """Return calls and tokens of a run for which a server was asked, and what they cost where that is known."""
    used, declined = run.usage(), run.declined()
    found: dict[str, Any] = {}
    if used.calls:
        found = {"calls": used.calls, "tokens_in": used.tokens_in, "tokens_out": used.tokens_out}
        table = read_prices()
        price = table.of(str(run.versions.get("model") or run.settings["model"]))
        if price:
            found |= {"dollars": round(price.of(used), 4), "prices_of": table.valid_on}
    return found | ({"no_answer": sum(declined.values())} if declined else {})


def _model(location: str) -> dict[str, Any]:
    found = tomllib.loads((Path(location) / "model.toml").read_text(encoding="utf-8"))
    taught = "scorer" not in found
    return {
        "kind": "memorized statements" if taught else "completion model",
        "name": "memorize" if taught else found["scorer"],
        "made_with": found.get("versions", {}),
        "counts": found.get("learnt")
        or {key: value for key, value in found["dataset"].items() if key not in ("facts", "manifest")},
        "settings": found["settings"],
        "training": found["training"],
        **({} if taught else _freshness(Path(location), found)),
        "results": found.get("recited") or found.get("valid", {}),
        "rows": [],
        "next": [f'asof recite {location} "… _X_ …"']
        if taught
        else [f"asof rank {location}", f"asof diagnose {location}"],
    }


def _freshness(folder: Path, about: dict[str, Any]) -> dict[str, Any]:
    """Say how far a model is behind its base; without torch, nothing."""
    if find_spec("torch") is None:
        return {}
    from asof.completion.trained.freshness import freshness_of_folder

    found = freshness_of_folder(folder, about)
    newer = {} if found.newer is None else {"newer_in_base": found.newer}
    return {"facts": {"trained_to": found.trained_to, "added": found.added, **newer}}


def _reader(location: str) -> dict[str, Any]:
    found = tomllib.loads((Path(location) / "reader.toml").read_text(encoding="utf-8"))
    plain = {name: value for name, value in found.items() if not isinstance(value, dict)}
    return {
        "kind": "reader",
        "name": "temporal",
        "settings": found.get("settings", plain),
        "results": found.get("cross_validation", {}),
        "rows": [],
        "next": [f"asof run BENCHMARK temporal:{location}"],
    }


def _taught(location: str) -> dict[str, Any]:
    card = open_taught(Path(location)).card
    return {
        "kind": "taught model",
        "name": card["identity"]["model"],
        "made_with": card["versions"],
        "counts": {"facts": len(card["facts"])},
        "settings": card["plan"]["settings"],
        "training": card["training"],
        "rows": [{name: row.get(name) for name in ("metric", "before", "value", "facts")} for row in card["results"]],
        "next": [f"asof run BENCHMARK {location}", f"asof report {location}"],
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
    "teaching.toml": _taught,
}
