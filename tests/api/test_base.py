"""A base of facts from Python: the almanac, a folder, a table on disk, a data frame."""

import datetime
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import asof
from asof.facts import FactStore
from asof.facts.checks import find_problems
from asof.facts.snapshots import difference, snapshot

JOBS = {
    "person": ["Ann Lee", "Ann Lee", "Bo", "Bo", "Cy Ö"],
    "kind": ["works at"] * 5,
    "firm": ["Acme", "Beta GmbH", "Acme", "Ümlaut", "Acme"],
    "from": [2001, 2005, 1999, 2003, None],
    "to": [2005, None, 2003, 2010, 2000],
}
COLUMNS = {"subject": "person", "relation": "kind", "object": "firm", "start": "from", "end": "to"}


@pytest.fixture(scope="module")
def base() -> asof.Base:
    return asof.open("almanac")


def test_facts_are_found_by_name_and_by_id(base: asof.Base) -> None:
    by_name = base.facts(subject="Italy", relation="head of government", on="2021-03")
    by_id = base.facts(subject="Q38", relation="P6", on="2021-03")
    assert by_name["object"] == by_id["object"] == ["Mario Draghi"]
    assert by_name[0]["holds"] == "correct" and by_name[0]["known_to"] == "2024-12-31"
    assert by_name.facts[0].object_label == "Mario Draghi"


def test_a_store_never_answers_nothing_because_a_name_was_given(almanac: FactStore) -> None:
    assert len(almanac.facts(subject="Italy", relation="head of government", on="2021-03")) == 1
    id = asof.open(almanac).entity("Mario Draghi").id
    assert almanac.count(object="Mario Draghi") == almanac.count(object=id) > 0
    with pytest.raises(asof.UserError, match=r"has nothing called 'Itly'. Did you mean:\n  Q38 +Italy"):
        almanac.facts(subject="Itly")
    with pytest.raises(asof.UserError, match=r"may be one of"):
        almanac.count(subject="John Smith")


def test_days_are_dates_where_a_calendar_has_them(base: asof.Base) -> None:
    frame = base.facts(subject="Italy", relation="head of government", on="2021-02")
    assert frame["start"] == ["2018-06-01", "2021-02-13"] and frame["why"] == ["ends 2021-02-13", "starts 2021-02-13"]
    assert frame["start_date"][0] == datetime.date(2018, 6, 1)
    assert frame.to_pandas()["end_date"].dtype.kind == "M" and frame.to_polars()["end_date"].dtype == polars.Date


def test_a_year_before_christ_and_an_open_end_have_no_calendar_date(base_of: Callable[..., FactStore]) -> None:
    store = base_of([("Rome", "leader", "Caesar", "-0048", "-0043"), ("Rome", "leader", "Somebody", "2001", "")])
    frame = asof.open(store).facts(subject="Rome")
    assert (
        frame["start_date"] == [None, datetime.date(2001, 1, 1)]
        and frame["end_date"] == [None, None]
        and frame["end"] == ["-0043", None]
    )
    assert frame["start"][0] == "-0048"


def test_a_timeline_tells_its_gaps_and_a_diff_what_changed(base: asof.Base) -> None:
    line = base.timeline("Italy", "head of government")
    assert line["object"][0].startswith("Camillo") and any("gap 1861-06-07..1861-06-11" in note for note in line.notes)
    changed = base.diff("2021-Q1", "2021-Q2", relation="head of government")
    italy = next(row for row in changed if row["subject"] == "Italy")
    assert italy["status"] == "updated" and italy["after"] == ["Mario Draghi"]
    assert sorted(italy["before"]) == ["Giuseppe Conte", "Mario Draghi"]
    with pytest.raises(asof.UserError, match=r"Whose timeline"):
        base.timeline()


