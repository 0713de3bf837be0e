"""A model that was taught, as a folder: any program of Transformers opens it, and a card says what was done to it.

``model.safetensors``, ``config.json`` and the tokenizer are the model with what it learnt; ``adapter/`` is what LoRA
learnt alone. ``teaching.toml`` is the card for programs, ``README.md`` for people, ``measured.json`` has every fact
before and after, ``teaching.jsonl`` a line for each epoch. While it is taught there is ``checkpoint.safetensors``
instead; ``teaching.toml`` is written last.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from asof.errors import UserError
from asof.lock import only_writer
from asof.teaching.blank_learners import open_learner
from asof.teaching.card import CARD, LOG, MEASURED, README, TaughtFolder, card_text, is_taught, open_taught, readme_text
from asof.teaching.learner import Adaptation, Learner
from asof.teaching.lesson import TeachingLesson
from asof.teaching.measurement import Measurement
from asof.teaching.measuring import measure
from asof.teaching.plan import TeachingPlan
from asof.teaching.state import TeachingState
from asof.teaching.training import train
from asof.training.checkpoint import Checkpoint, refuse_other
from asof.training.crew import Crew, device_of_process
from asof.training.epoch_log import open_log, read_log
from asof.training.model_toml import CHECKPOINT
from asof.whole_file import sync_file, sync_folder, write_text

_BEFORE, _ADAPTER = ".before.json", "adapter"
_OF_THE_ORIGINAL = ("model", "facts", "dtype", "prose_sha256")  # other settings do not change what it knows
_SECONDS = {True: 300.0, False: 30.0}  # between checkpoints: all weights take gigabytes, LoRA's take megabytes


def _tell_nobody(*told: Any) -> None:
    """Listen to nothing."""


def teach_into(
    folder: Path,
    model: str,
    plan: TeachingPlan,
    *,
    device: str = "cpu",
    dtype: str = "auto",
    on_message: Callable[[str], None] = _tell_nobody,
    on_progress: Callable[[dict[str, Any]], None] = _tell_nobody,
    on_step: Callable[[int, int, str], None] = _tell_nobody,
    on_measure: Callable[[int, int], None] = _tell_nobody,
) -> TaughtFolder:
    """Teach a model, and measure it before and after; stopped at any moment, the same call resumes.

    Args:
        on_message: Called with sentences about what is done.
        on_progress: Called with the figures of each epoch, also of those that were done before.
        on_step: Called after each step with the steps that are done, all there are, and how it goes.
        on_measure: Called with how many questions were asked, and how many there are.
    """
    settings = plan.settings
    _refuse_strangers(folder)
    lesson = plan.lesson()
    adaptation = Adaptation(settings.whole, settings.rank, settings.targets, settings.seed)
    if (folder / CARD).is_file():
        return _the_same(folder, model, plan, lesson, dtype)
    device = device_of_process(device)
    crew = Crew.of_environment(device)
    learner = open_learner(model, adaptation, device=device, dtype=dtype)
    identity = _identity(model, plan, lesson, learner.dtype)
    folder.mkdir(parents=True, exist_ok=True)
    if not crew.is_first:
        state = Checkpoint(folder / CHECKPOINT, identity, TeachingState).load() or TeachingState()
        train(learner, lesson, settings, state=state, crew=crew)
        crew.wait()
        return open_taught(folder)
    on_message(_about(lesson))
    with only_writer(folder):
        checkpoint = Checkpoint(folder / CHECKPOINT, identity, TeachingState, every=_SECONDS[settings.whole])
        state = checkpoint.load() or TeachingState()
        log = open_log(folder / LOG, (1, state.epoch), on_progress)
        before = _measured_before(folder, learner, lesson, identity, on_message, on_measure)
        train(
            learner, lesson, settings, state=state, crew=crew, checkpoint=checkpoint, on_progress=log, on_step=on_step
        )
        with _new_files(folder) as new:
            if learner.adapter is not None:
                learner.adapter.save_pretrained(new / _ADAPTER)
            learner.network = learner.merged()
            on_message("Measuring what was learnt.")
            after = measure(learner, lesson, on_progress=on_measure)
            _fill(new, learner, plan, lesson, identity, before, after, read_log(folder / LOG))
            _put_in_place(new, folder)
        checkpoint.remove()
        (folder / _BEFORE).unlink(missing_ok=True)
    crew.wait()
    return open_taught(folder)


def measure_again(
    folder: Path, *, device: str = "cpu", dtype: str = "auto", on_measure: Callable[[int, int], None] = _tell_nobody
) -> tuple[Measurement, Measurement]:
    """Measure a model that was taught as its folder has it now; return how it was before teaching, and how it is."""
    taught = open_taught(folder)
    lesson = TeachingPlan.of_row(taught.card["plan"]).lesson()
    if lesson.sha256 != taught.card["identity"]["facts"]:
        raise UserError(f"The facts of {lesson.base} have changed since {folder} was taught. Give --base as it was.")
    before = taught.before
    if lesson.prose_sha256 != taught.card["identity"]["prose_sha256"]:
        before = replace(before, prose=[])  # of another version of asof: perplexities cannot be compared
    return before, measure(open_learner(str(folder), device=device, dtype=dtype), lesson, on_progress=on_measure)


def _the_same(folder: Path, model: str, plan: TeachingPlan, lesson: TeachingLesson, dtype: str) -> TaughtFolder:
    """Return what was taught already, if it is this."""
    found = open_taught(folder)
    wanted = _identity(model, plan, lesson, found.card["identity"]["dtype"] if dtype == "auto" else dtype)
    refuse_other(folder, found.card["identity"], wanted, "a model that was taught")
    return found


def _identity(model: str, plan: TeachingPlan, lesson: TeachingLesson, dtype: str) -> dict[str, Any]:
    row = plan.as_row
    own, prose = row.pop("settings"), {"prose_sha256": lesson.prose_sha256}
    return {"model": model, "dataset": row.pop("base"), "facts": lesson.sha256, "dtype": dtype, **row, **own, **prose}


def _about(lesson: TeachingLesson) -> str:
    held = sum(pool.spares_years for pool in lesson.taught)
    text = f"{len(lesson.taught):,} {'fact' if len(lesson.taught) == 1 else 'facts'} of {lesson.base}"
    return text + (f"; odd years are held out of {held:,} of them." if held else "; no year is held out.")


def _refuse_strangers(folder: Path) -> None:
    """Raise an error when a folder holds other things than a teaching."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file. Give a folder with --to.")
    strangers = folder.is_dir() and any(not path.name.startswith(".") for path in folder.iterdir())
    if strangers and not is_taught(folder):
        raise UserError(f"{folder} is not empty and was not made by asof teach. Choose another folder with --to.")


