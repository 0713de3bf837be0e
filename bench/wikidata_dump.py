"""Raw megabytes of a Wikidata dump per CPU second, to a finished base, side by side with peers and with its floor.

    python bench/wikidata_dump.py [--gigabytes 1] [--rounds 3] [--sizes 0.1 1] [--quick]

On one generated file (``generated_dump.py``), in turns, each in a process of its own: decompression alone (the floor),
asof (facts, labels, aliases, descriptions and popularity into a base), qwikidata and plain ``json`` (facts only, into
Parquet). Then .bz2 and its floor on a smaller file, and how asof grows with the size of a dump. CPU seconds count all
processes. Speeds are medians over the rounds; ratios are taken inside each round, where both sides met the same
machine, and told with their lowest and highest: on a machine with other work, those lie far apart. None of the ways
needs pandas, which pyarrow would load all the same where it is installed (a quarter second): here it is out of sight.
Writes results/wikidata_dump.json and .png.
"""

import argparse
import bz2
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.abc import MetaPathFinder
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from growth import keep, panels

TIMES = ("P580", "P582", "P585")
BZ2_SHARE = 0.2  # of the gzip file: bzip2 is thirty times slower


def mine(path: Path, folder: Path, processes: int) -> int:
    """Make a base with asof."""
    from asof.facts import write_base
    from asof.sources import open_source

    manifest, _ = write_base(folder / "base", [open_source(str(path), processes=processes)])
    return manifest.rows("facts")


def decompress(path: Path, folder: Path) -> int:
    """Decompress and throw away."""
    from isal import igzip

    with bz2.open(path) if path.suffix == ".bz2" else igzip.open(path) as file:
        while file.read(1 << 20):
            pass
    return 0


def with_qwikidata(path: Path, folder: Path) -> int:
    """Collect dated statements the way qwikidata's documentation shows, but of all ranks that are not deprecated."""
    from qwikidata.entity import WikidataItem
    from qwikidata.json_dump import WikidataJsonDump

    def rows() -> Iterator[tuple[str, ...]]:
        for entity in WikidataJsonDump(str(path)):
            if entity.get("type") != "item":
                continue
            repaired = {key: value or {} for key, value in entity.items()}  # it cannot read [] for an empty map
            item = WikidataItem(repaired)
            for property, group in item.get_claim_groups().items():
                for claim in group:
                    dated = [(name, claim.qualifiers[name]) for name in TIMES if name in (claim.qualifiers or {})]
                    if dated and claim.rank != "deprecated":
                        value = claim.mainsnak.datavalue
                        object = str(value.value) if value is not None else ""
                        times = [(name, _time(one.snak)) for name, snaks in dated for one in snaks]
                        yield item.entity_id, property, object, json.dumps(times), claim.rank

    return _to_parquet(rows(), folder / "facts.parquet")


def _time(snak: Any) -> Any:
    return snak.datavalue.value if snak.datavalue is not None else snak.snaktype


def with_json(path: Path, folder: Path) -> int:
    """Collect dated statements with the standard library alone."""

    def rows() -> Iterator[tuple[str, ...]]:
        with gzip.open(path) as file:
            for line in file:
                text = line.strip().removesuffix(b",")
                if text in (b"[", b"]"):
                    continue
                entity = json.loads(text)
                if entity.get("type") != "item":
                    continue
                for property, statements in (entity["claims"] or {}).items():
                    for statement in statements:
                        qualifiers = statement.get("qualifiers") or {}
                        dated = {name: qualifiers[name] for name in TIMES if name in qualifiers}
                        if dated and statement["rank"] != "deprecated":
                            object = json.dumps(statement["mainsnak"].get("datavalue"))
                            yield entity["id"], property, object, json.dumps(dated), statement["rank"]

    return _to_parquet(rows(), folder / "facts.parquet")


def _to_parquet(rows: Iterator[tuple[str, ...]], path: Path) -> int:
    columns = list(zip(*rows, strict=True))
    pq.write_table(pa.table([list(column) for column in columns], names=list("sroqk")), path)
    return len(columns[0])


WAYS: dict[str, Callable[[Path, Path], int]] = {
    "floor": decompress,
    "asof": lambda path, folder: mine(path, folder, 1),
    "asof, 2 processes": lambda path, folder: mine(path, folder, 2),
    "qwikidata": with_qwikidata,
    "json": with_json,
}


