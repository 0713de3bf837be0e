"""What a run tells of a model's knowledge cutoff, as rows: over all facts, by relation, by period, or fact by fact."""

from typing import Any, Literal

from asof.runs.cutoff import Cutoff, CutoffOf

By = Literal["relation", "period", "fact"]
# Of the estimate, what a person looks at first.
SHOWN = ("run", "cutoff", "low", "high", "beyond", "facts", "lag", "known", "guessing", "unchanged")


def cutoff_rows(found: CutoffOf, by: By | None = None) -> list[dict[str, Any]]:
    """Return the estimate, or a row for each relation, for each period (the curve), or for each fact that changed."""
    return {None: _overall, "relation": _relations, "period": _curve, "fact": _facts}[by](found)


def cutoff_notes(found: CutoffOf, by: By | None = None) -> list[str]:
    """Say what the estimate means and, where facts or periods are shown, what counts as correct."""
    return [_explained(found), *([_what_counts(found)] if by in ("fact", "period") else [])]


def _estimate(cutoff: Cutoff) -> dict[str, Any]:
    held = cutoff.controls
    border = {"newer": " or later", "older": " or earlier"}.get(cutoff.status, "")
    return {
        "cutoff": "cannot tell" if cutoff.best is None else f"{cutoff.best}{border}",
        "low": cutoff.low and str(cutoff.low),
        "high": cutoff.high and str(cutoff.high),
        "beyond": cutoff.beyond,
        "facts": cutoff.facts,
        "lag": cutoff.posterior and cutoff.best and round(cutoff.posterior.lag, 2),
        "known": round(held.known.value, 3),
        "guessing": round(held.guessing, 3),
        "unchanged": round(held.unchanged.value, 3) if held.unchanged.n else None,
        "unchanged_facts": held.unchanged.n,
        "newer_for_wrong_subjects": round(held.invented.value, 3) if held.invented.n else None,
        "status": cutoff.status,
        "why": cutoff.why or None,
    }


def _overall(found: CutoffOf) -> list[dict[str, Any]]:
    return [{"run": found.run.name, "reading": found.reading} | _estimate(found.overall)]


def _relations(found: CutoffOf) -> list[dict[str, Any]]:
    parts = {"all": found.overall} | found.by_relation
    return [{"run": found.run.name, "relation": name} | _estimate(part) for name, part in parts.items()]


def _curve(found: CutoffOf) -> list[dict[str, Any]]:
    return [
        {"run": found.run.name, "period": str(point.period), "facts": point.facts}
        | {name: round(share, 3) if point.facts else None for name, share in point.shares.items()}
        | {
            "changes": point.changes,
            "new": round(point.new, 3) if point.changes else None,
            "previous": round(point.previous, 3) if point.changes else None,
        }
        for point in found.curve
    ]


def _facts(found: CutoffOf) -> list[dict[str, Any]]:
    rows = []
    for one in found.changed:
        place = one.fact.asked[-1]
        verdict, until = one.fact.verdict(one.text, place)
        said = f", true until {found.histories.periods[until]}" if until is not None else ""
        now = [name for name, right in zip(one.fact.names, one.fact.holds[:, place], strict=True) if right]
        rows.append(
            {
                "run": found.run.name,
                "subject": one.fact.subject,
                "relation": one.fact.relation_label,
                "period": str(found.histories.periods[place]),
                "right": now,
                "given": one.text,
                "verdict": verdict + said,
                "likeliest": one.likeliest,
            }
        )
    return rows


def _what_counts(found: CutoffOf) -> str:
    """Say what is correct here, as ``asof score`` counts otherwise."""
    changed, correct = _counted(len(found.changed)), found.correct()
    if found.contrasted:
        return (
            f"Correct in the last period: {correct} of {changed} that changed, by likelihoods relative to other "
            f"subjects (--contrast others); {found.correct(contrasted=False)} by plain likelihoods. "
            "The accuracy of 'asof score' uses plain likelihoods, over all items: every fact in every period."
        )
    return (
        f"Correct in the last period: {correct} of {changed} that changed. 'asof score' counts all items: every "
        "fact in every period."
    )


def _explained(found: CutoffOf) -> str:
    """Say in a sentence what the estimate is."""
    cutoff = found.overall
    if cutoff.best is None:
        return f"{found.run.name}: cannot tell, as {cutoff.why}."
    if cutoff.status == "newer":
        return f"{found.run.name}: {cutoff.why}. For more ask about later periods."
    if cutoff.status == "older":
        return f"{found.run.name}: {cutoff.why}. For more ask about earlier periods."
    what = "was exposed to changes" if found.reading == "exposed" else "answers as the world was"
    return f"{found.run.name} {what} up to {cutoff.best} (from {_counted(cutoff.facts)} that changed)."


def _counted(facts: int) -> str:
    return f"{facts:,} {'fact' if facts == 1 else 'facts'}"
