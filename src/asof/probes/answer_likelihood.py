"""How likely is the answer after the question: log P(answer | prompt), in several formats of the prompt."""

from collections.abc import Callable, Mapping, Sequence

from asof.benchmarks import Item
from asof.errors import UserError, did_you_mean
from asof.models import AnswerRequest, ScoresAnswers

# Two explanations that may help a model to carry knowledge from a year to its days (section 5.2), in our own words.
_PARTS_OF_DATES = "Dates have parts: years consist of months, and months consist of days. Now answer this question.\n"
_WHAT_HOLDS = (
    "What was true throughout a year was true in each of its months and on each of its days, and what was true "
    "throughout a month was true on each of its days. Now answer this question.\n"
)

_FORMATS: Mapping[str, Callable[[str, ScoresAnswers], tuple[str, str]]] = {
    "raw": lambda prompt, model: (prompt, " "),
    "chat": lambda prompt, model: (model.chat(prompt), ""),
    "explain-dates": lambda prompt, model: (_PARTS_OF_DATES + prompt, " "),
    "explain-holding": lambda prompt, model: (_WHAT_HOLDS + prompt, " "),
}


def formats() -> list[str]:
    """List the formats of a prompt."""
    return list(_FORMATS)


def requests_for(items: Sequence[Item], model: ScoresAnswers, format: str) -> list[AnswerRequest]:
    """Put the first answer of each item after its prompt."""
    if format not in _FORMATS:
        raise UserError(
            f"There is no format {format!r}.{did_you_mean(format, formats())} Known: {', '.join(formats())}."
        )
    made = []
    for item in items:
        prompt, space = _FORMATS[format](item.prompt, model)
        if not item.answers or not item.answers[0].strip():
            raise UserError(f"Item {item.id!r} has an empty answer. Build the benchmark again without it.")
        made.append(AnswerRequest(prompt, space + item.answers[0]))
    return made


def answer_likelihood(items: Sequence[Item], model: ScoresAnswers, *, format: str = "raw") -> list[float]:
    """Return log P(answer | prompt) for each item."""
    return model.answer_logprob(requests_for(items, model, format))
