"""The reproduction grid: every file of reproductions/ as tables of published figures and ours."""

import re
from collections.abc import Iterator
from pathlib import Path

from asof.reproductions import Entry, Figure, Row, read_entries
from asof.reproductions.needs import needs_of

OPENING = """# Reproductions

Figures of papers, and ours beside them, with the commands that make them. `asof reproduce` lists them; `asof reproduce
NAME` runs one and checks it within the tolerance: against ours, and against the published one, unless it says here why
they differ.

    asof reproduce
    asof reproduce worked-examples
    asof reproduce completion "YAGO11k timeplex-base" --data FOLDER

`--data` is the folder with the published datasets, by name: YAGO11k, WIKIDATA12k, ICEWS14, ICEWS05-15, TimeQA. Words:
*as published* is within the tolerance, *higher* and *lower* are not. Figures are better when higher, but for ranks and
counts. What could not be run is here too, with the reason.
"""


def reproduction_grid(folder: Path) -> str:
    """Write the page of all reproductions of a folder."""
    entries = read_entries(folder)
    return "\n".join([OPENING, *_summary(entries), *(line for entry in entries for line in _entry(entry))])


def _summary(entries: list[Entry]) -> Iterator[str]:
    yield "| reproduction | paper | rows | figures as published | higher | lower | rows not run here |"
    yield "|---|---|---|---|---|---|---|"
    for entry in entries:
        verdicts = [figure.against_published for row in entry.rows for figure in row.figures]
        counts = [str(verdicts.count(word)) for word in ("as published", "higher", "lower")]
        unrun = sum(bool(row.not_run) for row in entry.rows)
        cells = [f"[{entry.name}](#{entry.name})", _paper(entry.paper), str(len(entry.rows)), *counts, str(unrun)]
        yield f"| {' | '.join(cells)} |"
    yield ""


def _entry(entry: Entry) -> Iterator[str]:
    yield f"## {entry.name}\n"
    yield f"{_paper(entry.paper)}. {_cell(entry.about)}\n"
    if any(row.figures for row in entry.rows):
        yield "| row | figure | published | ours | verdict |\n|---|---|---|---|---|"
    for row in entry.rows:
        name = f"**{_cell(row.name)}**" + (", not run here" if row.not_run else "")
        for figure in row.figures:
            numbers = f"{_number(figure.published)} | {_number(figure.ours)}"
            yield f"| {name} | {_cell(figure.name)} | {numbers} | {_verdict(figure)} |"
            name = ""  # once is enough
    yield ""
    for row in entry.rows:
        yield from _row(row)


def _row(row: Row) -> Iterator[str]:
    """Write what is to be said of a row besides its figures; its commands are folded away."""
    told = [f"Published: {_cell(row.published_by)}."] if row.published_by else []
    told += [f"Not run here. {_cell(row.not_run)}"] if row.not_run else []
    told += [_cell(row.differs)] if row.differs else []
    if told:
        yield f"**{_cell(row.name)}**: {' '.join(told)}\n"
    if row.commands:
        yield f'??? abstract "{_cell(row.name)}: {_conditions(row)}"\n'
        yield from (f"        {command}" for command in row.commands)
        yield ""


def _conditions(row: Row) -> str:
    seeds = f"the mean of {len(row.seeds)} seeds" if len(row.seeds) > 1 else f"seed {row.seeds[0]}"
    takes = [f"about {row.cpu_minutes:g} CPU minutes"] if row.cpu_minutes else []
    needs = needs_of(row)
    return ", ".join([f"tolerance {row.tolerance:g}", seeds, *takes, f"needs {' and '.join(needs) or 'nothing more'}"])


def _verdict(figure: Figure) -> str:
    word = figure.against_published
    return f'<span class="{word}">{word}</span>' if word in ("higher", "lower") else word


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value.is_integer() and value > 1 else f"{value:.4f}"


def _paper(paper: str) -> str:
    found = re.fullmatch(r"arXiv:([\d.]+)", paper)
    return f"[{paper}](https://arxiv.org/abs/{found[1]})" if found else _cell(paper)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
