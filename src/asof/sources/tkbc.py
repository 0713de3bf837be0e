"""The published datasets of temporal knowledge base completion: YAGO11k, WIKIDATA12k, ICEWS14, ICEWS05-15.

A folder with train.txt, valid.txt and test.txt, tab separated. Two forms: ids with two dates
(``6464 5 6465 1952-##-## 1964-##-##``, names in entity2id.txt and relation2id.txt), or names with one day
(``Iran  Consult  China  2014-02-02``). The source of each fact names its split: ``YAGO11k/train.txt``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from asof.errors import UserError
from asof.facts import ENTITIES, RELATIONS, Intake
from asof.registry import sources
from asof.sources.almanac.properties import known_relations

_SPLITS = ("train.txt", "valid.txt", "test.txt")
_ROWS_PER_CHUNK = 50_000


@sources.register("tkbc")
@dataclass
class Tkbc:
    """A dataset folder with train.txt, valid.txt and test.txt: YAGO11k, WIKIDATA12k, ICEWS14, ICEWS05-15."""

    location: str
    known_by: None = None  # nothing in these files is marked as ongoing

    @classmethod
    def recognises(cls, location: str) -> bool:
        """Tell whether a folder holds the three splits."""
        return all((Path(location) / split).is_file() for split in _SPLITS)

    @property
    def name(self) -> str:
        """The name of the folder."""
        return Path(self.location).resolve().name

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Read the facts of the three splits, in the order of the files."""
        folder = Path(self.location)
        entity_names = _names(folder / "entity2id.txt")
        relation_names = _names(folder / "relation2id.txt")
        for split in _SPLITS:
            path = folder / split
            if not path.is_file():
                raise UserError(f"{path} does not exist. A dataset folder has {', '.join(_SPLITS)}.")
            with path.open(encoding="utf-8") as file:
                numbered = enumerate(file, start=1)
                while chunk := list(islice(numbered, _ROWS_PER_CHUNK)):
                    yield self._batch(intake, f"{self.name}/{split}", chunk, entity_names, relation_names)

    def entities(self) -> Iterable[pa.RecordBatch]:
        """Give readable labels: ``Athletic_Park_(Vancouver)`` is Athletic Park (Vancouver)."""
        ids = sorted(set(_names(Path(self.location) / "entity2id.txt").values()))
        rows = [{"id": id, "label": id.replace("_", " "), "aliases": []} for id in ids]
        return [pa.RecordBatch.from_pylist(rows, schema=ENTITIES)]

    def relations(self) -> Iterable[pa.RecordBatch]:
        """Give the labels of relations, from relation_names.tsv where the folder has it."""
        path = Path(self.location) / "relation_names.tsv"
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        pairs = [line.split("\t") for line in lines if "\t" in line]
        rows = [{"id": id, "label": label.replace("_", " "), "aliases": []} for id, label in pairs]
        return [pa.RecordBatch.from_pylist(rows, schema=RELATIONS), known_relations()]

    def _batch(
        self,
        intake: Intake,
        file: str,
        chunk: list[tuple[int, str]],
        entity_names: dict[str, str],
        relation_names: dict[str, str],
    ) -> pa.RecordBatch:
        rows, lines = [], []
        for line, text in chunk:
            cells = text.rstrip("\r\n").split("\t")
            if len(cells) not in (4, 5):
                intake.rejects.add(file=file, line=line, reason=f"{len(cells)} columns, neither 4 nor 5.", row=text)
                continue
            subject, relation, object, start = cells[:4]
            unknown = [
                f"{word} {id!r} is not in {word}2id.txt."
                for word, id, names in (
                    ("entity", subject, entity_names),
                    ("relation", relation, relation_names),
                    ("entity", object, entity_names),
                )
                if names and id not in names
            ]
            if unknown:
                intake.rejects.add(file=file, line=line, reason=unknown[0], row=text)
                continue
            rows.append(
                (
                    entity_names.get(subject, subject),
                    relation_names.get(relation, relation),
                    entity_names.get(object, object),
                    start,
                    cells[-1],
                )
            )
            lines.append(line)
        columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)] or [
            pa.array([], pa.string())
        ] * 5
        return intake.batch(
            file=file,
            lines=np.array(lines, dtype=np.int64),
            subject=columns[0],
            relation=columns[1],
            object=columns[2],
            start=columns[3],
            end=columns[4],
            source=file,
        )


def _names(path: Path) -> dict[str, str]:
    """Read a file of names and numbers: ``<Getafe_CF> TAB 4946``, with or without brackets."""
    if not path.is_file():
        return {}
    pairs = (line.rstrip("\n").split("\t")[:2] for line in path.open(encoding="utf-8") if "\t" in line)
    return {number: name.removeprefix("<").removesuffix(">") for name, number in pairs}
