"""What the page says of runs on TimeQA: exact match and F1 by level, by time specifier, by relation; some questions."""

from __future__ import annotations

from collections.abc import Sequence

from asof.registry import pages
from asof.reports.html import paragraph, section
from asof.reports.item_run import ItemRun, by_tag, card, examples_section, measures_of, scores_section, what_to_mind
from asof.reports.run_kind import RunKind, asked

_SHOWN = ("em", "f1")
_ANSWERABLE = {"1": "with an answer", "0": "without an answer"}


def _shown(runs: Sequence[ItemRun]) -> list[str]:
    """Return exact match and F1, or what another probe has in their place."""
    there = measures_of(runs)
    return [name for name in _SHOWN if name in there] or there[:2]


def _levels_section(runs: Sequence[ItemRun]) -> str:
    """Easy and hard questions, with and without an answer."""
    return section(
        "levels",
        "Easy and hard questions",
        paragraph(
            "An easy question names the time as the facts do; a hard one names another time, so that the answer has to "
            "be inferred. The right reply to a question without an answer is that there is none."
        ),
        by_tag(runs, "level", "By level", _shown(runs)),
        by_tag(runs, "answerable", "With and without an answer", _shown(runs), names=_ANSWERABLE),
    )


def _specifiers_section(runs: Sequence[ItemRun]) -> str:
    """Each kind of time specifier: in, from, between, before, after, early, late."""
    return section("specifiers", "Time specifiers", by_tag(runs, "specifier", "By time specifier", _shown(runs)))


def _relations_section(runs: Sequence[ItemRun]) -> str:
    """Each relation, those with most questions first."""
    return section("question-relations", "Relations", by_tag(runs, "relation_label", "By relation", _shown(runs)))


def _examples(runs: Sequence[ItemRun]) -> str:
    return examples_section(runs, _shown(runs)[0])


def _leads(runs: Sequence[ItemRun]) -> list[str]:
    said = (
        f"{asked(runs)} questions whose answer depends on a time (TimeQA, arXiv:2108.06314). Exact match (em) and F1 "
        "of words are against all accepted answers."
    )
    return [said, *what_to_mind(runs)]


pages.register("timeqa")(
    RunKind(
        paper="Chen et al. 2021, arXiv:2108.06314",
        read_as=ItemRun,
        first=("question-runs", "Runs", "Runs"),
        card=card,
        sections=(
            ("item-scores", "Scores", scores_section),
            ("levels", "Levels", _levels_section),
            ("specifiers", "Times", _specifiers_section),
            ("question-relations", "Relations", _relations_section),
            ("items", "Questions", _examples),
        ),
        leads=_leads,
    )
)
