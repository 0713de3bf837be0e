"""A model that has memorised statements, as a folder: complete in itself and loaded without pickle.

``model.toml`` says what it is, ``model.safetensors`` are its weights, ``words.json`` or ``tokenizer.json`` its words,
``answers.json`` the answers it can give, ``epochs.jsonl`` has a line for each epoch. While it is trained there is
``checkpoint.safetensors`` instead of ``model.toml``, which is written last.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from asof.benchmarks import Benchmark
from asof.errors import UserError
from asof.lock import only_writer
from asof.memorize.architecture import Architecture, bytes_needed, free_memory, see_that_it_fits
from asof.memorize.network import Memory
from asof.memorize.plan import MemorizePlan
from asof.memorize.reciting import RecallShare
from asof.memorize.state import MemorizeState
from asof.memorize.statements import AnswerVocabulary, Statements, statements_of
from asof.memorize.threshold import fitted_threshold
from asof.memorize.training import Lesson, train
from asof.memorize.words import Tokenizer, Words
from asof.training.checkpoint import Checkpoint, refuse_other
from asof.training.epoch_log import open_log, read_log
from asof.training.model_toml import (
    CHECKPOINT,
    EPOCHS,
    MODEL,
    WEIGHTS,
    read_model_toml,
    refuse_other_files,
    refuse_strangers,
    write_model_toml,
)  # fmt: skip
from asof.training.tensors import read_tensors, write_tensors
from asof.whole_file import write_text

_WORDS, _TOKENIZER, _ANSWERS = "words.json", "tokenizer.json", "answers.json"
_FORMAT = "memorized 1"


@dataclass(frozen=True)
class TrainedMemory:
    """A trained model, ready to recite."""

    folder: Path
    plan: MemorizePlan
    memory: Memory
    tokenizer: Tokenizer
    known: AnswerVocabulary
    about: Mapping[str, Any]  # model.toml

    @property
    def threshold(self) -> float:
        """The share of the best answer's probability from which another one counts as an answer, too."""
        return float(self.about["recited"]["threshold"])


def train_into(
    folder: Path,
    plan: MemorizePlan,
    benchmark: Benchmark,
    *,
    limit: int | None = None,
    on_progress: Callable[[dict[str, Any]], None] = lambda row: None,
    on_step: Callable[[int, int], None] = lambda done, total: None,
) -> TrainedMemory:
    """Teach the statements of a benchmark to a model; stopped at any moment, the same call goes on.

    Args:
        limit: At most the statements of so many facts.
        on_progress: Called with the figures of each epoch, also of those that were done before.
        on_step: Called after each step with what the epoch has shown, and all that it will.
    """
    identity = {
        "dataset": str(benchmark.folder.resolve()),
        "facts": benchmark.items_sha256,
        **({"limit": limit} if limit is not None else {}),
        **plan.settings,
    }
    if (folder / MODEL).is_file():
        about = _read_toml(folder)
        refuse_other(folder, about["identity"], identity, "a trained model")
        return open_memorized(folder)
    refuse_strangers(folder)
    statements = statements_of(benchmark, limit=limit)
    made = plan.begin(statements)
    _see_that_it_fits(made.architecture, plan, statements, len(made.tokenizer))
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder):
        checkpoint = Checkpoint(folder / CHECKPOINT, identity, MemorizeState)
        state = checkpoint.load() or MemorizeState()
        log = open_log(folder / EPOCHS, (1, state.epoch), on_progress)
        _write_vocabulary(folder, made.tokenizer, statements.known)
        lesson = Lesson.of(statements, made.tokenizer.encode(statements.prompts))
        _see_that_positions_reach(lesson, made.architecture)
        memory = made.new_memory(statements.known, seed=plan.training.seed)
        recited = train(
            memory, lesson, plan.training, state=state, checkpoint=checkpoint, on_progress=log, on_step=on_step
        )
        _save(folder, plan, made.architecture, memory, lesson, identity, recited)
        (folder / CHECKPOINT).unlink(missing_ok=True)
    return open_memorized(folder)


