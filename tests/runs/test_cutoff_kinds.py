"""A cutoff from every kind of run: written answers, choices, several wordings; and relations that end apart."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

from asof.benchmarks import BLANK, Benchmark, Item, build
from asof.benchmarks.dynamic_templama import DynamicTempLama
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.registry import probes
from asof.runs import read_run
from asof.runs.cutoff import CutoffOf
from asof.runs.cutoff_history import FactHistory, read_histories
from asof.runs.cutoff_likelihood import ChangedFact, posterior
from asof.runs.cutoff_partial import relation_parts
from asof.runs.cutoff_rows import cutoff_notes, cutoff_rows
from asof.wording import Wording
from tests.runs.test_cutoff import QUARTERS, Offices, written
from tests.runs.test_cutoff_likelihood import simulated


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory, tiny: FactStore) -> Benchmark:
    return build(tmp_path_factory.mktemp("offices") / "offices", Offices(), tiny, Wording())


@dataclass(frozen=True)
class Chooser:
    """A probe whose rows are choices between the two answers of a pair, as outside packages may have one."""

    name: ClassVar[str] = "choose-in-tests"
    scored: ClassVar[str] = "right_share"
    preference: ClassVar[str] = "choices"


@dataclass(frozen=True)
class Silent:
    """A probe that does not say how its rows are read."""

    name: ClassVar[str] = "silent-in-tests"
    scored: ClassVar[str] = "text"


def by_end(benchmark: Benchmark, end: str) -> dict[str, str]:
    return {item.group: item.answers[0] for item in benchmark.items() if item.tags["period"] == end}


def row_of(run: Path) -> dict[str, Any]:
    found = CliRunner().invoke(asof, ["cutoff", str(run), "--json"])
    assert found.exit_code == 0, found.output
    row: dict[str, Any] = json.loads(found.stdout)
    return row


def test_written_answers_with_refusals_sentences_and_aliases(offices: Benchmark, tmp_path: Path) -> None:
    known = by_end(offices, "2017-Q2")

    def row(item: Item) -> dict[str, Any]:
        draw = random.Random(item.group)
        name = known[item.group]
        kind = draw.random()
        text = (
            "" if kind < 0.2 else "Mickey Mouse" if kind < 0.3 else f"Chief Judge H{name[6:]}" if kind < 0.6 else name
        )
        return {"text": text, "written": text}

    run = written(tmp_path / "run", offices, row, "write-answer")
    found = row_of(run)
    assert (found["status"], found["cutoff"], found["reading"]) == ("estimated", "2017-Q2", "answered")
    assert found["refused"] == pytest.approx(0.2, abs=0.07) and found["known"] == pytest.approx(0.7, abs=0.09)
    told = " ".join(cutoff_notes(CutoffOf(read_run(run))))
    assert f"{found['refused']:.0%} none" in told
    curve = CutoffOf(read_run(run)).curve
    assert curve[-1].shares["no answer"] == pytest.approx(0.2, abs=0.09)


def test_dated_answers_of_a_few_periods_are_answers_of_their_time(offices: Benchmark, tmp_path: Path) -> None:
    """Questions name their quarter, and of each fact only one was asked: it is right until the model's end."""
    right = {(item.group, item.tags["period"]): item.answers[0] for item in offices.items()}

    def row(item: Item) -> dict[str, Any]:
        asked = random.Random(item.group).choice(QUARTERS[8:])
        if item.tags["period"] != asked:
            return {"left_out": "another time of the same fact was drawn"}
        text = right[item.group, min(asked, "2017-Q4")]
        return {"text": text, "written": text}

    run = written(tmp_path / "run", offices, row, "write-answer")
    found = row_of(run)
    assert found["status"] == "estimated" and found["low"] <= "2017-Q4" <= found["high"]


