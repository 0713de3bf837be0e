"""One spelling for each name: those that differ in case, white space or Unicode form alone are one name.

The spelling that comes first stays. What is nearly alike (other accents, other signs, a letter more) is told only.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import pyarrow as pa
import pyarrow.compute as pc

from asof.facts.near_names import likeness
from asof.sources.table.names import clean_names

_MOST_COMPARED = 50_000  # names whose near variants are looked for
_MOST_PAIRED = 300  # relations that are compared in pairs
_ALIKE = 0.85


@dataclass
class Spellings:
    """The names of one kind that a table has, and how each was written."""

    _kept: dict[str, str] = field(default_factory=dict)  # key -> the first spelling
    _others: dict[str, dict[str, None]] = field(default_factory=dict)  # the first spelling -> others that are the same

    def merged(self, values: pa.Array) -> pa.Array:
        """Return the names, each in the spelling that came first."""
        encoded = pc.fill_null(values.cast(pa.string()), "").dictionary_encode()
        written = encoded.dictionary
        shown = clean_names(written)
        keys = pc.utf8_lower(pc.utf8_normalize(shown, form="NFKC"))
        keys = pc.replace_substring_regex(keys, pattern=r"\s+", replacement=" ").to_pylist()
        names = written.to_pylist()
        first = [self._kept.setdefault(key, name) for key, name in zip(keys, shown.to_pylist(), strict=True)]
        if first == names:
            return written.take(encoded.indices)
        for kept, name in zip(first, names, strict=True):
            if kept and kept != name:
                self._others.setdefault(kept, {})[name] = None
        return pa.array(first, pa.string()).take(encoded.indices)

    def same(self) -> list[tuple[str, list[str]]]:
        """Return the names that were written in several ways."""
        return [(kept, list(others)) for kept, others in self._others.items()]

    def near(self, *, in_pairs: bool) -> list[list[str]]:
        """Return names that may be the same, but were not merged.

        Args:
            in_pairs: Whether also a letter more or less counts; with many names, too many differ by one.
        """
        if len(self._kept) > _MOST_COMPARED:
            return []
        groups: dict[str, list[str]] = {}
        for key, name in self._kept.items():
            if loose := _loose(key):
                groups.setdefault(loose, []).append(name)
        found = [names for names in groups.values() if len(names) > 1]
        return found + (list(_pairs(list(groups.items()))) if in_pairs and len(groups) <= _MOST_PAIRED else [])


def _loose(key: str) -> str:
    """Return letters and digits without accents."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", key) if letter.isalnum())


def _pairs(groups: list[tuple[str, list[str]]]) -> Iterator[list[str]]:
    for (one, names), (other, more) in combinations(groups, 2):
        digits = [[sign for sign in key if sign.isdigit()] for key in (one, other)]
        if digits[0] == digits[1] and likeness(one, other) >= _ALIKE:
            yield [names[0], more[0]]
