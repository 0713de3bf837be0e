"""Labels of Wikidata's properties, so that P6 reads "head of government" in any base.

The labels come from a data package (``scripts/almanac/property_labels.py``); which relations have one object at a time
is written by hand in ``relations.tsv``.
"""

from functools import cache
from importlib.resources import as_file, files

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from asof.facts.schema import RELATIONS


@cache
def known_relations(language: str = "en") -> pa.RecordBatch:
    """Return the properties whose objects are entities, with label and aliases in a language."""
    with as_file(files(__package__) / "packages" / "properties.parquet") as path:
        labels = pq.read_table(path, filters=pc.field("language") == language)
    single = _one_at_a_time()
    judged = pa.array([single.get(id) for id in labels["id"].to_pylist()], pa.bool_())
    columns = [labels["id"], labels["label"], labels["aliases"], judged]
    return pa.Table.from_arrays(columns, schema=RELATIONS).combine_chunks().to_batches()[0]


def _one_at_a_time() -> dict[str, bool]:
    lines = (files(__package__) / "relations.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines[1:] if line and not line.startswith("# "))
    return {row[0]: row[2] == "yes" for row in rows}
