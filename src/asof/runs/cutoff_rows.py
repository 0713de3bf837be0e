"""What a run tells of a model's knowledge cutoff, as rows: over all facts, by relation, by period, or fact by fact."""

from typing import Any, Literal, get_args

from asof.errors import UserError, did_you_mean
from asof.runs.cutoff import Cutoff, CutoffOf, PartialCutoff

By = Literal["relation", "period", "fact", "wording", "part"]
# Of the estimate, what a person looks at first.
SHOWN = ("run", "cutoff", "low", "high", "beyond", "facts", "lag", "known", "guessing", "unchanged")


def cutoff_rows(cutoff: CutoffOf, by: By | None = None) -> list[dict[str, Any]]:
    """Return the estimate, or a row for each relation, period (the curve), fact that changed, wording, or part."""
    if by is not None and by not in get_args(By):
        known = get_args(By)
        raise UserError(f"A cutoff cannot be listed by {by!r}.{did_you_mean(by, known)} Known: {', '.join(known)}.")
    ways = {
        None: _overall, "relation": _relations, "period": _curve, "fact": _facts, "wording": _wordings, "part": _parts,
    }  # fmt: skip
    return ways[by](cutoff)


def cutoff_notes(cutoff: CutoffOf, by: By | None = None) -> list[str]:
    """Say what the estimate means and, where facts or periods are shown, what counts as correct."""
    counts = [_what_counts(cutoff)] if by in ("fact", "period") else []
    if by == "part" and not cutoff.parts:
        counts = ["The answers do not show that the knowledge of different relations ends at different times."]
    return [_explained(cutoff), *more_notes(cutoff), *counts]


def more_notes(cutoff: CutoffOf) -> list[str]:
    """Say what else bears on the estimate: answers that tell nothing, several wordings, several cutoffs."""
    return [*_about_answers(cutoff), *_about_wordings(cutoff), *_about_parts(cutoff)]


def said(cutoff: Cutoff) -> str:
    """Say an estimate in a few words."""
    if cutoff.best is None:
        return "cannot tell"
    border = {"newer": " or later", "older": " or earlier"}.get(cutoff.status, "")
    return f"{cutoff.best}{border}"


def _estimate(cutoff: Cutoff) -> dict[str, Any]:
    held = cutoff.controls
    return {
        "cutoff": said(cutoff),
        "low": cutoff.low and str(cutoff.low),
        "high": cutoff.high and str(cutoff.high),
        "beyond": cutoff.beyond,
        "facts": cutoff.facts,
        "lag": cutoff.posterior and cutoff.best and round(cutoff.posterior.lag, 2),
        "known": round(held.known.value, 3) if held.known.n else None,
        "guessing": round(held.guessing, 3) if held.known.n else None,
        "unchanged": round(held.unchanged.value, 3) if held.unchanged.n else None,
        "unchanged_facts": held.unchanged.n,
        "refused": round(held.refused.value, 3) if held.refused.n else None,
        "newer_for_wrong_subjects": round(held.invented.value, 3) if held.invented.n else None,
        "status": cutoff.status,
        "why": cutoff.why or None,
    }


def _overall(cutoff: CutoffOf) -> list[dict[str, Any]]:
    row = {"run": cutoff.run.name, "reading": cutoff.reading} | _estimate(cutoff.overall)
    told = [one for one in cutoff.by_wording.values() if one.best is not None]
    bests = sorted((one.best for one in told if one.best is not None), key=lambda period: period.index)
    several = len(cutoff.by_wording) > 1
    row |= {
        "wordings": len(cutoff.by_wording),
        "wordings_that_tell": len(told),
        "earliest_wording": str(bests[0]) if several and bests else None,
        "latest_wording": str(bests[-1]) if several and bests else None,
        "parts": [_part(one) for one in cutoff.parts],
    }
    return [row]


def _part(part: PartialCutoff) -> dict[str, Any]:
    return {"relations": list(part.relations), "p": round(part.p, 4)} | {
        name: value for name, value in _estimate(part.cutoff).items() if name in ("cutoff", "low", "high", "facts")
    }


def _parts(cutoff: CutoffOf) -> list[dict[str, Any]]:
    return [{"run": cutoff.run.name} | _part(one) for one in cutoff.parts]


def _wordings(cutoff: CutoffOf) -> list[dict[str, Any]]:
    parts = {"all": cutoff.overall} | {str(number): part for number, part in cutoff.by_wording.items()}
    return [{"run": cutoff.run.name, "wording": name} | _estimate(part) for name, part in parts.items()]


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
            "new_low": round(point.took_new.low, 3) if point.changes else None,
            "new_high": round(point.took_new.high, 3) if point.changes else None,
            "previous": round(point.previous, 3) if point.changes else None,
            "expected": point.expected and round(point.expected.value, 3),
            "expected_low": point.expected and round(point.expected.low, 3),
            "expected_high": point.expected and round(point.expected.high, 3),
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
                **({"wording": one.wording} if one.wordings > 1 else {}),
                "period": str(cutoff.histories.periods[index]),
                "right": now,
                "given": one.text,
                "verdict": verdict + said,
                "likeliest": one.likeliest,
            }
        )
    return rows


def _about_answers(cutoff: CutoffOf) -> list[str]:
    """Say how many written answers were none of those that a fact had."""
    held = cutoff.overall.controls
    if not held.refused.n:
        return []
    wrong = max(0.0, 1 - held.known.value - held.refused.value)
    return [
        f"Of {_counted(held.known.facts)}, {held.known.value:.0%} got an answer that was right at some time, "
        f"{wrong:.0%} another answer, {held.refused.value:.0%} none; only the first tell until when the world is known."
    ]


def _about_wordings(cutoff: CutoffOf) -> list[str]:
    """Say how far the estimate moves with the wording."""
    if len(cutoff.by_wording) < 2:
        return []
    row = _overall(cutoff)[0]
    told = f"{row['wordings_that_tell']} of {row['wordings']} wordings alone give an estimate"
    if row["earliest_wording"] is None:
        return [f"{told}."]
    span = f"from {row['earliest_wording']} to {row['latest_wording']}"
    if row["earliest_wording"] == row["latest_wording"]:
        return [f"{told}: {row['latest_wording']}."]
    return [f"{told}, {span}. See --by wording."]


def _about_parts(cutoff: CutoffOf) -> list[str]:
    """Say which relations end at different times, where the answers show it."""
    if not cutoff.parts:
        return []
    ends = "; ".join(f"{', '.join(one.relations)}: {said(one.cutoff)}" for one in cutoff.parts)
    return [f"Knowledge of different relations ends at different times (p = {cutoff.parts[0].p:.3f}). {ends}."]


def _what_counts(cutoff: CutoffOf) -> str:
    """Say what is correct here, as ``asof score`` counts otherwise."""
    facts = len({one.fact.group for one in cutoff.changed})
    changed, correct = _counted(facts), cutoff.correct()
    if len(cutoff.by_wording) > 1:
        changed = f"{len(cutoff.changed):,} answers to {changed}"
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
