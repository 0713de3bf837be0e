"""Of a document that is as long as a book, the parts that are worth reading for some questions.

Reading takes time by the word; beyond some pages most of it says nothing about what is asked. What is left out is
chosen by the words of the questions and of the headings, rare ones first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from asof.reading.answers import ParagraphSpan
from asof.reading.documents import Document
from asof.reading.index import words_of
from asof.reading.sections import Paragraph
from asof.reading.times.asked import asked_time

MOST_WORDS = 20_000  # the longest page of TimeQA has 16,000
_PART = 120  # words: sentences are put together until there are so many


@dataclass(frozen=True)
class ShortDocument:
    """What is left of a document, and where each of its paragraphs stands there: paragraph and letter."""

    document: Document
    origins: tuple[tuple[int, int], ...]

    def original(self, span: ParagraphSpan) -> ParagraphSpan:
        """Return where a span stands in the whole document."""
        paragraph, offset = self.origins[span.paragraph]
        return ParagraphSpan(paragraph, span.start + offset, span.end + offset)


def shortened(document: Document, questions: Sequence[str], *, most: int = MOST_WORDS) -> ShortDocument:
    r"""Return a document as it is, or the parts of a long one that share the most with questions.

    >>> page = Document.from_text("It rained a lot .\nAnn Lee managed the club .\nIt snowed a lot , too .")
    >>> short = shortened(page, ["Who managed the club in 1990?"], most=6)
    >>> [one.text for one in short.document.paragraphs], short.original(ParagraphSpan(0, 0, 7)).paragraph
    (['Ann Lee managed the club .'], 1)
    """
    if document.words <= most:
        return ShortDocument(document, tuple((number, 0) for number in range(len(document.paragraphs))))
    parts = _parts(document)
    words = [set(words_of(f"{document.paragraphs[one].section} {text}")) for one, _, text in parts]
    counts = Counter(word for some in words for word in some)
    wanted = {word for question in questions for word in words_of(asked_time(question).rest)}
    rarity = {word: math.log(1 + len(parts) / counts[word]) for word in wanted if counts[word]}
    scores = [sum(rarity[word] for word in some if word in rarity) for some in words]
    kept, total = list[int](), 0
    for number in sorted(range(len(parts)), key=lambda number: (-scores[number], number)):
        total += len(parts[number][2].split())
        if total > most and kept:
            break
        kept.append(number)
    chosen = [parts[number] for number in sorted(kept)]
    short = [
        Paragraph(document.paragraphs[one].section, text, document.paragraphs[one].entry) for one, _, text in chosen
    ]
    return ShortDocument(Document(document.title, tuple(short)), tuple((one, start) for one, start, _ in chosen))


def _parts(document: Document) -> list[tuple[int, int, str]]:
    """Put the sentences of each paragraph together to parts: paragraph, first letter, text."""
    found: list[tuple[int, int, str]] = []
    first = end = count = 0
    paragraph = -1

    def close() -> None:
        if paragraph >= 0:
            found.append((paragraph, first, document.paragraphs[paragraph].text[first:end]))

    for sentence in document.sentences:
        words = len(document.text_of(sentence).split())
        if sentence.paragraph != paragraph or count + words > _PART:
            close()
            paragraph, first, count = sentence.paragraph, sentence.start, 0
        end, count = sentence.end, count + words
    close()
    return found
