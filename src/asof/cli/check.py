"""``asof check``: what cannot be in a base, what is suspicious, and whether its files are whole."""

import sys
from collections import Counter
from dataclasses import asdict

import click

from asof.api.relation_settings import see_that_it_may_change
from asof.cli.check_formats import FORMATS, on_terminal
from asof.cli.options import (
    base_argument,
    base_option,
    json_option,
    known_on_option,
    limit_option,
    open_base,
)
from asof.cli.output import counted, show, talk
from asof.errors import UserError, did_you_mean
from asof.facts import FactStore, find_entity, find_relation
from asof.facts.checks import find_problems
from asof.facts.manifest import damaged_files
from asof.facts.problem_row import CONTRADICTIONS, PROBLEMS, USUAL_PROBLEMS, ProblemRow, problem_row
from asof.facts.rewrite import set_fine
from asof.timeline import Date

_EXAMPLES = """\b
Examples:
  asof check teams --problem gap --relation "head coach"
  asof check teams --fine 44bfa98ac68b --because "two tsars by treaty"
  asof check teams --fail-on two-holders,inverted --format sarif > problems.sarif
"""


@click.command("check", epilog=_EXAMPLES)
@base_argument
@click.option(
    "--problem",
    "problems",
    multiple=True,
    type=click.Choice(PROBLEMS),
    help="Only these problems (default: all but adjacent and gap).",
)
@click.option("--relation", metavar="NAME", help="Only this relation.")
@click.option("--subject", metavar="NAME", help="Only this subject.")
@click.option(
    "--fine", metavar="ID", multiple=True, help="Mark a reported problem as fine; needs --because. Repeatable."
)
@click.option("--because", metavar="TEXT", help="Why it is fine.")
@click.option("--not-fine", metavar="ID", multiple=True, help="Withdraw what was noted of a problem.")
@click.option("--with-fine", is_flag=True, help="Show also problems that were noted as fine.")
@click.option(
    "--fail-on",
    metavar="KIND[,KIND]",
    help="Exit with 3 where one of these is found, or 'none' (default: those of --problem, else contradictions).",
)
@click.option(
    "--format", "form", type=click.Choice(["text", *FORMATS]), default="text", show_default=True, help="For CI."
)
@known_on_option
@limit_option
@base_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    folder: str | None,
    problems: tuple[str, ...],
    relation: str | None,
    subject: str | None,
    fine: tuple[str, ...],
    because: str | None,
    not_fine: tuple[str, ...],
    with_fine: bool,
    fail_on: str | None,
    form: str,
    known_on: Date | None,
    limit: int | None,
    base: str,
    as_json: bool,
) -> None:
    """Find contradictions, suspicious facts and damaged files.

    Contradictions are facts that end before they start (inverted), two holders at a time, duplicate facts (repeated)
    and the same fact in two overlapping intervals. Suspicious are unlikely lengths and names that look like one entity
    (alike-names). The same fact in two intervals that touch (adjacent) and gaps are often right: name them to see them.

    Two holders and gaps are looked for in relations with one object at a time, also where that is only proposed ('asof
    relations' confirms or denies it). Every file of the base is compared with the hash in its manifest. The exit code
    is 3 when a file is damaged or a contradiction is found.
    """
    place = folder or base
    store = open_base(place, known_on)
    if fine or not_fine or because:
        _note(store, fine, because, not_fine)
        return
    failing = _failing(fail_on, problems)
    damaged = damaged_files(store.folder, store.manifest)
    for name in damaged:
        talk(f"{store.folder / name} is damaged: its hash is not the one in the manifest. Mine the base again.")
    found = find_problems(
        store,
        problems=problems or [one for one in PROBLEMS if one in USUAL_PROBLEMS or one in failing],
        relation=find_relation(store, relation).id if relation else None,
        subject=find_entity(store, subject).id if subject else None,
        with_fine=with_fine,
    )
    rows = [problem_row(row) for row in found.to_pylist()]
    _show(rows, store, place, form="json" if as_json else form, limit=limit, whole=bool(problems or limit))
    _tell(rows, store, place)
    if damaged or any(row.problem in failing for row in rows if row.fine is None):
        ctx.exit(3)


def _note(store: FactStore, fine: tuple[str, ...], because: str | None, not_fine: tuple[str, ...]) -> None:
    """Write that problems are none, or that they are after all."""
    see_that_it_may_change(store.folder, "problems")
    if bool(fine) != bool(because):
        missing = "--because TEXT" if fine else "--fine ID"
        raise UserError(f"--fine says which problem is fine, --because why. Add {missing}.")
    known = find_problems(store, problems=PROBLEMS, with_fine=True)["id"].to_pylist() if fine else []
    for ids, there, where in ((fine, known, "no problem"), (not_fine, [*store.manifest.fine], "no note on a problem")):
        for id in ids:
            if id not in there:
                raise UserError(
                    f"{store.folder} has {where} {id!r}.{did_you_mean(id, there)} See: asof check --with-fine"
                )
    noted = set_fine(store.folder, dict.fromkeys(fine, because) | dict.fromkeys(not_fine, None)).fine
    talk(f"{store.folder} has {counted(len(noted), 'problem')} noted as fine. See: asof check --with-fine")


def _failing(fail_on: str | None, problems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds of problems that make the command fail."""
    if fail_on is None:
        return problems or CONTRADICTIONS
    kinds = () if fail_on.strip() == "none" else tuple(kind.strip() for kind in fail_on.split(","))
    for kind in kinds:
        if kind not in PROBLEMS:
            known = ", ".join((*PROBLEMS, "none"))
            guess = did_you_mean(kind, PROBLEMS)
            raise UserError(f"--fail-on {kind!r} is not a kind of problem.{guess} Known: {known}.")
    return kinds


def _show(rows: list[ProblemRow], store: FactStore, base: str, *, form: str, limit: int | None, whole: bool) -> None:
    shown = rows[:limit]
    if form in FORMATS and form != "json":
        click.echo(FORMATS[form](shown, store))
    elif form == "text" and sys.stdout.isatty():
        on_terminal(shown, base, whole=whole)
    else:
        show(map(asdict, shown), columns=[], as_json=form == "json")


def _tell(rows: list[ProblemRow], store: FactStore, base: str) -> None:
    counts = Counter(str(row.problem) for row in rows)
    told = ", ".join(f"{counts[kind]:,} {kind}" for kind in PROBLEMS if counts[kind]) or "no contradiction found"
    noted = f" {counted(len(store.manifest.fine), 'problem')} noted as fine." if store.manifest.fine else ""
    talk(f"{store.manifest.rows('facts'):,} facts: {told}.{noted}")
    proposed = sum(row.proposed for row in rows)
    if proposed:
        rest = counted(proposed, "of them rests", "of them rest")
        talk(f"{rest} on a meaning that is only proposed. See: asof relations {base}")
