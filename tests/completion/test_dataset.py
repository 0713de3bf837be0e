"""Datasets as numbers: both forms of folders, both protocols, and bases."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from asof.api.base import open_base
from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, SPLITS, UNSEEN, Dataset, Protocol, Quadruples, read_dataset
from asof.completion.fact_columns import COLUMNS, FactColumns
from asof.completion.queries import queries_of
from asof.errors import UserError
from asof.facts import FactStore, InversionPolicy, write_base
from asof.sources import open_source
from tests.conftest import shared

TRAIN = [
    "1\t1\t2\t1952-##-##\t1964-##-##",
    "2\t1\t1\t1970-##-##\t####-##-##",  # no end
    "1\t2\t2\t####-##-##\t1980-##-##",  # no start
    "2\t2\t1\t####-##-##\t####-##-##",  # neither
    "1\t1\t3\t1990-##-##\t1985-##-##",  # inverted
    "3\t1\t2\t360-##-##\t1000-##-##",  # the year 360
    "3\t2\t2\t195#-##-##\t1961-05-##",  # a decade, a month
    "3\t2\t2\t1961",  # four columns: one date
    "3\t2",  # malformed
]
VALID = ["1\t1\t4\t1955-##-##\t1956-##-##"]  # entity 4 is not in train
TEST = ["5\t2\t1\t2001-##-##\t2001-##-##"]  # nor is 5
NAMES = ["<A>\t1", "<B>\t2", "<C>\t3", "<D>\t4", "<E>\t5"]


def folder(place: Path, train: list[str], valid: list[str], test: list[str], *, ids: bool = True) -> Path:
    place.mkdir()
    for split, rows in (("train", train), ("valid", valid), ("test", test)):
        (place / f"{split}.txt").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    if ids:
        (place / "entity2id.txt").write_text("\n".join(NAMES) + "\n", encoding="utf-8")
        (place / "relation2id.txt").write_text("<plays>\t1\n<leads>\t2\n", encoding="utf-8")
    return place


def readable(dataset: Dataset, facts: Quadruples) -> list[tuple[str, str, str, int, int]]:
    return [
        (dataset.entities[s], dataset.relations[r], dataset.entities[o], int(start), int(end))
        for s, r, o, start, end in zip(facts.subject, facts.relation, facts.object, facts.start, facts.end, strict=True)
    ]


def test_years_are_read_as_they_should_be(tmp_path: Path) -> None:
    dataset = read_dataset(folder(tmp_path / "toy", TRAIN, VALID, TEST))
    assert dataset.name == "toy" and dataset.granularity == "year" and dataset.protocol is Protocol.CORRECTED
    assert dataset.entities == ("A", "B", "C", "D", "E") and dataset.relations == ("leads", "plays")
    assert readable(dataset, dataset.train) == [
        ("A", "plays", "B", 1952, 1964),
        ("B", "plays", "A", 1970, AFTER_ALL),
        ("A", "leads", "B", BEFORE_ALL, 1980),
        ("B", "leads", "A", BEFORE_ALL, AFTER_ALL),
        ("A", "plays", "C", 1985, 1990),
        ("C", "plays", "B", 360, 1000),
        ("C", "leads", "B", 1950, 1961),
        ("C", "leads", "B", 1961, 1961),
    ]
    assert readable(dataset, dataset.valid) == [("A", "plays", "D", 1955, 1956)]
    assert readable(dataset, dataset.test) == [("E", "leads", "A", 2001, 2001)]
    assert dataset.covered == (360, 2001)
    assert len(dataset.all_facts) == 10


def test_years_are_read_as_in_2020(tmp_path: Path) -> None:
    dataset = read_dataset(folder(tmp_path / "toy", TRAIN, VALID, TEST), Protocol.JAIN2020)
    assert dataset.entities == ("A", "B", "C", UNSEEN)
    assert readable(dataset, dataset.train) == [
        ("A", "plays", "B", 1952, 1964),
        ("B", "plays", "A", 1970, AFTER_ALL),
        ("A", "leads", "B", BEFORE_ALL, 1980),
        ("B", "leads", "A", BEFORE_ALL, BEFORE_ALL),
        ("A", "plays", "C", 1990, 1990),
        ("C", "plays", "B", BEFORE_ALL, 1000),
        ("C", "leads", "B", BEFORE_ALL, 1961),
        ("C", "leads", "B", 1961, 1961),
    ]
    assert readable(dataset, dataset.valid) == [("A", "plays", UNSEEN, 1955, 1956)]
    assert readable(dataset, dataset.test) == [(UNSEEN, "leads", "A", 2001, 2001)]
    assert 360 not in dataset.points.tolist() and 1985 not in dataset.points.tolist()


def test_only_facts_with_both_ends_are_dated(tmp_path: Path) -> None:
    dataset = read_dataset(folder(tmp_path / "toy", TRAIN, VALID, TEST))
    assert dataset.train.dated.tolist() == [True, False, False, False, True, True, True, True]


def test_names_and_days(tmp_path: Path) -> None:
    rows = ["Iran\tConsult\tChina\t2014-02-02", "China\tMeet\tIran\t2014-02-03"]
    dataset = read_dataset(folder(tmp_path / "events", rows, rows[:1], rows[1:], ids=False))
    assert dataset.granularity == "day" and dataset.entities == ("China", "Iran")
    assert readable(dataset, dataset.train) == [
        ("Iran", "Consult", "China", 16_103, 16_103),  # days since 1970
        ("China", "Meet", "Iran", 16_104, 16_104),
    ]
    assert dataset.points.tolist() == [BEFORE_ALL, 16_103, 16_104, AFTER_ALL]
    years = read_dataset(tmp_path / "events", granularity="year")
    assert years.granularity == "year" and years.points.tolist() == [BEFORE_ALL, 2014, AFTER_ALL]


def test_points_of_times(tmp_path: Path) -> None:
    dataset = read_dataset(folder(tmp_path / "toy", TRAIN, VALID, TEST))
    points = dataset.points.tolist()
    assert points == sorted(
        {BEFORE_ALL, 360, 1000, 1950, 1952, 1955, 1956, 1961, 1964, 1970, 1980, 1985, 1990, 2001, AFTER_ALL}
    )
    assert dataset.point(dataset.points).tolist() == list(range(len(points)))
    assert dataset.point(np.array([1953, 5000])).tolist() == [points.index(1955), len(points) - 1]


def test_questions_for_both_ends(tmp_path: Path) -> None:
    dataset = read_dataset(folder(tmp_path / "toy", TRAIN, VALID, TEST))
    asked = queries_of(dataset, "valid")
    a, d, plays = dataset.entities.index("A"), dataset.entities.index("D"), dataset.relations.index("plays")
    assert asked.entity.tolist() == [a, d] and asked.answer.tolist() == [d, a]
    assert asked.relation.tolist() == [plays, plays + 2]
    assert asked.start.tolist() == [1955, 1955] and asked.end.tolist() == [1956, 1956]
    with pytest.raises(UserError, match=r"There is no split 'dev'\. Splits: train, valid, test"):
        dataset.split("dev")


def test_datasets_without_facts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="empty has no facts"):
        read_dataset(folder(tmp_path / "empty", [], [], []))
    with pytest.raises(UserError, match="headless has no training facts"):
        read_dataset(folder(tmp_path / "headless", [], VALID, TEST))


def test_a_base_made_from_a_folder_keeps_its_splits(tmp_path: Path) -> None:
    place = folder(tmp_path / "toy", TRAIN, VALID, TEST)
    write_base(tmp_path / "base", [open_source(str(place))], inverted=InversionPolicy.KEEP)
    base, direct = read_dataset(tmp_path / "base"), read_dataset(place)
    assert base.entities == direct.entities and base.points.tolist() == direct.points.tolist()
    for split in ("train", "valid", "test"):
        assert sorted(readable(base, base.split(split))) == sorted(readable(direct, direct.split(split)))


def test_any_other_base_is_split_at_random_by_seed(base_of: Callable[..., FactStore]) -> None:
    rows = [(f"Q{n}", "P39", f"Q{n % 7 + 1000}", str(1900 + n % 90), str(1905 + n % 90)) for n in range(1, 301)]
    store = base_of(rows)
    one, same, other = (read_dataset(store.folder, seed=seed) for seed in (0, 0, 1))
    sizes = [len(one.split(split)) for split in ("train", "valid", "test")]
    assert sum(sizes) == 300 and 210 <= sizes[0] <= 270 and min(sizes[1:]) >= 15
    assert readable(one, one.test) == readable(same, same.test) != readable(other, other.test)
    assert sorted(readable(one, one.all_facts)) == sorted(readable(other, other.all_facts))


@pytest.mark.parametrize("protocol", Protocol)
def test_yago11k(protocol: Protocol) -> None:
    dataset = read_dataset(shared("YAGO11k"), protocol)
    # Two lines of train are malformed.
    assert [len(dataset.split(split)) for split in ("train", "valid", "test")] == [16_406, 2_050, 2_051]
    assert len(dataset.relations) == 10 and dataset.granularity == "year"
    assert bool((dataset.train.start <= dataset.train.end).all())
    # As table 5 of the paper has it; one more is in a malformed line only.
    assert protocol is Protocol.JAIN2020 or len(dataset.entities) == 10_622


def test_icews14() -> None:
    dataset = read_dataset(shared("ICEWS14"))
    assert [len(dataset.split(split)) for split in ("train", "valid", "test")] == [72_826, 8_941, 8_963]
    assert dataset.granularity == "day" and len(dataset.points) == 365 + 2
    assert (len(dataset.entities), len(dataset.relations)) == (7_128, 230)


def test_lines_that_cannot_be_read_are_counted_and_named(tmp_path: Path) -> None:
    odd = "1\t1\t2\t1963-64-65\t####-##-##"
    dataset = read_dataset(folder(tmp_path / "odd", [*TRAIN, odd], VALID, TEST))
    assert dataset.rejects.count == 2
    assert dataset.rejects.shown[0] == "odd/train.txt, line 9: 2 columns, neither 4 nor 5."
    assert dataset.rejects.shown[1].startswith("odd/train.txt, line 10: ")


def test_a_base_is_read_in_parts_to_the_same_numbers(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path))
    base = open_base(toy).store.folder
    whole = [read_dataset(base, protocol) for protocol in Protocol]
    monkeypatch.setattr("asof.facts.store._ROWS_OF_A_PART", 7)
    for one, protocol in zip(whole, Protocol, strict=True):
        other = read_dataset(base, protocol)
        assert (other.entities, other.relations, other.granularity) == (one.entities, one.relations, one.granularity)
        for split in SPLITS:
            columns = zip(vars(one.split(split)).values(), vars(other.split(split)).values(), strict=True)
            assert all(np.array_equal(first, second) for first, second in columns)
    names = set(whole[-1].entities)
    assert list(whole[-1].entities) == sorted(names) and len(names) == len(whole[-1].entities)


def test_of_what_is_read_only_numbers_stay() -> None:
    before, most = pa.total_allocated_bytes(), 0
    rows, parts = 2000, 20

    def part(number: int) -> pa.RecordBatch:
        nonlocal most
        most = max(most, pa.total_allocated_bytes() - before)
        words = {name: [f"{name} {'x' * 200} {row % 50}" for row in range(rows)] for name in COLUMNS}
        days = pa.array(range(rows), pa.int32())
        times = {
            "start_first": days,
            "end_last": days,
            "start_precision": ["day"] * rows,
            "end_precision": ["day"] * rows,
        }
        return pa.RecordBatch.from_pydict({**words, **times})

    size = part(0).nbytes
    columns = FactColumns.of(part(number) for number in range(parts))
    assert len(columns) == rows * parts and len(columns.entities) == 100
    assert most < 2 * size < parts * size / 5
    assert [columns.entities[columns.subject[row]][-2:] for row in (0, 51, rows)] == [" 0", " 1", " 0"]
