"""The whole way of a completion model, as a user goes it: train, rank, diagnose, predict, complete, search."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from asof.cli import asof
from asof.errors import UserError
from tests.completion.players import write_toy

Ask = Callable[..., Result]


def ask(*args: str) -> Result:
    """Call the command in this process: torch is slow to start."""
    return CliRunner().invoke(asof, list(args), catch_exceptions=True)


def told(*args: str) -> str:
    """Return the error that a command ends with."""
    error = ask(*args).exception
    if isinstance(error, SystemExit):
        return ask(*args).stderr
    assert isinstance(error, UserError | click.ClickException), error
    return str(error)


def table(result: Result) -> list[dict[str, str]]:
    assert result.exit_code == 0, result.exception
    return list(csv.DictReader(result.stdout.splitlines(), delimiter="\t"))


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_toy(tmp_path_factory.mktemp("data") / "toy"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, toy: str) -> str:
    folder = tmp_path_factory.mktemp("trained") / "toy"
    to_its_end = ("--epochs", "40", "--set", "evaluate_every=40")  # a valid of 36 questions tells little before
    ran = ask(
        "train", "timeplex-base", toy, "--to", str(folder), "--dimension", "16", *to_its_end, "--set", "squares=0.01"
    )
    assert ran.exit_code == 0, ran.exception
    assert (
        "timeplex-base with dimension 16 on toy, protocol corrected: 108 facts, 48 entities, 2 relations" in ran.stderr
    )
    assert "epoch 40 of 40: loss" in ran.stderr and "valid MRR" in ran.stderr
    assert f"Next: asof rank {folder}" in ran.stderr
    return str(folder)


def test_training_tells_json(toy: str, tmp_path: Path) -> None:
    ran = ask("train", "complex", toy, "--to", str(tmp_path / "model"), "--epochs", "2", "--rank", "2", "--json")
    row = json.loads(ran.stdout)
    assert row["epochs"] == 2 and row["valid"]["queries"] == 36
    assert ran.stderr == ""


def test_rank_shows_every_filter_and_intervals(model: str) -> None:
    rows = [json.loads(line) for line in ask("rank", model, "--json").stdout.splitlines()]
    links, times = rows[:-1], rows[-1]
    assert [row["filter"] for row in links] == ["none", "any-time", "same-interval", "instants"]
    assert all(row["queries"] == 36 and row["facts"] == 18 and row["protocol"] == "corrected" for row in links)
    assert all(row["mrr_low"] <= row["mrr"] <= row["mrr_high"] for row in links)
    by_filter = {row["filter"]: row["mrr"] for row in links}
    assert by_filter["any-time"] > 0.8 and by_filter["none"] < by_filter["any-time"]
    assert times["measures"] == "intervals" and times["facts"] == 18
    assert times["aeiou@10"] >= times["aeiou@1"] > 0.3
    shown = ask("rank", model, "--split", "valid", "--filter", "any-time", "--ties", "against", "--instants", "start")
    assert (
        "on valid of toy: 36 questions about 18 facts; protocol corrected, ties against, instants start" in shown.stderr
    )
    assert shown.stdout.splitlines()[1].startswith("any-time\t")


def test_what_was_learnt_on_valid_is_not_judged_there_without_a_word(model: str, toy: str, tmp_path: Path) -> None:
    ran = ask("train", "evidence", toy, "--from", model, "--to", str(tmp_path / "trees"))
    assert ran.exit_code == 0, ran.exception
    told_of_valid = "evidence was fitted on valid, so it looks better there than it is"
    assert told_of_valid in ask("rank", str(tmp_path / "trees"), "--split", "valid").stderr
    assert told_of_valid not in ask("rank", str(tmp_path / "trees")).stderr
    assert told_of_valid not in ask("rank", model, "--split", "valid").stderr


def test_diagnose_tells_what_was_understood(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--least-subjects", "30", "--least-share", "0.95")
    with monkeypatch.context() as patch:  # a toy has few years
        patch.setattr("asof.completion.trained.diagnostics.time_distances.LEAST_PAIRS", 5)
        rows = [json.loads(line) for line in ask("diagnose", model, *options, "--json").stdout.splitlines()]
        assert "Mean distance of the vectors by gap in years; 10 of" in ask("diagnose", model).stderr
    of = {name: [row for row in rows if row["measures"] == name] for name in dict.fromkeys(r["measures"] for r in rows)}
    assert list(of) == ["baselines", "relations", "classes", "orders", "violations", "time_order", "time_distances"]
    assert all(row["split"] == "test" for row in rows)
    assert [row["baseline"] for row in of["baselines"]] == [
        "timeplex-base (this model)",
        "most frequent answer",
        "... known in train last",
        "... and inverse in train first",
    ]
    ranked = json.loads(ask("rank", model, "--filter", "instants", "--json").stdout.splitlines()[0])
    assert of["baselines"][0]["mrr"] == ranked["mrr"] > of["baselines"][1]["mrr"]
    assert [(row["relation"], row["facts"]) for row in of["relations"]] == [("playsFor", 18)]
    assert [(row["class"], row["facts"], row["relations"]) for row in of["classes"]] == [
        ("instant", 0, ["bornIn"]),
        ("short", 18, ["playsFor"]),
        ("long", 0, []),
    ]
    assert of["classes"][0]["aeiou@1"] is None
    assert [(row["before"], row["after"], row["share"]) for row in of["orders"]] == [("bornIn", "playsFor", 1.0)]
    model_breaks, right_breaks = of["violations"]
    assert model_breaks["questions"] == 18 and right_breaks["broken"] == 0 and right_breaks["judged"] == 18
    assert -1 <= of["time_order"][0]["spearman"] <= 1 and of["time_order"][0]["gaps"] == len(of["time_distances"])
    shown = ask("diagnose", model, "--split", "valid", "--years", "1980", "1990")
    assert shown.exit_code == 0, shown.exception
    assert "timeplex-base on valid of toy: 36 questions about 18 facts; protocol corrected." in shown.stderr
    assert "No orders: no relation of train starts before another for 99 % of the subjects" in shown.stderr
    assert "No distances of time vectors: no gap has 30 pairs of years." in shown.stderr
    assert "baseline\tmrr\thits@1\thits@10\n" in shown.stdout


def test_predict_ranks_objects_and_marks_known_ones(model: str) -> None:
    ran = ask("predict", model, "--subject", "player 09", "--relation", "plays_for", "--object", "?", "--on", "1988")
    assert "toy has no relation 'plays_for'. Did you mean 'playsFor'? It has: bornIn, playsFor." in str(ran.exception)
    ran = ask("predict", model, "--subject", "player 09", "--relation", "playsFor", "--object", "?", "--on", "1988")
    rows = table(ran)
    assert len(rows) == 10
    assert (rows[0]["object"], rows[0]["object_id"], rows[0]["known"]) == ("Club 3", "Club_3", "1986 to 1990")
    assert float(rows[0]["probability"]) > 0.5
    assert all(0 <= float(row["probability"]) <= 1 for row in rows)
    assert sum(float(row["probability"]) for row in rows if not row["known"]) <= 1.0001
    assert "the other probabilities are for a further one" in ran.stderr


def test_predict_ranks_subjects(model: str) -> None:
    rows = table(ask("predict", model, "--relation", "playsFor", "--object", "Club_3", "--on", "1988", "--top", "4"))
    assert len(rows) == 4 and all(row["subject"].startswith("Player") for row in rows)
    assert any(row["known"] == "1986 to 1990" for row in rows)


def test_a_time_beyond_the_facts_is_told(model: str) -> None:
    ran = ask("predict", model, "--subject", "player 09", "--relation", "playsFor", "--on", "2050")
    assert "The facts of toy are from 1960 to 2004; 2050 lies outside" in ran.stderr


def test_predict_when_gives_intervals_and_the_curve(model: str) -> None:
    question = ("predict", model, "--subject", "Player 04", "--relation", "playsFor", "--object", "Club 4", "--when")
    ran = ask(*question)
    best = table(ran)[0]
    assert abs(int(best["start"]) - 1988) <= 2 and abs(int(best["end"]) - 1992) <= 2
    assert "█" in ran.stderr and "─" in ran.stderr and "toy has this fact: 1988 to 1992." in ran.stderr
    likeliest, *_ = [json.loads(line) for line in ask(*question, "--json").stdout.splitlines()]
    assert likeliest["known"] == ["1988 to 1992"] and likeliest["probability"] > 0.3
    assert sum(point["probability"] for point in likeliest["curve"]) == pytest.approx(1, abs=1e-3)


def test_complete_proposes_ends_for_review(model: str, tmp_path: Path) -> None:
    file = tmp_path / "proposals.tsv"
    ran = ask("complete", model, "--to", str(file), "--least", "0")
    assert "The base was not changed." in ran.stderr
    rows = list(csv.DictReader(file.open(encoding="utf-8"), delimiter="\t"))
    assert list(rows[0])[:7] == ["subject", "relation", "object", "start", "end", "proposed", "probability"]
    ends = {(row["subject"], row["object"]): row for row in rows if row["proposed"] == "end"}
    assert set(ends) == {("Player 00", "Club 2"), ("Player 01", "Club 3"), ("Player 02", "Club 4")}
    assert all(0 <= int(row["end"]) - int(row["start"]) <= 9 for row in ends.values())
    chances = [float(row["probability"]) for row in rows]
    assert chances == sorted(chances, reverse=True)
    assert "already exists and may hold your review" in told("complete", model, "--to", str(file))
    assert len(table(ask("complete", model, "--limit", "1", "--least", "0"))) == 1


def test_complete_proposes_objects_that_others_have(base_of, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rows = []
    for player in range(40):
        start = 1980 + player % 4
        rows.append((f"player {player}", "born in", f"town {player % 4}", str(start - 20), str(start - 20)))
        if player:  # the first one lacks a club, as nobody else does
            rows.append((f"player {player}", "plays for", f"club {player % 4}", str(start), str(start + 4)))
    rows[-1] = (*rows[-1][:4], "ongoing")
    store = base_of(rows)
    folder = str(tmp_path / "model")
    assert ask("train", "tntcomplex", str(store.folder), "--to", folder, "--rank", "8", "--epochs", "20").exit_code == 0
    found = table(ask("complete", folder, "--least", "0"))
    assert [(row["subject"], row["relation"], row["proposed"]) for row in found] == [
        ("player 0", "plays for", "object")
    ]  # and no end for what is ongoing


def test_search_shows_tries_and_the_best(toy: str, tmp_path: Path) -> None:
    options = ("--set", "rank=2,8", "--set", "learning_rate=0.05..0.2", "--set", "epochs=5", "--tries", "2")
    ran = ask("search", "complex", toy, "--to", str(tmp_path / "search"), *options)
    rows = table(ran)
    assert len(rows) == 2 and float(rows[0]["mrr"]) >= float(rows[1]["mrr"])
    assert "Best of 2 tries on valid: rank=" in ran.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("--subject", "plyer 04", "--relation", "playsFor"),
            "toy has no entity 'plyer 04'. Did you mean 'Player 04'?",
        ),
        (("--subject", "Player 04", "--relation", "owns"), "toy has no relation 'owns'. It has: bornIn, playsFor."),
        (("--relation", "playsFor"), "Omit either --subject or --object"),
        (("--subject", "Player 04", "--object", "Club 1", "--relation", "playsFor"), "add --when"),
        (("--subject", "Player 04", "--relation", "playsFor", "--when"), "--when asks for the time of a whole fact"),
    ],
)
def test_a_question_that_cannot_be_answered_is_told(args: tuple[str, ...], message: str, model: str) -> None:
    assert message in told("predict", model, *args)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("timeplex-bse", "TOY"), "No scorer is called 'timeplex-bse'. Did you mean 'timeplex-base'?"),
        (("complex", "nowhere"), "nowhere does not exist. Give a base, or a folder with train.txt"),
        (("complex", "TOY", "--set", "rnk=5"), "complex has no setting 'rnk'. Did you mean 'rank'?"),
        (("complex", "TOY", "--set", "rank=five"), "--set rank=five: 'five' is not a whole number."),
        (("complex", "TOY", "--set", "optimiser=adaboost"), "'adaboost' is not one of adagrad, adam."),
        (("complex", "TOY", "--preset", "jain2020"), "jain2020 has no settings for toy with complex"),
        (("complex", "TOY", "--set", "batch=0"), "batch is 0; it must be at least 1"),
    ],
)
def test_a_training_that_cannot_begin_is_told(args: tuple[str, ...], message: str, toy: str, tmp_path: Path) -> None:
    given = [toy if word == "TOY" else word for word in args]
    assert message in told("train", *given, "--to", str(tmp_path / "model"))
    assert not (tmp_path / "model").exists()


def test_a_scorer_without_time_ranks_but_cannot_tell_when(toy: str, tmp_path: Path) -> None:
    folder = str(tmp_path / "model")
    ask("train", "complex", toy, "--to", folder, "--epochs", "2", "--rank", "2", "--protocol", "jain2020")
    ran = ask("rank", folder)
    assert "protocol jain2020, ties against, instants start" in ran.stderr
    assert "No intervals: this model has no notion of time." in ran.stderr
    ran = ask("diagnose", folder)
    assert "No intervals: this model has no notion of time." in ran.stderr
    assert "No distances of time vectors: complex has no vector for each year." in ran.stderr
    fact = ("--subject", "Player 04", "--relation", "playsFor", "--object", "Club 4", "--when")
    assert "complex has no notion of time. Train a scorer that has one" in told("predict", folder, *fact)


def test_ranges_of_a_search_are_checked(toy: str) -> None:
    assert "0.2 is not below 0.1" in told("search", "complex", toy, "--set", "learning_rate=0.2..0.1")
    assert "a range works only for numbers" in told("search", "complex", toy, "--set", "optimiser=a..b")
    assert "There is nothing to search" in told("search", "complex", toy, "--set", "rank=4")


def test_an_empty_test_split_is_told(tmp_path: Path) -> None:
    toy = write_toy(tmp_path / "toy", without={"test"})
    ask("train", "complex", str(toy), "--to", str(tmp_path / "model"), "--epochs", "1", "--rank", "2")
    ranked, diagnosed = (told(verb, str(tmp_path / "model")) for verb in ("rank", "diagnose"))
    assert "toy has no test facts, so there is nothing to rank. Choose another --split." in ranked
    assert "toy has no test facts, so there is nothing to diagnose. Choose another --split." in diagnosed


def test_lines_that_are_not_read_and_ends_that_are_not_proposed_are_said(tmp_path: Path) -> None:
    folder = write_toy(tmp_path / "toy")
    twins = "".join(f"Club_{one}\ttwinnedWith\tClub_{one + 1}\t1970-##-##\t####-##-##\n" for one in range(4))
    with (folder / "train.txt").open("a", encoding="utf-8") as train:
        train.write("Player_00\tplaysFor\tClub_0\t1963-64-65\t####-##-##\n" + twins)
    target = str(tmp_path / "model")
    ran = ask("train", "timeplex-base", str(folder), "--to", target, "--epochs", "1", "--rank", "2")
    assert "Could not read 1 line; not part of the training. The first:\n  toy/train.txt, line 109: " in ran.stderr
    proposed = ask("complete", target, "--least", "0")
    assert "twinnedWith" not in {row["relation"] for row in table(proposed) if row["proposed"] == "end"}
    assert "No end is proposed for 4 facts of twinnedWith: fewer than 3 facts" in proposed.stderr
