"""Ids of Wikidata as people give them: P39, wd:Q76, whole addresses, files with one a line."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from asof.errors import UserError


def is_id(text: str) -> bool:
    """Tell whether a text is the id of an item or a property."""
    return re.fullmatch(r"[QP][1-9][0-9]*", text) is not None


def read_ids(texts: Sequence[str], word: str, example: str) -> list[str]:
    """Read ids, also whole addresses and files of ids, each once; say which one is none."""
    found: dict[str, None] = {}
    for text in texts:
        if text.startswith("@"):
            found |= dict.fromkeys(_ids_of_file(Path(text[1:]), word, example))
        else:
            found[_id(text, word, example, "")] = None
    return list(found)


def _ids_of_file(path: Path, word: str, example: str) -> Iterator[str]:
    if not path.is_file():
        raise UserError(f"{path} does not exist. --{word} @FILE takes a file with one {word} a line.")
    for line, text in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if text.strip() and not text.startswith("#"):
            yield _id(text, word, example, f"{path}, line {line}: ")


def _id(text: str, word: str, example: str, where: str) -> str:
    id = text.strip().rsplit("/", 1)[-1].rpartition(":")[2]
    if not re.fullmatch(rf"[{example[0]}PL][1-9][0-9]*", id):
        raise UserError(f"{where}{text.strip()!r} is not a {word} id. Write a Wikidata id, such as {example}.")
    return id
