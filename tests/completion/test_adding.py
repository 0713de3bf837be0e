"""Facts that are added to a trained model: it knows them at once, all or none, and forgets them when it is told to."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

import asof
from asof.api.base import open_base
from asof.api.completion import CompletionModel
from asof.cli import asof as asof_command
from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Protocol, read_dataset
from asof.completion.evidence import ranker
from asof.completion.trained.added_facts import ADDED, AddedFacts, extended, read_added, warm_start
from asof.completion.trained.adding import add_facts, undo_added
from asof.completion.trained.folder import TrainedModel, open_trained, train_into
from asof.completion.trained.freshness import freshness_of_folder
from asof.completion.trained.kept_facts import fingerprint
from asof.completion.trained.prediction import known_intervals
from asof.completion.trained.prediction_rows import answer_rows
from asof.completion.training.plan import CompletionPlan
from asof.errors import UserError
from tests.completion.players import write_toy

NEW = [
    {"subject": "Novak Petrus", "relation": "bornIn", "object": "Town_(1)", "start": "1962", "end": "1962"},
    {"subject": "Novak Petrus", "relation": "playsFor", "object": "Club_1", "start": "1982", "end": "1986"},
    {"subject": "Player_03", "relation": "playsFor", "object": "Harbour United", "start": "2010", "end": "2012"},
]


@pytest.fixture(scope="module")
def trained(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "model"
    plan = CompletionPlan.of("evidence", {"rank": 4, "epochs": 2, "evaluate_every": 1, "batch": 32})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranker, "_ROUNDS", 5)
        train_into(folder, plan, read_dataset(toy), toy)
    return folder


@pytest.fixture
def model(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrainedModel:
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "cache"))
    return open_trained(Path(shutil.copytree(trained, tmp_path / "model")))


def rows_of(model: TrainedModel, subject: str) -> tuple[list[dict[str, object]], list[str]]:
    rows, notes = answer_rows(model, subject=subject, relation="playsFor", object=None, on=None, top=5)
    return [vars(row) for row in rows], notes


def test_added_facts_are_known_at_once_and_when_the_model_is_opened_again(model: TrainedModel) -> None:
    found = add_facts(model, open_base(NEW).store)
    assert (found.facts, found.known, found.entities) == (3, 0, ("Novak Petrus", "Harbour United"))
    again = open_trained(model.folder)
    for one in (found.trained, again):
        rows, notes = rows_of(one, "Novak Petrus")
        assert {row["object"]: row["known"] for row in rows if row["known"]} == {"Club 1": ["1982 to 1986"]}
        assert any("3 facts were added since" in note for note in notes)
        fact = one.entities.number("Player 03"), one.relations.number("playsFor"), (BEFORE_ALL, AFTER_ALL)
        assert known_intervals(one.dataset, *fact)[one.entities.number("Harbour United")] == [(2010, 2012)]
    ours, theirs = (one.scorer.state_dict() for one in (found.trained, again))
    assert all(torch.equal(value, theirs[name]) for name, value in ours.items())
    assert add_facts(again, open_base(NEW).store).facts == 0


def test_adding_in_parts_is_adding_at_once(model: TrainedModel) -> None:
    parts = model
    for row in NEW:
        parts = add_facts(parts, open_base([row]).store).trained
    undo_added(model.folder)
    whole = add_facts(model, open_base(NEW).store).trained
    assert fingerprint(parts.dataset) == fingerprint(whole.dataset)
    assert parts.entities.labels[-2:] == ["Novak Petrus", "Harbour United"]
    same = whole.scorer.state_dict()
    assert all(torch.equal(value, same[name]) for name, value in parts.scorer.state_dict().items())


def test_what_one_does_not_see_another_has_added_is_kept(model: TrainedModel) -> None:
    add_facts(model, open_base(NEW[:1]).store)
    late = add_facts(model, open_base(NEW[1:]).store)  # opened before the first was added
    assert len(late.trained.added) == len(open_trained(model.folder).added) == 3


def test_a_relation_that_is_not_known_adds_nothing(model: TrainedModel) -> None:
    bad = [*NEW, {"subject": "Novak Petrus", "relation": "admires", "object": "Club_1", "start": "1982", "end": "1983"}]
    with pytest.raises(UserError, match=r"not trained on: admires\. It knows: bornIn, playsFor\. Nothing was added"):
        add_facts(model, open_base(bad).store)
    assert not (model.folder / ADDED).exists()


def test_undoing_gives_the_model_back_to_the_bit(model: TrainedModel) -> None:
    before = model.scorer.state_dict()
    add_facts(model, open_base(NEW).store)
    assert undo_added(model.folder) == 3
    after = open_trained(model.folder).scorer.state_dict()
    assert before.keys() == after.keys() and all(torch.equal(one, after[name]) for name, one in before.items())
    with pytest.raises(UserError, match=r"has no added facts: it is as it was trained"):
        undo_added(model.folder)


def test_facts_that_were_added_to_other_weights_are_refused(model: TrainedModel) -> None:
    add_facts(model, open_base(NEW).store)
    text = (model.folder / "model.toml").read_text()
    (model.folder / "model.toml").write_text(text.replace(model.about["files"]["facts.safetensors"], "0" * 64))
    with pytest.raises(UserError, match="does not match its hash"):
        open_trained(model.folder)
    (model.folder / "model.toml").write_text(text)
    other = replace(model, about={**model.about, "files": {**model.about["files"], "model.safetensors": "0" * 64}})
    with pytest.raises(UserError, match=r"was added to other weights .* asof add .* --undo"):
        read_added(model.folder, other.about)


def test_an_entity_that_was_never_seen_is_answered_from_counts_and_told_so(model: TrainedModel) -> None:
    rows, notes = rows_of(model, "Ottoline Brandt")
    assert len(rows) == 5 and 0 < sum(float(row["probability"]) for row in rows) <= 1
    assert any("has never seen 'Ottoline Brandt'" in note for note in notes)
    assert any("has never seen 'Player 99'" in note for note in rows_of(model, "Player 99")[1])  # no misspelling
    with pytest.raises(UserError, match=r"no entity 'Playr 03'\. Did you mean 'Player 03'"):
        rows_of(model, "Playr 03")


def test_a_new_entity_starts_from_those_that_fill_its_roles(toy: Path) -> None:
    dataset = read_dataset(toy, Protocol.CORRECTED)
    size = len(dataset.entities)
    clubs = [number for number, name in enumerate(dataset.entities) if name.startswith("Club")]
    table = torch.zeros(size, 3)
    table[clubs] = 1.0
    plays = dataset.relations.index("playsFor")
    columns = (np.array([value]) for value in (0, plays, size, 1990, 1994))
    added = AddedFacts(type(dataset.train)(*columns), ("Harbour United",), ("Harbour United",))
    grown = extended(dataset, added)
    made = warm_start({"entities.weight": table}, {"entities.weight": torch.zeros(size + 1, 3)}, grown, size)
    assert torch.equal(made["entities.weight"][:size], table)
    assert torch.equal(made["entities.weight"][size], torch.ones(3))


def test_a_model_says_how_far_it_is_behind_its_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "cache"))
    place = write_toy(tmp_path / "toy")
    base = asof.open(place).store.folder
    plan = CompletionPlan.of("complex", {"rank": 2, "epochs": 1})
    model = train_into(tmp_path / "model", plan, read_dataset(base), base)
    assert freshness_of_folder(model.folder, model.about).newer == 0
    with (place / "train.txt").open("a") as file:
        file.write("Player_03\tplaysFor\tClub_5\t2012-##-##\t2015-##-##\n")
    newer = asof.open(place).store.folder
    about = {**model.about, "dataset": {**model.about["dataset"], "place": str(newer)}}
    found = freshness_of_folder(model.folder, about)
    assert found.newer == 1 and found.added == 0
    assert str(found) == f"Trained on facts to {found.trained_to}; its base has 1 newer fact."


def test_the_command_takes_a_table_with_columns_of_other_names(model: TrainedModel, tmp_path: Path) -> None:
    table = tmp_path / "new.csv"
    table.write_text("Name,Team,From\nOttoline Brandt,Club 1,1999\n")
    command = ["add", str(model.folder), str(table)]
    refused = CliRunner().invoke(asof_command, command)
    assert refused.exit_code == 1
    assert "Say which ones to take with: --columns subject=NAME" in str(refused.exception)
    named = ["--columns", "subject=Name,object=Team,start=From", "--relation", "playsFor"]
    done = CliRunner().invoke(asof_command, [*command, *named, "--json"])
    assert done.exit_code == 0, done.output
    assert '"added": 1' in done.output
    base = asof.open(table, columns={"subject": "Name", "object": "Team", "start": "From"}, relation="playsFor")
    of_base = CliRunner().invoke(asof_command, ["add", str(model.folder), str(base.store.folder), *named])
    assert "is a base, which is taken as it is; --columns, --relation is for tables" in str(of_base.exception)


def test_python_adds_a_list_of_rows_and_forgets_them(model: TrainedModel) -> None:
    door = CompletionModel(model)
    assert list(door.add(NEW)["added"]) == [3]
    assert len(door.trained.added) == 3
    assert door.undo() == 3 and not len(door.trained.added)
