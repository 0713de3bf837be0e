"""Where a page names an object: by a link to it, by its name, or by words like its name.

Chen et al. 2021 (arXiv:2108.06314), section 2.1, rules 1 to 3. The paper does not say against which text the TF-IDF
score is taken; here it is the cosine of the name with any stretch of as many words or fewer, each paragraph being a
document.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from asof.benchmarks.timeqa.history import TextSpan, TimedObject
from asof.pages.page import Page
from asof.timeline import Date

_WORD = re.compile(r"\w+")
_LIKE_ENOUGH = 0.4
_TOO_COMMON = 200  # a word that stands in more places says nothing of where a name is


@dataclass(frozen=True)
class Mentions:
    """Finds objects in one page."""

    page: Page

    def find(self, held: TimedObject) -> TextSpan | None:
        """Return the best place: a link or the name itself, near a date of the fact if there is one; else like it."""
        exact = sorted({*self._linked(held.names), *self._named(held.names)})
        if exact:
            return min(exact, key=lambda span: (-self._dates_near(span, held), span))
        return self._alike(held.names[0]) if held.names else None

    def said(self, span: TextSpan) -> str:
        """Return the words of a place."""
        return self.page.paragraphs[span.paragraph][span.start : span.end]

    def _linked(self, names: Sequence[str]) -> Iterator[TextSpan]:
        for name in names:
            yield from self._links.get(name[:1].upper() + name[1:], ())

    def _named(self, names: Sequence[str]) -> Iterator[TextSpan]:
        for name in names:
            words = _WORD.findall(name)
            if not _is_telling(words):
                continue
            pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
            rarest = min(words, key=lambda word: len(self._occurrences.get(word.lower(), ())))
            for paragraph in sorted({paragraph for paragraph, _, _ in self._occurrences.get(rarest.lower(), ())}):
                for match in pattern.finditer(self.page.paragraphs[paragraph]):
                    yield TextSpan(paragraph, match.start(), match.end())

    def _dates_near(self, span: TextSpan, held: TimedObject) -> int:
        text = self.page.paragraphs[span.paragraph]
        years = {str(date.year) for date in (held.interval.start, held.interval.end) if isinstance(date, Date)}
        return sum(year in text for year in years)

    def _alike(self, name: str) -> TextSpan | None:
        if not _is_telling(_WORD.findall(name)):
            return None
        wanted = Counter(word.lower() for word in _WORD.findall(name))
        weight = {word: count * self._rareness(word) for word, count in wanted.items()}
        length = math.sqrt(sum(value * value for value in weight.values()))
        best: tuple[float, TextSpan] | None = None
        for word in wanted:
            occurrences = self._occurrences.get(word, ())
            for paragraph, number, _ in occurrences if len(occurrences) <= _TOO_COMMON else ():
                for stop in range(number + 1, number + 1 + wanted.total()):
                    window = self._words[paragraph][number:stop]
                    if len(window) < stop - number or window[-1].group().lower() not in wanted:
                        continue
                    if _is_small(window[0].group()) or _is_small(window[-1].group()):
                        continue
                    score = self._cosine(window, weight, length)
                    span = TextSpan(paragraph, window[0].start(), window[-1].end())
                    if score > _LIKE_ENOUGH and (best is None or (-score, span) < (-best[0], best[1])):
                        best = score, span
        return best[1] if best else None

    def _cosine(self, window: Sequence[re.Match[str]], weight: dict[str, float], length: float) -> float:
        counts = Counter(match.group().lower() for match in window)
        theirs = {word: count * self._rareness(word) for word, count in counts.items()}
        shared = sum(theirs[word] * value for word, value in weight.items() if word in theirs)
        return shared / (length * math.sqrt(sum(value * value for value in theirs.values())))

    def _rareness(self, word: str) -> float:
        paragraphs = len({paragraph for paragraph, _, _ in self._occurrences.get(word, ())})
        return math.log((1 + len(self.page.paragraphs)) / (1 + paragraphs)) + 1

    @cached_property
    def _words(self) -> list[list[re.Match[str]]]:
        return [list(_WORD.finditer(paragraph)) for paragraph in self.page.paragraphs]

    @cached_property
    def _occurrences(self) -> dict[str, list[tuple[int, int, int]]]:
        """All words in lower case: paragraph, number of the word, its first letter."""
        found: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for paragraph, words in enumerate(self._words):
            for number, match in enumerate(words):
                found[match.group().lower()].append((paragraph, number, match.start()))
        return dict(found)

    @cached_property
    def _links(self) -> dict[str, list[TextSpan]]:
        found: defaultdict[str, list[TextSpan]] = defaultdict(list)
        for link in self.page.links:
            found[link.target].append(TextSpan(link.paragraph, link.start, link.end))
        return dict(found)


def _is_telling(words: Sequence[str]) -> bool:
    """Tell whether a name can be looked for: "IT" and "76" stand everywhere."""
    return len(words) > 1 or (len(words) == 1 and len(words[0]) > 2 and not words[0].isdigit())


def _is_small(word: str) -> bool:
    """Tell whether a word begins and ends no name: "of", "the"."""
    return len(word) <= 3 and word.islower()
