"""Datasets, Croissant and CSV, each read by its own tool: nothing is changed, whatever the names are."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof import registry
from asof.benchmarks import Benchmark, Item, documents
from asof.benchmarks.timeqa import TimeQa
from asof.cli import asof
from asof.errors import UserError
from asof.export import ExportRequest, export
from asof.export._yaml import yaml
from asof.export.croissant import Croissant
from asof.export.csv import Csv
from asof.export.huggingface import HuggingFace
from asof.facts.manifest import sha256_of
from tests.export.conftest import HOSTILE, saved

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@pytest.fixture(params=["timestress", "dynamic-templama", "templama", "timeqa", "lama-tk", "hostile"])
def benchmark(request: pytest.FixtureRequest, built: dict[str, Benchmark], hostile: Benchmark) -> Benchmark:
    return built.get(request.param, hostile)


def test_datasets_loads_the_folder(benchmark: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets
    import yaml as reader

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    export(HuggingFace(), ExportRequest(benchmark=benchmark, name="asof_test"), tmp_path / "dataset")
    loaded = datasets.load_dataset(str(tmp_path / "dataset"), split="test", cache_dir=str(tmp_path / "cache"))
    assert loaded.to_list() == benchmark.table().to_pylist()
    assert sha256_of(tmp_path / "dataset" / "data" / "items.parquet") == benchmark.items_sha256
    card = (tmp_path / "dataset" / "README.md").read_text(encoding="utf-8")
    header = reader.safe_load(card.split("---\n")[1])
    assert header["license"] == ("mit" if benchmark.base == "almanac" else "unknown")
    assert header["configs"][0]["config_name"] == "items"
    assert benchmark.items_sha256 in card and "asof build" in card


def test_croissant_is_valid_and_readable(benchmark: Benchmark, tmp_path: Path) -> None:
    import mlcroissant

    export(Croissant(), ExportRequest(benchmark=benchmark, name="asof_test"), tmp_path / "c")
    metadata = mlcroissant.Dataset(str(tmp_path / "c" / "croissant.json"))
    assert not metadata.metadata.ctx.issues.errors
    found = [
        {name.removeprefix("items/"): plain(value) for name, value in record.items()}
        for record in metadata.records("items")
    ]
    assert found == [{name: plain(value) for name, value in row.items()} for row in benchmark.table().to_pylist()]


def plain(value: Any) -> Any:
    """Read Croissant's bytes as text, and its missing numbers as nothing."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, float) and value != value:
        return None
    return value.decode() if isinstance(value, bytes) else value


def test_csv_keeps_every_letter(benchmark: Benchmark, tmp_path: Path) -> None:
    export(Csv(), ExportRequest(benchmark=benchmark, name="asof_test"), tmp_path / "csv")
    content = (tmp_path / "csv" / "items.csv").read_bytes()
    assert content.endswith(b"\r\n") and content.startswith(b'"id","prompt"')
    with (tmp_path / "csv" / "items.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    wanted = benchmark.table().to_pylist()
    assert [row["prompt"] for row in rows] == [row["prompt"] for row in wanted]
    assert [json.loads(row["answers"]) for row in rows] == [row["answers"] for row in wanted]


def read_by_arrow(path: Path, schema: pa.Schema) -> pa.Table:
    types = {field.name: pa.string() if pa.types.is_list(field.type) else field.type for field in schema}
    return arrow_csv.read_csv(
        path,
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
        ),
    )


@settings(max_examples=25)
@given(st.lists(st.tuples(TEXT, st.lists(TEXT), st.none() | TEXT, st.none() | st.floats(allow_nan=False)), min_size=1))
def test_csv_tells_empty_from_missing(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    items = [
        Item(id=str(place), prompt=prompt, answers=tuple(answers), group="g", tags={"text": text, "number": number})
        for place, (prompt, answers, text, number) in enumerate(rows)
    ]
    folder = tmp_path_factory.mktemp("csv")
    made = saved(folder / "b", items, probe="write-answer")
    export(Csv(), ExportRequest(benchmark=made, name="t"), folder / "out")
    wanted = made.table()
    read = read_by_arrow(folder / "out" / "items.csv", wanted.schema)
    for name in ("prompt", "text", "number"):
        if not pa.types.is_null(wanted.schema.field(name).type):
            assert read[name].to_pylist() == wanted[name].to_pylist()
    assert [json.loads(cell) for cell in read["answers"].to_pylist()] == wanted["answers"].to_pylist()


def test_a_spreadsheet_runs_no_cell(hostile: Benchmark, tmp_path: Path) -> None:
    told = export(Csv(), ExportRequest(benchmark=hostile, name="t"), tmp_path / "plain")
    assert any("cells begin with = + - or @" in sentence for sentence in told)
    export(Csv(for_spreadsheets=True), ExportRequest(benchmark=hostile, name="t"), tmp_path / "safe")
    with (tmp_path / "safe" / "items.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.DictReader(file) for cell in row.values()]
    assert "'=1+1" in cells and "'@SUM(A1)" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from("abc"), TEXT | st.booleans() | st.none() | st.integers() | st.lists(TEXT)))
def test_yaml_is_read_as_it_was_meant(content: dict[str, Any]) -> None:
    import yaml as reader

    assert (reader.safe_load(yaml(content)) or {}) == content
    nested = {"list": [content], "inside": content} if content else {}
    assert (reader.safe_load(yaml(nested)) or {}) == nested


