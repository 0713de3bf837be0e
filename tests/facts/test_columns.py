"""Columns of dates against the parser, one text at a time."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import DateError
from asof.facts.columns import end_columns
from asof.timeline import Date, parse_end
from tests.timeline.strategies import dates

iso_like = st.from_regex(r"[0-9]{4}(-[0-9]{2}){0,2}", fullmatch=True)
texts = iso_like | dates().map(str) | st.sampled_from(["ongoing", "unknown", "", "####-##-##", "44 BC", "nonsense"])


@given(st.lists(texts, max_size=30))
def test_a_column_is_read_as_its_texts_are(column: list[str]) -> None:
    read = end_columns(pa.array(column, pa.string()), may_be_ongoing=True)
    rows = zip(read.first.to_pylist(), read.last.to_pylist(), read.precision.to_pylist(), strict=True)
    for place, (text, row) in enumerate(zip(column, rows, strict=True)):
        try:
            end = parse_end(text)
        except DateError as error:
            assert read.errors[place] == str(error)
            assert row == (None, None, "not stated")
        else:
            assert place not in read.errors
            expected = (end.first, end.last, str(end.precision)) if isinstance(end, Date) else (None, None, str(end))
            assert row == expected
