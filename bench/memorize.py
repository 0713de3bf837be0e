"""Statements a second that are learnt by heart, beside a plain training loop of transformers; growth with the lists.

    python bench/memorize.py [--quick]

The plain loop is what one writes first: a BertModel, batches drawn at random and padded to their longest statement, a
softmax over all answers, AdamW. It is measured beside ours with the same shape (``rewrites=all``: every word is
rewritten, 2 layers of width 128) and beside our default, in which only the blank is, in turns, on one thread. Both see
the same statements with the same words as tokens. Figures are CPU time. Writes results/memorize.json and .png.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import torch
import transformers
from growth import keep, mark_sizes, panels

from asof.benchmarks import BLANK
from asof.memorize.network import Memory
from asof.memorize.plan import MemorizePlan
from asof.memorize.state import MemorizeState
from asof.memorize.statements import Statements, numbered
from asof.memorize.training import Lesson, _optimisers, _steps

TYPICAL = {"facts": 5_000, "entities": 6_000}
STEPS = 20  # that are timed, after some that are not
_SYLLABLES = ("ba", "co", "di", "fe", "gu", "ha", "jo", "ki", "la", "mo", "ne", "pu", "ro", "sa", "ti", "vu")


def made_up(facts: int, entities: int, seed: int = 3) -> Statements:
    """Make statements of a size; like those of YAGO11k they have 10 to 11 words in the mean and 25 at most.

    Entities that no statement hides are in the list of answers, too.
    """
    random = np.random.default_rng(seed)
    words = ["".join(syllables).title() for syllables in random.choice(_SYLLABLES, (max(100, entities), 3))]
    lengths = np.minimum(random.geometric(0.6, entities), 9)
    chosen = random.integers(0, len(words), (entities, 9))
    names = [
        " ".join([*(words[word] for word in row[:length]), str(number)])
        for number, (row, length) in enumerate(zip(chosen.tolist(), lengths, strict=True))
    ]
    rows = []
    for number in range(facts):
        subject, object = random.integers(0, entities, 2)
        start = int(random.integers(1800, 2000))
        end = start + int(random.integers(1, 20))
        said = {"subject": names[subject], "object": names[object], "start": str(start), "end": str(end)}
        ids = {"subject": str(subject), "object": str(object), "start": str(start), "end": str(end)}
        for place in said:
            parts = said | {place: BLANK}
            rows.append(
                {
                    "id": f"{number} {place}",
                    "prompt": "{subject} worked for {object} from {start} to {end}.".format(**parts),
                    "answers": [said[place]],
                    "place": place,
                    "answer_id": ids[place],
                    "start": said["start"],
                    "end": said["end"],
                }
            )
    found = numbered(pa.Table.from_pylist(rows))
    extra = tuple(f"other {number}" for number in range(entities - len(found.known.entities)))
    known = replace(found.known, entities=found.known.entities + extra, names=found.known.names + extra)
    return replace(found, known=known, answer=np.where(found.is_time, found.answer + len(extra), found.answer))


def ours(lesson: Lesson, plan: MemorizePlan) -> tuple[Callable[[], int], Memory]:
    """Return a function that takes one step of ours, and gives how many statements it had."""
    memory = plan.begin(lesson.statements).new_memory(lesson.statements.known, seed=0)
    optimisers, state = _optimisers(memory, plan.training), MemorizeState()

    def steps() -> Iterator[int]:
        while True:
            before = state.shown
            for done, _ in _steps(memory, lesson, plan.training, optimisers, state):
                yield done - before
                before = done
            state.next_epoch((0.0, 0.0))

    walk = steps()
    return lambda: next(walk), memory


def plain(lesson: Lesson, plan: MemorizePlan, words: int) -> tuple[Callable[[], int], torch.nn.Module]:
    """Return a function that takes one step of the plain loop."""
    statements, shape = lesson.statements, plan.begin(lesson.statements).architecture
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=words,
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        pad_token_id=0,
    )
    model = torch.nn.ModuleDict(
        {
            "encoder": transformers.BertModel(config, add_pooling_layer=False),
            "answers": torch.nn.Linear(shape.out, len(statements.known)),
        }
    ).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=plan.training.learning_rate)
    random = np.random.default_rng(0)

    def step() -> int:
        rows = random.choice(len(statements), plan.training.batch, replace=False)
        prompts = statements.whole[rows]
        tokens = torch.from_numpy(lesson.tokens.padded(prompts))
        states = model["encoder"](input_ids=tokens, attention_mask=(tokens != 0).long()).last_hidden_state
        state = states[torch.arange(len(rows)), torch.from_numpy(lesson.tokens.blank[prompts])]
        loss = torch.nn.functional.cross_entropy(model["answers"](state), torch.from_numpy(statements.answer[rows]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        return len(rows)

    return step, model


def speed(step: Callable[[], int], steps: int) -> float:
    """Return statements a second of CPU time."""
    began = time.process_time()
    done = sum(step() for _ in range(steps))
    return done / (time.process_time() - began)


def measured(size: dict[str, int], *, steps: int, repeats: int, beside: bool = True) -> dict[str, Any]:
    """Measure one size, the ways in turns."""
    statements = made_up(**size)
    default = MemorizePlan.of({"objective": "one"})
    begun = default.begin(statements)
    lesson = Lesson.of(statements, begun.tokenizer.encode(statements.prompts))
    ways = {"blank": ours(lesson, default)}
    if beside:
        ways["all"] = ours(lesson, replace(default, rewrites="all"))
        ways["plain"] = plain(lesson, default, len(begun.tokenizer))
    for step, _ in ways.values():
        speed(step, 3)
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, (step, _) in ways.items():
            found[name].append(speed(step, steps))
    row: dict[str, Any] = {**size, "statements": len(statements), "words": len(begun.tokenizer)}
    row |= {f"{name} a second": round(median(values), 1) for name, values in found.items()}
    if beside:
        for name in ("all", "blank"):
            ratios = [one / other for one, other in zip(found[name], found["plain"], strict=True)]
            row[f"{name} to plain"] = round(median(ratios), 2)
        row["parameters"] = {name: sum(one.numel() for one in made.parameters()) for name, (_, made) in ways.items()}
    return row


def plot(result: dict[str, Any], path: Path) -> None:
    """Draw speed by facts and by entities."""
    with panels(path, size=(9, 3.6), columns=2, sharey=True) as axes:
        for axis, (name, rows) in zip(axes, result["curves"].items(), strict=True):
            sizes = [row[name] for row in rows]
            for way, sign, label in (
                ("blank", "o-", "ours"),
                ("all", "s-", "ours, every word rewritten"),
                ("plain", "x:", "plain loop"),
            ):
                there = [(size, row[f"{way} a second"]) for size, row in zip(sizes, rows, strict=True)
                         if f"{way} a second" in row]  # fmt: skip
                axis.loglog(*zip(*there, strict=True), sign, label=label)
            axis.set_xlabel(name)
            mark_sizes(axis, sizes)
        axes[0].set_ylabel("statements a CPU second")


def main(quick: bool) -> None:
    """Measure, print ratios, write JSON and a plot."""
    torch.set_num_threads(1)
    steps, repeats = (8, 1) if quick else (STEPS, 3)
    typical = measured(TYPICAL, steps=steps, repeats=repeats)
    print(f"{typical['statements']:,} statements of {TYPICAL['entities']:,} entities, a CPU second:")
    print(f"  plain loop {typical['plain a second']:,.0f}")
    for name, what in (("all", "ours, the same shape"), ("blank", "ours, the blank alone is rewritten")):
        print(f"  {what} {typical[f'{name} a second']:,.0f}: {typical[f'{name} to plain']:.1f} times as many")
    grows = {"facts": (1_000, 4_000, 16_000), "entities": (2_000, 10_000, 50_000, 250_000)}
    curves = {
        name: [
            measured(
                {**TYPICAL, name: size},
                steps=max(4, steps // 4),
                repeats=1,
                beside=name == "facts" or size <= 10_000,
            )
            for size in sizes
        ]
        for name, sizes in grows.items()
    }
    for name, rows in curves.items():
        for row in rows:
            others = "".join(
                f", {way} {row[f'{way} a second']:,.0f}" for way in ("all", "plain") if f"{way} a second" in row
            )
            print(f"{name:>9} {row[name]:>8,}: ours {row['blank a second']:,.0f}{others}")
    result = {"typical": typical, "curves": curves, "torch": torch.__version__, "threads": 1}
    keep("memorize", result, plot)


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
