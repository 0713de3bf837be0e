"""Labels and aliases of Wikidata's item-valued properties in all languages, from the npm package wikidata-properties.

The package is MIT, Wikidata's data CC0. Writes one Parquet file of the almanac: id, language, label, aliases.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from package import unpacked

VERSION = "1.0.0"
SHA256 = "7c96bb6eb5bab17286b2d301d93a2f34635ad930bd9ff1cec8a1b28dcf46e672"
TO_JSON = "const m = await import(process.argv[1]); process.stdout.write(JSON.stringify(m.default.properties))"
SCHEMA = pa.schema(
    [("id", pa.string()), ("language", pa.string()), ("label", pa.string()), ("aliases", pa.list_(pa.string()))]
)


def main(target: Path) -> None:
    """Read the package, which is a JavaScript module, and write the labels."""
    with tempfile.TemporaryDirectory() as folder:
        module = unpacked("wikidata-properties", VERSION, SHA256, Path(folder)) / "lib" / "index.mjs"
        run = subprocess.run(
            ["node", "--input-type=module", "-e", TO_JSON, str(module)], check=True, capture_output=True
        )
        properties = [item for item in json.loads(run.stdout) if item["datatype"] == "wikibase-item"]
    rows = [
        {"id": item["id"], "language": language, "label": label, "aliases": item["aliases"].get(language, [])}
        for item in sorted(properties, key=lambda item: int(item["id"][1:]))
        for language, label in sorted(item["labels"].items())
    ]
    pq.write_table(
        pa.Table.from_pylist(rows, SCHEMA), target / "properties.parquet", compression="zstd", compression_level=19
    )
    print(f"{len(properties):,} properties, {len(rows):,} labels")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
