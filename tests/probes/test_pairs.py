"""Forced choice and yes or no: which pairs are drawn, what intervals are worth, and what cannot be answered."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from asof.benchmarks import Item
from asof.errors import UserError
from asof.models import AnswerRequest, ChoiceRequest
from asof.probes._pairs import NO_OTHER, NO_PAIR, draw, with_pairs
from asof.probes._shares import shares
from asof.probes.choose import OPTIONS, Choose
from asof.probes.yes_no import YesNoProbe
from asof.runs.scores.pairs import DatePairScores, chance_to_hide, pair_scores

SIMULATIONS = 150
FACTS = 30
ENOUGH = 0.93  # of 150 intervals of 95 %, which with luck against it is about what hold the truth


def dates_of(group: str, *, rights: int = 6, each_side: int = 20) -> list[Item]:
    """Return the items of a fact: years, months and days in it, and before and after it."""
    found = []
    for precision in ("year", "month", "day"):
        for place in range(-each_side, rights + each_side):
            right = 0 <= place < rights
            found.append(
                Item(
                    id=f"{group} {precision} {place}",
                    prompt=f"{precision} {place} of {group}, who?",
                    answers=("Ann",),
                    group=group,
                    tags={
                        "precision": precision,
                        "verdict": "correct" if right else "incorrect",
                        "relation": "r",
                        "alpha": (place + 0.5) / rights - 0.5,
                    },
                )
            )
    return found


class SimulatedModel:
    """Prefers the statement with the larger worth, with a liking for the first place or for yes that may be large."""

    name, can = "simulated", frozenset({"choose"})

    def __init__(self, worth: Callable[[str], float], *, first: float = 0.0, yes: float = 0.0) -> None:
        self._worth, self._first, self._yes = worth, first, yes
        self.asked: list[str] = []

    def choose(self, requests: Sequence[ChoiceRequest]) -> list[list[float]]:
        self.asked += [request.prompt for request in requests]
        return [self._shares(request) for request in requests]

    def _shares(self, request: ChoiceRequest) -> list[float]:
        lines = request.prompt.split("\n")
        if request.options == OPTIONS:
            one, two = (line[3:] for line in lines if line[:3] in ("1. ", "2. "))
            odds = self._worth(one) - self._worth(two) + self._first
        else:
            odds = self._worth(lines[0]) + self._yes
        share = 1 / (1 + math.exp(-odds))
        return [share, 1 - share]


def table_of(probe: Any, items: Sequence[Item], model: Any) -> pa.Table:
    fit = probe.fit(items, model, everything=items)
    rows = probe.predict(fit.items, model)
    return pa.Table.from_pylist(
        [{"id": item.id, "group": item.group} | item.tags | row for item, row in zip(fit.items, rows, strict=True)]
    )


def test_a_design_of_dozens_of_pairs_with_hard_dates_among_them() -> None:
    items = dates_of("f", each_side=30)
    drawn = draw([item for item in items if item.tags["precision"] == "year"], 8, Random(1))
    strata = Counter(one.stratum for one in drawn)
    assert strata == {
        "near before": 2, "near after": 2, "further before": 1, "further after": 1, "far before": 1, "far after": 1,
    }  # fmt: skip
    assert sum(one.weight for one in drawn) == pytest.approx(1)
    assert len({one.wrong.id for one in drawn}) == len(drawn)
    near = next(one for one in drawn if one.stratum == "near after")
    assert near.weight == pytest.approx(3 / 60 / 2)  # 3 of 60 wrong dates are near after, two of them drawn
    fit = with_pairs(items, items, pairs=8, per_fact=None, seed=0)
    assert len(fit.items) == 3 * 8 and len(fit.items) + len(fit.left_out) == len(items)
    again = with_pairs(items, items, pairs=8, per_fact=None, seed=0)
    assert [item.candidates for item in fit.items] == [item.candidates for item in again.items]


def test_a_fact_without_a_right_date_is_left_out() -> None:
    items = dates_of("f", rights=1)
    items = [item for item in items if item.tags["verdict"] != "correct" or item.tags["precision"] != "day"]
    assert set(with_pairs(items, items, pairs=8, per_fact=None, seed=0).left_out.values()) == {NO_PAIR}
    with pytest.raises(UserError, match="pairs = 5 are too few: each precision needs 6"):
        Choose(pairs=5).fit(items, None, everything=items)
    with pytest.raises(UserError, match="per_fact = 0 asks nothing"):
        YesNoProbe(per_fact=0).fit(items, None, everything=items)


@pytest.mark.parametrize("probe", [Choose(), YesNoProbe()])
def test_the_weighted_win_rate_is_that_of_all_pairs(probe: Any) -> None:
    """Over many seeds the estimate is right on average, although hard dates are asked about more than their share."""
    items = dates_of("f")
    worth = fact_worth(Random(3), "f", wild=True)
    truth = true_win_rate(items, worth)
    found = [
        DatePairScores(table_of(type(probe)(seed=seed), items, SimulatedModel(worth)), probe)
        .results()["win-rate global"]
        .value
        for seed in range(60)
    ]
    error = float(np.std(found)) / math.sqrt(len(found))
    assert abs(float(np.mean(found)) - truth) < 3 * error
    assert 0.55 < truth < 0.97


def fact_worth(random: Random, group: str, *, wild: bool) -> Callable[[str], float]:
    """Return what statements about a fact are worth: right dates more, and noise that makes some pairs lost."""
    robust = not wild and random.random() < 0.5
    noise = 0.0 if robust else random.uniform(0.7, 3.0)
    seed = random.random()

    def worth(text: str) -> float:
        place = int(text.split()[1])
        return (2.0 if 0 <= place < 6 else 0.0) + Random(f"{seed} {text}").gauss(0, noise)

    return worth


def statements(items: Sequence[Item], verdict: str, precision: str) -> list[str]:
    return [
        f"{item.prompt} Ann" for item in items
        if item.tags["verdict"] == verdict and item.tags["precision"] == precision
    ]  # fmt: skip


def true_win_rates(items: Sequence[Item], worth: Callable[[str], float]) -> dict[str, float]:
    found = {}
    for precision in ("year", "month", "day"):
        rights = np.array([worth(text) for text in statements(items, "correct", precision)])
        wrongs = np.array([worth(text) for text in statements(items, "incorrect", precision)])
        found[precision] = float((rights[:, None] > wrongs[None, :]).mean())
    return found


def true_win_rate(items: Sequence[Item], worth: Callable[[str], float]) -> float:
    return float(np.mean(list(true_win_rates(items, worth).values())))


@pytest.mark.slow
@pytest.mark.parametrize(("probe", "liking"), [(Choose(), 4.0), (YesNoProbe(), 3.0)])
def test_intervals_hold_the_truth_of_simulated_models(probe: Any, liking: float) -> None:
    """A known win rate and robustness of a population of facts; a model that likes the first place, and yes, much."""
    population = []
    for number in range(400):
        random = Random(f"population {number}")
        worth = fact_worth(random, f"f{number}", wild=False)
        items = dates_of(f"f{number}", each_side=12)
        rates = true_win_rates(items, worth)
        population.append((items, worth, rates))
    truth = {f"win-rate {one}": np.mean([rates[one] for *_, rates in population]) for one in ("year", "day")}
    truth["win-rate global"] = np.mean([np.mean(list(rates.values())) for *_, rates in population])
    truth["robustness global"] = np.mean([min(rates.values()) == 1 for *_, rates in population])
    truth["won 90 % global"] = np.mean([min(rates.values()) >= 0.9 for *_, rates in population])
    assert 0.3 < truth["robustness global"] < 0.7
    held: defaultdict[str, int] = defaultdict(int)
    for number in range(SIMULATIONS):
        some = [population[index] for index in Random(f"draw {number}").choices(range(len(population)), k=FACTS)]
        rows = []
        for copy, (items, worth, _) in enumerate(some):
            model = SimulatedModel(worth, first=liking, yes=liking)
            one = type(probe)(seed=number * FACTS + copy)
            table = table_of(one, items, model)
            rows += [row | {"group": f"{copy}"} for row in table.to_pylist()]
        results = pair_scores(pa.Table.from_pylist(rows), probe).results()
        for name, value in truth.items():
            held[name] += results[name].low <= value <= results[name].high
    assert {name: count / SIMULATIONS >= ENOUGH for name, count in held.items()} == dict.fromkeys(truth, True), held


def test_a_sample_refutes_robustness_and_does_not_prove_it() -> None:
    """Facts that all lose one wrong date of many look robust; the intervals say what can be known."""
    items = {f"f{number}": dates_of(f"f{number}", each_side=12) for number in range(40)}
    bad = {f"{item.prompt} Ann" for some in items.values() for item in some if item.id.endswith(" year -12")}

    def worth(text: str) -> float:
        return 3.0 if text in bad else right_worth(text)

    table = pa.concat_tables([table_of(Choose(), some, SimulatedModel(worth)) for some in items.values()])
    found = DatePairScores(table, Choose()).results()
    assert 0.5 < found["robustness year"].value < found["robustness year"].high < 1
    assert found["robustness year"].low == 0  # which is the truth
    assert found["robustness month"].value == found["robustness month"].high == 1
    assert 0.1 < found["won 90 % global"].low < 1  # all do: each loses one wrong date of 24


def test_the_chance_to_hide_is_an_upper_bound() -> None:
    """No way to spread the losses over the strata hides them better."""
    strata = [(0.1, 2), (0.4, 1), (0.5, 3)]
    bound = chance_to_hide(strata, 0.15)
    random = Random(0)
    best = 0.0
    for _ in range(20_000):
        parts = [random.random() ** 3 for _ in strata]
        scale = 0.15 / sum(part * weight for part, (weight, _) in zip(parts, strata, strict=True))
        lost = [part * scale for part in parts]
        if max(lost) <= 1:
            best = max(best, math.prod((1 - one) ** count for one, (_, count) in zip(lost, strata, strict=True)))
    assert best <= bound < best + 0.02
    assert chance_to_hide(strata, 0.0) == 1 and chance_to_hide(strata, 1.0) == 0


def test_a_liking_for_the_first_place_cancels_out_and_is_told() -> None:
    items = [item for number in range(5) for item in dates_of(f"f{number}")]
    fair = pair_scores(table_of(Choose(), items, SimulatedModel(right_worth)), Choose()).results()
    biased = pair_scores(table_of(Choose(), items, SimulatedModel(right_worth, first=6.0)), Choose()).results()
    assert fair["win-rate global"].value == biased["win-rate global"].value == 1
    assert fair["first place"].value == pytest.approx(0.5) and biased["first place"].value > 0.9
    assert fair["place decides"].value == 0 and biased["place decides"].value == 1
    only_place = pair_scores(table_of(Choose(), items, SimulatedModel(lambda text: 0.0, first=6.0)), Choose()).results()
    assert only_place["win-rate global"].value == pytest.approx(0.5) and only_place["robustness global"].value == 0


def test_a_liking_for_yes_cancels_out_and_is_told() -> None:
    items = [item for number in range(5) for item in dates_of(f"f{number}")]
    found = pair_scores(table_of(YesNoProbe(), items, SimulatedModel(right_worth, yes=4.0)), YesNoProbe()).results()
    assert found["win-rate global"].value == 1  # compared within a fact
    assert found["accuracy"].value == 0.5 and found["says yes"].value == 1 and found["d'"].value == 0
    assert found["log-odds"].value == pytest.approx(2.0)
    fair = pair_scores(table_of(YesNoProbe(), items, SimulatedModel(right_worth, yes=-1.0)), YesNoProbe()).results()
    assert fair["accuracy"].value == 1 and fair["d'"].value > 2.5 and fair["says yes"].value == 0.5


def right_worth(text: str) -> float:
    return 2.0 if 0 <= int(text.split()[1]) < 6 else 0.0


def test_the_right_answer_stands_against_the_one_before() -> None:
    items = [
        Item(
            id=f"{year}", prompt="_X_ leads Acme.", answers=(name,), group="g",
            tags={
                "subject": "acme", "relation": "lead", "period": f"{year}", "first_day": year * 10,
                "last_day": year * 10 + 9, "previous": before,
            },
        )
        for year, name, before in ((2000, "Ann", None), (2001, "Ben", "Ann"), (2002, "Cy", "Ben"))
    ]  # fmt: skip
    fit = Choose().fit(items, None, everything=items)
    assert [item.candidates for item in fit.items] == [("Ann", "Ben"), ("Ben", "Ann"), ("Cy", "Ben")]
    model = SimulatedModel(lambda text: {"Ann": 0.0, "Ben": 1.0, "Cy": 2.0}[text])
    rows = Choose().predict(fit.items, model)
    assert [row["text"] for row in rows] == ["Ben", "Ben", "Cy"]  # it takes Ben for the leader already in 2000
    assert [Choose().measures(row)["win-rate"] for row in rows] == [0, 1, 1]
    assert model.asked[0].startswith("In 2000: ____ leads Acme.\n1. ") and len(model.asked) == 6
    alone = [items[0]]
    assert Choose().fit(alone, None, everything=alone).left_out == {"2000": NO_OTHER}


class LogprobModel:
    """Gives log-probabilities; with a chat template or without."""

    name, can = "logprobs", frozenset({"answer_logprob", "write"})

    def __init__(self, *, template: bool) -> None:
        self._template = template
        self.asked: list[AnswerRequest] = []

    def chat(self, prompt: str) -> str:
        if not self._template:
            raise UserError("no chat template")
        return f"<user>{prompt}<model>"

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        self.asked += requests
        return [math.log(0.03 if request.answer.strip() == "1" else 0.01) for request in requests]


@pytest.mark.parametrize(("template", "used", "answer"), [(True, "<user>Which?<model>", "1"), (False, "Which?", " 1")])
def test_shares_are_the_log_probabilities_of_options(template: bool, used: str, answer: str) -> None:
    model = LogprobModel(template=template)
    found = shares(model, [ChoiceRequest("Which?", OPTIONS)], chat_template=True, most_tokens=8)
    assert found == [[pytest.approx(0.75), pytest.approx(0.25)]]
    assert model.asked[0] == AnswerRequest(used, answer)
    assert shares(model, [ChoiceRequest("Which?", OPTIONS)], chat_template=False, most_tokens=8) == found
    assert model.asked[-1].prompt == "Which?"


def test_shares_of_a_model_that_writes_and_of_one_that_errs() -> None:
    class Writer:
        name, can = "writer", frozenset({"write"})

        def write(self, prompts: Sequence[str], *, most_tokens: int) -> list[str]:
            return [prompt.partition(":")[2] for prompt in prompts]

    asked = [ChoiceRequest(f"{n}:{text}", OPTIONS) for n, text in enumerate(["**2**", "I cannot say.", "Option 1."])]
    found = shares(Writer(), asked, chat_template=True, most_tokens=8)
    assert found[0] == [0, 1] and found[2] == [1, 0] and all(math.isnan(one) for one in found[1])

    class Wrong(SimulatedModel):
        def _shares(self, request: ChoiceRequest) -> list[float]:
            return [0.9, 0.9]

    with pytest.raises(UserError, match=r"simulated gave \[0.9, 0.9\] as the shares of 1, 2 for '0:\*\*2"):
        shares(Wrong(right_worth), asked, chat_template=True, most_tokens=8)


def test_what_is_not_answered_counts_as_chance_and_is_told() -> None:
    class Silent(SimulatedModel):
        def _shares(self, request: ChoiceRequest) -> list[float]:
            return [math.nan, math.nan]

    items = dates_of("f")
    for probe in (Choose(), YesNoProbe()):
        found = pair_scores(table_of(probe, items, Silent(right_worth)), probe).results()
        assert found["no answer"].value == 1 and found["win-rate global"].value == pytest.approx(0.5)
        assert found["robustness global"].value == 0
