"""``asof verify``: what a text claims, held against the facts of a base."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from asof.cli.options import TimeOption, base_option, json_option, known_on_option, open_base
from asof.cli.output import counted, talk, write_json
from asof.errors import UserError, did_you_mean
from asof.facts import FactStore
from asof.reading.verify.judgement import ClaimVerdict
from asof.reading.verify.passages import DROPPED, passages_in, verified_passages
from asof.reading.verify.verification import TextVerification, TextVerifier, VerifiedClaim
from asof.timeline import Date, Span

_VERDICTS = tuple(str(verdict).replace(" ", "-") for verdict in ClaimVerdict)
_EXAMPLES = """\b
Examples:
  asof verify "Mario Draghi is the prime minister of Italy." --on 2024-05
  asof verify --file answer.txt --fail-on outdated,contradicted
  asof verify --passages passages.jsonl --on 2024-05 --only-kept > valid.jsonl
"""


@click.command("verify", epilog=_EXAMPLES)
@click.argument("text", nargs=-1)
@click.option("--file", "file", type=click.Path(dir_okay=False), help="A file with the text (- is the standard input).")
@click.option("--passages", type=click.Path(dir_okay=False), help="A file of passages, one JSON object a line.")
@click.option("--field", metavar="KEY", help="Of passages: the key of the text (default: text, content or passage).")
@click.option("--only-kept", is_flag=True, help="Of passages: print only those that may be used.")
@click.option(
    "--on",
    type=TimeOption(),
    metavar="DATE",
    help="What 'now' means in the text (default: the day the base is current to).",
)
@click.option(
    "--fail-on", metavar="VERDICT[,VERDICT]", help="Exit with 3 where a claim surely has one of these verdicts."
)
@click.option("--quiet", is_flag=True, help="Leave out what holds and what was left alone.")
@base_option
@known_on_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    text: tuple[str, ...],
    file: str | None,
    passages: str | None,
    field: str | None,
    only_kept: bool,
    on: Span | None,
    fail_on: str | None,
    quiet: bool,
    base: str,
    known_on: Date | None,
    as_json: bool,
) -> None:
    """Check the claims of a text: each holds, or is outdated, not yet true, contradicted or unknown.

    A sentence is judged only where every word of its claim is understood; questions, hedges, plans, quotations and
    everything else are listed as left alone. What the base does not have is unknown, not false.
    """
    _see_one_source(text, file, passages)
    failing = _verdicts(fail_on)
    store = open_base(base, known_on)
    if passages is not None:
        failed = _filter(store, passages, on, failing, field=field, only_kept=only_kept)
    else:
        found = TextVerifier(store, on=on).verify(" ".join(text) if file is None else _read(file))
        failed = bool(found.fails(failing))
        if as_json:
            write_json(found.as_row())
        else:
            _tell(found, quiet=quiet)
            if on is None:
                talk("For another day: --on DATE.")
    if failed:
        ctx.exit(3)


def _see_one_source(text: tuple[str, ...], file: str | None, passages: str | None) -> None:
    given = [bool(text), file is not None, passages is not None]
    if sum(given) != 1:
        raise click.UsageError("Give a text, --file FILE or --passages FILE: one of them.")


def _verdicts(said: str | None) -> list[str]:
    """Read the verdicts of --fail-on."""
    names = [name.strip().lower() for name in (said or "").split(",") if name.strip()]
    for name in names:
        if name not in _VERDICTS:
            guess = did_you_mean(name, _VERDICTS)
            raise click.UsageError(f"--fail-on: {name!r} is not a verdict.{guess} Known: {', '.join(_VERDICTS)}.")
    return [name.replace("-", " ") for name in names]


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise UserError(f"{file!r} does not exist. Give a file with the text, or - for the standard input.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file!r} is not a text in UTF-8: {error.reason} at byte {error.start:,}.") from error


def _filter(
    store: FactStore, file: str, on: Span | None, failing: list[str], *, field: str | None, only_kept: bool
) -> bool:
    """Print passages with what was found in them; tell whether one has a verdict that fails."""
    verifier = TextVerifier(store, on=on)
    counts: Counter[str] = Counter()
    lines = _read(file).splitlines()
    given = passages_in(lines, file)
    rows = list(verified_passages(verifier, given, dropping=failing or DROPPED, field=field))
    for one in rows:
        counts["kept" if one.keep else "dropped"] += 1
        if one.keep or not only_kept:
            write_json(one.as_row())
    for note in verifier.notes:
        talk(note)
    talk(f"{counted(counts['kept'], 'passage')} kept, {counts['dropped']:,} dropped as of {verifier.on}.")
    return bool(failing) and counts["dropped"] > 0


def _tell(verification: TextVerification, *, quiet: bool) -> None:
    """Print each claim with its verdict and the facts it rests on, then what was left alone."""
    for one in verification.claims:
        if not (quiet and one.judgement.verdict is ClaimVerdict.HOLDS and not one.judgement.possibly):
            click.echo(_headline(one))
            for fact in one.judgement.facts[:5]:
                click.echo(f"  {fact.in_names}")
            for fact in one.judgement.instead[:3]:
                click.echo(f"  {_instead(one)}: {fact.in_names}")
    if not quiet:
        for left in verification.left_alone:
            click.echo(f"left alone: {left.sentence.text}")
            click.echo(f"  {left.why}")
    for note in verification.notes:
        talk(note)


def _headline(claim: VerifiedClaim) -> str:
    judged = claim.judgement
    verdict = f"{'possibly ' if judged.possibly else ''}{judged.verdict}"
    why = f" ({judged.why})" if judged.why else ""
    return f"{verdict}{why}: {claim.claim.said}"


def _instead(claim: VerifiedClaim) -> str:
    return "the base has" if claim.judgement.verdict is ClaimVerdict.UNKNOWN else "instead"
