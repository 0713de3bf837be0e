"""Tables: every format, and every way in which a file can be broken without losing its good rows."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from asof.errors import UserError
from asof.facts import FactStore, InversionPolicy, write_base
from asof.sources import open_source
from asof.sources._day_of_mining import day_of_mining
from asof.sources.table import Table
from asof.timeline import Date

HEADER = "subject,relation,object,start,end"
ROWS = [
    {"subject": "Italy", "relation": "P6", "object": "Mario Draghi", "start": "2021-02-13", "end": "2022-10-22"},
    {"subject": "Italy", "relation": "P6", "object": "Giorgia Meloni", "start": "2022-10-22", "end": "ongoing"},
]
EXPECTED = {("Mario Draghi", "2021-02-13..2022-10-22"), ("Giorgia Meloni", "2022-10-22..ongoing")}


def mined(path: Path, **options: object) -> tuple[FactStore, list[dict[str, object]]]:
    """Mine a table; return the base and the rejected rows."""
    columns = options.pop("columns", {})
    folder = path.parent / f"{path.name}.base"
    manifest, intake = write_base(folder, [open_source(str(path), columns=columns)], **options)  # type: ignore[arg-type]
    rejects = []
    if manifest.rejects:
        lines = (folder / manifest.rejects.path).read_text(encoding="utf-8").splitlines()
        rejects = [json.loads(line) for line in lines]
    assert len(rejects) == intake.rejects.count
    return FactStore(folder), rejects


def content(store: FactStore) -> set[tuple[str, str]]:
    return {(fact.object, str(fact.interval)) for fact in store.facts()}


def written(folder: Path, form: str) -> Path:
    path = folder / f"facts.{form}"
    if form.startswith("parquet"):
        pq.write_table(pa.Table.from_pylist(ROWS), path)
        return path
    if form.startswith("jsonl"):
        text = "".join(json.dumps(row) + "\n" for row in ROWS)
    else:
        sign = "\t" if form.startswith("tsv") else ","
        text = "".join(sign.join(row) + "\n" for row in [list(ROWS[0]), *(list(row.values()) for row in ROWS)])
    path.write_bytes(gzip.compress(text.encode()) if form.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "tsv.gz", "jsonl.gz"])
def test_every_format_gives_the_same_facts(tmp_path: Path, form: str) -> None:
    store, rejects = mined(written(tmp_path, form))
    assert content(store) == EXPECTED
    assert rejects == []


def test_columns_of_other_names_labels_and_ranks(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(
        "who,relation,team,start,end,subject_label,object_label,rank,statement\n"
        "Q11571,P54,Q1422,2018-07-10,2021-08-31,Cristiano Ronaldo,Juventus F.C.,preferred,s1\n"
        "Q11571,P54,Q18656,2021-08-31,2022-11-22,Cristiano Ronaldo,Manchester United F.C.,,\n",
        encoding="utf-8",
    )
    store, _ = mined(path, columns={"subject": "who", "object": "team"})
    facts = list(store.facts())
    assert [(fact.subject_label, fact.object_label, str(fact.rank), fact.statement) for fact in facts] == [
        ("Cristiano Ronaldo", "Juventus F.C.", "preferred", "s1"),
        ("Cristiano Ronaldo", "Manchester United F.C.", "normal", None),
    ]
    assert facts[0].relation_label == "member of sports team"


def test_years_as_numbers_and_days_as_dates(tmp_path: Path) -> None:
    import datetime

    path = tmp_path / "typed.parquet"
    table = {"subject": ["a"], "relation": ["r"], "object": ["b"], "start": pa.array([1999], pa.int16())}
    pq.write_table(pa.table(table | {"end": pa.array([datetime.date(2001, 3, 4)], pa.date32())}), path)
    store, _ = mined(path)
    assert content(store) == {("b", "1999..2001-03-04")}


BROKEN = f"""{HEADER}
Italy,P6,Giuseppe Conte,2018-06-01,2021-02-13
Italy,P6,Mario Draghi,2021-02-30,2022-10-22
Italy,P6,too few
Italy,P6,"a quote, never closed,2001,2002
Italy,P6,Enrico Letta,2013-04-28,2014-02-22
,P6,nobody,2001,2002
Italy,P6,Upside Down,2010,2001
Italy,P6,Ongoing Start,ongoing,2001
Italy,P6,"Monti, Mario",2011-11-16,2013-04-28
"""


def test_broken_rows_in_the_middle_are_kept_aside_with_line_and_reason(tmp_path: Path) -> None:
    path = tmp_path / "italy.csv"
    path.write_bytes(BROKEN.encode() + b"Italy,P6,\xff\xfe,2001,2002\nItaly,P6,Mario Monti,2011,2013\n")
    store, rejects = mined(path)
    assert {name for name, _ in content(store)} == {"Giuseppe Conte", "Enrico Letta", "Monti, Mario", "Mario Monti"}
    told = {(row["line"], str(row["reason"])[:60]) for row in rejects}
    assert told == {
        (3, "2021-02-30 is not a valid date: February 2021 has 28 days."[:60]),
        (4, "3 columns instead of 5."),
        (5, "a quote is opened and not closed."),
        (7, "the subject is empty."),
        (8, "Italy P6 Upside Down ends (2001) before it starts (2010). Drop"[:60]),
        (9, "A start cannot be 'ongoing': give a date, 'unknown' or nothi"),
        (11, "byte 10 (0xff) is not UTF-8. Save the table as UTF-8."),
    }
    assert {row["file"] for row in rejects} == {"italy.csv"}
    assert "never closed" in str(rejects)


def test_a_field_may_run_over_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "poem.csv"
    path.write_text(f'{HEADER}\nx,r,"two\nlines, ""quoted""",2001,2002\ny,r,z,2001-02-30,\n', encoding="utf-8")
    store, rejects = mined(path)
    assert content(store) == {('two\nlines, "quoted"', "2001..2002")}
    assert rejects[0]["line"] == 4