def _measured_before(
    folder: Path,
    learner: Learner,
    lesson: TeachingLesson,
    identity: Mapping[str, Any],
    on_message: Callable[[str], None],
    on_measure: Callable[[int, int], None],
) -> Measurement:
    """Measure the original once; a teaching that resumes reads what was found."""
    path = folder / _BEFORE
    asked = {name: identity[name] for name in _OF_THE_ORIGINAL}
    if path.is_file():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["asked"] == asked:
            return Measurement.of_row(kept["measured"])
    on_message("Measuring the model before it is taught.")
    found = measure(learner, lesson, on_progress=on_measure)  # LoRA begins as nothing, so this is the original
    write_text(path, json.dumps({"asked": asked, "measured": found.as_row()}))
    return found


@contextmanager
def _new_files(folder: Path) -> Iterator[Path]:
    """Give a folder for new files inside another; it is gone when they are in place, or could not be written."""
    for left_over in folder.glob(".new.*"):
        shutil.rmtree(left_over, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=".new.", dir=folder))
    try:
        yield new
    except (OSError, SafetensorError) as error:
        raise UserError(
            f"{folder} could not be written: {error}. What was learnt is kept in its checkpoint. Free some space and "
            "run the same command again."
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _fill(
    new: Path,
    learner: Learner,
    plan: TeachingPlan,
    lesson: TeachingLesson,
    identity: Mapping[str, Any],
    before: Measurement,
    after: Measurement,
    epochs: list[dict[str, Any]],
) -> None:
    """Write all files of the model into an empty folder."""
    learner.network.save_pretrained(new)
    learner.tokenizer.save_pretrained(new)
    write_text(new / MEASURED, json.dumps({"before": before.as_row(), "after": after.as_row()}, ensure_ascii=False))
    taught = {
        "trained": learner.parameters_count,
        "seconds": round(sum(row["seconds"] for row in epochs), 1),
        "cpu_seconds": round(sum(row["cpu_seconds"] for row in epochs), 1),
        "steps": sum(row["steps"] for row in epochs),
    }
    write_text(new / README, readme_text(plan, lesson, identity, taught, before, after))
    write_text(new / CARD, card_text(new, plan, lesson, identity, taught, before, after))


def _put_in_place(new: Path, folder: Path) -> None:
    """Move new files to their place, the configuration and the card last: without them it is no model."""
    last = ("config.json", CARD)
    names = [path.name for path in new.iterdir() if path.name not in last] + list(last)
    for path in new.rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            sync_file(path)
    for name in names:
        if (folder / name).is_dir():
            shutil.rmtree(folder / name)
        (new / name).replace(folder / name)
    sync_folder(folder)
