"""Sentences with the verdicts that are right: of the almanac, and of bases made from the tables of strangers."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from asof.facts import FactStore, write_base
from asof.facts.rewrite import set_relations
from asof.reading.verify.verification import TextVerification, TextVerifier
from asof.sources import open_source
from asof.timeline import Date, parse_when

DATA = Path(__file__).parents[1] / "data" / "verify"
TABLES = Path(__file__).parent / "foreign"
KNOWN_BY = Date.parse("2024-12-31")
LETTERS = {"holds": "H", "outdated": "O", "not yet": "N", "contradicted": "C", "unknown": "U"}


@dataclass(frozen=True)
class GoldSentence:
    """A text, and what is right to say of it: a letter for each claim; "-" for none."""

    base: str
    on: str
    gold: str
    text: str


def rows_of(name: str) -> list[dict[str, str]]:
    """Read a file of texts."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def gold_sentences(name: str) -> list[GoldSentence]:
    """Read a file of sentences."""
    return [GoldSentence(row["base"], row["on"], row["gold"], row["text"]) for row in rows_of(name)]


def table_base(name: str, folder: Path) -> FactStore:
    """Make a base of a table."""
    own = DATA / f"{name}.csv"
    table = own if own.is_file() else TABLES / f"{name}.csv"
    write_base(folder / name, [open_source(str(table))], known_by=KNOWN_BY)
    meanings = DATA / f"{name}_relations.csv"
    if meanings.is_file():
        with meanings.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        told = {row["relation"]: {"one_at_a_time": True, "kind": row["kind"]} for row in rows}
        set_relations(folder / name, told)
    return FactStore(folder / name)


def told(found: TextVerification) -> list[str]:
    """Return what is said of each claim: a letter, small where it is only possible."""
    letters = [(LETTERS[one.judgement.verdict], one.judgement.possibly) for one in found.claims]
    return [letter.lower() if possibly else letter for letter, possibly in letters]


@dataclass
class Tally:
    """Counts what is right of what was judged."""

    right: int = 0
    judged: int = 0
    wanted: int = 0
    sentences: int = 0
    left_alone: int = 0
    unknown: int = 0
    possibly: int = 0

    def add(self, gold: str, said: list[str]) -> bool:
        """Count one text; tell whether everything that was said surely is right."""
        wanted = Counter(letter for letter in gold if letter in "HONC")
        sure = Counter(letter for letter in said if letter in "HONC")
        self.sentences += 1
        self.judged += sure.total()
        self.right += (sure & wanted).total()
        self.wanted += wanted.total()
        self.left_alone += not said
        self.unknown += bool(said) and set(said) <= {"U", "u"}
        self.possibly += any(letter in "hocn" for letter in said)
        return sure <= wanted

    @property
    def precision(self) -> float:
        """The share of right verdicts."""
        return self.right / self.judged if self.judged else 1.0

    def __str__(self) -> str:
        return (
            f"{self.right} of {self.judged} verdicts right ({self.precision:.3f}); "
            f"{self.right} of {self.wanted} claims found; of "
            f"{self.sentences} sentences {self.left_alone} left alone, {self.unknown} unknown, {self.possibly} possibly"
        )


def verifier(store: FactStore, on: str) -> TextVerifier:
    """Return a verifier as of a date."""
    return TextVerifier(store, on=parse_when(on))
