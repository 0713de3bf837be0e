"""Names in further languages: the table ``labels`` of a base, which it has only where a source gives some.

The entities of a base have their names in one language, which the manifest names where the sources agree on it. A
source that knows other languages has a method ``labels`` beside ``entities``: id, language, label.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from asof.facts.schema import LABELS


def language_of(sources: Sequence[Any]) -> str | None:
    """Return the language of the names of entities, where all sources say the same."""
    said = {getattr(source, "language", None) for source in sources}
    return said.pop() if len(said) == 1 else None


def labels_batch(named: Sequence[tuple[str, str]], language: str) -> pa.RecordBatch:
    """Return names in a language, each with the id of what it names, as a batch."""
    ids, labels = ([pair[side] for pair in named] for side in (0, 1))
    columns = [pa.array(ids, pa.string()), pa.repeat(language, len(ids)), pa.array(labels, pa.string())]
    return pa.RecordBatch.from_arrays(columns, schema=LABELS)
