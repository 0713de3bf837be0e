"""Files that are no tables, tables of any size, data frames of any type: each is read, or says what to do."""

import csv
import io
import json
import os
from datetime import date, datetime
from pathlib import Path

import pandas
import polars
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

import asof
from asof.cli.mine import command
from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.facts.manifest import FORMAT
from asof.sources import open_source
from asof.timeline import Date, parse_end
from asof.timeline.column_format import ColumnFormat, GivenFormat
from asof.timeline.readings import Readings, read_cell
from tests.sources.messy_rows import messy_rows
from tests.timeline.strategies import dates

COLUMNS = {"subject": "Employee", "relation": "Position", "object": "Place"}
HEADER = ("Employee", "Position", "Place", "From", "Until")


def found(base: asof.Base) -> list[tuple[str, str]]:
    return [(str(fact.start), str(fact.end)) for fact in base.store.facts()]


@pytest.mark.parametrize(
    ("separator", "encoding"), [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-16"), ("|", "utf-8")]
)
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_300_rows_of_many_habits_are_taken_rightly(tmp_path: Path, separator: str, encoding: str, seed: int) -> None:
    rows, meant = messy_rows(seed=seed)
    path = tmp_path / "staff.csv"
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows([HEADER, *rows])
    path.write_text(text.getvalue(), encoding=encoding)
    ran = CliRunner().invoke(
        command,
        [
            str(path),
            "--to",
            str(tmp_path / "base"),
            "--columns",
            "subject=employee,relation=position,object=place",
            "--json",
        ],
    )
    assert ran.exit_code == 0, ran.output
    told = json.loads(ran.stdout)
    assert told["rejected"] == len(rows) - len(meant) <= 0.05 * len(rows)
    facts = {
        (fact.subject_label, fact.relation_label.lower(), fact.object_label, str(fact.start), str(fact.end))
        for fact in FactStore(tmp_path / "base").facts()
    }
    assert facts == set(meant.values())
    assert told["relations"] == 3 and told["spellings"]["staff.csv"]["merged"]["relations"]
    assert sum(refused["count"] for refused in told["refused"]) == told["rejected"]


@given(dates())
def test_every_date_that_is_read_elsewhere_is_read_in_a_column(day: Date) -> None:
    assume(day.year <= 9999)
    cell = read_cell(str(day))
    if isinstance(cell, Readings):
        cell = ColumnFormat.found_in([cell, Date.of(476)]).choose(cell)
    assert cell == parse_end(str(day)) or day.year == 9999


@given(
    st.dates(min_value=date(1930, 1, 1), max_value=date(2029, 12, 31)),
    st.sampled_from(["dmy", "mdy", "ymd"]),
    st.sampled_from("./-"),
)
def test_a_given_order_settles_every_day(day: date, order: str, sign: str) -> None:
    parts = {"d": f"{day.day:02}", "m": f"{day.month:02}", "y": f"{day.year % 100:02}"}
    cell = read_cell(sign.join(parts[letter] for letter in order))
    assert isinstance(cell, Readings)
    assert str(ColumnFormat(given=GivenFormat.parse(order)).choose(cell)) == day.isoformat()


@pytest.mark.parametrize("rows", [49_999, 50_000, 50_001, 200_000])
def test_no_row_is_lost_between_blocks(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "many.csv"
    lines = "".join(f"s{n},r,o{n},{1900 + n % 120}-01-0{n % 9 + 1},\n" for n in range(rows))
    path.write_text(f"subject,relation,object,start,end\n{lines}", encoding="utf-8")
    _, intake = write_base(tmp_path / "base", [open_source(str(path))])
    assert (intake.taken, intake.rejects.count) == (rows, 0)
    assert FactStore(tmp_path / "base").manifest.rows("facts") == rows


def test_lines_are_right_in_later_blocks_and_beside_quotes(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    filling = "x" * 60
    lines = [f"s{n},r,{filling},2001,2002" for n in range(150_000)]
    lines[120_000] = 's,r,"two\nlines",2001,2002'
    lines[130_000] = "s,r,o,soon,"
    lines[140_000] = "s,r,o"
    path.write_text("\n".join(["subject,relation,object,start,end", *lines]), encoding="utf-8")
    with pytest.warns(UserWarning, match="2 of 150,000 rows"):
        base = asof.open(path)
    refused = sorted((row["line"], row["reason"][:6]) for row in base.rejects())
    assert refused == [(130_003, "'soon'"), (140_003, "3 colu")]


def test_a_pipe_a_folder_an_archive_and_a_page(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(UserError, match=r"is a pipe or a device.*cat .*pipe.csv > facts.csv"):
        write_base(tmp_path / "base", [open_source(str(pipe))])
    with pytest.raises(UserError, match="is a pipe or a device"):
        asof.open(pipe)
    folder = tmp_path / "tables"
    folder.mkdir()
    with pytest.raises(UserError, match="It is a folder without tables"):
        open_source(str(folder))
    (folder / "teams.csv").write_text("subject,relation,object,start\na,r,b,2001\n")
    for opened in (open_source, asof.open):
        with pytest.raises(UserError, match=r"It holds teams.csv: asof mine .*teams.csv --to BASE|It holds teams.csv"):
            opened(str(folder))
    write_base(tmp_path / "base", [open_source(str(folder / "teams.csv"))])
    with pytest.raises(UserError, match="It is a base already: asof show"):
        open_source(str(tmp_path / "base"))
    dump = tmp_path / "latest-all.json"
    dump.write_text("<!DOCTYPE html><html><title>503</title></html>")
    with pytest.raises(UserError, match=r"latest-all.json is a web page"):
        open_source(str(dump))
    other = tmp_path / "table.dat"
    other.write_text("subject;relation;object;start\na;r;b;2001\n")
    with pytest.raises(UserError, match=r"If it is a table, say so: asof mine .*table.dat --source table"):
        open_source(str(other))
    write_base(tmp_path / "other", [open_source(str(other), kind="table")])
    assert len(FactStore(tmp_path / "other").facts()) == 1


def test_a_base_of_a_newer_format_says_so(tmp_path: Path) -> None:
    path = tmp_path / "teams.csv"
    path.write_text("subject,relation,object,start\na,r,b,2001\n")
    write_base(tmp_path / "base", [open_source(str(path))])
    manifest = tmp_path / "base" / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"format": {FORMAT}', '"format": 99'))
    with pytest.raises(UserError, match=r"has format 99, which is newer.*pip install --upgrade asof"):
        asof.open(tmp_path / "base")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separator": ";;"}, r"--separator ';;' is no separator"),
        ({"encoding": "klingon"}, r"--encoding 'klingon' is unknown. Write utf-8"),
        ({"encoding": "ascii"}, r"is not all ascii"),
        ({"sheet": "x"}, r"is separated text and has no sheets"),
        ({"date_format": "soon"}, r"--date-format 'soon' is not an order of day, month and year"),
        ({"relation": ["a", "b"]}, r"--relation stands 2 times and --columns 1 times"),
        ({"columns": {"relation": "relation"}, "relation": "x"}, r"both say the relation. Leave out one"),
    ],
)
def test_options_that_cannot_be_say_why(tmp_path: Path, options: dict[str, object], message: str) -> None:
    path = tmp_path / "f.csv"
    path.write_text("subject,relation,object,start\nä,r,b,2001\n", encoding="utf-8")
    with pytest.raises(UserError, match=message):
        write_base(tmp_path / "base", [open_source(str(path), **options)])


def frames() -> list[object]:
    days = [datetime(2001, 2, 3), None, datetime(2010, 1, 1, 23, 59)]
    texts = {"Subject": ["a", "b", "c"], "Relation": ["r"] * 3, "Object": ["x", "y", "z"]}
    years = [2005.0, float("nan"), 2015.0]
    arrow = pa.table(texts | {"From": pa.array(days, pa.timestamp("us")), "To": pa.array(years)})
    return [
        pandas.DataFrame(texts | {"From": pandas.to_datetime(days), "To": years}),
        pandas.DataFrame(
            texts | {"From": [one and one.date() for one in days], "To": pandas.array([2005, None, 2015], "Int64")}
        ),
        pandas.DataFrame(
            texts | {"From": ["3.2.2001", pandas.NaT, date(2010, 1, 1)], "To": [2005, None, "2015"]}
        ).assign(From=lambda frame: frame["From"].map(lambda day: "2001-02-03" if day == "3.2.2001" else day)),
        polars.DataFrame(texts | {"From": days, "To": years}),
        polars.DataFrame(texts | {"From": [one and one.date() for one in days], "To": [2005, None, 2015]}).with_columns(
            polars.col("Subject").cast(polars.Categorical)
        ),
        arrow,
    ]


@pytest.mark.parametrize("number", range(6))
def test_a_frame_of_any_kind_with_real_dates_and_gaps(number: int) -> None:
    base = asof.open(frames()[number])
    assert found(base) == [("2001-02-03", "2005"), ("not stated", "not stated"), ("2010-01-01", "2015")]
    assert base.assumed() == ["facts.parquet: read 'From' as start, 'To' as end"]


def test_a_wide_frame_and_a_workbook_through_python(tmp_path: Path) -> None:
    wide = pandas.DataFrame({"Club": ["Ajax"], "Coach": ["Ann"], "President": ["Bo"], "Since": ["03/04/2011"]})
    views = [{"subject": "Club", "object": "Coach"}, {"subject": "Club", "object": "President"}]
    with pytest.raises(UserError, match=r"Say which with date_format='dd/mm/yyyy' or 'mm/dd/yyyy'"):
        asof.open(wide, columns=views, relation=["coach", "president"])
    base = asof.open(wide, columns=views, relation=["coach", "president"], date_format="mm/dd/yyyy")
    assert sorted((fact.relation_label, str(fact.start)) for fact in base.store.facts()) == [
        ("coach", "2011-03-04"),
        ("president", "2011-03-04"),
    ]
    with pytest.raises(UserError, match=r"asof.open has no option 'column'. Did you mean 'columns'\?"):
        asof.open(wide, column={})
    staff = Path(__file__).parent.parent / "data" / "messy" / "staff.xlsx"
    with pytest.raises(UserError, match=r"has no sheet 'Staf'. Did you mean 'Staff'\? It has: Read me, Staff"):
        asof.open(staff, sheet="Staf")
