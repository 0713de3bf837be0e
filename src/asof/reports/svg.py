"""What every chart is made of: the frame with its text alternative, a word at a place, ticks at round numbers."""

from __future__ import annotations

import math
from html import escape

WIDTH = 360  # a phone shows it without making the letters smaller
_LETTER = 8  # the width of a wide letter of 12 pixels
COLOURS = 8  # series after the eighth take the first colour again; their letter tells them apart


def frame(title: str, text: str, height: float, content: str) -> str:
    """Return a whole SVG element; screen readers say its title and its text in the place of the drawing."""
    said = escape(f"{title}. {text}")
    return f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{said}">{content}</svg>'


def word(x: float, y: float, content: str, kind: str) -> str:
    """Return a text element; ``kind`` is a class of page.css."""
    return f'<text class="{kind}" x="{x:.2f}" y="{y:.2f}">{escape(content)}</text>'


def tick_word(x: float, y: float, content: str) -> str:
    """Return the name of a tick, centred below it, but whole: at an edge it is moved inwards.

    >>> tick_word(338, 223, "4"), tick_word(338, 223, "2019-Q2")
    ('<text class="mid" x="338.00" y="223.00">4</text>', '<text class="mid" x="332.00" y="223.00">2019-Q2</text>')
    """
    half = _LETTER * len(content) / 2
    return word(min(max(x, half), WIDTH - half), y, content, "mid")


def shade(share: float) -> str:
    """Return the class of a cell of a heat map: five steps from 0 to 1; what is not a number has none.

    Give the share as rounded as it is written, so that equal numbers have equal colours.

    >>> shade(0.0), shade(0.6), shade(1.0), shade(math.nan)
    ('h0', 'h3', 'h4', 'none')
    """
    return "none" if math.isnan(share) else f"h{min(4, max(0, int(share * 5 + 1e-9)))}"


def widened(low: float, high: float) -> tuple[float, float]:
    """Return a span that is never empty.

    >>> widened(0, 2), widened(3, 3)
    ((0, 2), (2.5, 3.5))
    """
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def round_ticks(low: float, high: float, *, about: int = 5) -> list[float]:
    """Return round numbers within a span.

    >>> round_ticks(0, 1), round_ticks(-0.62, 0.81)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-0.5, 0.0, 0.5])
    """
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(position * step, 10) for position in range(first, last + 1)]


def short(number: float) -> str:
    """Return a number for an axis, with a true minus sign.

    >>> short(-0.5), short(1500), short(2000000), short(0.0)
    ('−0.5', '1.5k', '2M', '0')
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.3g}{letter}".replace("-", "−")
    return f"{number:.3g}".replace("-", "−")
