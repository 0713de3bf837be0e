"""The items of this folder, for lm-evaluation-harness. Written by ``asof export``; needs nothing but the folder."""

import json
from pathlib import Path
from typing import Any

Item = dict[str, Any]


def items(**settings: Any) -> dict[str, Any]:
    """Read the items from the file beside this one, wherever the folder is."""
    from datasets import Dataset  # type: ignore[import-untyped, unused-ignore]

    with (Path(__file__).parent / "items.jsonl").open(encoding="utf-8", newline="\n") as file:
        return {"test": Dataset.from_list([json.loads(line) for line in file])}


def prompt(item: Item) -> str:
    """Return what the model reads."""
    return str(item["prompt"])


def answer(item: Item) -> str:
    """Return the text whose probability is asked for, with the space before it."""
    return str(item["answer"])


def choices(item: Item) -> list[str]:
    """Return the texts that are compared."""
    return list(item["choices"])


def right_choice(item: Item) -> int:
    """Return the place of the first right text among those that are compared."""
    return list(item["right"]).index(True)


def answers(item: Item) -> list[str]:
    """Return all accepted answers; one that is empty stands for none."""
    return list(item["answers"]) or [""]
