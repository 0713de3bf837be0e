"""``asof check``: contradictions inside a base, and whether its files are whole."""

from collections import Counter
from dataclasses import asdict

import click

from asof.cli.options import base_option, json_option, limit_option, open_base
from asof.cli.output import show, talk
from asof.facts import find_entity, find_relation
from asof.facts.checks import PROBLEMS, USUAL_PROBLEMS, find_problems, problem_row
from asof.facts.manifest import damaged_files


@click.command("check")
@click.option(
    "--problem",
    "problems",
    multiple=True,
    type=click.Choice(PROBLEMS),
    help="Only these problems (default: all but gap).",
)
@click.option("--relation", metavar="NAME", help="Only this relation.")
@click.option("--subject", metavar="NAME", help="Only this subject.")
@limit_option
@base_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    problems: tuple[str, ...],
    relation: str | None,
    subject: str | None,
    limit: int | None,
    base: str,
    as_json: bool,
) -> None:
    """Find contradictions and damaged files.

    Problems are facts that end before they start, two holders at a time, duplicate facts, and gaps. Two holders and
    gaps are looked for in relations with one object at a time. Every file of the base is compared with the hash in its
    manifest. The exit code is 3 when anything is found.
    """
    store = open_base(base)
    damaged = damaged_files(store.folder, store.manifest)
    for name in damaged:
        talk(f"{store.folder / name} is damaged: its hash is not the one in the manifest. Mine the base again.")
    found = find_problems(
        store,
        problems=problems or USUAL_PROBLEMS,
        relation=find_relation(store, relation).id if relation else None,
        subject=find_entity(store, subject).id if subject else None,
    ).to_pylist()
    rows = [asdict(problem_row(row)) for row in found]
    show(rows[:limit], columns=["problem", "subject", "relation", "object", "other", "first", "last"], as_json=as_json)
    counts = Counter(row["problem"] for row in rows)
    told = (
        ", ".join(f"{counts[problem]:,} {problem}" for problem in PROBLEMS if counts[problem])
        or "no contradiction found"
    )
    talk(f"{store.manifest.rows('facts'):,} facts: {told}.")
    if rows or damaged:
        ctx.exit(3)
