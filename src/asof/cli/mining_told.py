"""What ``asof mine`` tells at the end: what is in the base, what was assumed, what was refused and why."""

from collections.abc import Sequence
from typing import Any

from asof.cli.output import counted, talk
from asof.facts import Intake
from asof.facts.losses import told_refused
from asof.facts.manifest import Manifest

_COUNTED = {"facts": ("fact", "facts"), "entities": ("entity", "entities"), "relations": ("relation", "relations")}


def counts_of(folder: str, manifest: Manifest) -> dict[str, Any]:
    """Count what is in a base."""
    counts: dict[str, Any] = {name: manifest.rows(name) for name in _COUNTED}
    counts["known_by"] = manifest.known_by
    if manifest.rejects:
        counts["rejects_file"] = f"{folder}/{manifest.rejects.path}"
    return counts


def tell_sources(sources: Sequence[Any]) -> None:
    """Say what each source has to say: of a table what was found, assumed and merged."""
    for source in sources:
        for note in source.notes() if hasattr(source, "notes") else ():
            talk(note)


def tell_result(folder: str, summary: dict[str, Any], intake: Intake, *, dry_run: bool) -> None:
    """Say what is in the base, and what is not."""
    told = ", ".join(counted(int(summary[name]), *words) for name, words in _COUNTED.items() if name in summary)
    talk(f"{folder} {'would hold' if dry_run else 'holds'} {told} ({summary['seconds']} s).")
    for word in ("dropped", "swapped"):
        if summary[word]:
            talk(f"{counted(int(summary[word]), 'fact')} with an end before the start: {word}.")
    if intake.rejects.count:
        kept = f", kept in {summary['rejects_file']}" if "rejects_file" in summary else ""
        talk(f"Could not read {counted(intake.rejects.count, 'row')}{kept}:")
        for line in told_refused(intake.rejects.by_kind()):
            talk(f"  {line}")


def tell_current_to(ongoing: int, known_by: str | None) -> None:
    """Say up to which day what is ongoing is known."""
    facts = f"{counted(ongoing, 'ongoing fact')} {'is' if ongoing == 1 else 'are'}"
    if known_by:
        talk(f"{facts} taken to hold up to {known_by}. Set another day with --known-by.")
    else:
        talk(f"{facts} not confirmed for any day: the source states none. Set one with --known-by.")


def rows_of_sources(sources: Sequence[Any]) -> dict[str, Any]:
    """Return for JSON what sources counted, assumed and merged."""
    counts = {source.name: dict(source.counts) for source in sources if hasattr(source, "counts")}
    assumed = [note for source in sources if hasattr(source, "assumed") for note in source.assumed()]
    spellings = {source.name: source.spellings() for source in sources if hasattr(source, "spellings")}
    return {"assumed": assumed, "spellings": spellings} | ({"counts": counts} if counts else {})
