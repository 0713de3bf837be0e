"""From spells to the items of DynamicTempLAMA, as tables.

A spell that lasts twenty quarters is twenty items that differ in their period only, so texts are made once for each
pair, spell and period, and put together by Arrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from asof.benchmarks._item import BLANK
from asof.benchmarks.dynamic_templama.histories import PairHistories, period_of
from asof.benchmarks.dynamic_templama.range import PeriodRange
from asof.benchmarks.dynamic_templama.spells import NONE, Numbers, Spells, spread
from asof.facts import Fact
from asof.timeline import MIN_DAY, Interval, Open, Period
from asof.wording import Wording
from asof.wording.sentences import Tense

_ITEMS_PER_TABLE = 100_000
_SPLITS = pa.array(["unchanged", "updated", "new", None], pa.string())
_UNCHANGED, _UPDATED, _NEW, _FIRST = range(4)
_NO_TIME = Interval(Open.NOT_STATED, Open.NOT_STATED)


@dataclass(frozen=True, kw_only=True)
class DynamicTempLamaTables:
    """Writes items.

    Args:
        dated: Put the period before the sentence: "In 2019, ...".
        aliases: Accept other names of right answers, too.
        wordings: Say each item in so many wordings, one item for each.
        gone_updates: An answer that is gone makes an item an updated one, even when no other has come.
    """

    found: PairHistories
    spells: Spells
    there: PeriodRange
    say: Wording
    relation_labels: dict[str, str]
    dated: bool
    aliases: bool
    gone_updates: bool
    wordings: int = 1

    def __iter__(self) -> Iterator[pa.Table]:
        """Give the items in the order of pairs, which are the most popular first, and of time."""
        spells, there = self.spells, self.there
        lengths = there.last - there.first + 1
        pairs = self._pairs()
        periods = self._periods()
        by_spell = self._by_spell()
        position = np.cumsum(np.append(0, spells.pair[there.spell][1:] != spells.pair[there.spell][:-1]))
        done = np.cumsum(lengths)
        cuts = np.unique(np.searchsorted(done, np.arange(0, int(done[-1]) + _ITEMS_PER_TABLE, _ITEMS_PER_TABLE)))
        for begin, stop in zip(cuts, np.append(cuts[1:], len(lengths)), strict=True):
            some = slice(begin, stop)
            index, row = spread(there.first[some], there.last[some] + 1)
            row += begin
            if len(row):
                pair = pairs.take(pa.array(position[row]))
                time = periods.take(pa.array(index - there.begin.index))
                table = self._table(pair, time, by_spell.take(pa.array(row)), self._splits(there.spell[row], index))
                yield table if self.wordings == 1 else self._in_wordings(table, pair)

    def _in_wordings(self, table: pa.Table, pair: pa.Table) -> pa.Table:
        """Repeat items in each wording, those of one item beside each other."""
        some = []
        for wording in range(1, self.wordings + 1):
            number = pa.array(np.full(table.num_rows, wording))
            part = table.append_column("wording", number)
            if wording > 1:
                ids = pc.binary_join_element_wise(part["id"], pa.scalar(f"wording {wording}"), ", ")
                part = part.set_column(0, "id", ids).set_column(1, "prompt", pair[_prompt_of(wording)])
            some.append(part)
        order = np.arange(table.num_rows * self.wordings).reshape(self.wordings, -1).T.ravel()
        return pa.concat_tables(some).take(pa.array(order))

    def _table(self, pair: pa.Table, time: pa.Table, spell: pa.Table, splits: pa.Array) -> pa.Table:
        prompt = pair["prompt"]
        return pa.table(
            {
                "id": pc.binary_join_element_wise(pair["subject"], pair["relation"], time["at"], " "),
                "prompt": pc.binary_join_element_wise(time["when"], prompt, "") if self.dated else prompt,
                "answers": spell["answers"],
                "group": pair["group"],
                "subject": pair["subject"],
                "relation": pair["relation"],
                "subject_label": pair["subject_label"],
                "relation_label": pair["relation_label"],
                "period": time["period"],
                "first_day": time["first_day"],
                "last_day": time["last_day"],
                "split": splits,
                "previous": spell["previous"],
                "since": spell["since"],
                "labels": spell["labels"],
            }
        )

    def _splits(self, spell: Numbers, index: Numbers) -> pa.Array:
        spells = self.spells
        changed = spells.before[spell] == 0
        code = np.where(changed, _NEW, np.where(self.gone_updates | (spells.entered[spell] > 0), _UPDATED, _UNCHANGED))
        code = np.where(index > spells.start[spell], _UNCHANGED, code)
        return _SPLITS.take(pa.array(np.where(index == self.there.begin.index, _FIRST, code)))

    def _pairs(self) -> pa.Table:
        """Return what all items of a pair share, for the pairs that have any."""
        rows = self.found.pairs.take(pa.array(np.unique(self.spells.pair[self.there.spell])))
        several = rows.to_pylist()
        for wording in range(1, self.wordings + 1):
            prompts = pa.array([self._prompt(row, wording) for row in several], pa.string())
            rows = rows.append_column(_prompt_of(wording), prompts)
        labels = [self.relation_labels.get(id, id) for id in rows["relation"].to_pylist()]
        return rows.append_column("relation_label", pa.array(labels, pa.string())).append_column(
            "group", pc.binary_join_element_wise(rows["subject"], rows["relation"], "|")
        )

    def _prompt(self, row: dict[str, str], wording: int) -> str:
        fact = Fact(
            subject=row["subject"],
            relation=row["relation"],
            object="",
            interval=_NO_TIME,
            subject_label=row["subject_label"],
        )
        if wording > 1:
            return self.say.present_cloze(fact, wording=wording, mask=BLANK)
        tense: Tense = "past" if self.dated else "present"
        text = self.say.cloze(fact, blank="object", tense=tense, scope=False, mask=BLANK)
        if self.dated and text.startswith("The ") and not row["subject_label"].startswith("The "):
            return "the " + text[4:]  # it follows a date
        return text

    def _periods(self) -> pa.Table:
        periods = list(self.there.begin.to(self.there.end))
        return pa.table(
            {
                "period": [str(period) for period in periods],
                "at": [f"@ {period}" for period in periods],
                "when": [f"{self.say.when(period)}, " if self.dated else "" for period in periods],
                "first_day": [period.first for period in periods],
                "last_day": [period.last for period in periods],
            }
        )

    def _by_spell(self) -> pa.Table:
        """Return what all items of a spell share: answers, the previous answer, and since when."""
        answers, count = self._answers()
        previous = self.spells.previous[self.there.spell]
        labels = self.found.names["label"].combine_chunks()
        return pa.table(
            {
                "answers": answers,
                "labels": count,
                "previous": labels.take(pa.array(previous, mask=previous == NONE)),
                "since": self._since(),
            }
        )

    def _since(self) -> pa.Array:
        """Write the periods since which answers are right; the first of the range where nobody stated a start."""
        begin = self.there.begin
        start = self.spells.start[self.there.spell]
        start = np.where(start == period_of(np.array([MIN_DAY]), begin.granularity), begin.index, start)
        known, position = np.unique(start, return_inverse=True)
        written = [str(Period(begin.granularity, int(index))) for index in known]
        return pa.array(written, pa.string()).take(pa.array(position))

    def _answers(self) -> tuple[pa.Array, Numbers]:
        """Return all right answers of each spell: their labels as they became right, so many, then their aliases."""
        number = np.full(len(self.spells.size), NONE, np.int64)
        number[self.there.spell] = np.arange(len(self.there.spell))
        kept = number[self.spells.spell_of] != NONE
        spell, answer = number[self.spells.spell_of[kept]], self.spells.answer[kept]
        labels, aliases = (self.found.names[name].combine_chunks() for name in ("label", "aliases"))
        texts = pa.concat_arrays([labels, aliases.flatten()]).dictionary_encode()
        code = texts.indices.to_numpy()
        of, said = spell, code[answer]
        named = len(of)
        if self.aliases:
            offsets = np.append(0, np.cumsum(aliases.value_lengths().to_numpy())) + len(labels)
            at, row = spread(offsets[answer], offsets[answer + 1])
            of, said = np.append(of, spell[row]), np.append(said, code[at])
        _, once = np.unique(of * len(texts.dictionary) + said, return_index=True)
        once.sort()  # the first of equal names, in the order above
        once = once[np.argsort(of[once], kind="stable")]
        count = np.bincount(of[once[once < named]], minlength=len(self.there.spell))
        ends = np.append(0, np.cumsum(np.bincount(of[once], minlength=len(self.there.spell))))
        lists = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), texts.dictionary.take(pa.array(said[once])))
        return lists, count


def _prompt_of(wording: int) -> str:
    """Return the name of the column with the sentences of a wording."""
    return "prompt" if wording == 1 else f"prompt {wording}"
