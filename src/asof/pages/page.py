"""One page: what stands in it, and where its links are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """Words of a paragraph that lead to another page: from letter ``start`` to before ``end``."""

    paragraph: int
    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class Page:
    """A title and its paragraphs, each with the heading above it ("" before the first).

    A list entry and a row of a table are paragraphs.
    """

    title: str
    paragraphs: tuple[str, ...]
    headings: tuple[str, ...]
    links: tuple[Link, ...] = ()
