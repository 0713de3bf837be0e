"""How a model is asked about items in another tool: the rows that it reads, made by the probes of ``asof run``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from asof.benchmarks import BLANK, Benchmark, Item, declared
from asof.errors import UserError
from asof.models import FilledBlank, ScoresAnswers
from asof.probes import Probe, blank_of, open_probe
from asof.probes.answer_likelihood import AnswerLikelihood, requests_for
from asof.probes.pseudo_likelihood import NOTHING_TO_COMPARE, PseudoLikelihood, request_for
from asof.probes.write_answer import WriteAnswer, prompt_for, question_for, why_not_asked

Row = dict[str, Any]
_NO_NAME = "none of its answers is among the names that are compared"


@dataclass(frozen=True)
class ExportedItems:
    """Items as another tool reads them, and what became of those that it cannot be given."""

    rows: list[Row]
    left_out: dict[str, int]

    def notes(self) -> list[str]:
        """Say how many items were left out, and why."""
        return [f"Skipped {count:,} items: {reason}" for reason, count in self.left_out.items()]


def probe_for(benchmark: Benchmark, chosen: Probe | None, known: Sequence[str], tool: str) -> tuple[Probe, list[str]]:
    """Return the probe that a tool can do: the one that was chosen, or the benchmark's, or the nearest to that."""
    if chosen is not None:
        if chosen.name not in known:
            raise UserError(f"{tool} cannot do what the probe {chosen.name} does. It can do: {', '.join(known)}.")
        return chosen, []
    if benchmark.probe in known:
        return open_probe(benchmark.probe), []
    usual = (
        "pseudo-likelihood" if BLANK in next(benchmark.items()).prompt and "pseudo-likelihood" in known else known[0]
    )
    nearest = next((name for name in declared(benchmark.name).probes if name in known), usual)
    note = f"{benchmark.name} is asked with {benchmark.probe}, which {tool} cannot do: {nearest} is used instead."
    return open_probe(nearest), [note]


def asked(benchmark: Benchmark, probe: Probe) -> ExportedItems:
    """Put all items as a probe does."""
    ways: dict[type, Callable[[Any, list[Item]], Iterable[Row | str]]] = {
        AnswerLikelihood: _likelihoods,
        PseudoLikelihood: _choices,
        WriteAnswer: _questions,
    }
    items = list(benchmark.items())
    of_fact = Counter(item.group for item in items)
    rows: list[Row] = []
    left_out: Counter[str] = Counter()
    for item, way in zip(items, ways[type(probe)](probe, items), strict=True):
        if isinstance(way, str):
            left_out[way] += 1
            continue
        own = {"id": item.id, "group": item.group, "items_of_fact": of_fact[item.group]}
        rows.append(own | way | {"answers": list(item.answers), "tags": item.tags})
    if not rows:
        raise UserError(f"{probe.name} can ask none of {len(items):,} items of {benchmark.folder}: {left_out}.")
    return ExportedItems(rows, dict(left_out))


def _likelihoods(probe: AnswerLikelihood, items: list[Item]) -> Iterable[Row | str]:
    if probe.format == "chat":
        raise UserError("The other tool applies chat templates. Omit format=chat.")
    requests = requests_for(items, cast(ScoresAnswers, None), probe.format)  # other formats do not ask the model
    return [{"prompt": request.prompt, "answer": request.answer} for request in requests]


def _choices(probe: PseudoLikelihood, items: list[Item]) -> Iterable[Row | str]:
    if probe.per_token or probe.of == "sentence":
        raise UserError("Answers are compared by their whole probability: omit per_token and of=sentence.")
    for item in probe.with_candidates(items, items):
        right = [answer in item.answers for answer in item.candidates]
        if all(right) or not any(right):
            yield NOTHING_TO_COMPARE if all(right) else _NO_NAME
            continue
        blank = blank_of(item)
        requests = [request_for(FilledBlank(blank, answer)) for answer in item.candidates]
        yield {
            "prompt": requests[0].prompt,
            "choices": [request.answer for request in requests],
            "right": right,
            "candidates": list(item.candidates),
        }


def _questions(probe: WriteAnswer, items: list[Item]) -> Iterable[Row | str]:
    for item in items:
        yield why_not_asked(item) or {"prompt": prompt_for(question_for(item))}
