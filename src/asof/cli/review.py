"""``asof complete --review``: accept or reject proposals one by one, in the shell."""

from pathlib import Path

import click

from asof.cli.output import counted, talk
from asof.errors import UserError
from asof.web.decisions import Decisions, Proposal, open_decisions, read_proposals

_KEYS = {"a": "accept", "r": "reject", "s": "skip", "u": "undo", "q": "quit"}
_ASKS = "[a]ccept, [r]eject, [s]kip, [u]ndo, [q]uit"


def review_proposals(table: Path, path: Path | None) -> None:
    """Ask about every proposal that is not decided yet; each decision is on the disk before the next is asked."""
    if path is None:
        raise UserError(f"Where to? Name a table for your decisions: asof complete --review {table} --to decisions.tsv")
    proposals = read_proposals(table)
    with open_decisions(path) as decisions:
        try:
            _ask_about([one for one in proposals if one.id not in decisions.made], decisions)
        except click.Abort:  # the input has ended, or Ctrl-C
            click.echo(err=True)
        made = [one.decision for one in decisions.made.values()]
        left = sum(one.id not in decisions.made for one in proposals)
    talk(
        f"{path} has {made.count('accept'):,} accepted and {made.count('reject'):,} rejected; {left:,} of "
        f"{counted(len(proposals), 'proposal')} left. The same command resumes."
    )
    if made:
        talk(f"Write them into a new version: asof complete --accept {path} --base BASE --to NEW")


def _ask_about(open_ones: list[Proposal], decisions: Decisions) -> None:
    position = 0
    while position < len(open_ones):
        proposal = open_ones[position]
        talk(f"\n{position + 1:,} of {len(open_ones):,}: {in_words(proposal)}")
        if proposal.reason:
            talk(f"  {proposal.reason}")
        said = _KEYS[click.prompt(_ASKS, type=click.Choice(list(_KEYS)), show_choices=False, err=True)]
        if said == "quit":
            return
        if said == "undo":
            position = max(0, position - 1)
            decisions.decide(open_ones[position], None)
            continue
        if said != "skip":
            decisions.decide(proposal, said)
        position += 1


def in_words(proposal: Proposal) -> str:
    """Write a proposal as a line; what is proposed stands in square brackets.

    >>> in_words(Proposal("Ann", "works for", "Acme", "2001", "2004", "end", "0.83", "", "", ""))
    'Ann, works for: Acme, 2001 to [2004]  (0.83)'
    """
    parts = {name: getattr(proposal, name) or "?" for name in ("object", "start", "end")}
    parts[proposal.proposed] = f"[{parts[proposal.proposed]}]"
    when = "" if parts["start"] == parts["end"] == "?" else f", {parts['start']} to {parts['end']}"
    return f"{proposal.subject}, {proposal.relation}: {parts['object']}{when}  ({proposal.probability})"