def test_a_question_is_answered_in_a_line_with_its_facts(base: asof.Base) -> None:
    answer = base.ask("Who was the prime minister of Italy in 2012?")
    assert str(answer) == answer.text == "Mario Monti." and answer["object"] == ["Mario Monti"]
    assert repr(answer).startswith("Mario Monti.\nsubject")
    assert asof.ask("Who was the prime minister of Italy in 2012?").text == "Mario Monti."
    with pytest.raises(asof.UserError):
        base.ask("Why is the sky blue?")


def rows_of(columns: dict[str, list[object]]) -> list[dict[str, object]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize(
    "make",
    [pandas.DataFrame, polars.DataFrame, pa.table, dict, rows_of],
    ids=["pandas", "polars", "arrow", "columns", "rows"],
)
def test_a_data_frame_is_a_base(make: Callable[[object], object]) -> None:
    base = asof.open(make(JOBS), columns=COLUMNS, known_by="2020-12-31")
    assert len(base) == 5
    assert base.facts(on="2002")["subject"] == ["Ann Lee", "Bo"]
    assert base.timeline("Bo")["object"] == ["Acme", "Ümlaut"]


def test_dates_of_a_data_frame_keep_their_days() -> None:
    days = pandas.to_datetime(["2001-02-03", "2005-01-01"])
    table = {"subject": "A", "relation": "r", "object": ["x", "y"], "start": days, "end": [pandas.NaT, days[1]]}
    assert asof.open(pandas.DataFrame(table)).facts()["start"] == ["2001-02-03", "2005-01-01"]


def test_the_same_table_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("subject,relation,object,start,end\nBo,works at,Acme,1999,2003\n", encoding="utf-8")
    first = asof.open(path, known_by="2020-12-31")
    assert asof.open(str(path), known_by="2020-12-31").store.folder == first.store.folder
    path.write_text(path.read_text() + "Bo,works at,Beta,2004,2005\n", encoding="utf-8")
    assert len(asof.open(path, known_by="2020-12-31")) == 2


def test_a_few_lost_rows_are_told_and_many_are_an_error() -> None:
    rows = {
        "subject": ["A"] * 40,
        "relation": ["r"] * 40,
        "object": [f"o{n}" for n in range(40)],
        "start": ["2001"] * 40,
    }
    few = rows | {"start": ["2001"] * 39 + ["soon"]}
    with pytest.warns(UserWarning, match=r"Could not read 1 of 40 rows. The first:\n  line 40: 'soon'"):
        base = asof.open(pa.table(few))
    assert base.rejects()["line"] == [40] and len(base) == 39
    many = pa.table(rows | {"start": ["2001"] * 20 + ["soon"] * 20})
    with pytest.raises(asof.UserError, match=r"(?s)20 of 40 rows.*max_rejects=1.0"):
        asof.open(many)
    with pytest.warns(UserWarning):
        assert len(asof.open(many, max_rejects=1.0)) == 20
    with pytest.warns(UserWarning):
        assert len(asof.open(many, most_lost=0.9)) == 20  # the earlier name


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with pytest.raises(asof.UserError, match=r"(?s)data frame has no column 'subject'. It has: a.*columns=\{'subject'"):
        asof.open(pandas.DataFrame({"a": [1]}))
    with pytest.raises(asof.UserError, match=r"cannot read an object of type int"):
        asof.open(5)
    with pytest.raises(asof.UserError, match=r"'nowhere.csv' does not exist"):
        asof.open("nowhere.csv")


def test_import_asof_loads_nothing_heavy() -> None:
    code = "import sys, asof; asof.__dir__(); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in ran.stdout.split()}
    assert not loaded & {"torch", "duckdb", "pyarrow", "numpy", "pandas", "rich", "click"}
    with pytest.raises(AttributeError, match=r"asof has no 'opne'"):
        asof.opne  # noqa: B018


def test_a_time_is_a_text_a_year_or_a_day(base: asof.Base) -> None:
    asked = {"subject": "Italy", "relation": "head of government"}
    for when in ("2012", 2012, numpy.int64(2012), datetime.date(2012, 5, 1), pandas.Timestamp("2012-05-01"),
                 numpy.datetime64("2012-05-01T12:00"), numpy.datetime64("2012")):  # fmt: skip
        assert base.facts(**asked, on=when)["object"] == ["Mario Monti"]
    assert base.facts(subject="Roman Republic", on=-50).columns == base.facts(limit=1).columns
    assert len(base.diff(2012, 2014, **asked)) == 1
    with pytest.raises(asof.UserError, match=r"1\.5 is not a time. Give a date"):
        base.facts(on=1.5)  # type: ignore[arg-type]
    with pytest.raises(asof.UserError, match=r"True is not a time"):
        base.facts(on=True)


def test_names_are_read_wherever_a_store_is_asked(base: asof.Base) -> None:
    by_id = base.diff("2021-Q1", "2021-Q2", relation="P6", subject="Q38")
    assert (
        base.diff("2021-Q1", "2021-Q2", relation="head of government", subject="Italy").to_pylist() == by_id.to_pylist()
    )
    for ask in (base.facts, base.timeline):
        with pytest.raises(asof.UserError, match=r"(?s)nothing called 'Itlay'|Did you mean"):
            ask(subject="Itlay")
        with pytest.raises(asof.UserError, match=r"no relation 'head of goverment'. Did you mean 'head of government'"):
            ask(subject="Italy", relation="head of goverment")


def test_a_frame_has_a_name_and_options_that_exist() -> None:
    frame = pandas.DataFrame(JOBS)
    base = asof.open(frame, columns=COLUMNS, known_by="2020-12-31", name="jobs")
    assert repr(base).startswith("<asof base 'jobs': 5 facts, 6 entities, 1 relation;")
    with pytest.raises(asof.UserError, match=r"asof.open has no option 'colums'. Did you mean 'columns'"):
        asof.open(frame, colums=COLUMNS)
    with pytest.raises(asof.UserError, match=r"A base is opened as it is, without known_by"):
        asof.open("almanac", known_by="2020-12-31")
    with pytest.raises(asof.UserError, match=r"Table with name fact does not exist"):
        base.sql("SELECT * FROM fact")


def test_gaps_among_whole_numbers_leave_them_whole(base_of: Callable[..., FactStore]) -> None:
    store = base_of([("A", "r", "x", "2001", "2002"), ("A", "r", "y", "2003", "")])
    types = asof.open(store).facts().to_pandas().dtypes
    assert str(types["latest_end"]) == str(types["earliest_end"]) == "Int64"


def test_a_timeline_is_drawn_with_what_is_sure_and_what_is_not(base_of: Callable[..., FactStore]) -> None:
    store = base_of([("A", "r", "x", "2001-02-03", "2002-03-04"), ("A", "r", "y", "2003", ""), ("A", "r", "z", "", "")])
    line = asof.open(store).timeline("A")
    axis = line.plot().axes[0]
    assert [one.get_text() for one in axis.get_yticklabels()] == line["object"] and axis.get_title() == "A: r"
    first = next(bar for bar in axis.patches if round(bar.get_y() + 0.3) == line["object"].index("x"))
    assert first.get_x() == pytest.approx(2001.09, abs=0.02) and first.get_width() == pytest.approx(1.08, abs=0.01)
    assert line.plot()._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(asof.UserError, match=r"nothing to draw"):
        line[:0].plot()
    with pytest.raises(asof.UserError, match=r"\d+ lines are too many to draw; 100 can be read"):
        asof.open("almanac").facts(relation="head of government").plot()


def test_facts_go_to_parquet_with_dates_beside_day_numbers(base: asof.Base, tmp_path: Path) -> None:
    found = base.facts(subject="Italy", relation="head of government")
    found.to_parquet(tmp_path / "facts.parquet")
    schema = pq.read_schema(tmp_path / "facts.parquet")
    assert schema.field("start_date").type == pa.date32() and schema.field("earliest_start").type == pa.int64()
    assert [fact.object_label for fact in found[2:4].facts] == found[2:4]["object"] == found["object"][2:4]


def test_facts_are_sorted_by_their_days_and_shown_in_part(base_of: Callable[..., FactStore]) -> None:
    store = base_of([("A", "r", "x", "1066", ""), ("A", "r", "y", "-0044", "0012"), ("A", "r", "z", "0988", "1000")])
    found = asof.open(store).facts("A", "r").sort("start")
    assert found["object"] == [fact.object_label for fact in found.facts] == ["y", "z", "x"]
    assert found.sort("end", descending=True)["object"] == ["z", "y", "x"]  # what has not ended stays last
    assert repr(found[["object", "start"]].head(1)).split() == ["object", "start", "y", "-0044"]
    assert "No rows." in asof.open(store).facts(on="2000", subject="A", surely=True)._repr_html_()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "There are no facts to open"),
        ([], "There are no facts to open"),
        ({"subject": ["A"], "object": ["x", "y"]}, "different numbers of rows: subject 1, object 2"),
        ({"subject": "A"}, "'subject' is 'A', not a column"),
    ],
)
def test_what_is_no_table_says_so(given: Any, told: str) -> None:
    with pytest.raises(asof.UserError, match=told):
        asof.open(given)