@pytest.mark.parametrize("shape", ["choose", "yes-no"])
def test_choices_between_two_answers(
    offices: Benchmark, tmp_path: Path, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(probes._parts, "choose-in-tests", Chooser)
    run = written(tmp_path / "run", offices, choices(offices, "2017-Q2", shape=shape), "choose-in-tests")
    found = row_of(run)
    assert found["status"] == "estimated" and found["low"] <= "2017-Q2" <= found["high"]
    assert (found["known"], found["refused"]) == (None, None)  # it could take no answer but these
    nothing = written(tmp_path / "no", offices, choices(offices, "2017-Q2", shape=shape, knows=0), "choose-in-tests")
    assert row_of(nothing)["cutoff"] == "cannot tell"


def choices(benchmark: Benchmark, end: str, *, shape: str, knows: float = 0.8) -> Callable[[Item], dict[str, Any]]:
    """Choose as a model does that knows the world up to a quarter; where it knows nothing, the place decides."""
    facts = {fact.group: fact for fact in read_histories(benchmark.table()).facts}

    def row(item: Item) -> dict[str, Any]:
        fact, now = facts[item.group], QUARTERS.index(str(item.tags["period"]))
        right = fact.answer(item.answers[0])
        if not fact.changes or right is None or not item.answers[0].startswith("Holder"):
            return {"left_out": "no other answer was right at another time"}
        other = right - 1 if right else 1
        known = min(now, QUARTERS.index(end))
        draw = random.Random(f"{item.group} {right}")
        began = int(fact.holds[right].argmax())
        share = float(began <= known) if draw.random() < knows else draw.choice([0.5, 0.0, 1.0])
        place = draw.randrange(2)
        pair = [fact.names[right], fact.names[other]] if place == 0 else [fact.names[other], fact.names[right]]
        found: dict[str, Any] = {"pair": pair, "right_in_pair": place}
        if shape == "choose":
            return found | {"right_share": share}
        yes = [share, 1 - share] if place == 0 else [1 - share, share]
        return found | {"right_share": None, "pair_yes": yes}

    return row


def test_a_probe_that_does_not_say_what_a_model_prefers_is_refused(
    offices: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(probes._parts, "silent-in-tests", Silent)
    run = written(tmp_path / "run", offices, lambda item: {"text": "x"}, "silent-in-tests")
    with pytest.raises(UserError, match="does not say which answer a model prefers"):
        CutoffOf(read_run(run))


def history(**names: str) -> FactHistory:
    """A fact whose answers follow each other, each with its names and a bar between."""
    items = [
        {"id": str(n), "answers": texts.split("|"), "group": "g", "relation": "r", "period": f"{2000 + n}",
         "previous": None, "subject_label": "s", "relation_label": "r"}
        for n, texts in enumerate(names.values())
    ]  # fmt: skip
    import pyarrow as pa

    return read_histories(pa.Table.from_pylist(items)).facts[0]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Angela Merkel", 0), ("the Chancellor Angela Merkel of the CDU", 0), ("Merkel", 0), ("olaf scholz (SPD)", 1),
        ("not Angela Merkel but Olaf Scholz", None), ("Friedrich Merz", None), ("", None), ("Bush", None),
        ("George W. Bush", 3), ("President Bush", None), ("George H. W. Bush senior", 2), ("the US economy", None),
        ("US", 1),
    ],
)  # fmt: skip
def test_which_answer_a_text_names(text: str, named: int | None) -> None:
    bushes = {"c": "George H. W. Bush|Bush", "d": "George W. Bush|Bush"}
    fact = history(a="Angela Merkel|Frau Merkel", b="Olaf Scholz|US", **bushes)
    assert fact.named_in(text) == named


@dataclass(frozen=True, kw_only=True)
class WordedOffices(Offices):
    """The same in three wordings."""

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        for item in super().items(store, say):
            for wording in (1, 2, 3):
                prompt = f"{BLANK} holds it {wording} {item.group}"
                yield Item(id=f"{item.id} {wording}", prompt=prompt, answers=item.answers, group=item.group,
                           tags=item.tags | {"wording": wording})  # fmt: skip


def test_wordings_are_told_apart_and_count_together_as_one(tiny: FactStore, tmp_path: Path) -> None:
    worded = build(tmp_path / "worded", WordedOffices(changing=90, lasting=10), tiny, Wording())
    ends = {1: by_end(worded, "2017-Q1"), 2: by_end(worded, "2017-Q1"), 3: by_end(worded, "2017-Q4")}

    def row(item: Item) -> dict[str, Any]:
        text = ends[int(str(item.tags["wording"]))][item.group]
        return {"text": text, "texts": [text], "mean_logprobs": [-1.0]}

    run = written(tmp_path / "run", worded, row)
    found = CutoffOf(read_run(run))
    assert [str(part.best) for part in found.by_wording.values()] == ["2017-Q1", "2017-Q1", "2017-Q4"]
    told = row_of(run)
    assert (told["facts"], told["wordings"], told["wordings_that_tell"]) == (90, 3, 3)
    assert (told["earliest_wording"], told["latest_wording"]) == ("2017-Q1", "2017-Q4")
    assert told["low"] <= "2017-Q1" and told["high"] >= "2017-Q4"  # as wide as the wordings are apart
    assert "2017-Q1" <= told["cutoff"] <= "2017-Q4"
    assert "3 of 3 wordings alone give an estimate, from 2017-Q1 to 2017-Q4" in " ".join(cutoff_notes(found))
    assert [row["wording"] for row in cutoff_rows(found, "wording")] == ["all", "1", "2", "3"]
    weights: dict[str, float] = {}
    for one in found.answers:
        weights[one.fact.group] = weights.get(one.fact.group, 0) + sum(choice.weight for choice in one.choices)
    assert all(weight == pytest.approx(1.0) for weight in weights.values())