def measured(way: str, path: Path) -> dict[str, float]:
    """Run one way in a process of its own; return CPU and wall seconds, peak memory and the number of facts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, __file__, "--one", way, str(path)], check=True, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(ran.stdout) | {"cpu_s": round(cpu, 2), "wall_s": round(time.perf_counter() - began, 2)}


class WithoutPandas(MetaPathFinder):
    """Hides pandas, as in an installation that does not have it."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Find everything but pandas where it is."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)


def one(way: str, path: Path) -> None:
    """Do one way in this process and print what it needed."""
    sys.meta_path.insert(0, WithoutPandas())
    with tempfile.TemporaryDirectory(dir=path.parent) as name:
        facts = WAYS[way](path, Path(name))
    peaks = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps({"facts": facts, "peak_mb": round(peaks[0]), "worker_peak_mb": round(peaks[1])}))


def in_turns(ways: list[str], path: Path, raw_bytes: int, rounds: int) -> dict[str, dict[str, Any]]:
    """Run ways in turns; return the median of each and all its rounds."""
    ran: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            ran[way].append(measured(way, path))
    told: dict[str, dict[str, Any]] = {}
    for way, results in ran.items():
        middle = {key: median(result[key] for result in results) for key in results[0]}
        speed = round(raw_bytes / 1e6 / middle["cpu_s"], 1)
        told[way] = middle | {"mb_per_cpu_s": speed, "rounds_cpu_s": [result["cpu_s"] for result in results]}
        print(
            f"{path.name:14} {way:20}" + "  ".join(f"{name} {value}" for name, value in told[way].items()), flush=True
        )
    return told


def faster_by(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, float]:
    """Return how often our speed is theirs: the median over rounds, the lowest and the highest."""
    pairs = zip(theirs["rounds_cpu_s"], ours["rounds_cpu_s"], strict=True)
    ratios = [their / our for their, our in pairs]
    return {"median": round(median(ratios), 2), "lowest": round(min(ratios), 2), "highest": round(max(ratios), 2)}


def generated(path: Path, gigabytes: float) -> int:
    """Write a dump in a process of its own and return its raw bytes."""
    script = Path(__file__).with_name("generated_dump.py")
    command = [sys.executable, str(script), str(path), "--gigabytes", str(gigabytes), "--seed", "7"]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(json.loads(ran.stdout)["raw_bytes"])


def plot(results: dict[str, Any], path: Path) -> None:
    """Draw speeds, and growth."""
    with panels(path, size=(11, 4), columns=2) as (speeds, growth):
        bars = {way: result["mb_per_cpu_s"] for way, result in results["gzip"].items()}
        speeds.barh(list(bars), list(bars.values()))
        speeds.invert_yaxis()
        speeds.set(title="raw MB per CPU second (.json.gz)", xlabel="MB")
        sizes = [row["gigabytes"] for row in results["growth"]]
        for key, mark in (("cpu_s", "o-"), ("peak_mb", "s--")):
            growth.loglog(sizes, [row[key] for row in results["growth"]], mark, label=key)
        growth.set(title="growth, one process", xlabel="raw GB")


def main() -> None:
    """Measure, print, write JSON and plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=float, nargs="*", default=[0.1, 1, 10])
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    if given.quick:
        given.gigabytes, given.rounds, given.sizes = 0.1, 1, [0.05, 0.1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raw = generated(folder / "dump.json.gz", given.gigabytes)
        gz = in_turns(list(WAYS), folder / "dump.json.gz", raw, given.rounds)
        small = generated(folder / "dump.json.bz2", given.gigabytes * BZ2_SHARE)
        bz = in_turns(["floor", "asof"], folder / "dump.json.bz2", small, given.rounds)
        growth = []
        for size in given.sizes:
            bytes_there = generated(folder / "grow.json.gz", size)
            result = in_turns(["asof"], folder / "grow.json.gz", bytes_there, 1)["asof"]
            growth.append({"gigabytes": round(bytes_there / 1e9, 3)} | result)
    ratios = {way: faster_by(gz["asof"], gz[way]) for way in gz if way != "asof"}
    ratios["bz2 floor"] = faster_by(bz["asof"], bz["floor"])
    results = {"raw_bytes": raw, "gzip": gz, "bzip2": bz, "growth": growth, "asof_is_faster_by": ratios}
    print(json.dumps(ratios))
    keep("wikidata_dump", results, plot)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