def test_an_index_with_a_name_is_a_column_and_values_may_be_of_several_kinds() -> None:
    rows = {"subject": ["Ann", "Bo"], "relation": ["r"] * 2, "object": ["x", 3], "start": [2001, "2002-03"]}
    assert asof.open(pandas.DataFrame(rows).set_index("subject")).facts()["subject"] == ["Ann", "Bo"]
    assert asof.open(rows).facts()["start"] == ["2001", "2002-03"]
    assert asof.open(rows | {"relation": "r"}).facts()["relation"] == ["r", "r"]
    mixed = [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]
    assert asof.open(mixed).facts()["object"] == ["x", "3"]


def test_a_folder_of_tables_names_one_to_open(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("subject,relation,object,start\n")
    with pytest.raises(asof.UserError, match=r"It holds jobs.csv: asof.open\('.*jobs.csv'\)"):
        asof.open(tmp_path)


def test_a_name_never_finds_nothing_because_an_id_was_wanted(base: asof.Base) -> None:
    store, asked = base.store, {"subject": "Italy", "relation": "head of government"}
    assert difference(store, "2011", "2012", **asked) == difference(store, "2011", "2012", subject="Q38", relation="P6")
    assert snapshot(store, "2012", relation="head of government") == snapshot(store, "2012", relation="P6")
    for ask in (
        store.facts,
        store.count,
        lambda **it: difference(store, "2011", "2012", **it),
        partial(find_problems, store),
    ):
        with pytest.raises(asof.UserError, match="nothing called 'Itlay'"):
            ask(subject="Itlay")
        with pytest.raises(asof.UserError, match=r"subject=\['Q38'\] is not a name. Give one name or id as text"):
            ask(subject=["Q38"])


def test_no_fact_says_where_there_are_some(base: asof.Base) -> None:
    nothing = base.facts(subject="Angela Merkel", relation="head of government")
    assert len(nothing) == 0 and len(base.facts(object="Angela Merkel", relation="head of government"))
    assert nothing.notes[0].startswith("Angela Merkel is the object of ") and "ask with object=." in repr(nothing)
    assert "is the subject of" in base.facts(object="Germany", relation="head of government").notes[0]
    (then, *_) = base.facts(subject="Italy", on="5th century BC").notes
    assert then.endswith("facts of other times would match: omit on='5th century BC' to see them.")
    assert not base.facts(subject="Italy", on="2021-03").notes


def test_a_frame_without_rows_says_so(base: asof.Base) -> None:
    empty = {"subject": [], "relation": [], "object": [], "start": [], "end": []}
    for frame in (pandas.DataFrame(empty), polars.DataFrame(empty), pandas.DataFrame(), []):
        with pytest.raises(asof.UserError, match=r"There are no facts to open. Give at least one row"):
            asof.open(frame)
    with pytest.raises(asof.UserError, match=r"not computed yet. Give frame.collect\(\)"):
        asof.open(polars.DataFrame(empty).lazy())
