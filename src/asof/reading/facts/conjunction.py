"""Two names in one place of a question: "Were Sweden and Finland in EFTA in 1990?" is asked of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from asof.facts import FactStore
from asof.reading.facts.answer import AnswerItem, FactsAnswer, Holds, Status

_OR = re.compile(r",? or (?:in |at |to |for |of )?(?:an? |the )?", re.IGNORECASE)
_CAPITALS = re.compile(r"(?:[A-ZÀ-Þ][\w.'’-]*\s)+$")


def of_each(text: str, names: Sequence[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    """Walk over the ways to ask of two names one by one; the longest names first.

    >>> list(of_each("Were Peru and Chile in the UN?", [(5, 9), (14, 19)]))
    [('Were Peru in the UN?', 'Were Chile in the UN?')]
    """
    for first, last in names:
        for start, end in names:
            if last < start and text[last:start].strip(" ,").casefold() == "and":
                yield text[:last] + text[end:], text[:first] + text[start:]


def either(text: str, names: Sequence[tuple[int, int]]) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Walk over the ways to ask which of two names: each name with the question that has only it.

    >>> list(either("Was Rome or Milan the capital?", [(4, 8), (12, 17)]))
    [(('Rome', 'Was Rome the capital?'), ('Milan', 'Was Milan the capital?'))]
    """
    for first, last in names:
        for start, end in names:
            if last < start and _OR.fullmatch(text[last:start]):
                if before := _CAPITALS.search(text[:first]):  # "West Germany", of which the base knows "Germany"
                    first = before.start() if before.start() else first
                one, other = text[first:last], text[start:end]
                yield (one, text[:last] + text[end:]), (other, text[:first] + text[start:])


def chosen(names: tuple[str, str], answers: tuple[FactsAnswer, FactsAnswer]) -> FactsAnswer | None:
    """Return the one of two names of which the answer is yes; nothing where neither is and one is not known."""
    told = [one for one in answers if one.status is Status.ANSWERED and one.read_as.get("kind") == "yes or no"]
    sure = len(told) == 2 or any(item.text != "no" for one in told for item in one.items)
    if not sure or any(one not in told and one.status is not Status.UNKNOWN for one in answers):
        return None
    items = tuple(
        AnswerItem(name, item.holds, item.evidence)
        for name, answer in zip(names, answers, strict=True)
        for item in answer.items
        if item.text != "no"
    )
    near = tuple(dict.fromkeys(fact for answer in answers for fact in answer.near))
    return replace(told[0], items=items or (AnswerItem("neither", Holds.ALWAYS, ()),), near=near)


def both(first: FactsAnswer, second: FactsAnswer, store: FactStore) -> FactsAnswer | None:
    """Return one answer for two; nothing where they cannot be put together.

    Who led France and Germany is told one after the other. Who played for two clubs is not: that may ask for those who
    played for both.
    """
    if first.status is not Status.ANSWERED or second.status is not Status.ANSWERED:
        return None
    kind = first.read_as.get("kind")
    if kind != second.read_as.get("kind"):
        return None
    if kind == "yes or no":
        items = [*first.items, *second.items]
        evidence = tuple(fact for item in items for fact in item.evidence)
        holds = max((item.holds for item in items), key=list(Holds).index)
        if any(item.text == "no" for item in items):
            joined = AnswerItem("no", holds, evidence)
        elif all(item.text.startswith("yes") for item in items):
            joined = AnswerItem(max((item.text for item in items), key=len), holds, evidence)
        else:
            return None
        return replace(first, items=(joined,), near=(*first.near, *second.near))
    facts = [evidence.fact for item in (*first.items, *second.items) for evidence in item.evidence]
    told_of_things = kind == "which" and all("subject" in each.read_as for each in (first, second))
    if told_of_things and all(store.relations[fact.relation].one_at_a_time for fact in facts):
        notes = tuple(dict.fromkeys((*first.notes, *second.notes)))
        hedge = first.hedge or second.hedge
        complete = False if hedge else first.complete
        return replace(first, items=(*first.items, *second.items), notes=notes, complete=complete, hedge=hedge)
    return None