def test_broken_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    good = [json.dumps(row) for row in ROWS]
    path.write_text("\n".join([good[0], '{"subject": "cut', "[1, 2]", "", good[1]]) + "\n", encoding="utf-8")
    store, rejects = mined(path)
    assert content(store) == EXPECTED
    assert [row["line"] for row in rejects] == [2, 3]


def test_what_happens_to_facts_that_end_before_they_start(tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    path.write_text(f"{HEADER}\na,r,b,2010,2001\na,r,c,2001,2002\n", encoding="utf-8")
    for policy, expected in {
        InversionPolicy.REJECT: {("c", "2001..2002")},
        InversionPolicy.DROP: {("c", "2001..2002")},
        InversionPolicy.SWAP: {("b", "2001..2010"), ("c", "2001..2002")},
        InversionPolicy.KEEP: {("b", "2010..2001"), ("c", "2001..2002")},
    }.items():
        store, rejects = mined(path, inverted=policy)
        assert content(store) == expected
        assert len(rejects) == (1 if policy is InversionPolicy.REJECT else 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "subject,relation,objekt,start\n",
            r"has no column 'object'. Did you mean 'objekt'\? It has: subject, relation",
        ),
        ("subject,relation,object\nx,y,z\n", "has no column 'start'"),
        ("", "is empty"),
    ],
)
def test_a_missing_column_is_named_before_anything_is_read(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "facts.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        mined(path)


def test_cut_and_foreign_files(tmp_path: Path) -> None:
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(written(tmp_path, "parquet").read_bytes()[:-20])
    with pytest.raises(UserError, match="is broken or cut"):
        mined(cut)
    zipped = tmp_path / "cut.csv.gz"
    zipped.write_bytes(written(tmp_path, "csv.gz").read_bytes()[:-12])
    with pytest.raises(UserError, match="is broken or cut"):
        mined(zipped)
    with pytest.raises(UserError, match="does not exist"):
        mined(tmp_path / "nowhere.csv")
    with pytest.raises(UserError, match="is not a source that asof can read"):
        open_source("facts.docx")
    with pytest.raises(UserError, match=r"asof has no column 'objekt'. Did you mean 'object'"):
        open_source("facts.csv", columns={"objekt": "x"})


def test_a_table_is_known_up_to_the_day_of_mining_unless_another_is_stated(tmp_path: Path) -> None:
    path = written(tmp_path, "csv")
    before = day_of_mining()
    store, _ = mined(path)
    assert before <= (store.known_by or before) <= day_of_mining() and store.manifest.known_by
    assert [str(fact.object) for fact in store.facts(on="2900", surely=True)] == []
    stated, _ = mined(path, known_by=Date.parse("2023-06-30"))
    assert stated.manifest.known_by == "2023-06-30"


def test_the_same_table_known_by_the_same_day_gives_the_same_bytes_on_any_day(tmp_path: Path) -> None:
    path, day = written(tmp_path, "csv"), Date.parse("2023-06-30")
    found = []
    for today in ("2026-01-01", "2031-12-31"):
        source = Table(str(path), known_by=Date.parse(today))
        write_base(tmp_path / today, [source], name="base", known_by=day)
        found.append({file.name: file.read_bytes() for file in (tmp_path / today).iterdir()})
    assert found[0] == found[1]


def test_several_sources_are_known_up_to_the_earliest_of_their_days(tmp_path: Path) -> None:
    path = written(tmp_path, "csv")
    days = [Date.parse("2023-06-30"), Date.parse("2021")]
    manifest, intake = write_base(tmp_path / "base", [Table(str(path), known_by=day) for day in days])
    assert manifest.known_by == "2021"
    assert intake.ongoing == 2
