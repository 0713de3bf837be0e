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
    "--as", "name", metavar="NAME", help="Your name; your annotations go to a file of this name (default: your login)."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8420, show_default=True, help="The port; 0 takes any free one."
)
@click.option(
    "--share", "share", metavar="K/N", default="1/1", help="Your share of the items: 2/3 is the second of three."
)
@click.option(
    "--overlap",
    type=click.FloatRange(0, 100),
    default=10,
    show_default=True,
    help="The percentage of facts that every annotator gets, to measure agreement.",
)
@click.option("--browser/--no-browser", default=True, help="Open the page in a browser.")
@click.option("--agreement", "compare", is_flag=True, help="Show the inter-annotator agreement, and do nothing else.")
@click.option("--merge", "merged", is_flag=True, help="Make a verified benchmark from the decisions.")
@click.option(
    "--paraphrases",
    type=click.Path(path_type=Path),
    help="A CSV or TSV file with the columns id and question: rewritten questions.",
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
    """Verify the questions of a benchmark, and correct answers.

    Opens a page that only this machine can reach. Every decision is saved in BENCH/annotations/NAME.jsonl before the
    next item is shown, so you can stop and resume at any time. Send the folder to other annotators, and put their
    files beside yours.
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
            f"{benchmark.folder} has no text to annotate. Build it with pages: asof build timeqa --pages PAGES"
        )
    items = share.of(list(benchmark.items()))
    if not items:
        raise UserError(f"The share {share.part}/{share.parts} is empty: the benchmark has too few facts.")
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
            talk(f"{name}: {done:,} of {counted(len(items), 'item')} done and saved.")
        finally:
            server.server_close()


def _all_work(benchmark: Benchmark) -> dict[str, dict[str, Decision]]:
    found = {name: read_work(benchmark, name) for name in people(benchmark)}
    if not found:
        raise UserError(f"Nobody has annotated {benchmark.folder} yet. Start with: asof annotate {benchmark.folder}")
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
        raise UserError("No item was annotated by two people. Give them an overlap: --share 1/2 --overlap 10")
    results = {"same spans": told.exact, "token F1": told.token_f1, "alpha (answerable)": told.alpha}
    rows = [
        {"agreement": what, **result.figures(3), "items": result.n, "histories": result.facts}
        for what, result in results.items()
    ]
    show(rows, columns=["agreement", "value", "low", "high", "items", "histories"], as_json=as_json)


def _write(benchmark: Benchmark, folder: Path | None, paraphrases: Path | None, *, merged: bool, as_json: bool) -> None:
    if folder is None:
        raise UserError("Give a folder for the new benchmark: --to FOLDER")
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
