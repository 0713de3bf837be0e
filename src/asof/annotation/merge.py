"""The verified benchmark: what most of the people who saw an item say of it.

An answer counts when more than half of them marked the same span. Where that leaves people apart (half say that there
is no answer, or no span has a majority) the item is left out, and so is one that nobody has seen.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from asof.annotation.work import Decision, Span, read_spans, words_at, written_spans
from asof.benchmarks import (
    Account,
    Benchmark,
    BenchmarkDocument,
    BenchmarkTables,
    Item,
    Tag,
    documents,
    documents_table,
    save,
    tables_of,
)
from asof.errors import UserError, did_you_mean


@dataclass(frozen=True)
class MergedBenchmark:
    """The new benchmark, and how many items stayed as they were, changed, were in dispute or not seen."""

    benchmark: Benchmark
    kept: int
    changed: int
    disputed: tuple[str, ...]
    unseen: int


def merge(
    benchmark: Benchmark,
    work: Mapping[str, Mapping[str, Decision]],
    folder: Path,
    *,
    paraphrases: Mapping[str, str] | None = None,
) -> MergedBenchmark:
    """Write the items that people verified as a benchmark of its own."""
    _keep_apart(benchmark, folder)
    texts = documents(benchmark)
    items, disputed, unseen, changed = [], [], 0, 0
    for item in benchmark.items():
        seen = [decisions[item.id] for decisions in work.values() if item.id in decisions]
        spans = majority(seen)
        if not seen:
            unseen += 1
        elif spans is None:
            disputed.append(item.id)
        else:
            changed += set(spans) != set(read_spans(_text(item, "spans")))
            verified = _verified(item, spans, texts[str(item.tags["document"])], len(seen))
            items.append(_reworded(verified, paraphrases))
    left_out = {"nobody has annotated it": unseen, "annotators disagree": len(disputed)}
    account = Account({}, tuple(_missing(count, why) for why, count in left_out.items() if count))
    made = _save(benchmark, items, texts, folder, account, verified_by=sorted(work))
    return MergedBenchmark(made, len(items) - changed, changed, tuple(disputed), unseen)


def reword(benchmark: Benchmark, paraphrases: Mapping[str, str], folder: Path) -> Benchmark:
    """Write a benchmark again with other words for some of its questions."""
    _keep_apart(benchmark, folder)
    items = [_reworded(item, paraphrases) for item in benchmark.items()]
    return _save(benchmark, items, documents(benchmark), folder, benchmark.account)


def majority(seen: Sequence[Decision]) -> tuple[Span, ...] | None:
    """Return the spans that more than half of the people marked; None when most do not agree on anything.

    >>> majority([Decision("a", ((0, 1, 5),)), Decision("a", ((0, 1, 5), (2, 0, 3))), Decision("a", ())])
    ((0, 1, 5),)
    """
    counts = Counter(span for decision in seen for span in set(decision.spans))
    agreed = tuple(sorted(span for span, count in counts.items() if 2 * count > len(seen)))
    without = sum(not decision.spans for decision in seen)
    return agreed if agreed or 2 * without > len(seen) else None


def read_paraphrases(path: Path, benchmark: Benchmark) -> dict[str, str]:
    """Read a CSV or TSV file with the columns id and question; every id must be one of an item."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter="," if path.suffix.lower() == ".csv" else "\t")
            if not {"id", "question"} <= set(reader.fieldnames or ()):
                raise UserError(
                    f"{path} needs the columns id and question; it has {', '.join(reader.fieldnames or ())}."
                )
            found = {(row["id"] or "").strip(): (row["question"] or "").strip() for row in reader}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"Could not read {path}: {error}.") from error
    known = [item.id for item in benchmark.items()]
    for id, question in found.items():
        if id not in set(known):
            raise UserError(f"{path}: {benchmark.folder} has no item {id!r}.{did_you_mean(id, known)}")
        if not question:
            raise UserError(f"{path}: the item {id!r} has no question. Add one, or delete the line.")
    return found


def _missing(count: int, why: str) -> str:
    return f"{count:,} {'item is' if count == 1 else 'items are'} not there: {why}."


def _keep_apart(benchmark: Benchmark, folder: Path) -> None:
    if folder.resolve() == benchmark.folder.resolve():
        raise UserError(f"{folder} is the benchmark itself. Give another folder, so that it is not overwritten.")


def _verified(item: Item, spans: tuple[Span, ...], text: BenchmarkDocument, people: int) -> Item:
    answers = item.answers
    if set(spans) != set(read_spans(_text(item, "spans"))):
        answers = tuple(dict.fromkeys(words_at(text, span) for span in spans))
    tags: dict[str, Tag] = {"answerable": int(bool(spans)), "spans": written_spans(spans), "verified_by": people}
    return replace(item, answers=answers if spans else (), tags=item.tags | tags)


def _reworded(item: Item, paraphrases: Mapping[str, str] | None) -> Item:
    if paraphrases is None:
        return item
    return replace(
        item, prompt=paraphrases.get(item.id, item.prompt), tags=item.tags | {"template_question": item.prompt}
    )


def _text(item: Item, tag: str) -> str | None:
    value = item.tags.get(tag)
    return None if value is None else str(value)


def _save(
    benchmark: Benchmark,
    items: list[Item],
    texts: Mapping[str, BenchmarkDocument],
    folder: Path,
    account: Account,
    **more: object,
) -> Benchmark:
    used = {item.tags["document"] for item in items}
    own = {name: benchmark.description[name] for name in ("name", "paper", "probe", "language", "settings")}
    base = {"name": benchmark.base, "hash": benchmark.description["base"]["hash"]}
    own |= {name: benchmark.description[name] for name in ("group",) if name in benchmark.description}
    about = own | {"base": base, "items_before": benchmark.items_sha256} | more
    kept = [text for id, text in texts.items() if id in used]
    made = BenchmarkTables(tables_of(items), account, documents=documents_table(kept) if kept else None)
    return save(folder, made, about)
