"""The package of CONTRIBUTING.md works: its files are written, its entry points found, each part is used."""

import doctest
import json
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from click.testing import CliRunner

from asof import registry
from asof.benchmarks import Item, build
from asof.cli import asof
from asof.errors import UserError
from asof.export import ExportRequest, export
from asof.export._ways import probe_for
from asof.facts import FactStore, write_base
from asof.metrics import DESCRIBED
from asof.models import open_model
from asof.probes import HarnessTask, open_probe
from asof.reading.answers import open_reader
from asof.reading.ask.example import example_reader
from asof.reading.ask.reader import QuestionReader
from asof.reading.documents import Document
from asof.reports import write_report
from asof.runs import run
from asof.runs.item_scores import scores_of
from asof.sources import open_source
from asof.timeline import Date
from asof.web.runs import Runs
from asof.wording import Wording
from tests.reading.test_documents import rows

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
KINDS = {
    "sources": "semicolons",
    "benchmarks": "who-started",
    "models": "parrot",
    "probes": "first-letter",
    "metrics": "letters-apart",
    "scorers": "distmult",
    "readers": "first-words",
    "kinds": "penultimate",
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
    DESCRIBED.pop("letters-apart", None)


@pytest.mark.parametrize("kind", list(KINDS))
def test_each_part_is_found_by_its_name(package: Path, kind: str) -> None:
    parts: registry.Registry = getattr(registry, kind)
    assert KINDS[kind] in parts.names()
    assert parts.summary(KINDS[kind]).endswith((".", "?"))


def test_a_kind_of_question_is_understood(package: Path) -> None:
    reader = QuestionReader(example_reader().store, today=Date.parse("2024-12-01"))
    assert reader.ask("Who was the penultimate manager of Acme?").texts == ["Bo Ek"]
    assert reader.ask("Who was the last but one manager of Acme?").texts == ["Bo Ek"]


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
    assert scores_of(answered).results()["squad-em"].value == 0.5
    letters = run(quiz, open_model("parrot:Ann"), tmp_path / "letters", probe=open_probe("first-letter"))
    assert scores_of(letters).results()["first letter"].value == 1.0  # Ann, and Anton


def test_an_outside_benchmark_is_scored_compared_shown_and_exported(package: Path, tmp_path: Path) -> None:
    (tmp_path / "acme.facts").write_text(
        "".join(f"Firm{n};P6;{'Ann' if n % 2 else 'Anton'};{1990 + n % 4};2020\n" for n in range(40)), encoding="utf-8"
    )
    write_base(tmp_path / "base", [open_source(str(tmp_path / "acme.facts"))])
    quiz = build(tmp_path / "quiz", registry.benchmarks.get("who-started")(), FactStore(tmp_path / "base"), Wording())
    for word in ("Ann", "Annabell"):
        run(quiz, open_model(f"parrot:{word}"), tmp_path / word)
    ann, annabell = str(tmp_path / "Ann"), str(tmp_path / "Annabell")

    scored = {row["metric"]: row for row in told("score", ann, "--json")}
    assert scored["letters-apart"]["value"] == 1.0 and scored["squad-em"]["value"] == 0.5
    compared = {row["measure"]: row for row in told("compare", ann, annabell, "--json")}
    assert compared["letters-apart"]["difference"] == 3.0
    assert (compared["letters-apart"]["better"], compared["letters-apart"]["ahead"]) == ("lower", "first")
    assert (compared["squad-em"]["better"], compared["squad-em"]["ahead"]) == ("higher", "first")

    page = write_report([Path(ann), Path(annabell)], tmp_path / "page").read_text(encoding="utf-8")
    assert "letters-apart with 95 % intervals, lower is better" in page and "By year" in page
    assert "Right, A parrot-Ann (write-answer): 20 of 40 items" in page and "who began in 1991?" in page
    shown = Runs([Path(ann)])
    assert shown.page("Ann").results["letters-apart"]["value"] == 1.0
    assert "letters-apart" in "".join(part.content for part in shown.drawn("Ann").parts)

    told("export", str(tmp_path / "quiz"), "--as", "lm-eval", "--to", str(tmp_path / "task"), "--json")
    task = next((tmp_path / "task").glob("*.yaml")).read_text(encoding="utf-8")
    assert re.search(r"metric: .?letters_apart.?\s.*?higher_is_better: false", task, re.DOTALL)
    found = run_path(str(tmp_path / "task" / "scores.py"))["process_results"]({"answers": ["Anton"]}, ["Ann"])
    assert found == {"squad_em": 0.0, "letters_apart": 2.0}
    told("export", str(tmp_path / "quiz"), "--as", "inspect", "--to", str(tmp_path / "inspected"), "--json")
    settings = json.loads((tmp_path / "inspected" / "settings.json").read_text(encoding="utf-8"))
    assert settings["scores"] == ["squad_em", "letters_apart"]
    assert run_path(str(tmp_path / "inspected" / "scores.py"))["scores"]("Ann", ["Anton"]) == found


def told(*arguments: str) -> list[dict[str, Any]]:
    """Run a command and read the JSON that it writes."""
    ran = CliRunner().invoke(asof, arguments)
    assert ran.exit_code == 0, ran.output
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_the_metric_keeps_its_doctest(package: Path) -> None:
    assert registry.metrics.get("letters-apart")("Ann", ["Anton"]) == 2.0
    assert DESCRIBED["letters-apart"].better == "lower"
    assert doctest.testmod(import_module("toys.letters_apart")).attempted == 1


def test_the_reader_reads(package: Path) -> None:
    page = Document.from_text("Ann Lee led it from 1990 to 1995.", title="FC Example")
    assert open_reader("first-words:").read("Who led it in 1991?", page).text == "Ann Lee"


def test_an_outside_reader_is_trained_by_the_command(package: Path, tmp_path: Path) -> None:
    (tmp_path / "x.easy.json").write_text(json.dumps(rows(targets=["Lee"], **{"from": [40]})) + "\n", encoding="utf-8")
    data, folder = str(tmp_path / "x.easy.json"), str(tmp_path / "words")
    [row] = told("readers", "train", "first-words", data, "--to", folder, "--epochs", "2", "--json")
    assert row == {"longest": 1}
    page = Document.from_text("Ann Lee led it.", title="FC Example")
    assert open_reader(f"first-words:{folder}").read("Who led it?", page).text == "Ann"
    with pytest.raises(
        UserError, match=r"--start works only with the extractive, fid readers\. Omit it for first-words"
    ):
        asof(["readers", "train", "first-words", data, "--start", "t5"], standalone_mode=False)


def test_an_outside_probe_says_how_other_tools_ask(package: Path, tmp_path: Path) -> None:
    """The probe of the toys declares no task, so another one is named; one that does is exported as it is."""
    (tmp_path / "acme.facts").write_text("Acme;P6;Ann;2001;2005\nBell;P6;Anton;1999;2003\n", encoding="utf-8")
    write_base(tmp_path / "base", [open_source(str(tmp_path / "acme.facts"))])
    quiz = build(tmp_path / "quiz", registry.benchmarks.get("who-started")(), FactStore(tmp_path / "base"), Wording())

    class Spelling(registry.probes.get("first-letter")):  # type: ignore[misc]
        name = "spelling"

        def harness_task(self) -> HarnessTask:
            return HarnessTask(asks="text", file="toys/scores.py", scores=("spelt",), how="Letters.")

        def harness_rows(self, items: list[Item]) -> Iterator[dict[str, Any] | str]:
            return ({"prompt": f"Spell: {item.prompt}"} for item in items)

    with pytest.raises(UserError, match=r"lm-eval cannot do what the probe first-letter does\. It can do: answer-"):
        probe_for(quiz, open_probe("first-letter"), "lm-eval")
    wanted = ExportRequest(benchmark=quiz, name="spelt", probe=Spelling())
    export(registry.export.get("lm-eval")(), wanted, tmp_path / "task")
    assert '"Spell: ' in (tmp_path / "task" / "items.jsonl").read_text(encoding="utf-8")
    assert "generate_until" in (tmp_path / "task" / "spelt.yaml").read_text(encoding="utf-8")


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


GAUGES = {
    "benchmark": '''
from dataclasses import dataclass
from typing import ClassVar

from asof.benchmarks import Item

@dataclass(frozen=True, kw_only=True)
class Lengths:
    """How long is a name?"""

    name: ClassVar[str] = "lengths"
    paper: ClassVar[str] = "none"
    probe: ClassVar[str] = "write-answer"
    score_with: ClassVar[str] = "shortness"
    report_with: ClassVar[str] = "shortness"

    def items(self, store, say):
        for fact in store.facts():
            prompt, answers = f"{fact.subject_label}?", (fact.object_label,)
            yield Item(id=fact.id, prompt=prompt, answers=answers, group=fact.id, tags={})
''',
    "scores": '''
"""All items, by how short the answer is."""

from asof.metrics import Metric
from asof.runs.item_scores import ItemScores

def shortness(table, probe):
    """One for an answer of three letters."""
    short = {"shortness": Metric("shortness", "lower", 0, 1)}
    return ItemScores(table, probe, lambda row: {"shortness": float(len(row["text"]) > 3)}, short)
''',
    "page": '''
from asof.reports.html import paragraph, section
from asof.reports.item_run import ItemRun, card
from asof.reports.run_kind import RunKind

PAGE = RunKind(
    paper="A Paper of Ours, 2026",
    read_as=ItemRun,
    first=("gauges", "Gauges", "Gauged"),
    card=card,
    sections=(("dial", "Dial", lambda runs: section("dial", "The dial", paragraph(f"{len(runs)} on the dial."))),),
    leads=lambda runs: ["Read off the dial."],
)
''',
}  # fmt: skip


def test_scores_and_a_page_of_an_outside_package_are_looked_up(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gauges").mkdir()
    for name, code in GAUGES.items():
        (tmp_path / "gauges" / f"{name}.py").write_text(code, encoding="utf-8")
    about = tmp_path / "gauges-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gauges\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(
        "[asof.benchmarks]\nlengths = gauges.benchmark:Lengths\n"
        "[asof.runs.scores]\nshortness = gauges.scores:shortness\n"
        "[asof.reports.pages]\nshortness = gauges.page:PAGE\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "acme.facts").write_text("Firm;P6;Ann;1990;2020\nBell;P6;Anton;1991;2020\n", encoding="utf-8")
    write_base(tmp_path / "base", [open_source(str(tmp_path / "acme.facts"))])
    quiz = build(tmp_path / "quiz", registry.benchmarks.get("lengths")(), FactStore(tmp_path / "base"), Wording())
    folders = [run(quiz, open_model(f"parrot:{word}"), tmp_path / word).folder for word in ("Ann", "Annabell")]
    [row] = told("score", str(folders[0]), "--json")
    assert (row["metric"], row["value"]) == ("shortness", 0.0)
    [row] = told("compare", *map(str, folders), "--json")
    assert (row["measure"], row["better"], row["difference"]) == ("shortness", "lower", 1.0)
    page = write_report(folders, tmp_path / "page").read_text(encoding="utf-8")
    assert re.findall(r'<section id="([a-z-]+)"', page) == ["gauges", "dial"]
    assert "2 on the dial." in page and "A Paper of Ours, 2026" in page and "Read off the dial." in page
    assert "1 on the dial." in "".join(part.content for part in Runs(folders).drawn("Ann").parts)
    for kind, name in ((registry.benchmarks, "lengths"), (registry.scores, "shortness"), (registry.pages, "shortness")):
        kind._parts.pop(name, None)
