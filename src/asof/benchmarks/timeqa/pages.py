"""Histories that a page tells: each object in its place, or not there.

Chen et al. 2021 (arXiv:2108.06314), section 2.1: histories of which the page lacks more than half of the segments are
left out, then frequent relations are sampled down. Pages stream by once; only those that are kept stay in memory.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from asof.benchmarks._account import Omission, pairs_left_out
from asof.benchmarks._documents import BenchmarkDocument
from asof.benchmarks.timeqa.histories import HistoryQuota, evolving_pairs, histories_of
from asof.benchmarks.timeqa.history import History, TimedObject
from asof.benchmarks.timeqa.mentions import Mentions
from asof.errors import UserError
from asof.facts import FactStore
from asof.facts.engines import Engine
from asof.pages import open_pages
from asof.pages.page import Page
from asof.wording import Wording

_PAGES_AT_A_TIME = 200

_SHARED = "of subjects that share a name, so that their page is not known"
_LACKING = "of histories of which the page lacks more than half"
_NO_PAGE = "of subjects without a page"
_NOT_DRAWN = "not drawn"
_ADVICE = {
    _SHARED: "Give them names of their own in the base, as titles of pages are.",
    _LACKING: "Give pages with more of the history, or omit --pages.",
    _NO_PAGE: "Add their pages, titled by the name of the subject, or omit --pages.",
    _NOT_DRAWN: "To include more: --limit N, --set per_relation=N",
}


@dataclass
class DocumentedHistories:
    """Histories with their documents, and what became of the others."""

    histories: list[History] = field(default_factory=list)
    documents: dict[str, BenchmarkDocument] = field(default_factory=dict)
    left_out: dict[str, Omission] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def histories_with_pages(
    path: Path, wanted: HistoryQuota, store: FactStore, say: Wording, engine: Engine
) -> DocumentedHistories:
    """Find the histories of a base that pages tell, and draw from them."""
    reader = open_pages(path)
    pairs, left_out = evolving_pairs(wanted, store, engine)
    subjects, shared = _by_title(pairs, store)
    drawing = _Drawing(wanted)
    pages_read, asked_of, lacking = 0, set[str](), set[tuple[str, str]]()
    stream = reader.pages(subjects)
    while batch := list(islice(stream, _PAGES_AT_A_TIME)):
        pages_read += len(batch)
        by_subject = {subjects[page.title]: page for page in batch}
        asked_of |= by_subject.keys()
        for history in histories_of(_pairs_of(by_subject, pairs), store, say):
            page = by_subject[history.subject]
            told = aligned(history, page)
            if told is None:
                lacking.add((history.subject, history.relation))
            else:
                drawing.add(told, page)
    if not pages_read:
        raise UserError(
            f"{path} has no page of a subject of {store.manifest.name}: titles must be the names of subjects."
        )
    drawing.into(result := DocumentedHistories(notes=tuple(reader.problems)))
    drawn = {(history.subject, history.relation) for history in result.histories}

    def reason(subject: str, relation: str) -> str | None:
        if (subject, relation) in drawn:
            return None
        if subject not in asked_of:
            return _SHARED if subject in shared else _NO_PAGE
        return _LACKING if (subject, relation) in lacking else _NOT_DRAWN

    keys = zip(pairs["subject"].to_pylist(), pairs["relation"].to_pylist(), strict=True)
    reasons = pa.array([reason(*key) for key in keys], pa.string())
    judged = pairs.append_column("reason", reasons)
    result.left_out = left_out | pairs_left_out(judged.filter(pc.is_valid(judged["reason"])), _ADVICE, store)
    return result


def aligned(history: History, page: Page) -> History | None:
    """Put each object in its place of a page; None when the page lacks more than half of the segments."""
    mentions = Mentions(page)
    held = tuple(_located(one, mentions) for one in history.held)
    told = replace(history, held=held, document=page.title)
    lacking = sum(not any(one.span for one in segment.held) for segment in told.segments)
    return told if told.segments and 2 * lacking <= len(told.segments) else None


def _located(held: TimedObject, mentions: Mentions) -> TimedObject:
    span = mentions.find(held)
    return replace(held, span=span, said=mentions.said(span)) if span else held


def _by_title(pairs: pa.Table, store: FactStore) -> tuple[dict[str, str], set[str]]:
    """Return the subject of each title, and the subjects whose name others have too."""
    ids = pairs["subject"].unique().to_pylist()
    titles: defaultdict[str, list[str]] = defaultdict(list)
    for id, label in store.labels(ids).items():
        titles[label].append(id)
    several = {id for found in titles.values() if len(found) > 1 for id in found}
    return {title: found[0] for title, found in titles.items() if len(found) == 1}, several


def _pairs_of(subjects: Iterable[str], pairs: pa.Table) -> pa.Table:
    return pairs.filter(pc.is_in(pairs["subject"], pa.array(list(subjects), pa.string())))


class _Drawing:
    """Draws histories by lot, at most so many of one relation, all relations in turn, as the recipe does."""

    def __init__(self, wanted: HistoryQuota) -> None:
        self.passed = 0
        self._wanted = wanted
        self._kept: defaultdict[str, list[tuple[int, str, History, Page]]] = defaultdict(list)

    def add(self, history: History, page: Page) -> None:
        """Take a history into the drawing; the lots that are too high already are forgotten."""
        self.passed += 1
        text = f"{self._wanted.seed} {history.subject} {history.relation}"
        lot = int.from_bytes(hashlib.sha256(text.encode()).digest())
        kept = self._kept[history.relation]
        heapq.heappush(kept, (-lot, history.subject, history, page))
        if len(kept) > self._wanted.per_relation:
            heapq.heappop(kept)

    def into(self, result: DocumentedHistories) -> None:
        """Put what is drawn into a result, in the order of subject and relation."""
        dealt = sorted(
            (turn, -negative, history.subject, history.relation, number)
            for number, (turn, negative, history, _) in enumerate(self._turns())
        )
        all_of_them = [(history, page) for _, _, history, page in self._turns()]
        chosen = [all_of_them[number] for *_, number in dealt[: self._wanted.in_all]]
        for history, page in sorted(chosen, key=lambda pair: (pair[0].subject, pair[0].relation)):
            result.histories.append(history)
            result.documents[page.title] = BenchmarkDocument(page.title, page.title, page.paragraphs, page.headings)

    def _turns(self) -> Iterator[tuple[int, int, History, Page]]:
        for relation in sorted(self._kept):
            ordered = sorted(self._kept[relation], key=lambda entry: (-entry[0], entry[1]))
            for turn, (negative, _, history, page) in enumerate(ordered):
                yield turn, negative, history, page
