"""Forecasts with the future hidden: how right and how calibrated, beside counting baselines.

    python bench/forecasts.py almanac 1990 2000 2010
    python bench/forecasts.py generated 1990 2010 --seed 1
    python bench/forecasts.py /data/ICEWS14 2014-10-01 2014-11-01 --most 1000

For each day, everything after it is hidden. Asked are timelines of which something held or was last heard of in the
years before; what came is read from the whole. "When" is asked of facts that hold and of the next to begin: the share
of windows that held the truth, of those that the whole has lived to see the end of, and the calibration of the chance
that it comes within some time. Facts of which the whole does not say whether they ended are not asked. "Who" is asked
wherever something did follow.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from asof.completion.dataset import AFTER_ALL, Dataset, Quadruples, read_dataset
from asof.completion.forecast.candidates import ANOTHER, NOT_KNOWN
from asof.completion.forecast.foresight import Foresight
from asof.completion.forecast.waiting import WaitingCurve
from asof.completion.trained.calibration import expected_calibration_error
from asof.completion.trained.prediction import asked_time
from asof.sources.almanac import almanac_base
from asof.timeline import Date

WITHIN = {"year": (1, 2, 4), "day": (7, 30, 90)}
WINDOWS = (0.5, 0.8)


@dataclass
class Tally:
    """What was said and what came."""

    rows: dict[str, list[float]] = field(default_factory=dict)

    def add(self, **values: float) -> None:
        """Note values by their names."""
        for name, value in values.items():
            self.rows.setdefault(name, []).append(float(value))

    def mean(self, name: str) -> float:
        """Return the mean of what was noted."""
        return round(float(np.mean(self.rows[name])), 4)


@dataclass
class Whens:
    """Chances of times, and the times that came."""

    within: tuple[int, ...]
    horizon: int  # the last time that the whole knows
    usual: dict[int, np.ndarray]  # for each role, the waiting times of the past: the baseline
    tally: Tally = field(default_factory=Tally)

    def add(self, curve: WaitingCurve, came: int, role: int, since: int, day: int) -> None:
        """Note what a curve says of a time that came; AFTER_ALL for "not yet, where the whole ends"."""
        for share in WINDOWS:
            one = curve.window(share)
            if one.last <= self.horizon:  # else nobody can tell yet
                held = one.first <= came <= one.last if one.comes else came > one.last
                self.tally.add(**{f"held {share}": held, f"said {share}": one.chance,
                                  f"length {share}": one.last - one.first + 1})  # fmt: skip
        past = self.usual.get(role, np.zeros(0))
        past = past[past > day - since]
        for time in self.within:
            baseline = (np.sum(past <= day - since + time) + 0.5) / (len(past) + 1)
            self.tally.add(**{f"by {time}": curve.by(day + time), f"usual by {time}": baseline,
                              f"came by {time}": came <= day + time})  # fmt: skip

    def results(self) -> dict[str, float]:
        """Return the figures."""
        if not self.tally.rows:
            return {"asked": 0}
        rows = self.tally.rows
        found = {"asked": len(rows[f"by {self.within[0]}"])}
        for share in WINDOWS:
            if f"held {share}" in rows:
                found |= {
                    f"windows of {share}": len(rows[f"held {share}"]),
                    f"said {share}": self.tally.mean(f"said {share}"),
                    f"held {share}": self.tally.mean(f"held {share}"),
                    f"median length {share}": float(np.median(rows[f"length {share}"])),
                }
        for name in ("by", "usual by"):
            said = np.concatenate([rows[f"{name} {time}"] for time in self.within])
            came = np.concatenate([rows[f"came by {time}"] for time in self.within])
            found[f"{name}: calibration error"] = round(expected_calibration_error(said, came), 4)
            found[f"{name}: Brier score"] = round(float(np.mean((said - came) ** 2)), 4)
        return found


def timelines(dataset: Dataset, foresight: Foresight, *, most: int, reach: int) -> Iterator[tuple[int, int, int, int]]:
    """Choose timelines that were alive: entity, role, and the places of their known facts."""
    known = foresight.known
    begins = np.flatnonzero(np.diff(known.timeline_of, prepend=-1))
    ends = np.append(begins[1:], len(known))
    alive = np.array(
        [
            len(known.present(int(known.entity[b]), int(known.role[b]))) > 0 or known.start[e - 1] > known.day - reach
            for b, e in zip(begins, ends, strict=True)
        ],
        bool,
    )
    alive &= known.role[begins] < known.roles // 2
    chosen = np.flatnonzero(alive)
    chosen = np.sort(np.random.default_rng(0).permutation(chosen)[:most])
    for row in chosen:
        yield int(known.entity[begins[row]]), int(known.role[begins[row]]), int(begins[row]), int(ends[row])


def measured(dataset: Dataset, day: int, *, most: int) -> dict[str, dict[str, float]]:
    """Ask as of a day and look what came."""
    foresight = Foresight.on(dataset, day)
    known, facts = foresight.known, dataset.all_facts
    horizon = int(facts.start.max())
    ongoing = np.zeros(len(facts), bool) if dataset.ongoing is None else dataset.ongoing
    within = WITHIN[dataset.granularity]
    clocks = foresight._clocks
    usual = [
        {int(role): one.waited[one.happened & (one.role == role)] for role in np.unique(one.role)}
        for one in (clocks.lasting, clocks.next_one)
    ]
    ends, begins, who = Whens(within, horizon, usual[0]), Whens(within, horizon, usual[1]), Tally()
    for entity, role, first, after in timelines(dataset, foresight, most=most, reach=10 * within[-1]):
        outlook = foresight.outlook(entity, role)
        own = (facts.subject == entity) & (facts.relation == role)
        for present in outlook.present:
            same = own & (facts.object == present.answer) & (facts.start == present.start)
            end = int(facts.end[same].max())
            told = end < AFTER_ALL or ongoing[same].any()
            if present.ends and told and day + within[-1] <= horizon:
                ends.add(present.ends, end, role, present.start, day)
        later = own & (facts.start > day)
        following = int(facts.start[later].min(initial=AFTER_ALL))
        if outlook.next_begins and day + within[-1] <= horizon:
            begins.add(outlook.next_begins, following, role, int(known.start[after - 1]), day)
        if following < AFTER_ALL:
            came = np.unique(facts.object[own & (facts.start == following)])
            judge(who, foresight, outlook.follows, came, role, first, after)
    found = {"ends": ends.results(), "begins": begins.results()}
    if who.rows:
        sure, right = (np.array(who.rows[name]) for name in ("sure", "right"))
        listed = {
            name: who.mean(name) for name in ("right", "sure", "named right", "mrr", "last again", "most frequent here")
        }
        found["who"] = {
            "asked": len(sure), **listed, "calibration error": round(expected_calibration_error(sure, right), 4),
            "log loss": who.mean("loss"), "log loss of shares": who.mean("plain loss"),
        }  # fmt: skip
    return found


def judge(who: Tally, foresight, follows, came, role: int, first: int, after: int) -> None:
    """Note how likely what came was said to be."""
    known = foresight.known
    stands_for = []
    for one in came.tolist():
        at = np.flatnonzero(follows.candidates == one)
        other = ANOTHER if known.met[one] else NOT_KNOWN
        stands_for.append(int(at[0]) if len(at) else int(np.flatnonzero(follows.candidates == other)[0]))
    weights = np.bincount(stands_for, minlength=len(follows.chances)) / len(stands_for)
    named = np.flatnonzero(follows.candidates >= 0)
    ranks = [int(np.flatnonzero(named == place)[0]) + 1 if place in named else np.inf for place in stands_for]
    own = known.answer[first:after]
    names, counts = np.unique(own, return_counts=True)
    shares = {int(n): c / (len(own) + 1) for n, c in zip(names, counts, strict=True)}
    who.add(
        sure=follows.chances[0],
        right=weights[0],
        loss=-float(weights @ np.log(follows.chances + 1e-12)),
        mrr=float(np.mean([1 / rank for rank in ranks])),
        **{
            "named right": float(np.mean([rank == 1 for rank in ranks])),
            "last again": float(np.mean(came == own[-1])),
            "most frequent here": float(np.mean(came == names[counts.argmax()])),
            "plain loss": -float(np.mean([np.log(shares.get(one, 1 / (len(own) + 1) / max(1, int(known.met.sum()))))
                                          for one in came.tolist()])),
        },
    )  # fmt: skip


def generated(seed: int) -> Dataset:
    """Posts with terms of four or five years, of which one in ten is cut short; deputies often follow."""
    random = np.random.default_rng(seed)
    posts, rows, people = 200, [], 200
    for post in range(posts):
        term, year, office = 4 + post % 2, 1900 + int(random.integers(0, 5)), post
        deputy = None
        while year < 2024:
            if deputy is not None and random.random() < 0.4:
                holder = deputy
            else:
                holder, people = people, people + 1
            deputy, people = people, people + 1
            lasts = term if random.random() < 0.9 else int(random.integers(1, term))
            end = min(year + lasts, 2024)
            rows.append((office, 0, holder, year, end if year + lasts < 2024 else AFTER_ALL))
            rows.append((office, 1, deputy, year, end if year + lasts < 2024 else AFTER_ALL))
            year += lasts
    columns = Quadruples(*np.array(rows, np.int64).T)
    ongoing = columns.end == AFTER_ALL
    times = np.concatenate([columns.start, columns.end, [-AFTER_ALL, AFTER_ALL]])
    entities = tuple(f"{number:05d}" for number in range(people))
    from asof.completion.dataset import Protocol

    nothing = columns[:0]
    return Dataset("generated", entities, ("head", "deputy"), np.unique(times), columns, nothing, nothing, "year",
                   Protocol.CORRECTED, ongoing)  # fmt: skip


def main() -> None:
    """Measure each day."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("days", nargs="+")
    parser.add_argument("--most", type=int, default=500, help="timelines asked for each day")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.data == "generated":
        dataset = generated(given.seed)
    else:
        dataset = read_dataset(almanac_base() if given.data == "almanac" else Path(given.data))
    for text in given.days:
        day = asked_time(
            Date.parse(text).span if hasattr(Date.parse(text), "span") else Date.parse(text), dataset.granularity
        )[1]
        for part, row in measured(dataset, day, most=given.most).items():
            print(json.dumps({"data": given.data, "day": text, "part": part, **row}), flush=True)


if __name__ == "__main__":
    main()
