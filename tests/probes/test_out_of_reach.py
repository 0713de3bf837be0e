"""Gold answers are replaced by others, and what a model says stays the same: for every probe there is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from asof import registry
from asof.benchmarks import BLANK, BenchmarkDocument, Item
from asof.models import open_model
from asof.probes import open_probe
from asof.reading.as_model import ReaderAsModel
from asof.reading.readers.facts import FactsOfABase
from tests.models.blank_models import make_bert
from tests.models.tiny_model import make_tiny_model

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


@pytest.mark.parametrize("name", registry.probes.names())
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
