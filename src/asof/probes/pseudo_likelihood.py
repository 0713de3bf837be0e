"""Is the right answer likelier in its sentence than other answers of the same kind?

Items with a blank in; out come the log-probability of each candidate in the blank, and the rank of the best right one.
A masked model gives pseudo-log-likelihoods (Salazar et al. 2020), by default with the correction for words of several
tokens (Kauf & Ivanova 2023): a token is asked about while the rest of its word is hidden, too, or the end of a rare
name would be easy to guess from its beginning. Other models give log-probabilities.

A likelihood alone says how common a name is. So right answers are ranked among the other answers that the same subject
had at any time, and among answers of the same relation for other subjects, drawn by seed. Candidates go by one name
each (``answer_names.py``): an alias would be one more chance for the right ones only. Other subjects come with all
their answers: whether a model prefers the newer ones of a wrong subject is what knowing nothing gives.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

from asof.benchmarks import Item, Tag
from asof.errors import UserError
from asof.metrics import UNBOUNDED, Metric, metric_of
from asof.metrics.mrr import mrr
from asof.metrics.precision_at_k import precision_at_k
from asof.metrics.win_rate import win_rate
from asof.models import AnswerRequest, Blank, FilledBlank, Masking, Model, ScoresAnswers, ScoresTokens, Span
from asof.probes import Fit, HarnessTask, Row
from asof.probes._blanks import blank_of, different, filled_with_answers
from asof.probes._numbers import check_logprob
from asof.registry import probes
from asof.wording.answer_names import names_of_answers

_Kind = tuple[Tag, Tag]  # a relation or a fact, and which part of it was taken out: subject, object, start, end
NOTHING_TO_COMPARE = "no other answer of the relation to compare with"
_NO_NAME = "none of its answers is among the names that are compared"
NOTHING_BEFORE = "nothing stands before the blank, and the model scores only what follows"


@probes.register("pseudo-likelihood")
@dataclass(frozen=True, kw_only=True)
class PseudoLikelihood:
    """Is a right answer likelier in the blank than other answers of the same relation? Rank, MRR, win rate, perplexity.

    Args:
        masking: What a masked model does not see while it is asked about a token: only that token (Salazar et al.),
            also the rest of its word (Kauf & Ivanova), or also the rest of the answer.
        of: The tokens of the answer, or of the whole sentence.
        distractors: So many answers of other subjects, beside all those that the subject had at some time.
        per_token: Rank by the mean of a token and not by the sum.
    """

    name: ClassVar[str] = "pseudo-likelihood"
    needs: ClassVar[tuple[str, ...]] = ("token_logprobs", "answer_logprob")
    scored: ClassVar[str] = "rank"
    preference: ClassVar[str] = "candidates"
    fills_blanks: ClassVar[bool] = True
    items_per_step: ClassVar[int] = 256
    metrics: ClassVar[Mapping[str, Metric]] = {
        "accuracy": metric_of("precision-at-k"), "mrr": metric_of("mrr"), "win-rate": metric_of("win-rate"),
        "log-perplexity": Metric("log-perplexity", "lower", *UNBOUNDED),
    }  # fmt: skip

    masking: Masking = "word"
    of: Span = "answer"
    distractors: int = 20
    per_token: bool = False
    seed: int = 0

    def fit(self, items: Sequence[Item], model: Model, *, everything: Iterable[Item]) -> Fit:
        """Choose the candidates of each item from all items of the benchmark."""
        offered = self.with_candidates(items, everything)
        reasons = []
        for item in offered:
            reason = _cannot_score(model, blank_of(item))
            if not reason and not set(item.candidates) - set(item.answers):
                reason = NOTHING_TO_COMPARE
            reasons.append(reason)
        fit = Fit.parted(offered, reasons)
        if fit.items:
            first = fit.items[0]
            self._logprobs([FilledBlank(blank_of(first), first.candidates[0])], model)  # says what the model cannot
        return fit

    def with_candidates(self, items: Sequence[Item], everything: Iterable[Item]) -> list[Item]:
        """Give items the answers to compare, which are the same for every model."""
        filled_with_answers(items)
        pool = _Pool(everything, self.distractors, self.seed)
        return [replace(item, candidates=pool.candidates(item)) for item in items]

    def predict(self, items: Sequence[Item], model: Model) -> list[Row]:
        """Return the log-probability of every candidate, and the rank of the best right one."""
        asked = [[FilledBlank(blank_of(item), answer) for answer in item.candidates] for item in items]
        once = different(asked)
        scores = dict(zip(once, self._logprobs(once, model), strict=True))
        rows = []
        for item, candidates in zip(items, asked, strict=True):
            for one in candidates:
                check_logprob(scores[one][0], model.name, one.answer, item.prompt)
            rows.append(self._row(item, [scores[one] for one in candidates]))
        return rows

    def harness_task(self) -> HarnessTask:
        """Let another harness choose among the candidates."""
        return HarnessTask(
            asks="choice",
            file="asof.export/_files/lm_eval_choices.py",
            scores=("accuracy", "mrr", "win_rate"),
            how="The log-probability of each candidate in the blank with all that follows it: the names that were "
            f"right at any time, and {self.distractors} of other subjects (seed {self.seed}). The perplexity of `asof "
            "score` is not among these scores: the harness does not tell how many tokens an answer has.",
        )

    def harness_rows(self, items: Sequence[Item]) -> Iterable[Row | str]:
        """Put all candidates of each item in its blank."""
        if self.per_token or self.of == "sentence":
            raise UserError("Answers are compared by their whole probability: omit per_token and of=sentence.")
        for item in self.with_candidates(items, items):
            right = [answer in item.answers for answer in item.candidates]
            if all(right) or not any(right):
                yield NOTHING_TO_COMPARE if all(right) else _NO_NAME
                continue
            requests = [request_for(FilledBlank(blank_of(item), answer)) for answer in item.candidates]
            yield {
                "prompt": requests[0].prompt,
                "choices": [request.answer for request in requests],
                "right": right,
                "candidates": list(item.candidates),
            }

    def measures(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Return accuracy, reciprocal rank, how many wrong candidates are beaten, and the answer's perplexity."""
        values = _values(row["logprobs"], row.get("tokens") or (), per_token=self.per_token)
        wrong = [value for value, right in zip(values, row["right"], strict=True) if not right]
        best = row["candidates"].index(row["answer"])
        return {
            "accuracy": precision_at_k(row["rank"], k=1),
            "mrr": mrr(row["rank"]),
            "win-rate": win_rate([values[best]], wrong),
            "log-perplexity": -row["logprobs"][best] / row["tokens"][best] if row.get("tokens") else math.nan,
        }

    def _row(self, item: Item, scores: Sequence[tuple[float, int]]) -> Row:
        logprobs, tokens = [score for score, _ in scores], [count for _, count in scores]
        values = _values(logprobs, tokens, per_token=self.per_token)
        right = [answer in item.answers for answer in item.candidates]
        best = max((index for index, is_right in enumerate(right) if is_right), key=lambda index: values[index])
        # A wrong one as likely as the right one stands before it: a model that tells nothing gains nothing.
        better = sum(value >= values[best] for value, is_right in zip(values, right, strict=True) if not is_right)
        return {
            "answer": item.candidates[best],
            "rank": better + 1,
            "best": item.candidates[max(range(len(values)), key=values.__getitem__)],
            "candidates": list(item.candidates),
            "right": right,
            "logprobs": logprobs,
            "tokens": tokens,
        }

    def _logprobs(self, filled: Sequence[FilledBlank], model: Model) -> list[tuple[float, int]]:
        """Return the log-probability of each answer in its blank, and the number of tokens that it is from."""
        if "token_logprobs" in model.can:
            found = cast(ScoresTokens, model).token_logprobs(filled, masking=self.masking, of=self.of)
            return [(math.fsum(logprobs), len(logprobs)) for logprobs in found]
        if self.of == "sentence":
            raise UserError(f"{model.name} scores what follows something, not whole sentences. Use of=answer.")
        scorer = cast(ScoresAnswers, model)
        requests = [request_for(one) for one in filled]
        whole = scorer.count_tokens([request.text for request in requests])
        before = scorer.count_tokens([request.prompt for request in requests])
        counts = [max(1, all_of_it - first) for all_of_it, first in zip(whole, before, strict=True)]
        return list(zip(scorer.answer_logprob(requests), counts, strict=True))


