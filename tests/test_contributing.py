"""The package of CONTRIBUTING.md works: its files are written, its entry points found, each part is used."""

import doctest
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from asof import registry
from asof.benchmarks import build
from asof.facts import FactStore, write_base
from asof.metrics import DESCRIBED
from asof.models import open_model
from asof.probes import open_probe
from asof.reading.answers import open_reader
from asof.reading.documents import Document
from asof.runs import run
from asof.runs.item_scores import scores_of
from asof.sources import open_source
from asof.wording import Wording

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
KINDS = {
    "sources": "semicolons",
    "benchmarks": "who-started",
    "models": "parrot",
    "probes": "first-letter",
    "metrics": "years-apart",
    "scorers": "distmult",
    "readers": "first-words",
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The toys, installed as pip would: their files, and a folder that names their entry points."""
    folder = tmp_path_factory.mktemp("toys")
    for name, code in re.findall(r"```python\n# (toys/\w+\.py)\n(.*?)```", TEXT, re.DOTALL):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(code, encoding="utf-8")
    block = re.search(r"```toml\n# pyproject.toml\n(.*?)```", TEXT, re.DOTALL)
    assert block
    groups = tomllib.loads(block[1])["project"]["entry-points"]
    about = folder / "toys-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n", encoding="utf-8")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in of.items()) for group, of in groups.items()
    ]
    (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(folder))
    yield folder
    patch.undo()
    for kind, name in KINDS.items():
        getattr(registry, kind)._parts.pop(name, None)
    DESCRIBED.pop("years-apart", None)


@pytest.mark.parametrize("kind", list(KINDS))
def test_each_part_is_found_by_its_name(package: Path, kind: str) -> None:
    parts: registry.Registry = getattr(registry, kind)
    assert KINDS[kind] in parts.names()
    assert parts.summary(KINDS[kind]).endswith((".", "?"))


def test_from_a_source_to_a_score(package: Path, tmp_path: Path) -> None:
    (tmp_path / "acme.facts").write_text(
        "Acme;P6;Ann;2001;2005\nAcme;P6;Bo;2005;30 February 2010\nBell;P6;Anton;1999;2003\n", encoding="utf-8"
    )
    write_base(tmp_path / "base", [open_source(str(tmp_path / "acme.facts"))])
    store = FactStore(tmp_path / "base")
    assert len(store.facts()) == 2  # the impossible date was set aside
    quiz = build(tmp_path / "quiz", registry.benchmarks.get("who-started")(), store, Wording())
    assert quiz.items_count == 2
    answered = run(quiz, open_model("parrot:Ann"), tmp_path / "answers")
    assert scores_of(answered).results()["em"].value == 0.5
    letters = run(quiz, open_model("parrot:Ann"), tmp_path / "letters", probe=open_probe("first-letter"))
    assert scores_of(letters).results()["first letter"].value == 1.0  # Ann, and Anton


def test_the_metric_keeps_its_doctest(package: Path) -> None:
    assert registry.metrics.get("years-apart")(2001, 1990) == 11.0
    assert DESCRIBED["years-apart"].better == "lower"
    assert doctest.testmod(import_module("toys.years_apart")).attempted == 1


def test_the_reader_reads(package: Path) -> None:
    page = Document.from_text("Ann Lee led it from 1990 to 1995.", title="FC Example")
    assert open_reader("first-words:").read("Who led it in 1991?", page).text == "Ann Lee"


def test_the_scorer_learns(package: Path) -> None:
    torch = pytest.importorskip("torch")
    from asof.completion.scorers._scorer import Sizes, TimeSpan

    torch.manual_seed(0)
    scorer = registry.scorers.get("distmult")(Sizes(entities=3, relations=2, points=1), 4)
    asked, relation, right = torch.tensor([0, 2]), torch.tensor([0, 1]), torch.tensor([1, 0])
    span = TimeSpan(torch.zeros(2, dtype=torch.long), torch.zeros(2, dtype=torch.long))
    optimizer = torch.optim.Adam(scorer.parameters(), 0.1)
    for _ in range(30):
        loss = torch.nn.functional.cross_entropy(scorer.scores(asked, relation, span), right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert scorer.scores(asked, relation, span).argmax(1).tolist() == right.tolist()
