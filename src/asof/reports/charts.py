"""Charts as SVG text: bars with intervals, lines, a heat map, a histogram. Numbers in, a string out, nothing else.

Colours are classes of ``page.css`` (``s0`` to ``s7`` for runs), so that a chart is right in light and in dark. The
strips of single dates are drawn by ``page.js`` when a fact is opened: as SVG, half a million dates would weigh 30 MB.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from asof.reports.svg import COLOURS, frame, round_ticks, shade, short, tick_word, widened, word


@dataclass(frozen=True)
class Bar:
    """A number with its interval; ``key`` is the letter of its run, ``series`` its place among the runs."""

    key: str
    series: int
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Point:
    """A place on a line; ``low`` and ``high`` are drawn when they are there."""

    x: float
    y: float
    note: str
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Line:
    """One run's points, from left to right.

    Args:
        dots: Off where points are so many that they would hide the line.
        dashed: Tells a second line of the same run, in the same colour, from the first.
    """

    key: str
    series: int
    points: Sequence[Point]
    dots: bool = True
    dashed: bool = False


def bars(
    title: str,
    text: str,
    groups: Sequence[tuple[str, Sequence[Bar]]],
    *,
    chance: float | None = None,
    highest: float = 1.0,
) -> str:
    """Draw groups of bars from 0 to the highest with their intervals, and a dashed line at chance level.

    Small shares, where the highest is a fifth or less, are written in percent.

    >>> drawn = bars("Win rate", "One bar.", [("year", [Bar("A", 0, 0.5, 0.25, 0.75, 4)])], chance=0.5)
    >>> "0.50 [0.25, 0.75]" in drawn, drawn.count('class="bar s0"'), drawn.count('class="chance"')
    (True, 1, 1)
    """
    left, right, y = 22.0, 222.0, 4.0  # a number with its interval has room on the right, in wide letters, too
    parts: list[str] = []
    names: list[str] = []  # drawn last, so that no line runs through them
    for name, members in groups:
        names.append(word(0, y + 13, name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…", "name"))
        y += 20
        for bar in members:
            parts.append(_bar(bar, y, left, right, highest))
            y += 22
        y += 6
    behind = ""
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = left + share * (right - left)
        behind += f'<line class="grid" x1="{x:g}" x2="{x:g}" y1="22" y2="{y:g}"/>' + word(
            x, y + 14, f"{short(100 * share * highest)} %" if _is_small(highest) else short(share * highest), "mid"
        )
    if chance is not None:
        x = left + chance / highest * (right - left)
        parts.append(f'<line class="chance" x1="{x:g}" x2="{x:g}" y1="22" y2="{y:g}"/>')
        parts.append(word(x, y + 29, "chance", "mid"))
    return frame(title, text, y + (34 if chance is not None else 20), behind + "".join(parts + names))


_LONGEST_NAME = 44  # letters of a group's name that fit


def _is_small(highest: float) -> bool:
    return highest <= 0.2


def _bar(bar: Bar, y: float, left: float, right: float, highest: float) -> str:
    key = word(0, y + 13, bar.key, "key")
    if math.isnan(bar.value):
        return key + word(left + 4, y + 13, "no fact", "small")
    low, end, high = (left + share / highest * (right - left) for share in (bar.low, bar.value, bar.high))
    colour, middle = f"s{bar.series % COLOURS}", y + 8
    said = f"{100 * bar.value:.1f} %" if _is_small(highest) else f"{bar.value:.2f}"
    whisker, between = "", ""
    if not math.isnan(bar.low):  # one fact alone has no interval
        ends = (100 * bar.low, 100 * bar.high, 1) if _is_small(highest) else (bar.low, bar.high, 2)
        said += f" [{ends[0]:.{ends[2]}f}, {ends[1]:.{ends[2]}f}]"
        between = f" [{bar.low:.3f}, {bar.high:.3f}]"
        whisker = f'<path class="whisker" d="M{low:.2f} {middle:g}H{high:.2f}m0 -4v8M{low:.2f} {middle - 4:g}v8"/>'
    return (
        f"<g><title>{escape(f'{bar.key}: {bar.value:.3f}{between}, n = {bar.n}')}</title>{key}"
        f'<rect class="bar {colour}" x="{left:g}" y="{y:g}" width="{max(end - left, 1):.2f}" height="16"/>{whisker}'
        + word(right + 10, y + 13, said, "small")
        + "</g>"
    )


def lines(
    title: str,
    text: str,
    series: Sequence[Line],
    *,
    x_label: str,
    y_label: str,
    x_ticks: Sequence[tuple[float, str]],
    y_range: tuple[float, float] | None = None,
    y_ticks: Sequence[tuple[float, str]] | None = None,
    shaded: tuple[float, float] | None = None,
    chance: float | None = None,
    chance_label: str = "chance",
    diagonal: bool = False,
) -> str:
    """Draw one line per run, with intervals where there are any; ``shaded`` is a span of x that matters.

    Args:
        y_ticks: Where the y-axis has names; by default at round numbers.
        chance: The height of a dashed line, and its label.
        diagonal: Also draw the dashed line on which y is x, from the left to the right edge.

    >>> line = Line("A", 0, [Point(0, 0.2, "left"), Point(1, 0.4, "right")])
    >>> drawn = lines("T", "D", [line], x_label="x", y_label="y", x_ticks=[(0, "0"), (1, "1")], shaded=(0, 1))
    >>> drawn.count("<circle"), drawn.count('class="shade"')
    (2, 1)
    """
    left, right, top, bottom = 44.0, 338.0, 26.0, 206.0
    points = [point for line in series for point in line.points]
    low_x, high_x = widened(*_span([point.x for point in points] + [position for position, _ in x_ticks]))
    ys = [y for point in points for y in (point.y, point.low, point.high) if not math.isnan(y)]
    low_y, high_y = y_range or widened(*_span(ys or [0.0]))

    def at(x: float, y: float) -> tuple[float, float]:
        right_of, above = (x - low_x) / (high_x - low_x), (y - low_y) / (high_y - low_y)
        return left + right_of * (right - left), bottom - above * (bottom - top)

    parts = []
    if shaded:
        start, end = at(shaded[0], low_y)[0], at(shaded[1], low_y)[0]
        box = f'x="{start:.2f}" y="{top:g}" width="{end - start:.2f}" height="{bottom - top:g}"'
        parts.append(f'<rect class="shade" {box}/>')
    for tick, label in y_ticks or [(tick, short(tick)) for tick in round_ticks(low_y, high_y)]:
        y = at(low_x, tick)[1]
        parts.append(f'<line class="grid" x1="{left:g}" x2="{right:g}" y1="{y:.2f}" y2="{y:.2f}"/>')
        parts.append(word(left - 6, y + 4, label, "end"))
    parts += [tick_word(at(tick, low_y)[0], bottom + 17, label) for tick, label in x_ticks]
    if chance is not None:
        y = at(low_x, chance)[1]
        parts.append(f'<line class="chance" x1="{left:g}" x2="{right:g}" y1="{y:.2f}" y2="{y:.2f}"/>')
        parts.append(word(right, y + 14, chance_label, "end"))
    if diagonal:
        (x1, y1), (x2, y2) = at(low_x, low_x), at(high_x, high_x)
        parts.append(f'<line class="chance" x1="{x1:.2f}" x2="{x2:.2f}" y1="{y1:.2f}" y2="{y2:.2f}"/>')
    parts += [_line(line, at) for line in series]
    ended = [(line.key, at(line.points[-1].x, line.points[-1].y)) for line in series if line.points]
    heights = _apart([y for _, (_, y) in ended], 13, top - 4, bottom)
    parts += [word(x + 7, y + 4, key, "key") for (key, (x, _)), y in zip(ended, heights, strict=True)]
    parts += [word(0, 13, y_label, "small"), word((left + right) / 2, bottom + 37, x_label, "mid")]
    return frame(title, text, bottom + 44, "".join(parts))


def _span(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


def _apart(heights: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Move labels up where they would stand on each other, or down at the top; heights grow downwards, as SVG has it.

    >>> _apart([50.0, 52.0, 20.0], 13, 0, 206), _apart([5.0, 4.0], 13.0, 0.0, 206)
    ([39.0, 52.0, 20.0], [13.0, 0.0])
    """
    moved = list(heights)
    upwards = sorted(range(len(heights)), key=lambda position: -heights[position])
    below = bottom + gap
    for position in upwards:
        moved[position] = below = min(heights[position], below - gap)
    above = top - gap
    for position in reversed(upwards):
        moved[position] = above = max(moved[position], above + gap)
    return moved


