"""Names in several languages: kept by a base, used by a build, and said where they are missing."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from asof.benchmarks import build
from asof.benchmarks.dynamic_templama import DynamicTempLama
from asof.benchmarks.lama_tk import LamaTk
from asof.benchmarks.timestress import TimeStress
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore, Intake, write_base
from asof.facts.engines import open_engine
from asof.facts.in_language import in_language
from asof.facts.labels import labels_batch
from asof.facts.manifest import read_manifest
from asof.facts.recipes import select
from asof.registry import recipes
from asof.sources import open_source
from asof.wording import Wording

Make = Callable[..., FactStore]

ROWS = [
    ("Q38", "P6", "Q1", "2001", "2006"),
    ("Q38", "P6", "Q2", "2006", "2008"),
    ("Q142", "P6", "Q3", "2005", "2009"),
    ("Q30", "P36", "Q61", "1990", "2010"),
]
NAMES = {
    "Q38": "Italy",
    "Q1": "Ann Lee",
    "Q2": "Bo Ek",
    "Q142": "France",
    "Q3": "Cy Dunn",
    "Q30": "United States",
    "Q61": "Washington",
}
FRENCH = {"Q38": "Italie", "Q1": "Ann Lee", "Q2": "Bo Ek", "Q30": "États-Unis", "Q61": "Washington"}


class TwoLanguages:
    """A table whose names are English, with French names beside them."""

    name, known_by, language = "two", None, "en"

    def __init__(self, table: Path) -> None:
        self.table = open_source(str(table))

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        return self.table.facts(intake)

    def entities(self) -> Iterable[pa.RecordBatch]:
        return self.table.entities()

    def relations(self) -> Iterable[pa.RecordBatch]:
        return self.table.relations()

    def labels(self) -> Iterable[pa.RecordBatch]:
        return [labels_batch(list(FRENCH.items()), "fr")]


@pytest.fixture
def two(tmp_path: Path) -> FactStore:
    table = tmp_path / "two.tsv"
    header = "subject\tsubject_label\trelation\tobject\tobject_label\tstart\tend\n"
    rows = "".join(f"{s}\t{NAMES[s]}\t{r}\t{o}\t{NAMES[o]}\t{a}\t{b}\n" for s, r, o, a, b in ROWS)
    table.write_text(header + rows, encoding="utf-8")
    write_base(tmp_path / "two", [TwoLanguages(table)])
    return FactStore(tmp_path / "two")


def prompts(folder: Path, store: FactStore, **options: bool) -> set[str]:
    kind = DynamicTempLama(first="2000", last="2010", by="year")
    made = build(folder, kind, store, Wording(language="fr"), **options)
    return {f"{item.prompt} {item.answers[0]}" for item in made.items()}


def test_a_build_uses_the_names_of_its_language(two: FactStore, tmp_path: Path) -> None:
    assert prompts(tmp_path / "made", two) == {
        "_X_ dirige le gouvernement de l'Italie. Ann Lee",
        "_X_ dirige le gouvernement de l'Italie. Bo Ek",
        "Les États-Unis ont pour capitale _X_. Washington",
    }


def test_what_has_no_name_is_said_or_kept(two: FactStore, tmp_path: Path) -> None:
    kind = TimeStress(longer_than=1)
    made = build(tmp_path / "made", kind, two, Wording(language="fr"))
    told = made.account.left_out["without a name in 'fr'"]
    assert (told.count, told.example) == (1, "France, head of government: Cy Dunn, 2005 to 2009")
    assert "--keep-unnamed" in told.advice and "--language fr" in told.advice
    assert sum(one.count for one in made.account.left_out.values()) + made.groups_count == two.manifest.rows("facts")
    assert made.description["base"]["hash"] == two.manifest.hash  # of the base that a person has
    assert "_X_ dirige le gouvernement de la France. Cy Dunn" in prompts(tmp_path / "kept", two, keep_unnamed=True)


def test_a_base_without_any_name_of_the_language_gives_nothing(tmp_path: Path, two: FactStore) -> None:
    class English(TwoLanguages):
        def labels(self) -> Iterable[pa.RecordBatch]:
            return []

    write_base(tmp_path / "english", [English(tmp_path / "two.tsv")])
    for kind in (DynamicTempLama(first="2000", last="2010"), TimeStress(), LamaTk()):
        with pytest.raises(UserError, match=rf"(?s)no facts for {kind.name}.*Skipped 4 facts without a name in"):
            build(tmp_path / "made", kind, FactStore(tmp_path / "english"), Wording(language="fr"))
        assert not (tmp_path / "made").exists()


def test_english_stays_as_it_was(two: FactStore, tmp_path: Path) -> None:
    with in_language(two, "en") as found:
        assert found.store is two and not found.unnamed and not found.note


def test_a_table_that_says_no_language_is_taken_as_it_is(base_of: Make, tmp_path: Path) -> None:
    store = base_of([("Italie", "P6", "Anne", "2001", "2006"), ("Italie", "P6", "Luc", "2006", "2009")])
    made = build(tmp_path / "made", LamaTk(), store, Wording(language="fr"))
    assert "Anne dirigeait le gouvernement de l'Italie de _X_ à 2006." in {item.prompt for item in made.items()}
    assert "does not state the language of its names" in made.account.notes[0]
    english = build(tmp_path / "english", LamaTk(), store, Wording())
    assert not any("language" in note for note in english.account.notes)


def test_a_base_without_names_in_other_languages_is_as_before(base_of: Make) -> None:
    store = base_of([("A", "P6", "B", "2001", "2006")])
    assert "labels" not in store.manifest.tables and store.manifest.language is None
    assert store.sql("SELECT * FROM labels").num_rows == 0
    path = store.folder / "manifest.json"
    path.write_text(path.read_text(encoding="utf-8").replace(' "language": null,\n', ""), encoding="utf-8")
    assert "language" not in path.read_text(encoding="utf-8")
    assert read_manifest(store.folder).language is None  # one of an earlier version


def test_a_selection_keeps_the_names(two: FactStore, tmp_path: Path) -> None:
    select(recipes.get("lama-tk")(), two, open_engine(), tmp_path / "some")
    some = FactStore(tmp_path / "some")
    assert some.manifest.language == "en"
    assert {"id": "Q38", "language": "fr", "label": "Italie"} in some.sql("SELECT * FROM labels").to_pylist()


def test_the_almanac_in_french(almanac: FactStore, tmp_path: Path) -> None:
    kind = DynamicTempLama(first="2020-Q4", last="2021-Q3", relations="P6,P286,P36")
    made = build(tmp_path / "made", kind, almanac, Wording(language="fr"))
    found = {(item.prompt, item.answers) for item in made.items()}
    assert ("_X_ dirige le gouvernement de l'Italie.", ("Giuseppe Conte", "Mario Draghi")) in found
    assert ("L'Allemagne a pour capitale _X_.", ("Berlin",)) in found
    text = " ".join(prompt + " ".join(answers) for prompt, answers in found)
    for english in ("Italy", "Germany", "national football team", "United", "Kingdom of"):
        assert english not in text
    assert made.account.left_out["without a name in 'fr'"].count > 50_000


def test_the_command_says_what_has_no_name(two: FactStore, tmp_path: Path) -> None:
    words = ["build", "lama-tk", "--base", str(two.folder), "--to", str(tmp_path / "made"), "--language", "fr"]
    said = CliRunner().invoke(asof, words).stderr
    assert (
        "Skipped 1 fact without a name in 'fr', for example: France, head of government: Cy Dunn, 2005 to 2009" in said
    )
    assert "Skipped" not in CliRunner().invoke(asof, [*words, "--keep-unnamed"]).stderr.replace("without", "")
