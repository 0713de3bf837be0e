"""The findings of LAMA-TK at a size that two cores can train: one experiment by name, one JSON object a line.

    python reproductions/lama_tk.py EXPERIMENT DATASET [--seed N] [--keep FOLDER]

The facts of a dataset folder, YAGO11k or WIKIDATA12k, are turned into statements, taught to networks, recited, and
scored by the ordinary run. Each line names what was measured, its n and its 95 % interval, resampled by fact. Figures
are of what was taught, as in the paper: nothing is held out but the wording of queries.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
from lama_tk_together import compared

from asof.benchmarks import Benchmark, read_benchmark
from asof.cli import asof
from asof.memorize.as_model import MemorizedModel
from asof.memorize.folder import TrainedMemory, train_into
from asof.memorize.plan import MemorizePlan
from asof.memorize.reciting import best_answers
from asof.memorize.statements import statements_of
from asof.memorize.threshold import given_by, right_among, set_f1
from asof.memorize.training import Lesson
from asof.metrics import Result, mean_of_items
from asof.runs.item_scores import ItemScores, scores_of
from asof.runs.runner import run

CONFLICTING = "P1411,P1346"  # nominations and winners: half of their statements have several answers
SPELLS = "relations=playsFor,isAffiliatedTo,worksAt,owns,isMarriedTo"  # with a start and an end
Line = dict[str, Any]


class Bench:
    """A folder to work in: bases, statements, models and runs, each made once."""

    def __init__(self, dataset: Path, folder: Path, seed: int, only: list[str]) -> None:
        self.dataset, self.folder, self.seed, self.only = dataset, folder, seed, only

    def statements(self, *options: str) -> Benchmark:
        """Build statements."""
        base = self.folder / self.dataset.name
        target = self.folder / " ".join([self.dataset.name, "statements", *options]).replace("/", "-")
        with redirect_stdout(sys.stderr):
            if not base.is_dir():
                asof.main(["mine", str(self.dataset), "--to", str(base)], standalone_mode=False)
            if not target.is_dir():
                command = ["build", "lama-tk", "--base", str(base), *options, "--to", str(target)]
                asof.main(command, standalone_mode=False)
        return read_benchmark(target)

    def teach(self, benchmark: Benchmark, **settings: Any) -> TrainedMemory:
        """Train a model on statements."""
        settings = {"seed": self.seed, **settings}
        name = " ".join([benchmark.folder.name, *(f"{key}={value}" for key, value in settings.items())])
        return train_into(self.folder / f"{name} model", MemorizePlan.of(settings), benchmark, on_progress=_told(name))

    def scores(self, model: TrainedMemory, benchmark: Benchmark) -> ItemScores:
        """Put statements to a model as ``asof run`` does."""
        name = f"{model.folder.name} on {benchmark.folder.name}"
        short = hashlib.sha256(name.encode()).hexdigest()[:12]  # names of files have an end
        found = scores_of(run(benchmark, MemorizedModel(model.folder), self.folder / f"run {short}"))
        if not isinstance(found, ItemScores):
            raise TypeError(type(found))
        return found


def capacity(bench: Bench) -> Iterator[Line]:
    """Figure 2: accuracy by facts and by size; every statement is seen twenty times, in 80 steps or more each time."""
    for size in bench.only or ["16x2", "32x2", "64x2"]:
        for facts in (750, 1_500, 3_000, 6_000, 12_000, 20_000):
            benchmark = bench.statements("--limit", str(facts))
            batch = MemorizePlan().for_statements(benchmark.items_count).training.batch
            model = bench.teach(benchmark, size=size, epochs=20, target=1.0, objective="one", batch=batch)
            about = {"statements": benchmark.items_count, "parameters": model.about["parameters"]}
            yield from lines(f"{size} {facts}", bench.scores(model, benchmark), ("Acc@1",), about)


def conflicts(bench: Bench) -> Iterator[Line]:
    """Tables 2 and 3, and beyond: with and without statements of several answers, by the objective."""
    relations = ("--set", f"relations={CONFLICTING}")
    everything = bench.statements(*relations)
    alone = bench.statements(*relations, "--set", "conflicts=false")
    settings: Line = {"epochs": 14, "target": 1.0, "batch": 128}
    by_text = settings | {"epochs": 21}  # a text is shown once, so that 21 epochs show as many statements as 14 do
    for case in bench.only or ["non-conflict", "one", "set", "each"]:
        if case == "non-conflict":
            model = bench.teach(alone, objective="one", **settings)
            yield from lines("non-conflict single", bench.scores(model, alone), ("Acc@1", "Acc@5", "Hit@5"))
            continue
        model = bench.teach(everything, objective=case, **(settings if case == "one" else by_text))
        for number, part in bench.scores(model, everything).by("number").items():
            yield from lines(f"{case} {number}", part, ("Acc@1", "Acc@5", "Hit@5", "Hit@10"))
        yield from answer_sets(case, model, everything)


def boundary(bench: Bench) -> Iterator[Line]:
    """Table 4: the start and the end asked for in other words, by the share of dynamic time masking."""
    relation = ("--set", SPELLS, "--limit", "2000")
    taught = bench.statements(*relation)
    asked = bench.statements(*relation, "--query", "boundary")
    for share in (0, 10, 100):
        model = bench.teach(taught, objective="one", time_masking=share, epochs=20, target=1.0, batch=64)
        yield from lines(f"masking {share}", bench.scores(model, asked), ("Acc@1", "Acc@5", "Hit@5", "Hit@10"))


def transfer(bench: Bench) -> Iterator[Line]:
    """Table 5: the object at a time inside the interval, in known words and in others, by how a model began."""
    relation = ("--set", SPELLS, "--limit", "500")
    taught, asked = (
        bench.statements(*relation),
        bench.statements(*relation, "--query", "implicit"),
    )
    for named in bench.only or ["minilm-half:pretrained", "minilm-half:random", "small:random"]:
        size, _, start = named.partition(":")
        model = bench.teach(taught, size=size, start=start, objective="one", epochs=16, target=0.99, batch=16)
        yield from lines(f"{size} {start} taught", bench.scores(model, taught), ("Acc@1",), model.about["training"])
        for query, part in bench.scores(model, asked).by("query").items():
            yield from lines(f"{size} {start} {query}", part, ("Acc@1", "Acc@5", "Hit@5"))


def starts(bench: Bench) -> Iterator[Line]:
    """Section 3.2: which start stores more in the same steps, too few of them to store everything."""
    taught = bench.statements("--limit", "750")
    for named in bench.only or ["minilm-half:pretrained", "minilm-half:random"]:
        size, _, start = named.partition(":")
        for epochs in (4, 8, 16):
            settings = {"objective": "one", "epochs": epochs, "target": 1.0, "batch": 16}
            model = bench.teach(taught, size=size, start=start, **settings)
            yield from lines(f"{size} {start} {epochs} epochs", bench.scores(model, taught), ("Acc@1",))


def twenty_thousand(bench: Bench) -> Iterator[Line]:
    """Recite 20,000 statements without conflicts."""
    benchmark = bench.statements("--limit", "6250", "--set", "conflicts=false")
    model = bench.teach(benchmark)
    yield from lines(
        "20k", bench.scores(model, benchmark), ("Acc@1",), {**model.about["learnt"], **model.about["training"]}
    )


def together(bench: Bench) -> Iterator[Line]:
    """The same questions to an explicit base, to a completion model and to a memorised one.

    They ask for the object, given subject, relation and the years: 500 facts that all three were given, and 500 of the
    test split that none was. The base holds the facts of the train split; what it lacks it cannot answer.
    """
    taught = bench.statements("--limit", "6250", "--set", "conflicts=false")
    model = bench.teach(taught)
    trained = bench.folder / "completion"
    below = bench.folder / "completion base"
    if not trained.is_dir():
        common = [str(bench.dataset), "--preset", "asof"]
        with redirect_stdout(sys.stderr):
            asof.main(["train", "timeplex-base", *common, "--to", str(below)], standalone_mode=False)
            asof.main(["train", "timeplex", *common, "--from", str(below), "--to", str(trained)], standalone_mode=False)
    yield from compared(bench, taught, model, trained, seed=bench.seed)


def lines(name: str, scores: ItemScores, measures: tuple[str, ...], about: Line | None = None) -> Iterator[Line]:
    """Give some measures of scores."""
    results = scores.results()
    for measure in measures:
        yield line(f"{name} {measure}", results[measure], about)


def line(name: str, result: Result, about: Line | None = None) -> Line:
    """Give a result as a line."""
    numbers = {"value": result.value, "low": result.low, "high": result.high}
    return {"metric": name, **{key: round(value, 4) for key, value in numbers.items()}, "n": result.n, **(about or {})}


def answer_sets(name: str, model: TrainedMemory, benchmark: Benchmark) -> Iterator[Line]:
    """How well the answers that a model gives are all the right ones, on the prompts with several; by two rules."""
    statements = statements_of(benchmark)
    lesson = Lesson.of(statements, model.tokenizer.encode(statements.prompts))
    there = np.diff(lesson.begins)
    prompts = np.unique(statements.whole)
    objective = model.plan.training.objective
    best = best_answers(model.memory, lesson.tokens, prompts, best=40, objective=objective)
    right, count = right_among(best.answers, prompts, lesson), there[prompts]
    several = count > 1
    groups = [str(prompt) for prompt in prompts]
    capped = np.minimum(count, 32)
    found = {
        "count right": best.count == capped,
        "count within one": np.abs(best.count - capped) <= 1,
        "count by threshold right": given_by(best.logprobs, model.threshold) == count,
        "F1 of five": set_f1(np.full(len(prompts), 5), right, count),
        "F1 by count": set_f1(np.minimum(best.count, 40), right, count),
        "F1 by threshold": set_f1(given_by(best.logprobs, model.threshold), right, count),
    }
    for rule, values in found.items():
        for number, chosen in (("single", ~several), ("multiple", several)):
            kept = [group for group, there_ in zip(groups, chosen, strict=True) if there_]
            yield line(f"{name} {number} {rule}", mean_of_items(np.asarray(values, float)[chosen].tolist(), kept))
    most = np.repeat(np.minimum(5, count) / count, count)[
        np.repeat(several, count)
    ]  # five of n are among the first five
    kept = [group for group, number in zip(groups, count, strict=True) if number > 1 for _ in range(number)]
    yield line(f"{name} multiple Hit@5 at most", mean_of_items(most.tolist(), kept))


def _told(name: str) -> Any:
    def told(row: Line) -> None:
        print(f"{name}: epoch {row['epoch']}, right {row['right']:.4f}, {row['seconds']:.1f} s", file=sys.stderr)

    return told


EXPERIMENTS = {
    one.__name__: one for one in (twenty_thousand, capacity, starts, conflicts, boundary, transfer, together)
}


def main() -> None:
    """Run an experiment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", choices=list(EXPERIMENTS))
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="some cases of an experiment, with commas between: 16x2,32x2 of capacity")
    parser.add_argument("--keep", type=Path, help="work in this folder, and go on with what is there")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(
            asked.dataset, asked.keep or Path(temporary), asked.seed, asked.only.split(",") if asked.only else []
        )
        for found in EXPERIMENTS[asked.experiment](bench):
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
