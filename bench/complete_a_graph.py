"""From a table of 50,000 facts to reviewed proposals: the commands of docs/how_to/complete_a_graph.md, with the time.

    python bench/complete_a_graph.py [--facts 50000] [--seed 0] [--cores 2]

The table is made up (``careers.py``), so it is known which proposals are right. A person is simulated who accepts what
is right and rejects what is wrong among the first 200; then the new version is asked again.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from careers import judged, world, write_table

COLUMNS = "subject=person or shop,relation=what,object=whom,start=from,end=till"
REVIEWED = 200


def main() -> None:
    """Run the commands and print what they took and how right they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cores", type=int, default=2)
    given = parser.parse_args()
    environment = os.environ | {"OMP_NUM_THREADS": str(given.cores)}
    truth = world(given.facts, given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_table(truth, folder / "guilds.csv", given.seed)
        found: dict[str, object] = {
            "facts": len(truth.rows),
            "left out": sum(map(bool, truth.lacks)),
            "seed": given.seed,
        }
        begun = time.monotonic()

        def run(*words: str) -> str:
            """Run a command and note its time."""
            start, cpu = time.monotonic(), os.times()
            ran = subprocess.run([sys.executable, "-m", "asof", *words], cwd=folder, env=environment, check=True,
                                 capture_output=True, text=True)  # fmt: skip
            used = os.times().children_user + os.times().children_system - cpu.children_user - cpu.children_system
            found[f"{words[0]}: seconds"] = round(time.monotonic() - start, 1)
            found[f"{words[0]}: CPU seconds"] = round(used, 1)
            return ran.stderr

        run("mine", "guilds.csv", "--to", "guilds", "--columns", COLUMNS)
        run("train", "timeplex-base", "guilds", "--to", "model", "--rank", "24", "--epochs", "5")
        run("complete", "model", "--to", "proposals.tsv", "--least", "0.2")
        answers = list(judged(truth, folder / "proposals.tsv"))
        sure = np.array([float(row["probability"]) for row, _ in answers])
        right = np.array([true for _, true in answers])
        for most in (100, 1000, len(answers)):
            found[f"first {most:,}: right"] = round(float(right[:most].mean()), 4)
            found[f"first {most:,}: said"] = round(float(sure[:most].mean()), 4)
        with (folder / "decisions.tsv").open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, delimiter="\t", lineterminator="\n")
            table.writerow([*answers[0][0], "decision", "decided"])
            for row, true in answers[:REVIEWED]:
                table.writerow([*row.values(), "accept" if true else "reject", "2026-11-19"])
        run("complete", "--accept", "decisions.tsv", "--base", "guilds", "--to", "guilds-2")
        found["seconds in all"] = round(time.monotonic() - begun, 1)
        print(json.dumps(found))


if __name__ == "__main__":
    main()
