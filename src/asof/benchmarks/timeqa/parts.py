"""Parts of the published TimeQA questions, by a hash of the page: all questions about a page are in one part."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from asof.errors import UserError

Part = Literal["train", "dev", "test"]
_TRAIN, _DEV = 60, 75  # of 100: the rest is for the test


def part_of(link: str) -> Part:
    """Return the part of the data that a page belongs to.

    >>> part_of("/wiki/Newton_D._Baker_House"), part_of("/wiki/Dennis_Quaid")
    ('dev', 'train')
    """
    bucket = int(hashlib.sha256(link.encode()).hexdigest(), 16) % 100
    return "train" if bucket < _TRAIN else "dev" if bucket < _DEV else "test"


def question_files(path: Path) -> Sequence[Path]:
    """Return a file itself, and of a folder the files of questions: those of *.easy.* and *.hard.*."""
    if not path.is_dir():
        return [path]
    paths = sorted(one for one in path.glob("*.json*") if ".easy." in one.name or ".hard." in one.name)
    if not paths:
        raise UserError(f"{path} has no TimeQA questions: no file is called NAME.easy.json or NAME.hard.json.gzip.")
    return paths
