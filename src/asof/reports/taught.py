"""What teaching did: what was learnt, what was kept, what was damaged, before and after and fact by fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

from asof.metrics import Result
from asof.reports.charts import Bar, bars
from asof.reports.html import (
    PagePart,
    cards,
    described,
    figure,
    letter,
    numbers,
    paragraph,
    part_title,
    section,
    side_by_side,
)
from asof.reports.run_kind import ReportParts, mind_few
from asof.runs.folder import short_name
from asof.teaching.card import TaughtFolder, open_taught
from asof.teaching.measurement import NOT_TAUGHT

_LEARNT = (
    ("win-rate", "Win rate", 0.5),
    ("robustness", "Robustness", None),
    ("robustness by 1 nat", "Robustness by a margin of one nat", None),
    ("answers written at right dates", "Answers written at right dates", None),
    ("answers written at wrong dates", "Answers written at wrong dates", None),
)
_CLEAR = 0.1  # by so much the win rate of a fact must fall to be called damaged


@dataclass(frozen=True)
class ReportedTeaching:
    """A model that was taught, with its letter on the page."""

    taught: TaughtFolder
    position: int

    @property
    def key(self) -> str:
        """Its letter."""
        return letter(self.position)

    @property
    def name(self) -> str:
        """Its folder's name."""
        return f"{short_name(str(self.taught.card['identity']['model']))}, taught ({self.taught.folder.name})"

    def before_and_after(self, measure: str) -> tuple[Result, Result] | None:
        """Return a measure, None where it does not apply."""
        before, after = self.taught.before.results(), self.taught.after.results()
        return (before[measure], after[measure]) if measure in before and measure in after else None

    def kinds(self, metric: str) -> list[str]:
        """Return the kinds of dates for which a metric was measured on facts that were taught."""
        names = (name.partition(", ") for name in self.taught.after.results())
        return [kind for name, _, kind in names if name == metric and kind != NOT_TAUGHT]


def taught_parts(folders: Sequence[Path], *, first_position: int) -> ReportParts:
    """Make the parts of the page about models that were taught."""
    found = [ReportedTeaching(open_taught(folder), first_position + number) for number, folder in enumerate(folders)]
    parts = [
        PagePart("taught", "Taught", section("taught", "What was taught", cards(map(_card, found)))),
        PagePart("learnt", "Learnt", section("learnt", "Learnt", *(_learnt(one) for one in found))),
        PagePart("kept", "Kept", section("kept", "Kept", *(_kept(one) for one in found))),
        PagePart("damaged", "Damaged", section("damaged", "Damaged", *(_damaged(one) for one in found))),
        PagePart(
            "taught-facts", "Facts taught", section("taught-facts", "Facts taught", *(_facts(one) for one in found))
        ),
    ]
    few = min(len(one.taught.card["facts"]) for one in found)
    return ReportParts(parts, [_lead(found), *mind_few(few)], [one.name for one in found])


def _lead(teachings: Sequence[ReportedTeaching]) -> str:
    models = "A model was" if len(teachings) == 1 else f"{len(teachings)} models were"
    return (
        f"{models} taught facts with the time in which they hold (asof teach). Years, a wording and facts that were "
        "held out show what carries over, and facts and prose that were not taught show what it cost."
    )


def _card(teaching: ReportedTeaching) -> str:
    card = teaching.taught.card
    settings, training, held = card["plan"]["settings"], card["training"], card["held_out"]
    rows = {
        "Model": str(card["identity"]["model"]),
        "Base": str(card["identity"]["dataset"]),
        "Facts taught": f"{len(card['facts']):,}",
        "Objective": str(settings["objective"]),
        "Trained": "all weights but the embeddings" if settings["whole"] else f"LoRA of rank {settings['rank']}",
        "Steps": f"{training['steps']:,} in {training['cpu_seconds'] / 60:.1f} CPU minutes",
        "Held out": f"odd years of {held['facts_with_odd_years_held_out']:,} facts, a wording of "
        f"{held['facts_with_a_wording_held_out']:,}",
        "Seed": str(settings["seed"]),
        "Computed in": str(card["identity"]["dtype"]),
        "Run with": ", ".join(f"{name} {version}" for name, version in card["versions"].items()),
    }
    return described(teaching.key, teaching.position, teaching.name, rows)


