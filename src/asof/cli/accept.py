"""``asof complete --accept``: decisions on proposals, written into a new version of a base."""

from pathlib import Path

from asof.api.relation_settings import see_that_it_may_change
from asof.cli.options import open_base
from asof.cli.output import counted, talk, write_json
from asof.errors import UserError
from asof.facts.accepted import AcceptedFact, write_accepted
from asof.web.decisions import Decisions

_SHOWN = 5


def accept_decisions(path: Path, base: str, folder: Path | None, *, dry_run: bool, as_json: bool) -> None:
    """Write what was accepted, and say what became of it."""
    if folder is None and not dry_run:
        raise UserError(f"Where to? Give a folder for the new version with --to; --to {base} replaces the old one.")
    store = open_base(base)
    if folder:
        see_that_it_may_change(folder.resolve(), "facts")
    decided = list(Decisions(path).made.values())
    made = [one for one in decided if one.decision == "accept"]
    rejected = [one.proposal.id for one in decided if one.decision == "reject"]
    if not decided:
        raise UserError(f"{path} decides nothing. Review proposals with: asof serve --proposals FILE --review {path}")
    facts = [
        AcceptedFact(
            subject=one.proposal.subject_id,
            relation=one.proposal.relation_id,
            object=one.proposal.object_id,
            start=one.proposal.start,
            end=one.proposal.end,
            filled=one.proposal.proposed,
        )
        for one in made
    ]
    written = write_accepted(store, facts, folder or store.folder, source=path.name, rejected=rejected, dry_run=dry_run)
    if as_json:
        refused = [{"fact": str(fact), "reason": reason} for fact, reason in written.refused]
        figures = {"added": written.added, "filled": written.filled, "rejected": len(rejected)}
        write_json({"base": str(folder), **figures, "refused": refused})
        return
    would = "would be " if dry_run else ""
    talk(
        f"Of {counted(len(facts), 'accepted proposal')}, {written.added:,} {would}added as facts, "
        f"{written.filled:,} {would}filled in" + (f", in {folder}." if folder and not dry_run else ".")
    )
    if rejected:
        talk(f"{counted(len(rejected), 'rejected proposal')} {would}remembered and not made again.")
    if written.refused:
        talk(f"Not written: {counted(len(written.refused), 'proposal')}. The first:")
        for fact, reason in written.refused[:_SHOWN]:
            talk(f"  {fact}: {reason}.")