class _Pool:
    """The names of answers in a benchmark, by fact and by relation; each place of a fact has its own."""

    def __init__(self, everything: Iterable[Item], distractors: int, seed: int) -> None:
        self._distractors, self._seed = distractors, seed
        self._of_relation: defaultdict[_Kind, dict[str, None]] = defaultdict(dict)  # its facts
        self._answers: defaultdict[_Kind, list[tuple[str, ...]]] = defaultdict(list)  # of each fact, item by item
        self._drawn: dict[_Kind, tuple[str, ...]] = {}
        for item in everything:
            if "relation" not in item.tags:
                raise UserError(
                    f"Item {item.id!r} has no tag 'relation', so there is nothing of the same kind to compare with "
                    "its answer. Use a benchmark that has it: dynamic-templama."
                )
            blank = item.tags.get("place")
            self._of_relation[item.tags["relation"], blank][item.group] = None
            self._answers[item.group, blank].append(item.answers)
        self._names = {fact: names_of_answers(answers) for fact, answers in self._answers.items()}

    def candidates(self, item: Item) -> tuple[str, ...]:
        """Return the names that the fact's subject had at any time, then those drawn; the same for all its items."""
        blank = item.tags.get("place")
        fact = item.group, blank
        if fact not in self._drawn:
            right = {answer for answers in self._answers[fact] for answer in answers}
            groups = [group for group in self._of_relation[item.tags["relation"], blank] if group != item.group]
            groups.sort(key=lambda group: hashlib.sha256(f"{self._seed} {item.group} {group}".encode()).digest())
            others = dict.fromkeys(name for group in groups for name in self._names[group, blank] if name not in right)
            self._drawn[fact] = (*self._names[fact], *list(others)[: self._distractors])
        return self._drawn[fact]


def _cannot_score(model: Model, blank: Blank) -> str:
    if "token_logprobs" in model.can:
        return cast(ScoresTokens, model).cannot_score(blank)
    return "" if blank.before.strip() or getattr(model, "scores_beginnings", False) else NOTHING_BEFORE


def request_for(filled: FilledBlank) -> AnswerRequest:
    """Ask for an answer and all that follows it, which depends on it."""
    before = filled.blank.before
    space = before[len(before.rstrip()) :]
    return AnswerRequest(before.rstrip(), space + filled.answer + filled.after)


def _values(logprobs: Sequence[float], tokens: Sequence[int], *, per_token: bool) -> list[float]:
    """Return what candidates are ranked by.

    >>> _values([-4.0, -3.0], [4, 1], per_token=True)
    [-1.0, -3.0]
    """
    if not per_token:
        return list(logprobs)
    return [score / count for score, count in zip(logprobs, tokens, strict=True)]
