"""The badge of a model: its knowledge cutoff as a small SVG, for a README."""

from __future__ import annotations

from html import escape

from asof.watches.outcomes import Outcome

_HEIGHT, _SPACE = 20, 6
_LABEL = "knowledge cutoff"
_COLOURS = {"kept": "#0b7355", "broken": "#b3243f", "unknown": "#5a6472"}  # white letters on each have contrast 4.5


def badge(outcome: Outcome, *, broken: bool) -> str:
    """Draw the badge of a release; the colour says whether a bound of the model is broken."""
    told = outcome.told_cutoff
    estimated = outcome.cutoff is not None and outcome.cutoff.best is not None
    value = f"{told.text} ({told.span})" if estimated else told.text
    return draw(_LABEL, value, "broken" if broken else "kept" if estimated else "unknown", about=outcome.title)


def draw(label: str, value: str, state: str, *, about: str = "") -> str:
    """Draw a label and a value side by side.

    >>> "2024-Q1" in draw("knowledge cutoff", "2024-Q1", "kept")
    True
    """
    first, second = _width(label), _width(value)
    said = escape(f"{about} {label}: {value}".strip(), quote=True)
    texts = [(label, 0, first), (value, first, second)]
    words = "".join(
        f'<text x="{start + width / 2:g}" y="14" textLength="{width - 2 * _SPACE:g}">{escape(text)}</text>'
        for text, start, width in texts
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{first + second:g}" height="{_HEIGHT}" role="img" '
        f'aria-label="{said}"><title>{said}</title>'
        f'<clipPath id="r"><rect width="{first + second:g}" height="{_HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{first:g}" height="{_HEIGHT}" fill="#39424b"/>'
        f'<rect x="{first:g}" width="{second:g}" height="{_HEIGHT}" fill="{_COLOURS[state]}"/></g>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{words}</g></svg>\n"
    )


def _width(text: str) -> float:
    return round(6.6 * len(text) + 2 * _SPACE)
