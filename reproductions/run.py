"""Do a reproduction again: run its commands, and set what comes out beside what was published and what we had.

    python reproductions/run.py FILE [ROW...] [--data FOLDER]
    python reproductions/run.py --table [FILE]

A file has rows with commands, figures and a tolerance. Commands run in a folder of their own; DATA in them is the
folder with the published datasets, SEED the seed. The last command of a row prints one JSON object a line; figures are
found in them by name, the mean over seeds counts. Exits with 1 when a figure is off by more than the tolerance. With
--table nothing is run: what the files of this folder have is printed as Markdown.
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
    """Run the rows that are asked for, or print the figures of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--table", action="store_true", help="print published figures and ours, of all files or one")
    asked = parser.parse_args()
    if asked.file and not asked.file.is_file():
        parser.error(f"{asked.file} does not exist; there are {', '.join(path.name for path in every_file())}")
    if asked.table:
        if asked.rows:
            parser.error(f"--table prints whole files; leave out {', '.join(asked.rows)}")
        print("\n\n".join(table(path) for path in ([asked.file] if asked.file else every_file())))
        return 0
    if not asked.file:
        parser.error(f"give a file, or --table: there are {', '.join(path.name for path in every_file())}")
    content = tomllib.loads(asked.file.read_text(encoding="utf-8"))
    unknown = set(asked.rows) - {row["name"] for row in content["row"]}
    if unknown:
        parser.error(f"no row is called {', '.join(sorted(unknown))}")
    good = True
    for row in content["row"]:
        if not asked.rows or row["name"] in asked.rows:
            good &= again(row, asked.data.resolve())
    return 0 if good else 1


def every_file() -> list[Path]:
    """List the reproductions beside this program."""
    return sorted(Path(__file__).parent.glob("*.toml"))


def table(path: Path) -> str:
    """Write the figures of a file as Markdown: published, ours, and how far a repetition may be off."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    lines = [f"## {path.stem}", "", content["paper"], "", "| | figure | published | ours | tolerance |"]
    lines.append("|---|---|---|---|---|")
    for row in content["row"]:
        seeds = len(row.get("seeds", [0]))
        name = row["name"] + (f", mean of {seeds} seeds" if seeds > 1 else "")
        published, ours = row.get("published", {}), row["ours"]
        for figure in {**ours, **published}:
            cells = [name, figure, _figure(published.get(figure)), _figure(ours.get(figure)), f"{row['tolerance']:g}"]
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
            name = ""  # once is enough
    return "\n".join(lines)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


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
            beside = Path(__file__).parent / words[0]  # a program of this folder, or a module
            program = [str(beside.resolve()), *words[1:]] if beside.is_file() else ["-m", *words]
            ran = subprocess.run([sys.executable, *program], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
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
