"""Items with a blank: their two parts, and which answers a model can be asked about."""

from collections.abc import Sequence

from asof.benchmarks import BLANK, Item
from asof.errors import UserError
from asof.models import Blank, FilledBlank


def blank_of(item: Item) -> Blank:
    """Part a prompt at its blank.

    >>> blank_of(Item(id="1", prompt="_X_ leads Italy.", answers=("Mario Draghi",), group="Q38"))
    Blank(before='', after=' leads Italy.')
    """
    before, found, after = item.prompt.partition(BLANK)
    if not found:
        raise UserError(
            f"Item {item.id!r} has no blank ({BLANK}) in its prompt: {item.prompt!r}. Give its template one and build "
            "the benchmark again, or use a probe for questions: --probe answer-likelihood"
        )
    if BLANK in after:
        raise UserError(f"Item {item.id!r} has more than one blank ({BLANK}): {item.prompt!r}. Give its template one.")
    return Blank(before, after)


def filled_with_answers(items: Sequence[Item]) -> list[list[FilledBlank]]:
    """Put each answer into the blank of its item."""
    found = []
    for item in items:
        answers = [answer for answer in dict.fromkeys(item.answers) if answer.strip()]
        if not answers:
            raise UserError(f"Item {item.id!r} has an empty answer. Build the benchmark again without it.")
        blank = blank_of(item)
        found.append([FilledBlank(blank, answer) for answer in answers])
    return found


def different(filled: Sequence[Sequence[FilledBlank]]) -> list[FilledBlank]:
    """Return each different one once: items of one fact at several times have the same sentence."""
    return list(dict.fromkeys(one for some in filled for one in some))
