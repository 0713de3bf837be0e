"""What every verb gives: rows that turn into the table one works with, and show themselves."""

from pathlib import Path

import duckdb
import pytest

from asof.api.frame import Frame

ROWS = [{"name": "a<b>", "value": 0.123456, "more": ["x", "y"]}, {"name": "c", "value": -0.0}]


def test_rows_turn_into_every_kind_of_table() -> None:
    frame = Frame.of(ROWS)
    assert frame.to_pandas()["name"].tolist() == frame.to_polars()["name"].to_list() == ["a<b>", "c"]
    assert frame.to_arrow().num_rows == len(frame) == len(list(frame)) == 2
    assert frame[1] == {"name": "c", "value": 0.0, "more": None}
    assert duckdb.sql("SELECT count(*) FROM frame").fetchall() == [(2,)]
    with pytest.raises(KeyError, match=r"There is no column 'nmae'. The columns are: name, value, more"):
        frame["nmae"]


def test_a_notebook_shows_text_and_no_markup_of_the_data() -> None:
    html = Frame.of(ROWS, shown=["name", "more"], notes=["1 < 2"])._repr_html_()
    assert "a&lt;b&gt;" in html and "<td>x, y</td>" in html and "<p>1 &lt; 2</p>" in html and "0.123" not in html


def test_the_text_form_is_short() -> None:
    text = repr(Frame.of({"n": number} for number in range(100)))
    assert text.splitlines()[-1] == "... and 80 more of 100 rows" and len(text.splitlines()) == 22
    assert repr(Frame.of([])) == "No rows."
    assert repr(Frame.of([{"value": -0.0}])).split() == ["value", "0"]


def test_some_rows_or_columns_are_a_frame_again() -> None:
    frame = Frame.of(ROWS, notes=["told"])
    assert frame[["more", "name"]].columns == ["more", "name"] and repr(frame[["name"]]).splitlines()[0] == "name"
    assert frame[1:]["name"] == frame[::-1]["name"][:1] == ["c"] and frame[1:].notes == ("told",)
    with pytest.raises(KeyError, match=r"There is no column 'nmae'"):
        frame[["nmae"]]


def test_rows_are_sorted_and_written_as_text(tmp_path: Path) -> None:
    frame = Frame.of(ROWS).sort("value")
    assert frame["name"] == ["c", "a<b>"] and frame.head(1)["name"] == ["c"]
    assert Frame.of(ROWS).sort("value", "name", descending=True)["name"] == ["a<b>", "c"]
    frame.to_csv(tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text().splitlines()[1:] == ['"c",-0,""', '"a<b>",0.123456,"x, y"']
    with pytest.raises(KeyError, match=r"There is no column 'nmae'"):
        frame.sort("nmae")
    with pytest.raises(IndexError, match=r"There is no row 2: there are 2, from 0"):
        frame[2]
