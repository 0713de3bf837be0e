"""The same questions to three stores of facts: right answers, bytes and milliseconds."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from asof.benchmarks import Benchmark
from asof.cli import asof
from asof.completion.trained.folder import open_trained
from asof.completion.trained.prediction import answers as completion_answers
from asof.facts import FactStore
from asof.memorize.answering import answers_to
from asof.memorize.folder import TrainedMemory
from asof.metrics import mean_of_items
from asof.timeline import Date

ASKED = 500
_WARM = 5  # questions that are asked first and not timed


class Asked(NamedTuple):
    """The object is asked for."""

    subject: str
    relation: str
    object: str
    start: str
    end: str
    prompt: str


class Place(Protocol):
    """Where everything is."""

    folder: Path
    dataset: Path

    def statements(self, *options: str) -> Benchmark:
        """Build statements."""


def compared(
    bench: Place, taught: Benchmark, model: TrainedMemory, trained: Path, *, seed: int
) -> Iterator[dict[str, Any]]:
    """Ask all three; yield a line for each figure."""
    everything = bench.statements("--set", "conflicts=false")
    store, learnt, completion = FactStore(bench.folder / bench.dataset.name), _train_only(bench), open_trained(trained)
    splits = {
        (row["subject"], row["relation"], row["object"]): row["source"]
        for row in store.sql("SELECT subject, relation, object, source FROM facts").to_pylist()
    }
    known = {row["group"] for row in taught.table().select(["group"]).to_pylist()}
    rows = [row for row in everything.table().to_pylist() if row["place"] == "object"]
    random = np.random.default_rng(seed)

    def drawn(split: str, *, was_taught: bool) -> list[Asked]:
        fit = [
            Asked(*(row[name] for name in ("subject", "relation", "object", "start", "end", "prompt")))
            for row in rows
            if row["start"].isdigit()
            and row["end"].isdigit()
            and (row["group"] in known) == was_taught
            and splits[row["subject"], row["relation"], row["object"]].endswith(split)
        ]
        return [fit[place] for place in random.permutation(len(fit))[:ASKED]]

    def from_base(one: Asked) -> str:
        start = Date.of(int(one.start))
        found = learnt.facts(subject=one.subject, relation=one.relation, on=start)
        fit = [fact for fact in found if str(fact.interval.start).startswith(str(start))]
        if one.start != one.end:
            fit = [fact for fact in fit if str(fact.interval.end).startswith(str(Date.of(int(one.end))))]
        return fit[0].object if fit else ""

    def from_completion(one: Asked) -> str:
        entity, relation = completion.entities.number(one.subject), completion.relations.number(one.relation)
        best = completion_answers(completion, entity, relation, (int(one.start), int(one.end)), top=1)
        return str(completion.entities.ids[best[0].entity])

    def from_memory(one: Asked) -> str:
        return answers_to(model, [one.prompt], top=1)[0].answers[0].id

    asked = {"taught": drawn("train.txt", was_taught=True), "not taught": drawn("test.txt", was_taught=False)}
    ways: dict[str, tuple[Callable[[Asked], str], float]] = {
        "base": (from_base, _bytes(learnt.folder) / len(completion.dataset.train)),
        "completion": (from_completion, _bytes(trained, "model.safetensors") / len(completion.dataset.train)),
        "memorized": (from_memory, _bytes(model.folder, "*.safetensors", "*.json") / taught.groups_count),
    }
    for name, (ask, size) in ways.items():
        yield {"metric": f"{name} bytes a fact", "value": round(size, 1)}
        for kind, questions in asked.items():
            right, milliseconds = _asked(ask, questions)
            result = mean_of_items(right, [str(number) for number in range(len(right))])
            interval = {"low": round(result.low, 4), "high": round(result.high, 4), "n": result.n}
            yield {"metric": f"{name} {kind}", "value": round(result.value, 4), **interval}
            yield {"metric": f"{name} {kind} milliseconds", "value": round(milliseconds, 3)}


def _train_only(bench: Place) -> FactStore:
    """Mine a base that has the facts of the train split alone."""
    target, files = bench.folder / "train only", bench.folder / "files of train"
    if not target.is_dir():
        files.mkdir(exist_ok=True)
        for path in bench.dataset.glob("*.txt"):
            held_out = path.name in ("valid.txt", "test.txt")
            (files / path.name).write_bytes(b"" if held_out else path.read_bytes())
        with redirect_stdout(sys.stderr):
            asof.main(["mine", str(files), "--to", str(target)], standalone_mode=False)
    return FactStore(target)


def _asked(ask: Callable[[Asked], str], questions: Sequence[Asked]) -> tuple[list[float], float]:
    for one in questions[:_WARM]:
        ask(one)
    began = time.process_time()
    right = [float(ask(one) == one.object) for one in questions]
    return right, (time.process_time() - began) / max(1, len(questions)) * 1000


def _bytes(folder: Path, *patterns: str) -> int:
    return sum(path.stat().st_size for pattern in patterns or ("*",) for path in folder.glob(pattern) if path.is_file())
