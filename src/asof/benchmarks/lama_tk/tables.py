"""From masks to the items of LAMA-TK, as tables: fact by fact, each with all its blanks one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from asof.benchmarks.lama_tk.choice import SEPARATOR, SelectedFacts
from asof.benchmarks.lama_tk.masks import Mask
from asof.benchmarks.lama_tk.times import Numbers

_MOST_FACTS, _MOST_ANSWERS = 25_000, 500_000  # in one table: a prompt of n answers is asked n times, with n names each


@dataclass(frozen=True, kw_only=True)
class LamaTkTables:
    """Writes items.

    Args:
        masks: What is asked, with all facts that have it.
        keep_conflicts: Keep prompts with several answers.
    """

    chosen: SelectedFacts
    masks: Sequence[Mask]
    relation_labels: dict[str, str]
    keep_conflicts: bool

    def __iter__(self) -> Iterator[pa.Table]:
        """Give the items in the order of the base."""
        for begin, stop in self._cuts():
            parts = [mask.between(begin, stop) for mask in self.asked]
            if any(len(part.rows) for part in parts):
                yield self._table(parts)

    @cached_property
    def facts(self) -> Numbers:
        """The facts that have an item, in their order."""
        there = np.zeros(len(self.chosen), bool)
        for mask in self.asked:
            there[mask.rows] = True
        return np.flatnonzero(there)

    @cached_property
    def asked(self) -> list[Mask]:
        """What is left of the masks when prompts with several answers go, if they do."""
        return list(self.masks) if self.keep_conflicts else [mask.some(mask.count == 1) for mask in self.masks]

    def _cuts(self) -> Iterator[tuple[int, int]]:
        """Part the facts so that no table has too many of them, or too many answers."""
        weight = np.full(len(self.chosen), _MOST_ANSWERS // _MOST_FACTS, np.int64)
        for mask in self.asked:
            weight[mask.rows] += mask.count
        turn = np.cumsum(weight) // _MOST_ANSWERS
        indices = np.append(np.searchsorted(turn, np.unique(turn)), len(turn))
        yield from zip(indices[:-1].tolist(), indices[1:].tolist(), strict=True)

    def _table(self, parts: Sequence[Mask]) -> pa.Table:
        """Write the items of some facts: column by column, in the order of the facts."""
        chosen = self.chosen
        rows = np.concatenate([part.rows for part in parts])
        order = np.argsort(rows, kind="stable")  # of one fact the masks stay in their order
        rows, of = rows[order], np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])[order]
        count = np.concatenate([part.count for part in parts])[order]

        def said(texts: Sequence[pa.Array]) -> pa.Array:
            return pa.concat_arrays(texts).take(pa.array(order))

        names, ids = (said(lists) for lists in zip(*map(self._answers, parts), strict=True))
        more = [part.tags(part.rows) for part in parts]
        group = chosen.group.take(pa.array(rows))
        return pa.table(
            {
                "id": pc.binary_join_element_wise(group, said([part.suffix(part.rows) for part in parts]), " "),
                "prompt": said([part.write(part.rows) for part in parts]),
                "answers": names,
                "group": group,
                "query": pa.array([part.query for part in parts]).take(pa.array(of)),
                "place": pa.array([part.blank for part in parts]).take(pa.array(of)),
                "subject": self._ids.take(pa.array(chosen.subject[rows])),
                "relation": self._relations.take(pa.array(chosen.relation[rows])),
                "object": self._ids.take(pa.array(chosen.object[rows])),
                "relation_label": self._labels.take(pa.array(chosen.relation[rows])),
                "start": chosen.points.words.take(pa.array(chosen.start[rows])),
                "end": chosen.points.words.take(pa.array(chosen.end[rows])),
                "answer_id": pc.list_element(ids, 0),
                "answer_ids": pc.binary_join(ids, SEPARATOR),
                "answer_count": pa.array(count),
                "number": pa.array(["single", "multiple"]).take(pa.array((count > 1).astype(np.int64))),
                "one_to_one": pa.array(self.one_to_one[rows]),
                "conflicts": pa.array(self.conflicts[rows]),
                **{name: said([tags[name] for tags in more]) for name in more[0]},
            }
        )

    def _answers(self, mask: Mask) -> tuple[pa.Array, pa.Array]:
        """Return the names and the ids of all answers, the one that was taken out first."""
        every, ends = mask.answers.lists(mask.prompt, mask.masked)
        points, things = self.chosen.points, self.chosen.things
        names = points.words if mask.of_time else things["label"].combine_chunks()
        ids = points.texts if mask.of_time else self._ids
        offsets = pa.array(ends, pa.int32())
        taken = pa.array(every)
        return pa.ListArray.from_arrays(offsets, names.take(taken)), pa.ListArray.from_arrays(offsets, ids.take(taken))

    @cached_property
    def _ids(self) -> pa.Array:
        return self.chosen.things["id"].combine_chunks()

    @cached_property
    def _relations(self) -> pa.Array:
        return pa.array(self.chosen.relations, pa.string())

    @cached_property
    def _labels(self) -> pa.Array:
        return pa.array([self.relation_labels.get(id, id) for id in self.chosen.relations], pa.string())

    @cached_property
    def conflicts(self) -> Numbers:
        """How many of a fact's prompts have several answers."""
        found = np.zeros(len(self.chosen), np.int64)
        for mask in self.masks:
            found[mask.rows] += mask.count > 1
        return found

    @cached_property
    def one_to_one(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether a fact's subject has no other object under its relation, and its object no other subject."""
        chosen = self.chosen
        alone = np.ones(len(chosen), bool)
        for one, other in ((chosen.subject, chosen.object), (chosen.object, chosen.subject)):
            key = one * len(chosen.relations) + chosen.relation
            order = np.lexsort((other, key))
            new_key = np.append(True, key[order[1:]] != key[order[:-1]])
            different = np.append(False, (other[order[1:]] != other[order[:-1]]) & ~new_key[1:])
            number = np.cumsum(new_key) - 1
            alone[order] &= np.bincount(number, different)[number] == 0
        return alone
