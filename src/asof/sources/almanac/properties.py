"""Labels of Wikidata's properties, so that P6 reads "head of government" in any base.

The labels come from a data package (``scripts/almanac/property_labels.py``); what relations are (one object at a time,
symmetric, offices, places) is written by hand in ``relations.tsv``, after Wikidata's own constraints of its properties.
"""

from functools import cache
from importlib.resources import as_file, files
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from asof.facts.described import read_meaning
from asof.facts.schema import RELATIONS


@cache
def known_relations(language: str = "en") -> pa.RecordBatch:
    """Return relations with label and aliases in a language: all properties whose objects are entities, and our own."""
    with as_file(files(__package__) / "packages" / "properties.parquet") as path:
        labels = pq.read_table(path, filters=pc.field("language") == language).to_pylist()
    ours = _written_relations()
    rows = {row["id"]: row for row in labels}
    for id, (label, meanings) in ours.items():
        row = rows.setdefault(id, {"id": id, "label": label, "aliases": []})
        row |= meanings
        if language == "en" and label not in (row["label"], *row["aliases"]):
            row["aliases"] = [*row["aliases"], label]
    return pa.RecordBatch.from_pylist(list(rows.values()), schema=RELATIONS)


def _written_relations() -> dict[str, tuple[str, dict[str, Any]]]:
    header, *lines = (files(__package__) / "relations.tsv").read_text(encoding="utf-8").split("\n")
    _, _, *names = header.split("\t")
    rows = (line.split("\t") for line in lines if line and not line.startswith("# "))
    return {
        id: (label, {name: read_meaning(name, cell) for name, cell in zip(names, cells, strict=True) if cell})
        for id, label, *cells in rows
    }
