"""The published datasets: their counts where they are at hand, their formats always."""

from pathlib import Path

import pytest

from asof.facts import FactStore, InversionPolicy, write_base
from asof.sources import open_source
from tests.conftest import shared


@pytest.mark.parametrize(
    ("name", "splits", "entities", "relations", "inverted", "broken"),
    [  # counts of the files; the paper's table 5 swaps valid and test of YAGO11k and has 8,943 for ICEWS14's test
        ("YAGO11k", (16_408, 2_050, 2_051), 10_623, 10, 70, 2),
        ("WIKIDATA12k", (32_497, 4_062, 4_062), 12_554, 24, 10, 0),
        ("ICEWS14", (72_826, 8_941, 8_963), 7_128, 230, 0, 0),
    ],
)
def test_the_real_datasets_come_in_whole(
    tmp_path: Path,
    name: str,
    splits: tuple[int, int, int],
    entities: int,
    relations: int,
    inverted: int,
    broken: int,
) -> None:
    manifest, intake = write_base(tmp_path / name, [open_source(str(shared(name)))], inverted=InversionPolicy.KEEP)
    store = FactStore(tmp_path / name)
    counts = store.sql("SELECT source, count(*) AS n FROM facts GROUP BY ALL ORDER BY source").to_pylist()
    by_split = {row["source"].split("/")[1]: row["n"] for row in counts}
    assert sum(by_split.values()) + intake.rejects.count == sum(splits)
    assert by_split["valid.txt"] == splits[1]
    assert (manifest.rows("entities"), manifest.rows("relations")) == (entities, relations)
    assert intake.rejects.count == broken
    upside_down = store.sql("SELECT count(*) AS n FROM facts WHERE end_last < start_first").to_pylist()[0]["n"]
    assert upside_down == inverted


def dataset(folder: Path, rows: list[str], *, ids: bool) -> Path:
    folder.mkdir()
    for split, lines in zip(("train.txt", "valid.txt", "test.txt"), (rows, rows[:1], rows[1:2]), strict=True):
        (folder / split).write_text("\n".join(lines) + "\n", encoding="utf-8")
    if ids:
        (folder / "entity2id.txt").write_text("<Getafe_CF>\t7\t1983-07-08\t####-##-##\n<A_B>\t8\n", encoding="utf-8")
        (folder / "relation2id.txt").write_text("<playsFor>\t2\n", encoding="utf-8")
    return folder


def test_ids_and_dates_with_holes(tmp_path: Path) -> None:
    rows = ["8\t2\t7\t1952-##-##\t1964-##-##", "8\t2\t7\t1952-##-##\t####-##-##", "8\t9\t7\t1952\t1953", "8\t2\t7"]
    write_base(tmp_path / "base", [open_source(str(dataset(tmp_path / "d", rows, ids=True)))])
    store = FactStore(tmp_path / "base")
    assert [str(fact) for fact in store.facts(limit=2)] == [
        "A_B playsFor Getafe_CF 1952..1964",
        "A_B playsFor Getafe_CF 1952..1964",
    ]
    assert store.entity("Getafe_CF").label == "Getafe CF"
    rejects = (tmp_path / "base" / str(store.manifest.rejects and store.manifest.rejects.path)).read_text()
    assert "relation '9' is not in relation2id.txt." in rejects
    assert "3 columns, neither 4 nor 5." in rejects


def test_names_and_days(tmp_path: Path) -> None:
    rows = ["Iran\tConsult\tChina\t2014-02-02", "China\tConsult\tIran\t2014-02-03"]
    write_base(tmp_path / "base", [open_source(str(dataset(tmp_path / "d", rows, ids=False)))])
    facts = FactStore(tmp_path / "base").facts(on="2014-02-02")
    assert next(str(fact) for fact in facts) == "Iran Consult China 2014-02-02..2014-02-02"
    assert {fact.source for fact in facts} == {"d/train.txt", "d/valid.txt"}
