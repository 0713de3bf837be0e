"""What tests of questions share: a reader of the almanac on a day that does not move."""

import pytest

from asof.facts import FactStore
from asof.reading.facts import FactsReader
from asof.timeline import Date


@pytest.fixture(scope="module")
def reader(almanac: FactStore) -> FactsReader:
    return FactsReader(almanac, today=Date.parse("2024-12-01"))
