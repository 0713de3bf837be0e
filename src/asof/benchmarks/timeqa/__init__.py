"""TimeQA: questions whose answer depends on the time they name, easy and hard, with or without the page that tells it.

Chen et al. 2021 (arXiv:2108.06314), section 2. Histories of subjects whose objects change in; one item per segment and
level out: "Which team did LeBron James play for between May 2012 and July 2013?" What a time asks for is said in
``times.py``, how questions are made in ``corrected.py``
and ``chen2021.py``, how pages are read in ``pages.py``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import ClassVar, Literal

import pyarrow as pa

from asof.benchmarks._account import Account, Omission, pairs_left_out
from asof.benchmarks._documents import BenchmarkDocument, documents_table
from asof.benchmarks._folder import BenchmarkTables, tables_of
from asof.benchmarks._item import Item
from asof.benchmarks._relations import relations_to_ask
from asof.benchmarks.timeqa.chen2021 import published_questions
from asof.benchmarks.timeqa.corrected import sound_questions
from asof.benchmarks.timeqa.files import timeqa_file
from asof.benchmarks.timeqa.histories import HistoryQuota, read_histories
from asof.benchmarks.timeqa.history import History, Level, TimeQaQuestion
from asof.benchmarks.timeqa.items import ItemWriter, published_item, statistics
from asof.benchmarks.timeqa.pages import histories_with_pages
from asof.benchmarks.timeqa.parts import part_of, question_files
from asof.errors import UserError
from asof.facts import FactStore
from asof.facts.definitions.selections import PAIR
from asof.facts.engines import open_engine
from asof.facts.manifest import sha256_of
from asof.registry import benchmarks
from asof.timeline import Date, latest_stated_day
from asof.wording import Wording

Protocol = Literal["corrected", "chen2021"]
Levels = Literal["both", "easy", "hard"]
Parts = Literal["all", "train", "dev", "train+dev", "test"]


@benchmarks.register("timeqa")
@dataclass(frozen=True, kw_only=True)
class TimeQa:
    """Which answer is right at the time that a question names? Easy and hard times, with or without a page to read.

    Args:
        facts: So many histories (a subject and relation with all its objects) at most, drawn by seed.
        per_relation: So many of one relation at most, so that none dominates.
        pages: Where the pages of subjects are: a Wikipedia dump (.xml, .xml.bz2), or a folder of text files named by
            title. An answer is then what the page says, and what it does not say is unanswerable.
        files: Files of the published dataset, with commas between, or the folder of its questions. Annotated histories
            are asked about by the protocol, questions are taken as they are; the base is not read.
        part: Of published questions only those about the pages of one part (a page is in one, by a hash of its link).
        relations: Ids or names with commas between; all that can be asked for, if not given.
        protocol: "corrected" lists exactly the right answers and asks nothing that an imprecise date decides;
            "chen2021" keeps the published rules, sound or not.
        unanswerable: The share of questions about a time in which nothing held; for "corrected".
        most_answers: Ask nothing that has more right answers; for "corrected".
        aliases: Accept other names of right answers.
        templates: A TOML file of sentences and questions that go before ours, for these and other relations.
    """

    name: ClassVar[str] = "timeqa"
    paper: ClassVar[str] = "arXiv:2108.06314"
    probe: ClassVar[str] = "write-answer"
    probes: ClassVar[tuple[str, ...]] = ("write-answer",)
    report_with: ClassVar[str] = "timeqa"
    group: ClassVar[str] = "subject–relation pair"

    facts: int = 5500  # histories, as in the paper
    per_relation: int = 500  # the paper's large relations have "over 500"
    levels: Levels = "both"
    pages: str | None = None
    files: str | None = None
    part: Parts = "all"
    relations: str | None = None
    protocol: Protocol = "corrected"
    unanswerable: float = 0.12  # the share of segments that people found to be so (section 2.1)
    most_answers: int = 5
    aliases: bool = False
    templates: str | None = None
    seed: int = 42

    def __post_init__(self) -> None:
        """See that the share is one."""
        if not 0 <= self.unanswerable < 1:
            raise UserError(f"unanswerable is a share from 0 to below 1, not {self.unanswerable:g}.")

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        """Make the items, histories in the order of their subjects, easy before hard."""
        return iter(self._work(store, say).items)

    def made(self, store: FactStore, say: Wording) -> BenchmarkTables:
        """Make all items, with the documents that they are about and the counts of the paper's table 1."""
        work = self._work(store, say)
        used = {item.tags["document"] for item in work.items}
        texts = [text for id, text in work.documents.items() if id in used]
        return BenchmarkTables(
            tables_of(work.items),
            Account(work.left_out, tuple(work.notes)),
            statistics(work.items) if work.items else None,
            documents_table(texts) if texts else None,
            work.made_from,
        )

    def _work(self, store: FactStore, say: Wording) -> _Work:
        if say.language != "en":
            raise UserError("timeqa asks in English only. Omit --language.")
        say = dataclasses.replace(say, own=Path(self.templates)) if self.templates else say
        work = self._from_files() if self.files else self._from_base(store, say)
        writer = ItemWriter(say, self.seed, self._as_published, self.aliases)
        silent: list[History] = []
        for history in work.histories:
            before = len(work.items)
            for level in self._levels:
                work.items += writer.items(history, level, self._questions(history, level, work.known_by))
            if len(work.items) == before:
                silent.append(history)
        work.left_out |= self._of_silent(silent, store)
        if writer.partly_told:
            work.notes.append(
                f"Skipped because the page has only some of the right answers: {writer.partly_told:,} questions."
            )
        return work

    @property
    def _as_published(self) -> bool:
        return self.protocol == "chen2021"

    @property
    def _levels(self) -> tuple[Level, ...]:
        return ("easy", "hard") if self.levels == "both" else (self.levels,)

    def _questions(self, history: History, level: Level, known_by: Date | None) -> Iterator[TimeQaQuestion]:
        random = Random(f"{self.seed} {history.group} {level}")
        if self._as_published:
            return published_questions(history, level, random)
        return sound_questions(
            history,
            level,
            random,
            most_answers=self.most_answers,
            unanswerable=self.unanswerable,
            known_by=known_by,
        )

    def _of_silent(self, histories: list[History], store: FactStore) -> dict[str, Omission]:
        """Tell of histories that no question is about."""
        if self._as_published:
            why = "of histories without a segment that has two ends"
            advice = "Give them a start and an end in the source of the base, or omit --protocol chen2021."
        else:
            why = "of histories about which no question has certain answers"
            advice = "Give their facts more precise dates in the source of the base, or use --protocol chen2021."
        if self.files:  # published histories are in no base
            first = f"{histories[0].subject_label}, {histories[0].relation_label}" if histories else ""
            return {why: Omission(sum(len(one.held) for one in histories), first, advice)} if histories else {}
        pairs = {name: pa.array([getattr(one, name) for one in histories], pa.string()) for name in PAIR}
        return pairs_left_out(pa.table(pairs | {"reason": pa.repeat(why, len(histories))}), {why: advice}, store)

    def _from_base(self, store: FactStore, say: Wording) -> _Work:
        wanted = HistoryQuota(
            relations=relations_to_ask(store, say, self.relations, asking=True),
            per_relation=self.per_relation,
            in_all=self.facts,
            seed=self.seed,
        )
        if self.pages is None:
            histories, left_out = read_histories(wanted, store, say, open_engine())
            return _Work(histories=histories, left_out=left_out)
        found = histories_with_pages(Path(self.pages), wanted, store, say, open_engine())
        return _Work(
            histories=found.histories,
            documents=found.documents,
            left_out=found.left_out,
            notes=list(found.notes),
            known_by=store.known_by,
        )

    def _from_files(self) -> _Work:
        work = _Work()
        hashes = []
        given = (Path(name.strip()) for name in (self.files or "").split(","))
        paths = [path for one in given for path in question_files(one)]
        for path in paths:
            found = timeqa_file(path)
            hashes.append(sha256_of(path))
            work.histories += found.histories
            work.documents |= found.documents
            if self.levels in ("both", found.level):
                asked = [
                    one for one in found.questions if self.part == "all" or part_of(one.link) in self.part.split("+")
                ]
                work.items += [published_item(question, found.level) for question in asked]
        names = ", ".join(path.name for path in paths)
        work.made_from = {"name": names, "hash": " ".join(hashes)}
        # The files state no day up to which they are known, so the latest that they show stands in.
        intervals = (held.interval for history in work.histories for held in history.held)
        work.known_by = latest_stated_day(intervals, Date.today())
        work.histories = [history.known_up_to(work.known_by) for history in work.histories[: self.facts]]
        return work


@dataclass
class _Work:
    """What is there before questions are asked, and the items when they are."""

    histories: list[History] = field(default_factory=list)
    documents: dict[str, BenchmarkDocument] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    left_out: dict[str, Omission] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    made_from: dict[str, str] | None = None
    known_by: Date | None = None  # the day up to which what goes on is known to
