"""Do a reproduction again: run its commands, and set what comes out beside what was published and what we had.

    python reproductions/run.py FILE [ROW...] [--data FOLDER]

A file has rows with commands, figures and a tolerance. Commands run in a folder of their own; DATA in them is the
folder with the published datasets, SEED the seed. The last command of a row prints one JSON object a line; figures are
found in them by name, the mean over seeds counts. Exits with 1 when a figure is off by more than the tolerance.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from statistics import mean
from typing import Any


def main() -> int:
    """Run the rows that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    asked = parser.parse_args()
    content = tomllib.loads(asked.file.read_text(encoding="utf-8"))
    unknown = set(asked.rows) - {row["name"] for row in content["row"]}
    if unknown:
        parser.error(f"no row is called {', '.join(sorted(unknown))}")
    good = True
    for row in content["row"]:
        if not asked.rows or row["name"] in asked.rows:
            good &= again(row, asked.data.resolve())
    return 0 if good else 1


def again(row: dict[str, Any], data: Path) -> bool:
    """Run a row for each of its seeds and tell what came out."""
    runs = [figures(row["commands"], data, seed) for seed in row.get("seeds", [0])]
    good = True
    print(row["name"])
    for name, expected in row["ours"].items():
        found = mean(run[name] for run in runs)
        near = abs(found - expected) <= row["tolerance"]
        good &= near
        published = row.get("published", {}).get(name, "-")
        print(f"  {name:24} published {published:>7}   ours {expected:>7}   now {found:.4f}   {'' if near else 'OFF'}")
    return good


def figures(commands: list[str], data: Path, seed: int) -> dict[str, float]:
    """Run commands and collect the figures that the last of them prints."""
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            words = command.replace("DATA", str(data)).replace("SEED", str(seed)).split()
            ran = subprocess.run(
                [sys.executable, "-m", *words], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
            )
    found: dict[str, float] = {}
    for line in ran.stdout.splitlines():
        answer = json.loads(line)
        if "metric" in answer:  # asof score
            found[answer["metric"]] = answer["value"]
        else:  # asof rank
            prefix = f"{answer['filter']} " if "filter" in answer else ""
            found |= {prefix + name: value for name, value in answer.items() if isinstance(value, float)}
    return found


if __name__ == "__main__":
    sys.exit(main())
