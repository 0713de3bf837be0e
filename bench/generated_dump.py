"""A Wikidata dump of any size with all its oddities, and the truth about it.

    python bench/generated_dump.py OUT.json.gz --entities 10000 --seed 7
    python bench/generated_dump.py OUT.json.bz2 --gigabytes 1

The lines have the true schema. The truth (facts, entities, relations, counts) comes from the plan that the lines are
written from, not from reading them. A .gz is written as the official one is: a member ``[``, a member for each batch,
members ``,`` between them, all with the same ten bytes as header.
"""

import argparse
import bz2
import json
import re
import struct
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import IO, Any

import zstandard
from isal import isal_zlib

sys.path.append(str(Path(__file__).parents[1]))  # so that it also runs as a script
from bench import generated_lines as lines
from bench.generated_lines import Drawn, Filler

MEMBER_HEADER = bytes.fromhex("1f8b0800000000000203")
ENDINGS = (".json", ".json.gz", ".json.bz2", ".json.zst")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to generate."""

    entities: int = 1_000
    seed: int = 0
    line_bytes: int = 14_000  # the mean of the real dump; tests take less
    temporal: float = 0.15  # share of items with dated statements
    batch: int = 2_000  # entities in one gzip member, bzip2 stream or zstd frame
    broken: int = 0  # lines that are no JSON, or are cut
    one_stream: bool = False  # everything in one member, stream or frame
    escaped: bool = True  # non-ASCII as \\uXXXX and slashes as \\/, as the official dump has them


@dataclass
class Truth:
    """What a perfect reader finds."""

    facts: list[dict[str, Any]] = field(default_factory=list)
    entities: dict[str, dict[str, Any]] = field(default_factory=dict)  # all of the dump, mentioned or not
    relations: dict[str, dict[str, Any]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    raw_bytes: int = 0
    newest: str = ""

    def mentioned(self) -> dict[str, dict[str, Any]]:
        """Return what is known of the subjects and objects of the facts; those not in the dump have their id only."""
        ids = {fact[end] for fact in self.facts for end in ("subject", "object")}
        unknown = {"aliases": [], "description": None, "popularity": None}
        return {id: self.entities.get(id, {"label": id} | unknown) for id in ids}


def write_dump(path: Path, plan: Plan, *, keep_truth: bool = True, gigabytes: float | None = None) -> Truth:
    """Write a dump in the compression that the name says, and return the truth about it.

    Args:
        gigabytes: Stop at so many raw bytes instead of at the planned number of entities.
    """
    truth = Truth()
    with path.open("wb") as file:
        for chunk in _compressed(path.name, _batches(plan, truth, keep_truth, gigabytes), one_stream=plan.one_stream):
            file.write(chunk)
    return truth


def _batches(plan: Plan, truth: Truth, keep_truth: bool, gigabytes: float | None) -> Iterator[bytes]:
    """Walk over the pieces that the official dump compresses one by one."""
    random = Random(plan.seed)
    filler = Filler.drawn(random, plan.line_bytes, escaped=plan.escaped)
    broken = set(random.sample(range(len(lines.PROPERTIES), plan.entities), plan.broken)) if plan.broken else set()
    pieces = iter(_lines(plan, random, filler, truth, broken, keep_truth))
    yield from _counted(truth, [b"[\n"])
    batch: list[bytes] = []
    first = True
    for line in pieces:
        batch.append(line)
        if len(batch) == plan.batch:
            yield from _counted(truth, ([] if first else [b",\n"]) + [b",\n".join(batch)])
            batch, first = [], False
            if gigabytes and truth.raw_bytes >= gigabytes * 1e9:
                break
    if batch:
        yield from _counted(truth, ([] if first else [b",\n"]) + [b",\n".join(batch)])
    yield from _counted(truth, [b"\n]\n"])


def _counted(truth: Truth, pieces: list[bytes]) -> list[bytes]:
    truth.raw_bytes += sum(map(len, pieces))
    return pieces


def _lines(
    plan: Plan, random: Random, filler: Filler, truth: Truth, broken: set[int], keep_truth: bool
) -> Iterator[bytes]:
    number = 0
    while plan.entities == 0 or number < plan.entities:
        number += 1
        truth.counts["lines"] += 1
        line, drawn = _line(number, plan, random, filler, truth)
        if number - 1 in broken:
            truth.counts["broken"] += 1
            yield _broken(line, random, dated=bool(drawn.facts))
            continue
        truth.newest = max(truth.newest, drawn.modified)
        truth.counts += drawn.counts
        if keep_truth:
            truth.facts += drawn.facts
            truth.entities |= drawn.entities
            truth.relations |= drawn.relations
        yield line


def _line(number: int, plan: Plan, random: Random, filler: Filler, truth: Truth) -> tuple[bytes, Drawn]:
    if number <= len(lines.PROPERTIES):
        return lines.property_line(number, random, filler)
    odd = random.random()
    if odd < 0.01:
        return lines.lexeme_line(number)
    if odd < 0.015:
        return lines.redirect_line(number)
    dated = random.random() < plan.temporal
    return lines.item_line(number, random, filler, dated=dated, last=max(plan.entities, number))


def _broken(line: bytes, random: Random, *, dated: bool) -> bytes:
    """Spoil a line: cut it, or, where a reader must look inside, put a sign where none may be."""
    if dated and random.random() < 0.5:
        where = line.rindex(b'":[{"mainsnak":', 0, re.search(rb'"P58[025]":\[\{"s', line).start()) + 2  # type: ignore[union-attr]
        return line[:where] + b"!" + line[where:]
    return line[: random.randrange(20, len(line) - 1)].rstrip(b"}")


def _compressed(name: str, pieces: Iterable[bytes], *, one_stream: bool) -> Iterator[bytes]:
    if one_stream:
        return _as_one_stream(name, pieces)
    if name.endswith(".gz"):
        return map(gzip_member, pieces)
    if name.endswith(".bz2"):
        return map(bz2.compress, pieces)
    if name.endswith(".zst"):
        return map(zstandard.ZstdCompressor(3, write_checksum=True).compress, pieces)
    return iter(pieces)


def _as_one_stream(name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    if name.endswith(".json"):
        yield from pieces
        return
    makers = {
        ".gz": lambda: isal_zlib.compressobj(2, wbits=31),
        ".bz2": bz2.BZ2Compressor,
        ".zst": lambda: zstandard.ZstdCompressor(3, write_checksum=True).compressobj(),
    }
    compressor = makers[Path(name).suffix]()
    for piece in pieces:
        yield compressor.compress(piece)
    yield compressor.flush()


def gzip_member(raw: bytes) -> bytes:
    """Compress into a gzip member with the header of ``gzip -9`` reading from a pipe."""
    compressor = isal_zlib.compressobj(2, wbits=-15)
    body = compressor.compress(raw) + compressor.flush()
    return MEMBER_HEADER + body + struct.pack("<II", isal_zlib.crc32(raw), len(raw) & 0xFFFFFFFF)


def write_truth(truth: Truth, file: IO[str]) -> None:
    """Write the facts, one JSON object a line."""
    for fact in truth.facts:
        file.write(json.dumps(fact, ensure_ascii=False) + "\n")


def main() -> None:
    """Write a dump, and its facts beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--entities", type=int, default=10_000)
    parser.add_argument("--gigabytes", type=float, help="stop at so many raw bytes instead")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--line-bytes", type=int, default=Plan.line_bytes)
    parser.add_argument("--broken", type=int, default=0)
    parser.add_argument("--one-stream", action="store_true")
    parser.add_argument("--truth", action="store_true", help="also write OUT.truth.jsonl")
    given = parser.parse_args()
    plan = Plan(
        entities=0 if given.gigabytes else given.entities,
        seed=given.seed,
        line_bytes=given.line_bytes,
        broken=given.broken,
        one_stream=given.one_stream,
    )
    truth = write_dump(given.out, plan, keep_truth=given.truth, gigabytes=given.gigabytes)
    if given.truth:
        with Path(f"{given.out}.truth.jsonl").open("w", encoding="utf-8") as file:
            write_truth(truth, file)
    print(json.dumps({"raw_bytes": truth.raw_bytes} | truth.counts))


if __name__ == "__main__":
    main()
