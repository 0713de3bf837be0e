"""Colours are told apart by people with weak eyes: WCAG 2.2 AA, in light and in dark."""

import re
from importlib.resources import files

import pytest

_CSS = files("asof.reports").joinpath("page.css").read_text("utf-8")
_LIGHT, _DARK = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part)) for part in _CSS.split("@media")[:2])
_SERIES = [f"s{number}" for number in range(8)]
_TEXT = [
    *(
        (colour, ground)
        for colour in ("text", "soft", "link", "right", "wrong", "between")
        for ground in ("page", "card")
    ),
    *(("on", series) for series in _SERIES),
    *(("light-cell", cell) for cell in ("h0", "h1", "h2")),
    *(("dark-cell", cell) for cell in ("h3", "h4")),
]
_SHAPES = [(colour, ground) for colour in (*_SERIES, "mark", "right", "wrong") for ground in ("card", "shade")]


def light_of(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((light_of(one), light_of(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [_LIGHT, _DARK], ids=["light", "dark"])
def test_text_and_shapes_stand_out(colours: dict[str, str]) -> None:
    weak = [
        (a, b, round(contrast(colours[a], colours[b]), 2)) for a, b in _TEXT if contrast(colours[a], colours[b]) < 4.5
    ]
    weak += [
        (a, b, round(contrast(colours[a], colours[b]), 2)) for a, b in _SHAPES if contrast(colours[a], colours[b]) < 3
    ]
    assert not weak
