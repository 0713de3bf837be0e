"""Cells that are not what they seem: merged, errors, formulas without a value, periods, bytes of another encoding."""

from datetime import date
from pathlib import Path

import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import asof
from asof.api.own_facts import rejected_rows
from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.sources import open_source
from asof.sources.table.encoding import encoding_of
from asof.timeline import Date
from tests.sources.workbooks import write_workbook

HEADER = ("subject", "relation", "object", "start", "end")


def test_cells_merged_below_each_other_hold_for_each_row(tmp_path: Path) -> None:
    rows = [HEADER, ("IT", "has", "Ann", 2003, None), (None, None, "Bob", 2004, None), ("HR", "has", "Cid", 2005, None)]
    write_workbook(tmp_path / "staff.xlsx", {"Staff": rows}, merged=["A2:A3", "B2:B3"])
    facts = asof.open(tmp_path / "staff.xlsx").store.facts()
    assert {(fact.subject_label, fact.object_label) for fact in facts} == {("IT", "Ann"), ("IT", "Bob"), ("HR", "Cid")}


def test_cells_merged_beside_each_other_are_a_title(tmp_path: Path) -> None:
    rows = [HEADER, ("Our staff", None, None, None, None), ("IT", "has", "Ann", 2003, None)]
    write_workbook(tmp_path / "staff.xlsx", {"Staff": rows}, merged=["A2:E2"])
    with pytest.warns(UserWarning, match="1 of 2 rows"):
        base = asof.open(tmp_path / "staff.xlsx", max_rejects=0.5)
    assert [fact.object_label for fact in base.store.facts()] == ["Ann"]


def test_errors_and_formulas_without_a_value_are_no_empty_cells(tmp_path: Path) -> None:
    rows = [
        HEADER,
        ("IT", "has", "Ann", date(2003, 4, 1), "#REF!"),
        ("IT", "has", "Bob", "=DATE(2003,4,1)", None),
        ("IT", "has", "#NAME?", 2004, None),
        ("IT", "has", "Dot", date(2003, 4, 1), "#N/A"),
    ]
    write_workbook(tmp_path / "staff.xlsx", {"Read me": [["nothing"]], "Staff": rows})
    write_base(tmp_path / "base", [open_source(str(tmp_path / "staff.xlsx"))], max_rejects=1.0)
    store = FactStore(tmp_path / "base")
    assert [(fact.object_label, str(fact.end)) for fact in store.facts()] == [("Dot", "not stated")]
    reasons = {row["line"]: row["reason"] for row in rejected_rows(store)}
    assert "'#REF!' is not a valid date" in reasons[2]
    assert "a formula without its value (open the workbook and save it)" in reasons[3]
    assert reasons[4] == "the object is empty."


@pytest.mark.parametrize(
    ("column", "said"), [(pa.array([{"id": "A"}]), "struct<id: string>"), (pa.array([b"\xff"]), "binary")]
)
def test_a_column_that_is_no_text_is_named(tmp_path: Path, column: pa.Array, said: str) -> None:
    pq.write_table(
        pa.table({"subject": column, "relation": ["has"], "object": ["B"], "start": ["2003"]}), tmp_path / "a.parquet"
    )
    with pytest.raises(UserError, match=f"the column 'subject' holds values of the type {said}"):
        asof.open(tmp_path / "a.parquet")


def test_periods_of_pandas_are_no_numbers(tmp_path: Path) -> None:
    things = {"subject": ["A", "B"], "relation": ["has", "has"], "object": ["C", "D"], "seen by": [["x"], ["y", "z"]]}
    frame = pandas.DataFrame(things | {"start": pandas.PeriodIndex(["2003-04", "2004-12"], freq="M")})
    assert [str(fact.start) for fact in asof.open(frame).store.facts()] == ["2003-04", "2004-12"]
    quarters = frame.assign(start=pandas.PeriodIndex(["2003Q2", "2004Q3"], freq="Q"))
    starts = [fact.start for fact in asof.open(quarters).store.facts()]
    days = [(one.first, one.last) for one in starts if isinstance(one, Date)]
    months = [("2003-04", "2003-06"), ("2004-07", "2004-09")]
    assert days == [(Date.parse(first).first, Date.parse(last).last) for first, last in months]
    with pytest.raises(UserError, match="the column 'object' holds values of the type list"):
        asof.open(frame.assign(object=frame["seen by"]))


def test_numbers_that_a_file_marks_as_something_else_are_refused(tmp_path: Path) -> None:
    columns = [("subject", pa.string()), ("relation", pa.string()), ("object", pa.string())]
    schema = pa.schema([*columns, pa.field("start", pa.int64(), metadata={"ARROW:extension:name": "x.period"})])
    pq.write_table(pa.table([["A"], ["has"], ["B"], [399]], schema=schema), tmp_path / "a.parquet")
    with pytest.raises(UserError, match="the column 'start' holds x\\.period, numbers that mean something else"):
        asof.open(tmp_path / "a.parquet")


def test_a_name_too_long_for_the_statistics_of_parquet_is_found_again(tmp_path: Path) -> None:
    long = "x" * 5_000
    rows = [f"{name},led by,{name} {long},2003" for name in ("a", "m", long)]
    (tmp_path / "long.csv").write_text("\n".join(["subject,relation,object,start", *rows]), encoding="utf-8")
    store = asof.open(tmp_path / "long.csv").store
    assert {fact.subject_label for fact in store.facts()} == {"a", "m", long}
    assert [fact.object_label for fact in store.facts(subject="m")] == [f"m {long}"]


@pytest.mark.parametrize(
    "text", ["Ángel Muñoz", "d’Água", "«Œuvre»", "Þóra Ásgeirsdóttir", "100 £", "50 m²", "Größe", "¿Qué?", "naïve café"]
)
def test_words_of_western_languages_stay_western(tmp_path: Path, text: str) -> None:
    path = tmp_path / "west.csv"
    path.write_bytes(text.encode("cp1252"))
    with path.open("rb") as file:
        assert encoding_of(file, path) == "cp1252"


@pytest.mark.parametrize(("text", "encoding"), [("Ελένη", "cp1253"), ("東京都", "shift_jis"), ("王小明", "gb18030")])
def test_words_of_other_languages_are_not_guessed(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(text.encode(encoding))
    with path.open("rb") as file, pytest.raises(UserError, match=f"(?s)--encoding NAME.*{encoding}: {text}"):
        encoding_of(file, path)