def test_a_benchmark_in_three_wordings(almanac: FactStore, tmp_path: Path) -> None:
    settings = {"first": "2021-Q1", "last": "2021-Q2", "facts": 5, "relations": "P6,P169"}
    one = build(tmp_path / "one", DynamicTempLama(**settings), almanac, Wording()).table().to_pylist()  # type: ignore[arg-type]
    kind = DynamicTempLama(wordings=3, **settings)  # type: ignore[arg-type]
    three = build(tmp_path / "three", kind, almanac, Wording()).table().to_pylist()
    assert len(three) == 3 * len(one) and len({row["id"] for row in three}) == len(three)
    first = [{key: value for key, value in row.items() if key != "wording"} for row in three if row["wording"] == 1]
    assert first == one
    for number in (0, 3):
        some = three[number : number + 3]
        assert [row["wording"] for row in some] == [1, 2, 3] and len({row["prompt"] for row in some}) == 3
        assert len({row["group"] for row in some}) == 1 and all(row["prompt"].count(BLANK) == 1 for row in some)
    with pytest.raises(UserError, match="has 3 en wordings, not 4"):
        build(tmp_path / "four", DynamicTempLama(wordings=4, **settings), almanac, Wording())  # type: ignore[arg-type]
    with pytest.raises(UserError, match="Omit dated or wordings"):
        DynamicTempLama(wordings=2, dated=True)
    with pytest.raises(UserError, match="wordings = 0 asks nothing"):
        DynamicTempLama(wordings=0)


def test_relations_that_end_apart_are_found_and_others_are_not() -> None:
    random = np.random.default_rng(1)
    apart = {
        name: simulated(random, 40, end, over=0.1, later=0.1)
        for name, end in (("mayor", 8), ("judge", 22), ("king", 22))
    }
    found = relation_parts(apart, periods_per_year=4)
    assert found is not None and set(found.relations) == {("mayor",), ("judge", "king")} and found.p <= 0.03
    together = {name: simulated(random, 40, 15, over=0.1, later=0.1, lag=0.5) for name in "abcd"}
    same = relation_parts(together, periods_per_year=4)
    assert same is not None and len(same.relations) == 1
    assert relation_parts({"only": apart["mayor"]}, periods_per_year=4) is None


def test_partial_cutoffs_are_told_where_there_are_any(offices: Benchmark, tmp_path: Path) -> None:
    ends = {"r0": by_end(offices, "2016-Q2"), "r1": by_end(offices, "2018-Q3")}

    def row(item: Item) -> dict[str, Any]:
        text = ends[str(item.tags["relation"])][item.group]
        return {"text": text, "texts": [text], "mean_logprobs": [-1.0]}

    run = written(tmp_path / "run", offices, row)
    told = row_of(run)
    assert [(part["relations"], part["cutoff"]) for part in told["parts"]] == [
        (["mayor"], "2016-Q2"), (["judge"], "2018-Q3"),
    ]  # fmt: skip
    shown = CliRunner().invoke(asof, ["cutoff", str(run)])
    assert "ends at different times" in shown.stderr and "mayor: 2016-Q2; judge: 2018-Q3" in shown.stderr
    same = written(tmp_path / "same", offices, lambda item: row(item) | {"text": ends["r0"][item.group]})
    assert row_of(same)["parts"] == []


def test_the_band_of_the_curve_falls_at_the_cutoff(offices: Benchmark, tmp_path: Path) -> None:
    known = by_end(offices, "2017-Q2")
    run = written(tmp_path / "run", offices, lambda item: {"text": known[item.group], "texts": [], "mean_logprobs": []})
    rows = {row["period"]: row for row in cutoff_rows(CutoffOf(read_run(run)), "period")}
    for row in rows.values():
        assert row["expected_low"] <= row["expected"] <= row["expected_high"]
    assert rows["2016-Q1"]["expected"] > 0.95 and rows["2018-Q1"]["expected"] < 0.05
    for name, right in (("2016-Q1", 1.0), ("2018-Q1", 0.0)):
        assert rows[name]["new"] == right and rows[name]["new_low"] <= right <= rows[name]["new_high"]


def test_a_choice_counts_by_what_was_offered_and_when() -> None:
    """By hand: with A over since period 2, taking B tells of 2 and later; asked as of period 1, it tells nothing."""
    holds = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]], bool)
    late = posterior([ChangedFact(holds, 1, (0, 1))] * 4, periods_per_year=4).periods
    assert late[0] == pytest.approx(late[1]) and late[1] < late[2]
    asked_early = posterior([ChangedFact(holds, 0, (0, 1), period=1)] * 4, periods_per_year=4).periods
    assert asked_early == pytest.approx(np.full(4, 0.25))
    once = posterior([ChangedFact(holds, 1)], periods_per_year=4).periods
    thrice = posterior([ChangedFact(holds, 1, weight=1 / 3)] * 3, periods_per_year=4).periods
    assert once == pytest.approx(thrice)