def _line(line: Line, at: Callable[[float, float], tuple[float, float]]) -> str:
    colour = f"s{line.series % COLOURS}"
    positions = [at(point.x, point.y) for point in line.points]
    path = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in positions)
    dashed = " dashed" if line.dashed else ""
    drawn = f'<path class="line {colour}{dashed}" d="{path}"/>' if positions else ""
    for point, (x, y) in zip(line.points, positions, strict=True):
        if not math.isnan(point.low):
            low, high = at(point.x, point.low)[1], at(point.x, point.high)[1]
            drawn += (
                f'<path class="whisker {colour}" d="M{x:.2f} {low:.2f}V{high:.2f}m-3 0h6M{x - 3:.2f} {low:.2f}h6"/>'
            )
        if not line.dots:
            continue
        note = f"<title>{escape(f'{line.key}: {point.note}')}</title>"
        drawn += f'<circle class="dot {colour}" cx="{x:.2f}" cy="{y:.2f}" r="2.5">{note}</circle>'
    return drawn


def heat_map(title: str, text: str, names: Sequence[str], cells: Sequence[Sequence[tuple[float, int]]]) -> str:
    """Draw shares with the number of facts behind each; a share that is not a number says "no fact known".

    >>> drawn = heat_map("T", "D", ["year", "day"], [[(1.0, 3), (0.5, 2)], [(float("nan"), 0), (1.0, 2)]])
    >>> drawn.count("no fact"), drawn.count("n = 2")
    (1, 2)
    """
    left, top, wide, high = 62.0, 42.0, 96.0, 54.0
    middle = left + wide * len(names) / 2
    parts = [word(middle, 13, "known at", "mid"), word(0, 34, "also at", "small")]
    for row, name in enumerate(names):
        parts.append(word(left + (row + 0.5) * wide, 34, name, "mid name"))
        parts.append(word(0, top + (row + 0.5) * high + 4, name, "name"))
        for column, (share, n) in enumerate(cells[row]):
            x, y = left + column * wide, top + row * high
            said = ("no fact", "known") if math.isnan(share) else (f"{share:.2f}", f"n = {n}")
            box = f'x="{x + 1:g}" y="{y + 1:g}" width="{wide - 2:g}" height="{high - 2:g}" rx="3"'
            words = word(x + wide / 2, y + 24, said[0], "mid big") + word(x + wide / 2, y + 42, said[1], "mid")
            parts.append(f'<g class="cell {shade(round(share, 2))}"><rect {box}/>{words}</g>')
    return frame(title, text, top + high * len(names) + 6, "".join(parts))


