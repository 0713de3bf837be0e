"""Trained models on the page: the numbers of ``asof rank`` and ``asof diagnose``, side by side, and what cannot be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from asof.cli import asof
from asof.completion.dataset import read_dataset
from asof.completion.filters import FILTERS
from asof.completion.ranking import rank
from asof.completion.trained.diagnostics.by_relation import ranked_model, relation_results
from asof.completion.trained.diagnostics.orderings import mined_orderings, violations
from asof.completion.trained.diagnostics.relation_classes import interval_classes
from asof.completion.trained.diagnostics.time_distances import time_distances
from asof.completion.trained.folder import TrainedModel, train_into
from asof.completion.trained.measures import link_results, time_results
from asof.completion.training.plan import CompletionPlan
from asof.completion.training.trainer import link_scores, protocol_instants
from asof.errors import UserError
from asof.metrics import mean_of_facts
from asof.reports import write_report
from asof.reports.completion.learning import reliability
from asof.reports.completion.models import read_models
from tests.browser import chromium, needs_chromium
from tests.completion.players import write_toy
from tests.reports.conftest import MakeRun
from tests.reports.reader import Reader
from tests.reports.test_browser import PageVisit

SETTINGS = {"rank": 8, "epochs": 6, "evaluate_every": 2, "batch": 32, "squares": 0.01}
EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def players(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TrainedModel]:
    """Four models of players and clubs: TIMEPLEX without and with its parts, our own, and one that knows no time."""
    folder = tmp_path_factory.mktemp("players")
    toy = write_toy(folder / "data" / "toy")
    dataset = read_dataset(toy)
    base = train_into(folder / "base", CompletionPlan.of("timeplex-base", SETTINGS), dataset, toy)
    full = CompletionPlan.of("timeplex", {**SETTINGS, "recurrence_epochs": 2})
    return {
        "base": base,
        "full": train_into(folder / "full", full, dataset, toy, built_on=[base]),
        "evidence": train_into(folder / "evidence", CompletionPlan.of("evidence", SETTINGS), dataset, toy),
        "complex": train_into(
            folder / "complex", CompletionPlan.of("complex", {**SETTINGS, "epochs": 1}), dataset, toy
        ),
    }


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> TrainedModel:
    """A model of people who are born before they win a prize, one of them in a town that looks like markup."""
    folder = tmp_path_factory.mktemp("lives")
    lines: dict[str, list[str]] = {"train": [], "valid": [], "test": []}
    for person in range(130):
        born, won = 1900 + person % 40, 1940 + person % 37
        town = EVIL if person < 20 else f"Town_{person % 5}"
        lines["train"].append(f"P{person}\tbornIn\t{town}\t{born}-##-##\t{born}-##-##\n")
        split = "valid" if person >= 125 else "test" if person >= 120 else "train"
        lines[split].append(f"P{person}\twon\tPrize_{person % 3}\t{won}-##-##\t{won + 2}-##-##\n")
    lines["test"].append(f"P7\tlivedIn\t{EVIL}\t1950-##-##\t1960-##-##\n")
    lines["train"].append("P8\tlivedIn\tTown_1\t1950-##-##\t1969-##-##\n")
    for split, rows in lines.items():
        (folder / f"{split}.txt").write_text("".join(rows), encoding="utf-8")
    return train_into(folder / "model", CompletionPlan.of("timeplex-base", SETTINGS), read_dataset(folder), folder)


@pytest.fixture(scope="module")
def side_by_side(players: dict[str, TrainedModel], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report([model.folder for model in players.values()], tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def page(side_by_side: Path) -> Reader:
    return Reader(side_by_side.read_text(encoding="utf-8"))


def test_the_numbers_are_those_of_rank(page: Reader, players: dict[str, TrainedModel]) -> None:
    rows = {(row[1], row[2]): row[3:] for row in page.tables["The numbers: missing entities"][1:]}
    assert len(rows) == len(players) * len(FILTERS)
    for name, model in players.items():
        for found in link_results(model, "test", FILTERS):
            shown = rows[name, found["filter"]]
            measures = [found[measure] for measure in ("mrr", "hits@1", "hits@3", "hits@10")]
            assert [float(one.split(" ")[0]) for one in shown] == pytest.approx(measures, abs=0.00051)
            low, high = (float(end) for end in shown[0].split("[")[1].split("]")[0].split(", "))
            assert (low, high) == pytest.approx((found["mrr_low"], found["mrr_high"]), abs=0.00051)
            assert all(one.endswith(f"n = {found['facts']}") for one in shown)
    intervals = {(row[1], row[2].lower()): row[3:] for row in page.tables["The numbers: missing intervals"][1:]}
    for name in ("base", "full", "evidence"):
        expected = time_results(players[name], "test") or {}
        for measure in ("aeiou", "iou", "giou", "gaeiou", "tac"):
            shown = [float(one.split(" ")[0]) for one in intervals[name, measure]]
            assert shown == pytest.approx([expected[f"{measure}@1"], expected[f"{measure}@10"]], abs=0.00051)
    assert ("complex", "iou") not in intervals
    assert "D complex predicts no intervals: it has no notion of time." in page.text


def test_the_numbers_are_those_of_diagnose(page: Reader, players: dict[str, TrainedModel]) -> None:
    classes = {(row[1], row[2]): row[4] for row in page.tables["The numbers: classes of relations"][1:]}
    relations = {(row[0], row[1]): row[2:] for row in page.tables["The numbers: relation by relation"][1:]}
    for key, (name, model) in zip("ABCD", players.items(), strict=True):
        ranked = ranked_model(model, "test")
        found = relation_results(ranked.ranking, 2)
        assert relations["playsFor", key] == ["18", f"{found.objects[0]:.3f}", f"{found.subjects[0]:.3f}"]
        for one in interval_classes(model, "test") or []:
            if one.aeiou.n:
                assert classes[name, one.name].startswith(f"{one.aeiou.value:.3f} [{one.aeiou.low:.3f}")
    assert classes["complex", "short"] == "it has no notion of time"


def test_orders_and_time_vectors_are_shown(lives: TrainedModel, tmp_path: Path) -> None:
    html = write_report([lives.folder], tmp_path / "page").read_text(encoding="utf-8")
    page = Reader(html)
    assert page.tables["The orders that train has: 1"][1:] == [["bornIn", "won", "1.000", "120"]]
    orders = mined_orderings(lives.dataset)
    questions, first = ranked_model(lives, "test").subject_questions
    found = violations(lives.dataset, orders, questions, first)
    model, right = page.tables["The numbers: broken orders"][1:]
    assert model[3].startswith(f"{found.share:.3f} [")
    assert [int(one) for one in model[4:]] == [found.broken.sum(), found.judged.sum()] and right[4] == "0"
    distances = time_distances(lives.scorer, lives.dataset)
    assert distances is not None and distances.correlation is not None
    assert f"correlation of distance with gap: A model {distances.correlation:+.2f}." in page.text
    gaps = page.tables["The numbers: distance by gap"][1:]
    assert gaps[0] == ["A", str(distances.gap[0]), f"{distances.distance[0]:.3f}", str(distances.pairs[0])]
    assert {row[2] for row in page.tables["The numbers: classes of relations"][1:]} == {"short", "long"}
    assert EVIL in page.tables["The numbers: some facts"][1][0] or EVIL in page.tables["The numbers: some facts"][2][0]
    assert not {tag for tag, _ in page.tags} & {"script", "img"}  # a page without facts to sort needs no script


def test_models_of_one_dataset_are_compared_fact_by_fact(page: Reader, players: dict[str, TrainedModel]) -> None:
    table = page.tables["The numbers: model by model"]
    assert [row[2] for row in table[1:]] in (
        ["base", "base + recurrence", "evidence", "complex"],
        ["base", "base + recurrence + pairs", "evidence", "complex"],
    )
    reciprocal = {}
    for name in ("base", "evidence"):
        model = players[name]
        scores = link_scores(model.scorer, model.dataset, protocol_instants(model.dataset))
        reciprocal[name] = (1 / rank(scores, model.dataset, "test").ranks).reshape(2, -1).mean(axis=0)
    gap = mean_of_facts(reciprocal["evidence"] - reciprocal["base"], within=(-1, 1))
    rows = page.tables["The numbers: differences from A base"][1:]
    differences = {row[0]: row for row in ([cell.replace("\u00a0", " ") for cell in row] for row in rows)}
    assert set(differences) == {"B − A", "C − A", "D − A"}
    assert differences["C − A"][2] == f"{gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"
    assert differences["C − A"][1] == "evidence − base" and differences["D − A"][5] == "none"


def test_what_a_model_is_and_how_it_learnt(page: Reader, players: dict[str, TrainedModel]) -> None:
    for said in (
        "timeplex-base", "Jain et al. 2020, EMNLP", "108 train, 18 valid, 18 test", "corrected", "6 epochs",
        "rank = 8, epochs = 6", "weights " + players["base"].about["files"]["model.safetensors"][:12],
        "only 18 facts", "Counting the training facts, without any model, gets",
        f"brings it to {players['evidence'].about['valid']['mrr']:.3f}",
        "D complex is not shown: complex has no vector for each year.",
    ):  # fmt: skip
        assert said in page.text
    assert str(players["base"].folder.parent) not in page.text  # a page to share does not tell where things lie
    settings = {row[0]: row[1:] for row in page.tables["All settings"][1:]}
    assert settings["epochs"] == ["6", "6", "6", "1"] and settings["recurrence_epochs"] == ["", "2", "", ""]
    log = [json.loads(line) for line in (players["base"].folder / "epochs.jsonl").read_text().splitlines()]
    shown = [row for row in page.tables["The numbers: epochs"][1:] if row[0] == "A"]
    assert [row[4] for row in shown] == [f"{row['valid_mrr']:.3f}" if "valid_mrr" in row else "" for row in log]


def test_probabilities_are_set_beside_what_is_right(players: dict[str, TrainedModel]) -> None:
    (model,) = read_models([players["base"].folder], split="test", seed=0)
    answers, sure, right = model.asked.first, model.asked.sure, model.asked.right
    assert len(answers) == len(sure) == len(right) == 36 and (sure > 0).all() and (sure <= 1).all()
    bins = reliability(model)
    assert sum(result.n for _, result in bins) == 36
    assert sum(result.n * result.value for _, result in bins) == pytest.approx(right.sum())
    assert np.average([said for said, _ in bins], weights=[result.n for _, result in bins]) == pytest.approx(
        sure.mean()
    )
    assert right[model.asked.rankings["any-time"].ranks == 1].mean() > 0.5  # little is left to be wrong about
    assert (model.asked.rankings["none"].ranks[answers == model.ranked.ranking.queries.answer] == 1).all()


def test_models_of_other_facts_stand_apart(
    players: dict[str, TrainedModel], lives: TrainedModel, tmp_path: Path
) -> None:
    told: list[str] = []
    folders = [players["base"].folder, lives.folder]
    page = Reader(write_report(folders, tmp_path / "page", on_message=told.append).read_text(encoding="utf-8"))
    assert "not all of these models have the same facts and protocol" in page.text
    assert told == ["Asking base about 18 facts of test ...", "Asking model about 6 facts of test ..."]
    assert "Ablation: what does each part add?" not in page.text
    name = lives.dataset.name
    assert page.tables[f"The numbers: missing entities, {name} (corrected)"][1][:2] == ["B", "model"]
    assert page.tables["The numbers: missing entities, toy (corrected)"][1][:2] == ["A", "base"]


def test_runs_and_models_share_a_page(make_run: MakeRun, players: dict[str, TrainedModel], tmp_path: Path) -> None:
    ran = CliRunner().invoke(
        asof,
        [
            "report",
            str(players["evidence"].folder),
            str(make_run()),
            "--to",
            str(tmp_path / "page"),
            "--split",
            "valid",
        ],
    )
    assert ran.exit_code == 0, ran.exception
    assert "index.html shows 1 run and 1 trained model. Open it in a browser." in ran.stderr
    page = Reader((tmp_path / "page" / "index.html").read_text(encoding="utf-8"))
    assert page.tables["The numbers: win rate and robustness"][1][:2] == ["A", "small"]
    assert page.tables["The numbers: missing entities"][1][:2] == ["B", "evidence (fitted on valid)"]
    assert "When do models know?" in page.text and "facts of valid" in page.text
    # Only evidence has learnt on valid what it says there.
    assert "somewhat too good." in page.text and "Those of evidence (fitted on valid) measure nothing." in page.text
    ids = [found["id"] for _, found in page.tags if found.get("id")]
    assert len(ids) == len(set(ids))


def test_json_counts_runs_and_models(players: dict[str, TrainedModel], tmp_path: Path) -> None:
    ran = CliRunner().invoke(asof, ["report", str(players["complex"].folder), "-o", str(tmp_path / "page"), "--json"])
    found = json.loads(ran.stdout)
    assert (found["runs"], found["models"], ran.stderr) == (0, 1, "")
    assert [path.name for path in (tmp_path / "page").iterdir()] == ["index.html"]


def test_what_cannot_be_shown_is_explained(players: dict[str, TrainedModel], tmp_path: Path) -> None:
    base = players["base"].folder
    with pytest.raises(UserError, match=r"base is given twice. Give each model once."):
        write_report([base, base], tmp_path / "page")
    shutil.copytree(base, tmp_path / "stopped")
    (tmp_path / "stopped" / "model.toml").unlink()
    with pytest.raises(UserError, match=r"is not fully trained; epochs so far: 6. Repeat the same 'asof train'"):
        write_report([tmp_path / "stopped"], tmp_path / "page")
    toy = write_toy(tmp_path / "toy", without={"test"})
    untested = train_into(
        tmp_path / "untested", CompletionPlan.of("complex", {"rank": 2, "epochs": 1}), read_dataset(toy), toy
    )
    with pytest.raises(UserError, match=r"toy, which has no test facts to show. Leave it out, or give --split valid."):
        write_report([untested.folder], tmp_path / "page")
    assert not (tmp_path / "page").exists()
    page = Reader(write_report([untested.folder], tmp_path / "page", split="valid").read_text(encoding="utf-8"))
    assert "A untested predicts no intervals: it has no notion of time." in page.text
    assert "No model of toy predicts intervals." in page.text
    shutil.copytree(base, tmp_path / "other" / "base")
    named = Reader(write_report([base, tmp_path / "other" / "base"], tmp_path / "page").read_text(encoding="utf-8"))
    assert "other/base" in named.text and f"{base.parent.name}/base" in named.text


@needs_chromium
def test_it_fits_wide_narrow_and_dark(side_by_side: Path) -> None:
    with chromium() as browser:
        for width, dark in ((1280, False), (380, True)):
            visit = PageVisit(browser, side_by_side, width=width, dark=dark)
            visit.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
            letters = visit.page.locator("figure svg text").first
            assert letters.evaluate("text => text.getBoundingClientRect().height") >= 10
            outside = """() => [...document.querySelectorAll("svg")].filter(svg => {
                const box = svg.getBoundingClientRect();
                return [...svg.querySelectorAll("text")].some(text => {
                    const own = text.getBoundingClientRect();
                    return own.top < box.top - 2 || own.bottom > box.bottom + 2 || own.left < box.left - 2
                        || own.right > box.right + 2;
                });
            }).map(svg => svg.getAttribute("aria-label"))"""
            assert visit.page.evaluate(outside) == []  # no word is cut off
            assert visit.problems == [] and visit.requests == [visit.address]
