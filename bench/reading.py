"""Speed of reading: documents per second of the temporal reader, how it grows with length, beside a window reader.

    python bench/reading.py [--reader FOLDER]

Documents are made here: prose and dated lists, in lengths from 250 to 4,000 words. The peer is an extractive reader of
the size of MiniLM (6 layers of 384, random weights: the work is the same) with windows of 512 tokens. CPU seconds of
one thread, best of three.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from transformers import BertConfig, BertForQuestionAnswering, PreTrainedTokenizerFast

from asof.models._weights import fetch
from asof.reading.documents import Document
from asof.reading.encoder import Encoder
from asof.reading.features import AskedQuestion, Features
from asof.reading.index import DocumentIndex
from asof.reading.readers.extractive import ExtractiveReader
from asof.reading.readers.temporal import TemporalReader
from asof.reading.times.asked import asked_time

LENGTHS = (250, 500, 1000, 2000, 4000)
QUESTION = "Who was the manager of the club from 1975 to 1980?"


def page(words: int, seed: int = 0) -> Document:
    """Make a document of about so many words."""
    random = np.random.default_rng(seed)
    people = [f"{one} {two}" for one in ("Ann", "Bo", "Cy", "Dee") for two in ("Stone", "Rivers", "Brook", "Field")]
    lines, count, year = ["Managers"], 0, 1900
    while count < words:
        name, length = people[random.integers(len(people))], int(random.integers(1, 9))
        if len(lines) % 8 < 4:
            line = f"- {name} ( {year}–{year + length} )"
        else:
            line = (
                f"In {year} , {name} moved to Royal Arena , where the club was until {year + length} . It won twice ."
            )
        lines.append(line)
        count += len(line.split())
        year = 1900 + (year - 1900 + length) % 110
    return Document.from_text("\n".join(lines), title="FC Example")


def seconds(work: object) -> float:
    """Return the least CPU time of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        work()  # type: ignore[operator]
        found.append(time.process_time() - start)
    return min(found)


def window_reader(folder: Path) -> ExtractiveReader:
    """Make an extractive reader of MiniLM's size with random weights and the encoder's tokenizer."""
    special = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(fetch("bge-small") / "tokenizer.json"), **special)
    config = BertConfig(vocab_size=len(tokenizer), hidden_size=384, num_hidden_layers=6, intermediate_size=1536)
    BertForQuestionAnswering(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return ExtractiveReader(str(folder), window=512)


def main() -> None:
    """Measure and print one JSON object a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reader", type=Path, help="a trained temporal reader; without one its trees are left out")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    encoder = Encoder(fetch("bge-small"))
    reader = TemporalReader(asked.reader, encoder=encoder) if asked.reader else None
    with tempfile.TemporaryDirectory() as folder:
        peer = window_reader(Path(folder))
        for words in LENGTHS:
            document = page(words)

            def read(document: Document = document) -> None:
                if reader:
                    reader.read(QUESTION, document)
                    return
                features = Features(DocumentIndex(document, encoder))
                vector = encoder.vectors([QUESTION])[0]
                none, one = np.zeros((1, len(vector)), np.float32), np.ones(1, np.float32)
                asked = AskedQuestion(QUESTION, asked_time(QUESTION), vector, none, one, np.zeros(20, np.float32))
                features.of(asked, np.linspace(0, 1, len(features.index.candidates), dtype=np.float32))

            def times(document: Document = document) -> None:
                index = DocumentIndex(document)
                _ = index.inferred

            row = {
                "words": document.words,
                "temporal reader, s per 1,000 documents": round(1000 * seconds(read), 1),
                "of that times and candidates": round(1000 * seconds(times), 1),
                "window reader, s per 1,000 documents": round(
                    1000 * seconds(lambda document=document: peer.read(QUESTION, document)), 1
                ),
            }
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
