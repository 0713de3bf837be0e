"""A document as readers see it: a title and its paragraphs, each with the heading above it.

Comes from plain text (paragraphs by blank or new lines, headings by their look), from wikitext-like lines, or from the
published TimeQA files, where a document is one long line and its sections stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from asof.benchmarks import BenchmarkDocument

_ENTRY = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_BETWEEN_ENTRIES = re.compile(r"(?:^|(?<=\s))[-*•] (?=\S)")
_ONLY_TIME = re.compile(r"[\s\d?()–—./:,-]*(?:present)?[\s\d?()–—./:,-]*$")
_LONGEST_HEADING = 8  # words
# Tokenised text parts "D . C ." and "Maj . George": a full stop after these ends no sentence.
_ABBREVIATIONS_TEXT = """
    mr mrs ms dr st maj gen col lt capt sgt prof rev hon gov sen rep jr sr vs no vol fig op cf ca c approx inc ltd co
    corp bros dept univ est ft mt adm cmdr messrs mme mlle e.g i.e etc jan feb mar apr jun jul aug sep sept oct nov dec
"""
_ABBREVIATIONS = frozenset(_ABBREVIATIONS_TEXT.split())
_STOP = re.compile(r"(?P<before>\S*?)\s?[.!?]+[\"'”’)]*\s+(?=[\"'“‘(]?[A-Z0-9À-ÖØ-Þ])")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or a list entry, with the heading above it."""

    section: str
    text: str
    entry: bool = False


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
            Sentence(place, start, end)
            for place, paragraph in enumerate(self.paragraphs)
            for start, end in ([(0, len(paragraph.text))] if paragraph.entry else split_sentences(paragraph.text))
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
        section, found = title, []
        lines = [line.strip() for line in text.splitlines()]
        for line in lines:
            if not line:
                continue
            entry = _ENTRY.match(line)
            if entry:
                found.append(Paragraph(section, line[entry.end() :], entry=True))
            elif _looks_like_heading(line) and len(lines) > 1:
                section = line.strip("=# .")
            else:
                found.append(Paragraph(section, line))
        return cls(title, tuple(found))

    @classmethod
    def from_sections(cls, title: str, sections: Sequence[tuple[str, str]]) -> Document:
        """Read sections (heading, text on one line) in which list entries are parted by " - ", as TimeQA has them."""
        return cls(title, tuple(part for heading, text in sections for part in _paragraphs(heading, text)))

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


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Find the sentences of a paragraph, also where every sign stands alone between spaces.

    >>> text = "He led D . C . United until 1990 . Maj . Lee followed . In 1995 he left."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['He led D . C . United until 1990 .', 'Maj . Lee followed .', 'In 1995 he left.']
    """
    start = 0
    for match in _STOP.finditer(text):
        before = match["before"].rstrip(".").lower()
        if before in _ABBREVIATIONS or re.fullmatch(r"(?:[^\W\d_]\.)*[^\W\d_]", before):
            continue
        end = match.end()
        stripped = text[start:end].rstrip()
        if stripped:
            yield start, start + len(stripped)
        start = end
    if text[start:].strip():
        yield start, start + len(text[start:].rstrip())


def _looks_like_heading(line: str) -> bool:
    if line.startswith(("=", "#")):
        return True
    plain = line.removesuffix(".").rstrip()
    return len(plain.split()) <= _LONGEST_HEADING and plain[:1].isupper() and not re.search(r"[.!?:;]$|\d{4}", plain)


def _paragraphs(heading: str, text: str) -> Iterator[Paragraph]:
    """Part a section's text into prose and list entries; an entry that is only a time belongs to the next."""
    parts = _BETWEEN_ENTRIES.split(text)
    if parts[0].strip():
        yield Paragraph(heading, parts[0].strip())
    waiting = ""
    for part in parts[1:]:
        part = part.strip()
        if _ONLY_TIME.match(part):
            waiting = f"{waiting} - {part}" if waiting else part
            continue
        yield Paragraph(heading, f"{waiting} - {part}" if waiting else part, entry=True)
        waiting = ""
    if waiting:
        yield Paragraph(heading, waiting, entry=True)