def test_documents_go_along(tmp_path: Path, base_of: Any) -> None:
    """The texts that questions are about are a table of their own in every form that has tables."""
    import pyarrow.parquet as pq

    from asof.benchmarks import build
    from asof.wording import Wording

    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "Italy.txt").write_text(
        "Ann led it from 2001 to 2004.\n\nBob led it from 2005 to 2009.\n\nCid led it from 2010 to 2012.\n"
    )
    store = base_of(
        [
            ("Italy", "P6", "Ann", "2001-01-01", "2004-12-31"),
            ("Italy", "P6", "Bob", "2005-01-01", "2009-12-31"),
            ("Italy", "P6", "Cid", "2010-01-01", "2012-12-31"),
        ]
    )
    made = build(tmp_path / "b", TimeQa(pages=str(pages)), store, Wording())
    for form, file in ((HuggingFace(), "data/documents.parquet"), (Croissant(), "documents.parquet")):
        export(form, ExportRequest(benchmark=made, name="t"), tmp_path / type(form).__name__)
        table = pq.read_table(tmp_path / type(form).__name__ / file)
        assert table["id"].to_pylist() == list(documents(made))
    export(Csv(), ExportRequest(benchmark=made, name="t"), tmp_path / "csv")
    assert (tmp_path / "csv" / "documents.csv").is_file()


@pytest.mark.parametrize("form", registry.export.names())
def test_every_form_keeps_the_contract(form: str, benchmark: Benchmark, tmp_path: Path) -> None:
    kind = registry.export.get(form)
    assert registry.export.summary(form).endswith(".")
    wanted = ExportRequest(benchmark=benchmark, name="asof_test")
    told = export(kind(), wanted, tmp_path / "one")
    assert told[-1].startswith("Next: ")
    export(kind(), wanted, tmp_path / "two")
    export(kind(), wanted, tmp_path / "two")  # an earlier export is replaced
    for path in sorted((tmp_path / "one").rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]  # nothing is left beside them
    assert pc.count(benchmark.table()["id"]).as_py() == benchmark.items_count


def test_a_folder_is_written_whole_or_not_at_all(hostile: Benchmark, tmp_path: Path) -> None:
    class Fails(Csv):
        def write(self, wanted: ExportRequest, folder: Path) -> list[str]:
            super().write(wanted, folder)
            raise OSError(28, "No space left on device")

    wanted = ExportRequest(benchmark=hostile, name="t")
    with pytest.raises(UserError, match=r"No space left on device\. Nothing was changed"):
        export(Fails(), wanted, tmp_path / "out")
    assert not list(tmp_path.iterdir())
    export(Csv(), wanted, tmp_path / "out")
    before = (tmp_path / "out" / "items.csv").read_bytes()
    with pytest.raises(UserError, match="Nothing was changed"):
        export(Fails(), wanted, tmp_path / "out")
    assert (tmp_path / "out" / "items.csv").read_bytes() == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match="is not empty and is not an export"):
        export(Csv(), wanted, tmp_path / "mine")
    with pytest.raises(UserError, match="is a file"):
        export(Csv(), wanted, tmp_path / "mine" / "thesis.txt")


@pytest.mark.parametrize("name", ["../evil", "a/b", "", "-x", "a b", "a\n", "{{x}}"])
def test_a_name_cannot_leave_its_folder(name: str, hostile: Benchmark) -> None:
    with pytest.raises(UserError, match="cannot be the name of a task"):
        ExportRequest(benchmark=hostile, name=name)


def test_from_the_command_line(
    built: dict[str, Benchmark], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = str(built["dynamic-templama"].folder)

    def said(*args: str) -> str:
        asof.main(["export", folder, *args], standalone_mode=False)
        captured = capsys.readouterr()
        return captured.out + captured.err

    assert "dynamic-templama-lm-eval holds" in said("--as", "lm-eval", "--set", "distractors=3")
    assert "Next: lm_eval" in said("--as", "lm-eval", "--probe", "pseudo-likelihood", "-o", "o", "--name", "mine")
    assert Path("o/mine.yaml").is_file()
    assert json.loads(said("--as", "csv", "-o", "c", "--json"))["form"] == "csv"
    assert 'license: "cc0-1.0"' in _card(said, "--license", "cc0-1.0")
    with pytest.raises(UserError, match="Did you mean 'lm-eval'"):
        said("--as", "lmeval")
    with pytest.raises(UserError, match=r"asks no model\. Omit --probe"):
        said("--as", "csv", "--probe", "write-answer")
    with pytest.raises(UserError, match="lm-eval cannot do what the probe fill-one does"):
        said("--as", "lm-eval", "--probe", "fill-one")
    with pytest.raises(UserError, match="csv has no setting 'spreadsheets'"):
        said("--as", "csv", "--set", "spreadsheets=true")


def _card(said: Any, *more: str) -> str:
    said("--as", "huggingface", "-o", "h", *more)
    return Path("h/README.md").read_text(encoding="utf-8")


def test_hostile_names_reach_the_rows_of_tasks(hostile: Benchmark, tmp_path: Path) -> None:
    for form in ("lm-eval", "inspect"):
        export(registry.export.get(form)(), ExportRequest(benchmark=hostile, name="t"), tmp_path / form)
        lines = (tmp_path / form / "items.jsonl").read_bytes().decode().split("\n")
        rows = [json.loads(line) for line in lines if line]
        assert [row["prompt"] for row in rows] == [f"Question: {text}\nAnswer:" for text in HOSTILE]
        assert [tuple(row["answers"]) for row in rows] == [item.answers for item in hostile.items()]
