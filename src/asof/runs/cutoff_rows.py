"""What a run tells of a model's knowledge cutoff, as rows: over all facts, by relation, by period, or fact by fact."""

from typing import Any, Literal, get_args

from asof.errors import UserError, did_you_mean
from asof.runs.cutoff import Cutoff, CutoffOf

By = Literal["relation", "period", "fact"]
# Of the estimate, what a person looks at first.
SHOWN = ("run", "cutoff", "low", "high", "beyond", "facts", "lag", "known", "guessing", "unchanged")


def cutoff_rows(cutoff: CutoffOf, by: By | None = None) -> list[dict[str, Any]]:
    """Return the estimate, or a row for each relation, for each period (the curve), or for each fact that changed."""
    if by is not None and by not in get_args(By):
        known = get_args(By)
        raise UserError(f"A cutoff is not told by {by!r}.{did_you_mean(by, known)} Known: {', '.join(known)}.")
    return {None: _overall, "relation": _relations, "period": _curve, "fact": _facts}[by](cutoff)


def cutoff_notes(cutoff: CutoffOf, by: By | None = None) -> list[str]:
    """Say what the estimate means and, where facts or periods are shown, what counts as correct."""
    return [_explained(cutoff), *([_what_counts(cutoff)] if by in ("fact", "period") else [])]


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


def _overall(cutoff: CutoffOf) -> list[dict[str, Any]]:
    return [{"run": cutoff.run.name, "reading": cutoff.reading} | _estimate(cutoff.overall)]


def _relations(cutoff: CutoffOf) -> list[dict[str, Any]]:
    parts = {"all": cutoff.overall} | cutoff.by_relation
    return [{"run": cutoff.run.name, "relation": name} | _estimate(part) for name, part in parts.items()]


def _curve(cutoff: CutoffOf) -> list[dict[str, Any]]:
    return [
        {"run": cutoff.run.name, "period": str(point.period), "facts": point.facts}
        | {name: round(share, 3) if point.facts else None for name, share in point.shares.items()}
        | {
            "changes": point.changes,
            "new": round(point.new, 3) if point.changes else None,
            "previous": round(point.previous, 3) if point.changes else None,
        }
        for point in cutoff.curve
    ]


def _facts(cutoff: CutoffOf) -> list[dict[str, Any]]:
    rows = []
    for one in cutoff.changed:
        index = one.fact.asked[-1]
        verdict, until = one.fact.verdict(one.text, index)
        said = f", true until {cutoff.histories.periods[until]}" if until is not None else ""
        now = [name for name, right in zip(one.fact.names, one.fact.holds[:, index], strict=True) if right]
        rows.append(
            {
                "run": cutoff.run.name,
                "subject": one.fact.subject,
                "relation": one.fact.relation_label,
                "period": str(cutoff.histories.periods[index]),
                "right": now,
                "given": one.text,
                "verdict": verdict + said,
                "likeliest": one.likeliest,
            }
        )
    return rows


def _what_counts(cutoff: CutoffOf) -> str:
    """Say what is correct here, as ``asof score`` counts otherwise."""
    changed, correct = _counted(len(cutoff.changed)), cutoff.correct()
    if cutoff.contrasted:
        return (
            f"Correct in the last period: {correct} of {changed} that changed, by likelihoods relative to other "
            f"subjects (--contrast others); {cutoff.correct(contrasted=False)} by plain likelihoods. "
            "The accuracy of 'asof score' uses plain likelihoods, over all items: every fact in every period."
        )
    return (
        f"Correct in the last period: {correct} of {changed} that changed. 'asof score' counts all items: every "
        "fact in every period."
    )


def _explained(cutoff: CutoffOf) -> str:
    """Say in a sentence what the estimate is."""
    overall = cutoff.overall
    if overall.best is None:
        return f"{cutoff.run.name}: cannot tell, as {overall.why}."
    if overall.status == "newer":
        return f"{cutoff.run.name}: {overall.why}. For more ask about later periods."
    if overall.status == "older":
        return f"{cutoff.run.name}: {overall.why}. For more ask about earlier periods."
    what = "was exposed to changes" if cutoff.reading == "exposed" else "answers as the world was"
    return f"{cutoff.run.name} {what} up to {overall.best} (from {_counted(overall.facts)} that changed)."


def _counted(facts: int) -> str:
    return f"{facts:,} {'fact' if facts == 1 else 'facts'}"
