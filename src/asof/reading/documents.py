"""A document as readers see it: a title and its paragraphs, each with the heading above it.

Comes from plain text (paragraphs by blank or new lines, headings by their look), from wikitext-like lines, or from the
published TimeQA files, where a document is one long line and its sections stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from asof.benchmarks import BenchmarkDocument
from asof.reading.sections import LONGEST_HEADING, Paragraph, entry_of, heading_of, paragraphs_of, split_sentences

_LONGEST = 4000  # letters of a sentence
_ENTRY = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or a list entry: where it stands in its paragraph."""

    paragraph: int
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    r"""What a reader reads.

    >>> page = Document.from_text("Managers\n- Ann Lee ( 1990–1995 )\n- Bo Ek ( 1995– )", title="FC Example")
    >>> [(paragraph.section, paragraph.text, paragraph.entry) for paragraph in page.paragraphs]
    [('Managers', 'Ann Lee ( 1990–1995 )', True), ('Managers', 'Bo Ek ( 1995– )', True)]
    """

    title: str
    paragraphs: Sequence[Paragraph]

    @cached_property
    def sentences(self) -> list[Sentence]:
        """All sentences in their order; a list entry is one."""
        return [
            Sentence(index, start, end)
            for index, paragraph in enumerate(self.paragraphs)
            for begin, stop in ([(0, len(paragraph.text))] if paragraph.entry else split_sentences(paragraph.text))
            for start, end in _bounded(paragraph.text, begin, stop)
        ]

    def text_of(self, sentence: Sentence) -> str:
        """Return the text of a sentence."""
        return self.paragraphs[sentence.paragraph].text[sentence.start : sentence.end]

    @cached_property
    def words(self) -> int:
        """How many words it has."""
        return sum(len(paragraph.text.split()) for paragraph in self.paragraphs)

    @classmethod
    def from_text(cls, text: str, *, title: str = "") -> Document:
        """Read plain text: a line is a paragraph, a short line without a full stop is a heading."""
        section, found = title, list[Paragraph]()
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        for line, following in pairwise([*lines, ""]):
            entry = _ENTRY.match(line)
            if entry:
                found += entry_of(section, line[entry.end() :])
            elif len(lines) > 1 and (_looks_like_heading(line) or _opens_list(line, following)):
                section = line.strip("=#: .")
            else:
                found.append(Paragraph(section, line))
        return cls(title, tuple(found))

    @classmethod
    def from_sections(cls, title: str, sections: Sequence[tuple[str, str]]) -> Document:
        """Read sections (heading, text on one line) in which list entries are parted by " - ", as TimeQA has them."""
        return cls(title, tuple(part for heading, text in sections for part in paragraphs_of(heading, text)))

    @classmethod
    def from_benchmark(cls, document: BenchmarkDocument) -> Document:
        """Read a document of a benchmark: its paragraphs, each with the heading above it."""
        return cls._of_headed(document.title, list(zip(document.headings, document.paragraphs, strict=True)))

    @classmethod
    def _of_headed(cls, title: str, sections: Sequence[tuple[str, str]]) -> Document:
        """Read sections at whose end the heading of the next one may still stand, as in a text that is one line."""
        cleaned = []
        for number, (name, text) in enumerate(sections):
            following = sections[number + 1][0] if number + 1 < len(sections) else ""
            cut = text.rstrip().removesuffix(".").rstrip()
            if following and following != name and cut.endswith(following):
                text = cut.removesuffix(following)
            cleaned.append((name or title, text))
        return cls.from_sections(title, cleaned)


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut what is too long for a sentence, such as a table in one line, at its spaces."""
    while end - start > _LONGEST:
        space = text.rfind(" ", start + _LONGEST // 2, start + _LONGEST)
        cut = space if space > 0 else start + _LONGEST
        yield start, cut
        start = cut + (space > 0)
    yield start, end


def _opens_list(line: str, following: str) -> bool:
    """Tell whether a line such as "Managers:" stands over a list."""
    short = line.endswith(":") and len(line.split()) <= LONGEST_HEADING
    return short and bool(_ENTRY.match(following))


def _looks_like_heading(line: str) -> bool:
    if line.startswith(("=", "#")):
        return True
    plain = line.removesuffix(".").rstrip()
    if plain != line and not heading_of(line):
        return False  # "She married Bo Ek." is a sentence
    return len(plain.split()) <= LONGEST_HEADING and plain[:1].isupper() and not re.search(r"[.!?:;]$|\d{4}", plain)
