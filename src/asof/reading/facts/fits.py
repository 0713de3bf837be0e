"""Whether what a question says fits its kind, and whether its times fit each other."""

from __future__ import annotations

from asof.errors import UserError
from asof.reading.facts.phrases import phrases
from asof.reading.facts.question import Question
from asof.reading.facts.sense import Sense
from asof.timeline.specifier import Days


def can_answer(sense: Sense, question: Question) -> bool:
    """Tell whether a sense can answer a question of its kind."""
    both = all(asked.wanted is None for group in sense.groups for asked in group)
    verbs = {said.split()[0] for said in sense.said}
    if verbs & phrases().words("dismissal") and not (both and question.kind == "when"):
        return False  # that somebody left does not tell that he was sacked
    asks_who = any(asked.wanted != "object" for group in sense.groups for asked in group)
    if verbs & phrases().words("music") and (asks_who or question.kind != "which"):
        return False  # who was in a band need not have sung
    if sense.lacks_a_verb and question.kind != "how long":  # where "last" is left out
        return False
    if sense.many and (question.kind != "which" or sense.until or sense.order not in (None, "first", "last")):
        return False  # "did she win two prizes", "the two longest"
    if sense.narrowed and (sense.order or question.kind.startswith("how many")):
        return False
    if sense.changes and question.kind not in ("when", "how many times") and question.times == ():
        return False  # "who changed the currency"
    if sense.landing:
        return question.kind in ("when", "yes or no") and not sense.order
    if question.kind == "yes or no":
        return not sense.order and not sense.neighbour and (both or sense.names_a_holder)
    if question.kind == "how many" and both:  # "how many Ballon d'Ors has he won"
        return sense.counts_prizes
    if question.kind in ("which", "how many"):
        return not both and not (sense.neighbour and sense.order)
    return not sense.neighbour


def shared_days(question: Question) -> tuple[Days, ...] | None:
    """Return the days that all times of a question have in common; None when it gives none."""
    if not question.times:
        return None
    if len(question.times) == 1:
        return (question.times[0].days,)
    first, last = (
        max(time.days.first for time in question.times),
        min(time.days.last for time in question.times),
    )
    if first > last:
        said = " and ".join(repr(time.text) for time in question.times)
        raise UserError(f"No day is {said} at once. Give one time.")
    return (Days(first, last),)
