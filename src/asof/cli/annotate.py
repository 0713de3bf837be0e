"""``asof annotate``: people verify the questions of a benchmark on a page of their own."""

from __future__ import annotations

import getpass
import webbrowser
from pathlib import Path

import click

from asof.annotation.agreement import agreement
from asof.annotation.merge import merge, read_paraphrases, reword
from asof.annotation.server import AnnotationServer, Session
from asof.annotation.share import Share
from asof.annotation.work import Decision, open_work, people, read_work
from asof.benchmarks import Benchmark, documents, read_benchmark
from asof.cli.options import json_option
from asof.cli.output import counted, show, talk, write_json
from asof.errors import UserError

_EXAMPLES = """\b
Examples:
  asof annotate timeqa --as anna --share 1/2
  asof annotate timeqa --agreement
  asof annotate timeqa --merge --to timeqa-verified
"""


@click.command("annotate", epilog=_EXAMPLES)
@click.argument("bench", type=click.Path(path_type=Path))
@click.option(
    "--as", "name", metavar="NAME", help="Who you are; your work is a file of this name (default: your login)."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8420, show_default=True, help="0 takes any free one.")
@click.option(
    "--share", "share", metavar="K/N", default="1/1", help="Your part of the work: 2/3 is the second of three."
)
@click.option(
    "--overlap",
    type=click.FloatRange(0, 100),
    default=10,
    show_default=True,
    help="How many of 100 facts everybody gets, so that people can be compared.",
)
@click.option("--browser/--no-browser", default=True, help="Open the page in a browser.")
@click.option("--agreement", "compare", is_flag=True, help="Show how far people agree, and do nothing else.")
@click.option("--merge", "merged", is_flag=True, help="Make a verified benchmark of what people decided.")
@click.option(
    "--paraphrases", type=click.Path(path_type=Path), help="A CSV or TSV file of id and question: other words."
)
@click.option("--to", "folder", type=click.Path(path_type=Path), help="The folder for the new benchmark.")
@json_option
def command(
    bench: Path,
    name: str | None,
    port: int,
    share: str,
    overlap: float,
    browser: bool,
    compare: bool,
    merged: bool,
    paraphrases: Path | None,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Look at the questions of a benchmark with the text they are about, and correct their answers.

    A page opens on this machine, for this machine alone. Every decision is on the disk before the next item is shown,
    in BENCH/annotations/NAME.jsonl; begin and stop as you like. Send the folder to other people, and put their files
    beside yours.
    """
    benchmark = read_benchmark(bench)
    if compare:
        _show_agreement(benchmark, as_json=as_json)
    elif merged or paraphrases:
        _write(benchmark, folder, paraphrases, merged=merged, as_json=as_json)
    else:
        _serve(benchmark, name or getpass.getuser(), port, Share.parse(share, overlap / 100), browser=browser)


def _serve(benchmark: Benchmark, name: str, port: int, share: Share, *, browser: bool) -> None:
    texts = documents(benchmark)
    if not texts:
        raise UserError(
            f"{benchmark.folder} has no text to look at. Build it with pages: asof build timeqa --pages PLACE"
        )
    items = share.of(list(benchmark.items()))
    if not items:
        raise UserError(f"There is nothing in the share {share.part}/{share.parts}: the benchmark has too few facts.")
    with open_work(benchmark, name) as work:
        server = AnnotationServer(Session(name, items, texts, work), port)
        done = sum(item.id in work.decisions for item in items)
        talk(f"{name}: {done:,} of {counted(len(items), 'item')} done. Open {server.address} and stop with Ctrl-C.")
        if browser:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            done = sum(item.id in work.decisions for item in items)
            talk(f"{name}: {done:,} of {counted(len(items), 'item')} done, all of it saved.")
        finally:
            server.server_close()


def _all_work(benchmark: Benchmark) -> dict[str, dict[str, Decision]]:
    found = {name: read_work(benchmark, name) for name in people(benchmark)}
    if not found:
        raise UserError(f"Nobody has worked on {benchmark.folder} yet. Begin with: asof annotate {benchmark.folder}")
    return found


def _show_agreement(benchmark: Benchmark, *, as_json: bool) -> None:
    work = _all_work(benchmark)
    told = agreement(benchmark, work)
    for name, decisions in work.items():
        talk(
            f"{name}: {counted(len(decisions), 'item')}, "
            f"{sum(not one.answerable for one in decisions.values()):,} unanswerable"
        )
    if not told.items:
        raise UserError("No item has been seen by two people. Give them an overlap: --share 1/2 --overlap 10")
    results = {"same spans": told.exact, "token F1": told.token_f1, "alpha (answerable)": told.alpha}
    rows = [
        {"agreement": what, **result.figures(3), "items": result.n, "histories": result.facts}
        for what, result in results.items()
    ]
    show(rows, columns=["agreement", "value", "low", "high", "items", "histories"], as_json=as_json)


def _write(benchmark: Benchmark, folder: Path | None, paraphrases: Path | None, *, merged: bool, as_json: bool) -> None:
    if folder is None:
        raise UserError("Say where the new benchmark goes: --to FOLDER")
    words = read_paraphrases(paraphrases, benchmark) if paraphrases else None
    if not merged:
        made = reword(benchmark, words or {}, folder)
        talk(f"{made.folder} holds {counted(made.items_count, 'item')}, {len(words or {}):,} of them in other words.")
        return
    result = merge(benchmark, _all_work(benchmark), folder, paraphrases=words)
    if as_json:
        told = {"folder": str(folder), "items": result.benchmark.items_count, "changed": result.changed}
        write_json(told | {"disputed": result.disputed, "unseen": result.unseen})
        return
    talk(f"{folder} holds {counted(result.benchmark.items_count, 'item')}, {result.changed:,} of them corrected.")
    for note in result.benchmark.account.notes:
        talk(note)
