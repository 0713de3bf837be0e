"""How likely is the answer after the question: log P(answer | prompt), in several formats of the prompt."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from asof.benchmarks import Item
from asof.errors import UserError, did_you_mean
from asof.metrics import UNBOUNDED, Metric
from asof.models import AnswerRequest, ScoresAnswers
from asof.probes import Fit, HarnessTask, Row
from asof.probes._numbers import check_logprob
from asof.registry import probes

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
        _check_answer(item)
        made.append(AnswerRequest(prompt, space + item.answers[0]))
    return made


@probes.register("answer-likelihood")
@dataclass(frozen=True, kw_only=True)
class AnswerLikelihood:
    """How likely is the first answer after the prompt: log P(answer | prompt).

    Args:
        format: How the prompt is put: raw, in the model's chat template, or after one of two explanations of dates.
    """

    name: ClassVar[str] = "answer-likelihood"
    needs: ClassVar[tuple[str, ...]] = ("answer_logprob",)
    scored: ClassVar[str] = "logprob"
    preference: ClassVar[str] = "likelihoods"
    items_per_step: ClassVar[int] = 1024
    metrics: ClassVar[Mapping[str, Metric]] = {"logprob": Metric("logprob", "higher", *UNBOUNDED)}

    format: str = "raw"

    def fit(self, items: Sequence[Item], model: ScoresAnswers, *, everything: Iterable[Item] = ()) -> Fit:
        """See that the format is one, that the model has it, and that no answer is empty."""
        requests_for(items[:1], model, self.format)
        for item in items:
            _check_answer(item)
        return Fit(list(items))

    def predict(self, items: Sequence[Item], model: ScoresAnswers) -> list[Row]:
        """Return the log-probability of the answer of each item."""
        scores = model.answer_logprob(requests_for(items, model, self.format))
        for item, score in zip(items, scores, strict=True):
            check_logprob(score, model.name, item.answers[0], item.prompt)
        return [{"logprob": score} for score in scores]

    def harness_task(self) -> HarnessTask:
        """Let another harness ask how likely the first answer is."""
        return HarnessTask(
            asks="likelihood",
            file="asof.export/_files/lm_eval_likelihood.py",
            scores=("logprob",),
            how="The log-probability of the first answer.",
        )

    def harness_rows(self, items: Sequence[Item]) -> Iterable[Row | str]:
        """Put the first answer after the prompt; a chat template is the business of the harness."""
        if self.format == "chat":
            raise UserError("The other tool applies chat templates. Omit format=chat.")
        requests = requests_for(items, cast(ScoresAnswers, None), self.format)  # other formats do not ask the model
        return [{"prompt": request.prompt, "answer": request.answer} for request in requests]

    def measures(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Return the log-probability itself; benchmarks with dates make more of it."""
        return {"logprob": float(row["logprob"])}


def _check_answer(item: Item) -> None:
    if not item.answers or not item.answers[0].strip():
        raise UserError(f"Item {item.id!r} has an empty answer. Build the benchmark again without it.")