def _learnt(teaching: ReportedTeaching) -> str:
    drawn = [_bars(teaching, metric, title, chance) for metric, title, chance in _LEARNT]
    rows = [
        (name, before, after, _difference(row))
        for row in teaching.taught.rows()
        for name in [row["metric"]]
        for before, after in [teaching.before_and_after(name) or (None, None)]
        if not name.endswith(NOT_TAUGHT) and not name.startswith("perplexity")
    ]
    table = numbers("All measures of facts that were taught", ("", "before", "after", "difference"), rows)
    return part_title(f"{teaching.key}: {teaching.name}") + side_by_side(drawn) + table


def _bars(teaching: ReportedTeaching, metric: str, title: str, chance: float | None) -> str:
    groups = []
    for kind in teaching.kinds(metric):
        measured = teaching.before_and_after(f"{metric}, {kind}")
        if measured:
            groups.append(
                (
                    kind,
                    [
                        _bar(name, series, result)
                        for series, (name, result) in enumerate(zip("ba", measured, strict=True))
                    ],
                )
            )
    text = f"{title} of the facts taught, before (b) and after (a), with 95 % intervals by fact."
    return figure(f"{title}, before (b) and after (a)", bars(title, text, groups, chance=chance))


def _bar(key: str, series: int, result: Result) -> Bar:
    return Bar(key, series, result.value, result.low, result.high, result.n)


def _kept(teaching: ReportedTeaching) -> str:
    rows = [
        (row["metric"], *(teaching.before_and_after(row["metric"]) or ()), _difference(row))
        for row in teaching.taught.rows()
        if row["metric"].endswith(NOT_TAUGHT) or row["metric"].startswith("perplexity")
    ]
    said = paragraph(
        "Facts that were neither taught nor used to stay close to the original, and prose of its own kind."
    )
    title = "Facts that were not taught, and prose"
    return (
        part_title(f"{teaching.key}: {teaching.name}")
        + said
        + numbers(title, ("", "before", "after", "difference"), rows, is_open=True)
    )


def _damaged(teaching: ReportedTeaching) -> str:
    """Show every fact that was not taught, those that lost most first: a mean hides what moves both ways."""
    rows = sorted(_win_rates(teaching, taught=False), key=lambda row: row[3])
    worse = sum(change <= -_CLEAR for *_, change in rows)
    better = sum(change >= _CLEAR for *_, change in rows)
    said = paragraph(
        f"Of {len(rows):,} facts that were not taught, the win rate of {worse:,} fell by {_CLEAR:g} or more and that "
        f"of {better:,} rose by as much."
    )
    title = "Facts not taught, one by one"
    return (
        part_title(f"{teaching.key}: {teaching.name}")
        + said
        + numbers(title, ("fact", "before", "after", "difference"), rows, is_open=True)
    )


def _facts(teaching: ReportedTeaching) -> str:
    rows = _win_rates(teaching, taught=True)
    return part_title(f"{teaching.key}: {teaching.name}") + numbers(
        "Win rate of facts taught, over all dates that were asked", ("fact", "before", "after", "difference"), rows
    )


def _win_rates(teaching: ReportedTeaching, *, taught: bool) -> list[tuple[str, float, float, float]]:
    """Return for each fact its mean win rate over the kinds of dates, before and after."""
    earlier = {fact.id: _mean(fact.values) for fact in teaching.taught.before.facts}
    rows = []
    for fact in teaching.taught.after.facts:
        before, after = earlier.get(fact.id), _mean(fact.values)
        if fact.taught is taught and before is not None and after is not None:
            rows.append((fact.name, before, after, after - before))
    return rows


def _mean(values: dict[str, float]) -> float | None:
    found = [value for name, value in values.items() if name.startswith("win-rate")]
    return sum(found) / len(found) if found else None


def _difference(row: dict[str, Any]) -> str:
    low, high = row["difference_low"], row["difference_high"]
    between = "" if isnan(low) else f" [{low:+.3f}, {high:+.3f}]"
    return f"{row['difference']:+.3f}{between}"