def histogram(title: str, text: str, counts: Sequence[tuple[float, int]], *, width: float, series: int = 0) -> str:
    """Draw how many values lie in each bin around its middle; the span |x| < 0.5 is shaded.

    >>> histogram("T", "D", [(-1.0, 3), (1.0, 1)], width=0.5).count('class="bar s0"')
    2
    """
    left, right, top, bottom = 44.0, 338.0, 26.0, 166.0
    reach = max(5.0, *(abs(position) + width / 2 for position, _ in counts))
    most = max(count for _, count in counts)

    def x_of(alpha: float) -> float:
        return left + (alpha + reach) / (2 * reach) * (right - left)

    box = f'x="{x_of(-0.5):.2f}" y="{top:g}" width="{x_of(0.5) - x_of(-0.5):.2f}" height="{bottom - top:g}"'
    parts = [f'<rect class="shade" {box}/>']
    for tick in round_ticks(0, most, about=4):
        if tick == int(tick):
            y = bottom - tick / most * (bottom - top)
            parts.append(f'<line class="grid" x1="{left:g}" x2="{right:g}" y1="{y:.2f}" y2="{y:.2f}"/>')
            parts.append(word(left - 6, y + 4, short(tick), "end"))
    for position, count in counts:
        high = count / most * (bottom - top)
        size = f'width="{max(x_of(width) - x_of(0) - 1, 1):.2f}" height="{high:.2f}"'
        note = f"<title>{count} at α ≈ {short(position)}</title>"
        corner = f'x="{x_of(position - width / 2) + 0.5:.2f}" y="{bottom - high:.2f}"'
        parts.append(f'<rect class="bar s{series % COLOURS}" {corner} {size}>{note}</rect>')
    parts += [word(x_of(tick), bottom + 17, short(tick), "mid") for tick in range(-4, 5, 2)]
    parts += [
        word(0, 13, "preferred wrong dates", "small"),
        word((left + right) / 2, bottom + 37, "α, position of the year", "mid"),
    ]
    return frame(title, text, bottom + 44, "".join(parts))
