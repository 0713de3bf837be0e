"""Gold answers are replaced by others, and what a model says stays the same: for every probe there is.

Probes that show a right and a wrong one of a pair must show what is right. For these the two change roles instead: what
a model is asked, in which order, and the share of each statement stay the same, and only which of them is right moves.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from asof import registry
from asof.benchmarks import BLANK, BenchmarkDocument, Item
from asof.models import AnswerRequest, ChoiceRequest, open_model
from asof.probes import open_probe
from asof.reading.answers import open_reader
from asof.reading.as_model import ReaderAsModel
from asof.reading.readers.facts import FactsOfABase
from tests.models.blank_models import make_bert
from tests.models.tiny_model import make_tiny_model
from tests.reading.tiny_readers import make_span_model, make_t5

NAMES = ("Rome", "Paris", "Juventus", "Italy", "France", "Rome", "Paris", "Juventus")


def items_of(template: str) -> list[Item]:
    return [
        Item(
            id=str(number),
            prompt=template.format(blank=BLANK, year=2010 + number),
            answers=(name,),
            group=f"{number}|head",
            tags={"relation": "head", "date": f"{2010 + number}", "precision": "year", "place": "correct"},
        )
        for number, name in enumerate(NAMES)
    ]


def swapped(items: Sequence[Item]) -> list[Item]:
    """Give every second item the answers of another, so that all stay of the same length."""
    odd = [item.answers for item in items[1::2]]
    moved = iter([*odd[1:], odd[0]])
    return [replace(item, answers=next(moved)) if place % 2 else item for place, item in enumerate(items)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder = tmp_path_factory.mktemp("models")
    return [open_model(str(make(folder / make.__name__))) for make in (make_bert, make_tiny_model)]


def of_pairs(name: str) -> bool:
    return getattr(open_probe(name), "score_with", None) == "pairs"


@pytest.mark.parametrize("name", [name for name in registry.probes.names() if not of_pairs(name)])
def test_gold_answers_change_nothing_that_a_model_says(name: str, models: list[Any]) -> None:
    probe = open_probe(name)
    model = next(one for one in models if set(probe.needs) & set(one.can))
    blank = bool({"fill", "token_logprobs"} & set(probe.needs))
    items = items_of("In {year}, the head is {blank}." if blank else "In {year}, who is the head?")
    asked = probe.fit(items, model, everything=items).items
    assert len(asked) == len(items)
    before, after = list(probe.predict(asked, model)), list(probe.predict(swapped(asked), model))
    assert len(before) == len(after) == len(items)
    for place, (one, other) in enumerate(zip(before, after, strict=True)):
        if place % 2 == 0 or probe.scored == "text":  # an answer of another item; an answer that is written, not given
            assert_same(one, other)


def dates_of(group: str) -> list[Item]:
    """Return a fact at dates of which every second one is right, so that right and wrong ones can change roles."""
    return [
        Item(
            id=f"{group} {precision} {place}",
            prompt=f"In {precision} {place}, who led {group}?",
            answers=("Mario Draghi",),
            group=group,
            tags={"precision": precision, "verdict": ("correct", "incorrect")[place % 2], "alpha": place / 4 - 2},
        )
        for precision in ("year", "month", "day")
        for place in range(16)
    ]


def answers_of(group: str) -> list[Item]:
    """Return a fact with another answer in each period."""
    return [
        Item(
            id=f"{group} {place}",
            prompt=f"In {2000 + place}, who led {group}?",
            answers=(name,),
            group=group,
            tags={"subject": group, "relation": "head", "first_day": place * 10, "last_day": place * 10 + 9},
        )
        for place, name in enumerate(("Rome", "Paris", "Juventus"))
    ]


class RecordingModel:
    """Keeps what it is asked; what it answers depends on nothing else."""

    def __init__(self, model: Any, verb: str) -> None:
        self._model, self.name, self.can = model, model.name, frozenset({verb})
        self.asked: list[str] = []

    def choose(self, requests: Sequence[ChoiceRequest]) -> list[list[float]]:
        self.asked += [request.prompt for request in requests]
        seen = [sum(request.prompt.encode()) % 97 / 97 for request in requests]
        return [[one, 1 - one] for one in seen]

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        self.asked += [request.text for request in requests]
        found: list[float] = self._model.answer_logprob(requests)
        return found

    def write(self, prompts: Sequence[str], *, most_tokens: int) -> list[str]:
        self.asked += prompts
        return ["1 yes" if sum(prompt.encode()) % 2 else "2 no" for prompt in prompts]


@pytest.mark.parametrize("verb", ["choose", "answer_logprob", "write"])
@pytest.mark.parametrize("make", [dates_of, answers_of])
@pytest.mark.parametrize("name", [name for name in registry.probes.names() if of_pairs(name)])
def test_right_and_wrong_change_roles_and_a_model_is_asked_the_same(
    name: str, make: Callable[[str], list[Item]], verb: str, models: list[Any]
) -> None:
    probe = open_probe(name)
    items = [item for group in ("Italy", "France") for item in make(group)]
    model = RecordingModel(next(one for one in models if "answer_logprob" in one.can), verb)
    asked = probe.fit(items, model, everything=items).items
    assert len(asked) >= 6
    before = list(probe.predict(asked, model))
    first, model.asked = model.asked, []
    exchanged = [replace(item, candidates=item.candidates[::-1]) for item in asked]
    after = list(probe.predict(exchanged, model))
    assert model.asked == first
    for one, other in zip(before, after, strict=True):
        assert one.pop("right_in_pair") == 1 - other.pop("right_in_pair")
        share, exchanged_share = one.pop(probe.scored), other.pop(probe.scored)
        if name == "choose":
            assert (share is None and exchanged_share is None) or share + exchanged_share == pytest.approx(1)
        assert_same(one, other)
    # And the order of a pair says nothing of which is right: the right one is first about as often as not.
    places = [probe.predict([item], model)[0]["right_in_pair"] for item in asked]
    assert make is answers_of or 0.25 < sum(places) / len(places) < 0.75


def test_the_answers_of_written_questions_are_no_part_of_the_question_or_of_the_parsing() -> None:
    probe = open_probe("write-answer")
    items = [
        Item(
            id=f"{year}", prompt=f"{BLANK} is the head of the government of Italy.", answers=("Mario Draghi",),
            group="1", tags={
                "relation": "P6", "subject": "Q38", "subject_label": "Italy", "period": f"{year}", "previous": "Conte",
                "first_day": year, "last_day": year,
            },
        )
        for year in (2010, 2021)
    ]  # fmt: skip

    class Echo:
        name, can = "echo", frozenset({"write"})

        def write(self, prompts: Sequence[str], **more: Any) -> list[str]:
            return [f"The head was {prompt}" for prompt in prompts]

    nonsense = [replace(item, answers=("Qq",), tags=item.tags | {"previous": "Zz", "split": "new"}) for item in items]
    assert list(probe.predict(items, Echo())) == list(probe.predict(nonsense, Echo()))


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    for column, value in one.items():
        texts = isinstance(value, str) or (isinstance(value, list) and value and isinstance(value[0], str))
        assert other[column] == (value if texts or value is None else pytest.approx(value, abs=1e-4)), column


def test_gold_answers_change_nothing_that_a_reader_says() -> None:
    document = BenchmarkDocument("page", "Italy", ("Mario Draghi led Italy in 2021.",), ("",))
    reader = ReaderAsModel(FactsOfABase("almanac"), {"page": document})
    items = [
        Item(id=str(year), prompt=f"Who was the prime minister of Italy in {year}?", answers=("Nobody",), group="1")
        for year in (2010, 2015, 2020, 1998)
    ]
    probe = open_probe("write-answer")
    told = [
        list(probe.predict([replace(item, answers=answers) for item in items], reader))
        for answers in (("Nobody",), (), ("Mario Draghi", "Matteo Renzi"))
    ]
    assert told[0] == told[1] == told[2]
    assert all(row["text"] for row in told[0])


# Where each reader reads; a new one has to say how it is opened, and is covered then.
PLACES: dict[str, Callable[[Path], object]] = {
    "extractive": make_span_model,
    "facts": lambda folder: "almanac",
    "fid": make_t5,
    "language-model": make_tiny_model,
    "temporal": lambda folder: "",
}
LINES = (
    "Ann Lee led the club from 1990 to 1995 .",
    "the club was led by Bo Ek until 1990 , and by Ann Lee .",
    "who led it in 1995 ?",
)


@pytest.mark.parametrize("name", registry.readers.names())
def test_no_reader_sees_the_answers_of_the_items_that_it_reads(name: str, tmp_path: Path) -> None:
    reader = open_reader(f"{name}:{PLACES[name](tmp_path / 'model')}")
    model = ReaderAsModel(reader, {"page": BenchmarkDocument("page", "club", LINES, ("",) * len(LINES))})
    questions = ("who led it in 1990 ?", "who led it from 1990 to 1995 ?", "Who led Italy in 2011?")
    told = []
    for answers in (("Ann Lee",), ("Bo Ek", "1995"), ()):
        items = [
            Item(id=asked, prompt=asked, answers=answers, group="1", tags={"document": "page", "previous": answers})
            for asked in questions
        ]
        # Whether the asked time stands beside an answer groups items in a report; it is no prediction.
        told.append([row | {"told": ""} for row in model.read(items)])
    assert told[0] == told[1] == told[2]
    assert not any("failed" in row for row in told[0])