def _see_that_it_fits(architecture: Architecture, plan: MemorizePlan, statements: Statements, tokens: int) -> None:
    answers = len(statements.known)
    needed = bytes_needed(
        architecture, tokens=tokens, answers=answers, batch=plan.training.batch, scored=plan.training.scored(answers)
    )
    see_that_it_fits(needed, free_memory(), answers=answers, width=architecture.out)


def _see_that_positions_reach(lesson: Lesson, architecture: Architecture) -> None:
    lengths = lesson.tokens.lengths
    if architecture.positions == "from start" and lengths.max() > architecture.longest:
        longest = int(lengths.argmax())
        raise UserError(
            f"A statement has {lengths[longest]} tokens, the encoder takes {architecture.longest}: "
            f"{lesson.statements.prompts[longest][:80]!r} … Remove it, or use another size: --size small"
        )


def _write_vocabulary(folder: Path, tokenizer: Tokenizer, known: AnswerVocabulary) -> None:
    if isinstance(tokenizer, Words):
        write_text(folder / _WORDS, json.dumps(tokenizer.words[3:], ensure_ascii=False))
    else:
        write_text(folder / _TOKENIZER, tokenizer.text)  # type: ignore[attr-defined]
    write_text(folder / _ANSWERS, json.dumps(asdict(known), ensure_ascii=False))


def _save(
    folder: Path,
    plan: MemorizePlan,
    architecture: Architecture,
    memory: Memory,
    lesson: Lesson,
    identity: Mapping[str, Any],
    recited: RecallShare,
) -> None:
    """Write the weights and, last, what the model is."""
    memory.eval()
    write_tensors(folder / WEIGHTS, memory.state_dict())
    rows = read_log(folder / EPOCHS)
    words = _WORDS if (folder / _WORDS).is_file() else _TOKENIZER
    seconds = sum(row["seconds"] for row in rows)
    description = {
        "format": _FORMAT,
        "paper": "aclanthology.org/2022.findings-emnlp.147",
        "identity": identity,
        "settings": plan.settings,
        "architecture": asdict(architecture),
        "parameters": sum(one.numel() for one in memory.parameters()),
        "learnt": {
            "statements": len(lesson.statements),
            "prompts": len(lesson.statements.prompts),
            "entities": len(lesson.statements.known.entities),
            "times": len(lesson.statements.known.times),
        },
        "training": {
            "epochs": len(rows),
            "seconds": round(seconds, 1),
            "cpu_seconds": round(sum(row["cpu_seconds"] for row in rows), 1),
            "statements_per_second": round(sum(row["statements"] for row in rows) / max(seconds, 1e-9), 1),
        },
        "recited": {
            "acc@1": round(recited.first, 6),
            "every": round(recited.every, 6),
            "threshold": fitted_threshold(memory, lesson, plan.training.objective, seed=plan.training.seed),
        },
    }
    write_model_toml(folder, description, (WEIGHTS, _ANSWERS, words))


def open_memorized(folder: Path) -> TrainedMemory:
    """Open a trained model."""
    about = _read_toml(folder)
    try:
        refuse_other_files(folder, about["files"])
        answers = json.loads((folder / _ANSWERS).read_text(encoding="utf-8"))
        known = AnswerVocabulary(**{name: tuple(values) for name, values in answers.items()})
        tokenizer = _tokenizer(folder)
        architecture = Architecture(**about["architecture"])
        memory = Memory(architecture, tokens=len(tokenizer), entities=len(known.entities), times=len(known.times))
        memory.load_state_dict(read_tensors(folder / WEIGHTS)[0])
        return TrainedMemory(folder, MemorizePlan.of(about["settings"]), memory.eval(), tokenizer, known, about)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise UserError(f"{folder} is broken ({str(error).splitlines()[0]}). Train the model again.") from error


def _tokenizer(folder: Path) -> Tokenizer:
    if (folder / _WORDS).is_file():
        return Words(json.loads((folder / _WORDS).read_text(encoding="utf-8")))
    from asof.memorize.subwords import SubWords

    return SubWords(folder / _TOKENIZER)


def _read_toml(folder: Path) -> dict[str, Any]:
    about = read_model_toml(folder, verb="asof train memorize", what="BENCHMARK")
    if about.get("format") != _FORMAT:
        raise UserError(f"{folder} does not hold memorised statements: its format is {about.get('format')!r}.")
    return about
