"""The few pieces of HTML that sections are made of. What comes in as ``str`` is text and is escaped here.

Arguments that are already HTML are called ``content``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan

from asof.metrics import Result
from asof.reports.svg import COLOURS

FEW = 100  # facts; with fewer, an interval of a share is about 0.2 wide or more


@dataclass(frozen=True)
class PagePart:
    """A section of the page with its place among the links at the top."""

    id: str
    link: str
    content: str


def paragraph(text: str) -> str:
    """Return a paragraph of plain text.

    >>> paragraph("1 < 2")
    '<p>1 &lt; 2</p>'
    """
    return f"<p>{escape(text)}</p>"


def section(id: str, title: str, *content: str) -> str:
    """Return a part of the page with its heading."""
    return (
        f'<section id="{escape(id)}" aria-labelledby="{escape(id)}-h"><h2 id="{escape(id)}-h">{escape(title)}</h2>'
        + ("\n".join(content) + "</section>\n")
    )


def part_title(title: str) -> str:
    """Return the heading of a part of a section."""
    return f"<h3>{escape(title)}</h3>"


def figure(caption: str, content: str) -> str:
    """Return a chart with its caption."""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{content}</figure>"


def side_by_side(content: Iterable[str]) -> str:
    """Return figures in as many columns as there is room for."""
    return f'<div class="figures">{"".join(content)}</div>'


def numbers(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, is_open: bool = False) -> str:
    """Return the numbers of a chart as a table that can be opened; results are split into value, interval and n."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' if column else "<td></td>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell(value))}</td>" for value in row) + "</tr>" for row in rows)
    return (
        f'<details class="numbers"{" open" if is_open else ""}><summary>{escape(title)}</summary>'
        f'<div class="scroll" tabindex="0" role="region" '
        f'aria-label="{escape(title)}"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></details>'
    )


def described(key: str, position: int, name: str, rows: Mapping[str, str]) -> str:
    """Return a card that says what a run or a model is, under its letter in its colour; empty rows are left out."""
    said = "".join(
        f"<div><dt>{escape(term)}</dt><dd>{escape(value)}</dd></div>" for term, value in rows.items() if value
    )
    swatch = f'<span class="swatch b{position % COLOURS}">{escape(key)}</span>'
    return f'<article class="run"><h3>{swatch} {escape(name)}</h3><dl>{said}</dl></article>'


def cards(content: Iterable[str]) -> str:
    """Return cards in as many columns as there is room for."""
    return f'<div class="runs">{"".join(content)}</div>'


def letter(position: int) -> str:
    """Return what stands for a run or a model in charts: A to Z, then A1 to Z1 and so on.

    >>> letter(1), letter(27)
    ('B', 'B1')
    """
    return chr(ord("A") + position % 26) + (str(position // 26) if position >= 26 else "")


def difference(value: float, low: float, high: float) -> str:
    """Return how much higher something is, with its interval.

    >>> difference(0.0123, -0.001, 0.02)
    '+0.012 [-0.001, +0.020]'
    """
    return f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"


def cell(value: object) -> str:
    """Return what stands in a table for a value.

    >>> cell(Result(0.5, 0.25, 0.75, 4, 4, "gaffke")), cell(2620)
    ('0.500 [0.250, 0.750] n = 4', '2,620')
    """
    if isinstance(value, Result):
        between = "" if isnan(value.low) else f" [{value.low:.3f}, {value.high:.3f}]"
        return f"{value.value:.3f}{between} n = {value.n:,}" if value.n else "no fact"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}" if isinstance(value, float) else str(value)
