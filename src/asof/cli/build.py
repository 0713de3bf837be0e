"""``asof build``: a benchmark from a base."""

import re
import sys
import tomllib
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, cast, get_type_hints

import click
import pyarrow as pa
import tomli_w

from asof import registry
from asof.api.progress import progress_bar
from asof.benchmarks import Benchmark, TakesQuestions, build, read_benchmark
from asof.cli.failures import says_what_is_kept
from asof.cli.options import base_option, json_option, known_on_option, open_base
from asof.cli.output import show, talk, write_json
from asof.cli.settings import read_settings, read_value
from asof.errors import UserError
from asof.facts import FactStore
from asof.models import Writes, open_model
from asof.places.folders import kept_at
from asof.runs.cutoff_bounds import KnowledgeSelection, read_cutoff
from asof.timeline import Date, Period
from asof.wording import Wording
from asof.wording.question_writer import write_questions

_MOST_ROWS = 16
_MOST_NAMES = 5  # of what is in a folder
_PERIOD = re.compile(r"\d{4}(-(Q[1-4]|\d\d))?")


@click.command("build")
@click.argument("name")
@click.option(
    "-o", "--to", "folder", type=click.Path(path_type=Path), help="The folder for the benchmark (default: its name)."
)
@click.option(
    "--from", "first", metavar="PERIOD", help="The first period to ask about: 2019, 2019-Q1, 2019-03, 'last year' ..."
)
@click.option("--until", "last", metavar="PERIOD", help="The last period to ask about.")
@click.option("--by", type=click.Choice(["month", "quarter", "year"]), help="The length of a period.")
@click.option(
    "--protocol", metavar="NAME", help="The protocol, such as that of a paper: see the page of the benchmark."
)
@click.option("--pages", metavar="PLACE", help="Pages to read: a Wikipedia dump (.xml, .xml.bz2) or a folder of texts.")
@click.option("--query", metavar="NAME", help="The kind of query, for benchmarks that have several: see their page.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="At most this many facts, the most popular first (lama-tk: at random; dynamic-templama, templama, "
    "timeqa: pairs "
    "of subject and relation instead).",
)
@click.option(
    "--sizes",
    metavar="N,N,...",
    help="Several limits, as in 5000,10000: one benchmark for each, in a folder of that name.",
)
@click.option("--seed", type=int, help="The random seed.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any other setting of the benchmark; may be repeated."
)
@click.option(
    "--writer",
    metavar="MODEL",
    help="A language model that writes the questions; they are checked and kept in the folder.",
)
@click.option("--language", default="en", show_default=True, help="The language of prompts, and of the names in them.")
@click.option(
    "--keep-unnamed", is_flag=True, help="Keep facts without a name in the language, under the name that they have."
)
@click.option(
    "--after",
    metavar="CUTOFF",
    help="Only items whose answers began after a model's knowledge cutoff: a time, a run that 'asof cutoff' can read, "
    "or a file with what it printed with --json. Of an estimate, the end of its interval counts.",
)
@click.option(
    "--before", metavar="CUTOFF", help="Only items whose answers began before it, by the interval's beginning."
)
@click.option("--overwrite", is_flag=True, help="Overwrite the folder without asking.")
@base_option
@known_on_option
@json_option
def command(
    name: str,
    folder: Path | None,
    first: str | None,
    last: str | None,
    by: str | None,
    protocol: str | None,
    pages: str | None,
    query: str | None,
    limit: int | None,
    sizes: str | None,
    seed: int | None,
    settings: tuple[str, ...],
    writer: str | None,
    language: str,
    keep_unnamed: bool,
    after: str | None,
    before: str | None,
    overwrite: bool,
    base: str,
    known_on: Date | None,
    as_json: bool,
) -> None:
    """Make a benchmark from the facts of a base.

    The same base, settings and seed give the same files, to the byte. With --writer MODEL (as for 'asof run') a model
    writes up to four questions for each fact. Those that fail a check (asks for the object, past tense, no date) are
    kept in questions.rejects.tsv, and a fact without a question is left out, or gets our own wording with
    --set own_wording=true. Correct questions.tsv by hand and use it again with --set questions=FILE.
    """
    kind = registry.benchmarks.get(name)
    given = {
        "first": _period(first),
        "last": _period(last),
        "by": by,
        "protocol": protocol,
        "facts": limit,
        "seed": seed,
    }
    given |= {"pages": pages, "query": query}
    chosen = _chosen(kind, given, settings)
    if first and not last and folder and _PERIOD.fullmatch(folder.name):
        raise UserError(f"--to is the folder. For the last period use --until {folder}")
    target = click.get_current_context().with_resource(kept_at(folder or Path(name)))
    store, say = open_base(base, known_on), Wording(language=language)
    targets = _sizes(target, sizes, chosen, kind)
    keep = _selection(kind.name, after, before)
    if not overwrite:
        for path, size in targets:
            _ask_before_overwriting(path, kind(**chosen | size), store, say, keep, asks=not as_json)
    written: dict[str, Any] = {}
    if writer:
        if "questions" in chosen:
            raise UserError("Questions come either from --writer or from --set questions=FILE. Give only one of them.")
        chosen["questions"], written = _write(kind(**chosen), writer, target, store, say)
        if not as_json:
            talk(_said(written["questions"]))
    with says_what_is_kept(lambda: _kept(targets)):
        for path, size in targets:
            made = build(
                path, kind(**chosen | size), store, say, made_with=written, keep_unnamed=keep_unnamed, keep=keep
            )
            _tell(made, written, as_json=as_json)


def _selection(name: str, after: str | None, before: str | None) -> KnowledgeSelection | None:
    """Return which items are kept by what a model can know."""
    if after is None and before is None:
        return None
    sides = {side: read_cutoff(text, side=side) for side, text in (("after", after), ("before", before)) if text}
    return KnowledgeSelection(name, **sides)


def _ask_before_overwriting(
    folder: Path, kind: Any, store: FactStore, say: Wording, keep: KnowledgeSelection | None, *, asks: bool
) -> None:
    """Ask before another thing is overwritten; the same benchmark from the same base may be built again."""
    there = [path.name for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []
    if not there:
        return
    what = f"{folder} holds {', '.join(sorted(there)[:_MOST_NAMES])}"
    if "benchmark.toml" in there:
        found = read_benchmark(folder)
        selected = keep.described if keep else None
        if _same(found, kind, store, say) and found.description.get("selected") == selected:
            return
        what = f"{folder} holds another benchmark: {found.name}, {found.size}"
    if asks and sys.stdin.isatty() and sys.stderr.isatty():
        click.confirm(f"{what}. Overwrite it?", abort=True, err=True)
        return
    raise UserError(f"{what}. Choose another folder with --to, or replace it with --overwrite.")


def _same(benchmark: Benchmark, kind: Any, store: FactStore, say: Wording) -> bool:
    """Tell whether a benchmark was made as this one is to be, but for questions that a model wrote."""
    settings = {name: value for name, value in asdict(kind).items() if value is not None}
    described = tomllib.loads(tomli_w.dumps({"settings": settings}))["settings"]
    old, new = (
        {name: value for name, value in one.items() if name != "questions"} for one in (benchmark.settings, described)
    )
    base = benchmark.description["base"]
    from_base = base in ({"name": store.manifest.name, "hash": store.manifest.hash},) or bool(old.get("pages"))
    return (
        benchmark.name == kind.name and old == new and benchmark.description["language"] == say.language and from_base
    )


def _kept(folders: list[tuple[Path, dict[str, int]]]) -> str:
    """Say which benchmarks are whole."""
    whole = [str(folder) for folder, _ in folders if (folder / "benchmark.toml").is_file()]
    return f"Complete and kept: {', '.join(whole)}." if whole else "No part of the benchmark is kept."


def _period(text: str | None) -> str | None:
    """Write a period as asof does, so that the settings of a benchmark say the same tomorrow ("last year")."""
    return None if text is None else str(Period.parse(text))


def _sizes(folder: Path, sizes: str | None, chosen: dict[str, Any], kind: Any) -> list[tuple[Path, dict[str, int]]]:
    """Return a folder and its own settings for each benchmark that is to be made: one, or one for each size."""
    if sizes is None:
        return [(folder, {})]
    if "facts" in chosen:
        raise UserError("--sizes gives several limits. Omit --limit.")
    if "facts" not in _settings_of(kind):
        raise UserError(f"{kind.name} has no setting --sizes. Its settings are: {', '.join(_settings_of(kind))}.")
    words = [word.strip() for word in sizes.split(",") if word.strip()]
    wrong = [word for word in words if not word.isdecimal() or int(word) < 1]
    if wrong or not words:
        raise UserError(
            f"--sizes {sizes}: {wrong[0] if wrong else sizes!r} is not a number of facts. Write 5000,10000."
        )
    return [(folder / str(int(word)), {"facts": int(word)}) for word in words]


def _tell(made: Benchmark, written: dict[str, Any], *, as_json: bool) -> None:
    """Say what was made, what is not in it, and what it counts."""
    statistics = made.statistics()
    if as_json:
        told = {"folder": str(made.folder), "items": made.items_count, "facts": made.groups_count}
        counts = {} if statistics is None else {"statistics": statistics.to_pylist()}
        told |= {"left_out": made.account.as_row(), "notes": made.account.notes}
        write_json(told | counts | written)
        return
    talk(f"{made.folder} holds {made.size}.")
    if str(made.account):
        talk(str(made.account))
    if statistics is not None:
        _show_statistics(statistics, made.folder)


def _write(kind: Any, location: str, folder: Path, store: FactStore, say: Wording) -> tuple[str, dict[str, Any]]:
    """Let a model write the questions of a benchmark; return their file and what to put on record."""
    if not isinstance(kind, TakesQuestions):
        raise UserError(f"{kind.name} does not use questions from outside, so --writer has no effect. Omit it.")
    if say.language != "en":
        raise UserError("--writer writes and checks English questions only. Omit --language.")
    writer = open_model(location)
    if "write" not in writer.can:
        raise UserError(
            f"{writer.name} cannot write text. Use transformers-causal:FOLDER or openai-completions:ADDRESS."
        )
    facts = kind.facts_to_ask(store, say)
    with progress_bar("writing questions") as progress:
        found = write_questions(facts, cast(Writes, writer), on_progress=progress)
    file, rejects = found.save(folder)
    with_question = len(facts) - len(found.without)
    if facts and not with_question and not kind.own_wording:
        raise UserError(
            f"None of {len(facts):,} facts has a question: all that {writer.name} wrote was rejected, see {rejects}. "
            "Use a larger model, or asof's own wording where it fails: --set own_wording=true"
        )
    told = {"facts": len(facts), "with_question": with_question, "file": str(file), "rejects": str(rejects)}
    return str(file), {"questions": told, "writer": writer.describe()}


def _said(writing: dict[str, Any]) -> str:
    """Say how many facts got a question.

    >>> _said({"facts": 20, "with_question": 19, "rejects": "questions.rejects.tsv"})
    '19 of 20 facts have a question; 1 was rejected, see questions.rejects.tsv.'
    """
    refused = writing["facts"] - writing["with_question"]
    what = (
        f"{refused:,} {'was' if refused == 1 else 'were'} rejected, see {writing['rejects']}"
        if refused
        else "none was rejected"
    )
    return f"{writing['with_question']:,} of {writing['facts']:,} facts have a question; {what}."


def _chosen(kind: Any, given: dict[str, Any], pairs: tuple[str, ...]) -> dict[str, Any]:
    """Put options and --set pairs together; an option that the benchmark has no setting for is an error."""
    known = _settings_of(kind)
    chosen = {key: value for key, value in given.items() if value is not None}
    for key in chosen.keys() - known.keys():
        raise UserError(f"{kind.name} takes no {_OPTIONS[key]}. Its settings are: {', '.join(known)}.")
    if "protocol" in chosen:
        chosen["protocol"] = read_value(f"protocol={chosen['protocol']}", chosen["protocol"], known["protocol"])
    return chosen | read_settings(kind.name, known, pairs)


_OPTIONS = {
    "first": "--from", "last": "--until", "by": "--by", "protocol": "--protocol", "facts": "--limit", "seed": "--seed",
    "pages": "--pages", "query": "--query",
}  # fmt: skip


def _show_statistics(table: pa.Table, folder: Path) -> None:
    """Show the counts, on a terminal no more than fit it."""
    few = sys.stdout.isatty() and table.num_rows > _MOST_ROWS
    if few:
        talk(f"The last {_MOST_ROWS} of {table.num_rows} rows; all of them are in {folder / 'statistics.tsv'}.")
    rows = table.slice(table.num_rows - _MOST_ROWS if few else 0).to_pylist()
    show(rows, columns=table.column_names, as_json=False)


def _settings_of(kind: Any) -> dict[str, Any]:
    types = get_type_hints(kind)
    return {field.name: types[field.name] for field in fields(kind)}
