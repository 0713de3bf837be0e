"""``asof rank --scores`` and ``asof.rank``: our own models exported and read back, and files beside each other."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import asof
from asof.completion.dataset import Protocol, read_dataset
from asof.errors import UserError
from tests.cli.test_completion import ask, told
from tests.completion.players import write_toy


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_toy(tmp_path_factory.mktemp("data") / "toy"))


@pytest.fixture(scope="module", params=list(Protocol))
def model(request: pytest.FixtureRequest, toy: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("trained") / "mine")
    ran = ask(
        "train", "timeplex-base", toy, "--to", folder, "--epochs", "3", "--rank", "4", "--protocol", str(request.param)
    )
    assert ran.exit_code == 0, ran.exception
    return folder


def rows(*args: str) -> list[dict[str, object]]:
    ran = ask("rank", *args, "--json")
    assert ran.exit_code == 0, ran.exception
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_a_model_exported_and_read_back_has_the_ranks_of_asof_rank(model: str, toy: str, tmp_path: Path) -> None:
    protocol = asof.open_completion(model).trained.dataset.protocol
    exported = str(tmp_path / "exported.npz")
    assert f"Next: asof rank {model} --scores {exported}" in ask("rank", model, "--scores-to", exported).stderr
    own = {row["filter"]: row for row in rows(model) if row["measures"] == "links"}
    ties = "pessimistic" if protocol is Protocol.JAIN2020 else "mean"
    instants = "instants-points" if protocol is Protocol.JAIN2020 else "instants-calendar"
    for given in ([model, "--scores", exported], [toy, "--scores", exported, "--protocol", str(protocol)]):
        found = {
            (row["scores"], row["filter"]): row
            for row in rows(*given)
            if row["measures"] == "links" and row["ties"] == ties and row["side"] == "both"
        }
        for ours, theirs in (
            ("none", "none"), ("any-time", "any-time"), ("same-interval", "same-interval"), ("instants", instants),
        ):  # fmt: skip
            for key in ("mrr", "mrr_low", "mrr_high", "hits@1", "hits@3", "hits@10"):
                assert found["exported", theirs][key] == own[ours][key], (ours, key)
                if given[0] == model:
                    assert found["mine", theirs][key] == own[ours][key]
        assert ("baseline: recurrence", "none") in found
    apart = [row for row in rows(model, "--scores", exported) if row["measures"] == "differences"]
    assert len(apart) == 6 and all(row["difference"] == 0 and row["p"] == 1 for row in apart)


def test_files_are_compared_and_ranks_written(toy: str, tmp_path: Path) -> None:
    dataset = read_dataset(toy)
    noise = np.random.default_rng(0).random((36, len(dataset.entities)))
    better = noise.copy()
    better[np.arange(36), np.concatenate([dataset.test.object, dataset.test.subject])] += 0.5
    np.save(tmp_path / "noise.npy", noise)
    np.save(tmp_path / "better.npy", better)
    given = ["--scores", str(tmp_path / "noise.npy"), "--scores", str(tmp_path / "better.npy")]
    ran = ask("rank", toy, *given, "--filter", "instants", "--to", str(tmp_path / "ranks.parquet"), "--no-baselines")
    assert ran.exit_code == 0, ran.exception
    assert "test of toy: 36 questions about 18 facts, 48 candidates each; facts as protocol corrected" in ran.stderr
    lines = [line.split("\t") for line in ran.stdout.splitlines()]
    assert [line[:3] for line in lines[1:5]] == [
        ["noise", f"instants-{unit}", side] for unit in ("points", "calendar") for side in ("both", "object")
    ]
    apart = lines[lines.index([""]) + 1 :]
    assert apart[0][:4] == ["first", "second", "filter", "mrr_first"]
    assert all(float(row[5]) > 0.2 and float(row[9]) < 0.01 for row in apart[1:])
    ranks = pq.read_table(tmp_path / "ranks.parquet").to_pylist()
    assert len(ranks) == 2 * 6 * 36
    first = next(row for row in ranks if row["scores"] == "better" and row["filter"] == "none")
    about = (first["question"], first["side"], first["start"], first["answer_listed"])
    assert about == ("o0", "object", str(dataset.test.start[0]), True)
    assert first["rank_mean"] == 1 + int((better[0] > better[0, dataset.test.object[0]]).sum())


def test_objects_alone_are_ranked_alone(toy: str, tmp_path: Path) -> None:
    np.save(tmp_path / "objects.npy", np.random.default_rng(0).random((18, 48)))
    found = rows(toy, "--scores", str(tmp_path / "objects.npy"), "--no-baselines")
    assert {row["side"] for row in found} == {"object"}
    assert all(row["facts"] == 18 for row in found)


def test_what_cannot_be_ranked_is_told(toy: str, model: str, tmp_path: Path) -> None:
    assert "nowhere does not exist" in told("rank", "nowhere", "--baselines")
    assert "optimistic is for --scores and --baselines" in told("rank", model, "--ties", "optimistic")
    assert "does not end in .npz" in told("rank", model, "--scores-to", str(tmp_path / "a.csv"))
    assert "does not end in .parquet or .csv" in told("rank", toy, "--baselines", "--to", str(tmp_path / "a.xlsx"))
    protocol = asof.open_completion(model).trained.dataset.protocol
    other = next(one for one in Protocol if one is not protocol)
    assert "was trained under the protocol" in told("rank", model, "--baselines", "--protocol", str(other))
    (tmp_path / "a").mkdir()
    for name in ("a/x.npy", "x.npy"):
        np.save(tmp_path / name, np.zeros((18, 48)))
    twice = ["--scores", str(tmp_path / "x.npy"), "--scores", str(tmp_path / "a" / "x.npy")]
    assert "Two scoresheets are called 'x'" in told("rank", toy, *twice)


def test_baselines_alone_need_no_scores(toy: str) -> None:
    ran = ask("rank", toy, "--baselines", "--filter", "any-time")
    assert [line.split("\t")[0] for line in ran.stdout.splitlines()[1::2]] == [
        "baseline: relation frequency", "baseline: co-occurrence", "baseline: recurrence",
    ]  # fmt: skip


def test_in_python_scores_are_arrays_tables_files_and_models(toy: str, model: str, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    dataset = read_dataset(toy)
    matrix = np.random.default_rng(0).random((36, 48))
    ids = [f"{letter}{fact}" for letter in "os" for fact in range(18)]
    frame = pd.DataFrame(
        {"question": np.repeat(ids, 48), "candidate": np.tile(dataset.entities, 36), "score": matrix.ravel()}
    )
    np.save(tmp_path / "file.npy", matrix)
    report = asof.rank(toy, {"array": matrix, "frame": frame, "path": tmp_path / "file.npy"}, baselines=False)
    of = {name: [row for row in report.results if row["scores"] == name] for name in ("array", "frame", "path")}
    same = [[{**row, "scores": ""} for row in found] for found in of.values()]
    assert same[0] == same[1] == same[2] and len(same[0]) == 6 * 3 * 3
    assert set(report.differences["p"]) == {1.0}
    assert len(report.ranks) == 3 * 6 * 36
    assert "array" in repr(report) and "instants-points" in repr(report)
    assert asof.rank(asof.open_completion(model)).results["scores"][0] == "mine"
    with pytest.raises(UserError, match="Nothing is to be ranked"):
        asof.rank(toy, baselines=False)
    with pytest.raises(UserError, match="this is a set"):
        asof.rank(toy, {1, 2})


def test_figures_are_given_as_other_programs_write_them(toy: str, tmp_path: Path) -> None:
    np.save(tmp_path / "mine.npy", np.random.default_rng(0).integers(0, 9, (36, 48)).astype(float))
    given = (toy, "--scores", str(tmp_path / "mine.npy"), "--no-baselines")
    ours = {(row["filter"], row["side"], row["ties"]): row for row in rows(*given) if row["measures"] == "links"}
    found = {form: rows(*given, "--results-as", form)[0] for form in ("pykeen", "libkge", "tkbc")}
    head = found["pykeen"]["head"]["realistic"]  # type: ignore[index]
    assert head["inverse_harmonic_mean_rank"] == ours["any-time", "subject", "mean"]["mrr"]
    assert found["libkge"]["hits_at_10_filtered"] == ours["any-time", "both", "mean"]["hits@10"]
    assert found["libkge"]["mean_rank"] == ours["none", "both", "mean"]["mean_rank"]
    assert found["tkbc"]["MRR"] == ours["instants-calendar", "both", "pessimistic"]["mrr"]
