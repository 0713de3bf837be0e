"""What tests of questions share: a reader of the almanac on a day that does not move."""

import pytest

from asof.facts import FactStore
from asof.reading.ask.reader import QuestionReader
from asof.timeline import Date


@pytest.fixture(scope="module")
def reader(almanac: FactStore) -> QuestionReader:
    return QuestionReader(almanac, today=Date.parse("2024-12-01"))
