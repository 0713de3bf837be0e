"""Scores come in many forms; the same scores have the same ranks in each, and what cannot be read is told."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from asof.completion.dataset import Dataset
from asof.completion.queries import queries_of
from asof.completion.referee.candidates import CandidateNames
from asof.completion.referee.entity_order import read_entity_order
from asof.completion.referee.interval_files import interval_rows, read_intervals, scored_intervals
from asof.completion.referee.judgement import RefereeJudgement, write_questions
from asof.completion.referee.questions import question_ids
from asof.completion.referee.score_files import matrix_sheet, read_scores
from asof.completion.referee.scoresheet import Scoresheet
from asof.errors import UserError


@pytest.fixture(scope="module")
def matrix(dataset: Dataset) -> np.ndarray:
    """Scores with many ties, none missing."""
    random = np.random.default_rng(3)
    return random.integers(0, 30, (2 * len(dataset.test), len(dataset.entities))).astype(np.float32)


def results(dataset: Dataset, sheet: Scoresheet) -> list[dict[str, Any]]:
    found = RefereeJudgement.of(dataset, "test", [sheet], baselines=False)
    return [{name: value for name, value in row.items() if name != "scores"} for row in found.results]


def long_form(dataset: Dataset, matrix: np.ndarray) -> pa.Table:
    names = np.array(dataset.entities)
    questions = np.repeat(question_ids(len(dataset.test)), len(names))
    columns = {"question": questions, "candidate": np.tile(names, len(matrix)), "score": matrix.ravel()}
    shuffled = np.random.default_rng(0).permutation(len(questions))
    return pa.table({name: pa.array(column[shuffled]) for name, column in columns.items()})


def write_lists(
    path: Path, dataset: Dataset, matrix: np.ndarray, *, with_scores: bool, most: int | None = None
) -> None:
    lines = []
    for id, row in zip(question_ids(len(dataset.test)), matrix, strict=True):
        best = np.argsort(-row, kind="stable")[:most]
        line: dict[str, Any] = {"question": id, "candidates": [dataset.entities[number] for number in best]}
        lines.append(json.dumps(line | ({"scores": row[best].tolist()} if with_scores else {})))
    path.write_text("\n".join(lines))


def test_all_forms_of_the_same_scores_give_the_same_ranks(dataset: Dataset, matrix: np.ndarray, tmp_path: Path) -> None:
    facts, names = len(dataset.test), CandidateNames(dataset)
    expected = results(dataset, matrix_sheet("matrix", {"scores": matrix}, names, facts))
    other = np.random.default_rng(5).permutation(len(dataset.entities))
    order = [dataset.entities[number] for number in other]
    table = long_form(dataset, matrix)
    np.save(tmp_path / "plain.npy", matrix)
    np.savez(tmp_path / "own_order.npz", object=matrix[:facts, other], subject=matrix[facts:, other], entities=order)
    (tmp_path / "folder").mkdir()
    np.save(tmp_path / "folder" / "object.npy", matrix[:facts, other])
    np.save(tmp_path / "folder" / "subject.npy", matrix[facts:, other])
    (tmp_path / "folder" / "entities.txt").write_text("\n".join(order))
    pq.write_table(table, tmp_path / "long.parquet")
    pa_csv.write_csv(table, tmp_path / "long.csv")
    (tmp_path / "long.csv.gz").write_bytes(gzip.compress((tmp_path / "long.csv").read_bytes()))
    write_lists(tmp_path / "scored.jsonl", dataset, matrix, with_scores=True)
    for file in ("plain.npy", "own_order.npz", "folder", "long.parquet", "long.csv", "long.csv.gz", "scored.jsonl"):
        assert results(dataset, read_scores(tmp_path / file, names, "test")) == expected, file


def test_a_ranked_list_has_no_ties_and_what_it_leaves_out_is_last(
    dataset: Dataset, matrix: np.ndarray, tmp_path: Path
) -> None:
    write_lists(tmp_path / "top.jsonl", dataset, matrix, with_scores=False, most=5)
    sheet = read_scores(tmp_path / "top.jsonl", CandidateNames(dataset), "test")
    found = RefereeJudgement.of(dataset, "test", [sheet], baselines=False).sheets[0]
    ranks = found.protocols["none"].rank
    order = np.argsort(-matrix, axis=1, kind="stable")
    answers = queries_of(dataset, "test").answer
    places = np.array([list(row).index(answer) + 1 for row, answer in zip(order, answers, strict=True)])
    assert ranks["optimistic"].tolist() == ranks["pessimistic"].tolist()
    assert ranks["mean"].tolist() == np.where(places <= 5, places, len(dataset.entities)).tolist()
    lost = int((places > 5).sum())
    assert f"{lost} of {len(places)} answers have none; each gets the last place." in found.notes[-1]


def test_scored_facts_are_candidates_of_all_questions_that_they_fit(dataset: Dataset, tmp_path: Path) -> None:
    """As PyKEEN's predict_all: every fact there could be has one score for both of its ends."""
    entities, relations = dataset.entities, dataset.relations
    score = np.random.default_rng(1).random((len(entities), len(relations), len(entities)))
    s, r, o = (index.ravel() for index in np.indices(score.shape))
    labels = {"head_label": np.array(entities)[s], "relation_label": np.array(relations)[r]}
    table = pa.table(labels | {"tail_label": np.array(entities)[o], "score": score.ravel()})
    pq.write_table(table, tmp_path / "all.parquet")
    test = dataset.test
    matrix = np.concatenate([score[test.subject, test.relation], score[:, test.relation, test.object].T])
    names = CandidateNames(dataset)
    expected = results(dataset, matrix_sheet("matrix", {"scores": matrix}, names, len(test)))
    assert results(dataset, read_scores(tmp_path / "all.parquet", names, "test")) == expected


def test_scored_facts_with_a_start_answer_only_what_asks_about_it(dataset: Dataset, tmp_path: Path) -> None:
    fact = dataset.test[:1]
    subject, relation, start = dataset.entities[fact.subject[0]], dataset.relations[fact.relation[0]], fact.start[0]
    lines = [
        f"{subject}\t{relation}\t{object}\t{when}\t1" for object in dataset.entities for when in (start, start - 1)
    ]
    (tmp_path / "dated.tsv").write_text("subject\trelation\tobject\tstart\tscore\n" + "\n".join(lines))
    sheet = read_scores(tmp_path / "dated.tsv", CandidateNames(dataset), "test")
    rows = sheet.of_questions(0, len(dataset.test))
    same = (dataset.test.subject == fact.subject) & (dataset.test.start == start)
    assert (~np.isnan(rows)).all(1).tolist() == same.tolist()


@pytest.mark.parametrize(
    "text",
    [
        "b\t0\na\t2\nc\t1\n",
        "0\tb\n1\tc\n2\ta\n",
        "id\tlabel\n2\ta\n0\tb\n1\tc\n",
        "b\nc\na\n",
        "3\n<b>\t0\n<c>\t1\n<a>\t2\n",
    ],
)
def test_lists_of_entities_of_other_programs_are_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "order").write_text(text)
    (tmp_path / "order.gz").write_bytes(gzip.compress(text.encode()))
    assert read_entity_order(tmp_path / "order") == read_entity_order(tmp_path / "order.gz") == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a\t0\nb\t0\n", "neither column can be the numbers of entities"),
        ("0\t1\n1\t0\n", "both columns can be the numbers of entities"),
        ("a\t0\tx\n", "a name and a number with a tab between"),
        ("id\tlabel\n5\ta\n", "the ids are not the numbers from 0 to 0"),
    ],
)
def test_a_list_of_entities_that_is_none_is_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "order").write_text(text)
    with pytest.raises(UserError, match=message):
        read_entity_order(tmp_path / "order")
    with pytest.raises(UserError, match="cannot be read as a list of entities"):
        read_entity_order(tmp_path / "none.txt")


HEAD = "question,candidate,score\n"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("a.csv", HEAD + "q0,Club_1,1\n", "there is no question 'q0'. This split has o0 to o17 or s0 to s17"),
        ("a.csv", HEAD + "o18,Club_1,1\n", "there is no question 'o18'"),
        ("a.csv", HEAD + "o0,Club_11,1\n", "'Club_11' is not an entity of toy. Did you mean 'Club_1'?"),
        ("a.csv", HEAD + "o0,3,1\n", "Numbers need --entities FILE"),
        ("a.csv", HEAD + "o0,Club_1,best\n", "the column score is not of numbers"),
        ("a.csv", HEAD + "o0,Club_1,nan\n", "No question has a score that is a number"),
        ("a.csv", HEAD, "has columns and no rows"),
        ("a.csv", HEAD + "o0,Club_1,inf\n", "a: a score is inf, and scores are finite"),
        ("a.csv", HEAD + "s0,Club_1,1\n", "answers questions for subjects alone (s0, s1 ...)"),
        ("a.csv", "question,candidate,rank\no0,Club_1,1\no0,Club_2,0\n", "the rank in row 2 is 0, and the best is 1"),
        ("a.tsv", "subject\trelation\tobject\tscore\nClub_1\tplaysFor\tClub_2\tinf\n", "a score is inf"),
        ("a.csv", "question,answer\no0,Club_1\n", "It needs question, candidate, and score or rank"),
        ("a.tsv", "subject\trelation\tobject\nA\tb\tC\n", "has no column called score"),
        ("a.tsv", "subject\trelation\tobject\tscore\nClub_1\tplayFor\tClub_2\t1\n", "Did you mean 'playsFor'?"),
        ("a.jsonl", '{"question": "o0"}', "line 1: a line is"),
        ("a.jsonl", '{"question": "o0", "candidates": ["Club_1"], "scores": [1, 2]}', "with as many scores"),
        ("a.txt", "", "is not a file of scores that asof can read"),
        ("a.npz", "nonsense", "is not a file of numpy's arrays, or one of Python objects"),
        ("a.parquet", "nonsense", "cannot be read as a table"),
    ],
)
def test_scores_that_cannot_be_read_are_told(
    file: str, text: str, message: str, dataset: Dataset, tmp_path: Path
) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(UserError) as told:
        sheet = read_scores(tmp_path / file, CandidateNames(dataset), "test")
        RefereeJudgement.of(dataset, "test", [sheet], baselines=False)
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("shape", "kind", "message"),
    [
        ((5, 48), float, "There are 18 facts: give 18 rows for objects, or 36 for objects and then subjects"),
        ((18, 47), float, "has 47 columns and toy 48 entities"),
        ((18, 48), int, "has numbers of type int64; scores are floats"),
        ((18,), float, "has the shape"),
    ],
)
def test_matrices_that_do_not_fit_are_told(
    shape: Any, kind: Any, message: str, dataset: Dataset, tmp_path: Path
) -> None:
    np.save(tmp_path / "a.npy", np.zeros(shape, kind))
    with pytest.raises(UserError, match=message):
        read_scores(tmp_path / "a.npy", CandidateNames(dataset), "test")


def test_a_matrix_with_an_infinite_score_is_told(dataset: Dataset, tmp_path: Path) -> None:
    scores = np.random.default_rng(0).random((18, 48))
    scores[17, 3] = np.inf
    np.save(tmp_path / "a.npy", scores)
    sheet = read_scores(tmp_path / "a.npy", CandidateNames(dataset), "test")
    with pytest.raises(UserError, match=r"a: a score is inf, and scores are finite.* nan in a matrix"):
        RefereeJudgement.of(dataset, "test", [sheet], baselines=False)


def test_entities_of_columns_that_do_not_fit_are_told(dataset: Dataset) -> None:
    zeros = {"object": np.zeros((18, 2))}
    with pytest.raises(UserError, match=r"has 2 columns, and the list of entities 3"):
        matrix_sheet("a", zeros, CandidateNames(dataset, ["a", "b", "c"]), 18)
    with pytest.raises(UserError, match="No entity of toy is in the list of entities"):
        matrix_sheet("a", zeros, CandidateNames(dataset, ["a", "b"]), 18)
    with pytest.raises(UserError, match=r"has no matrix called 'object'. It has: subject."):
        matrix_sheet("a", {"subject": np.zeros((18, 2))}, CandidateNames(dataset, ["a", "b"]), 18)
    sheet = matrix_sheet("a", zeros, CandidateNames(dataset, ["Club_1", "Mars"]), 18)
    assert sheet.notes == (
        "47 entities of toy have no column; they count as missing.",
        "1 columns are of entities that toy does not have; they do not count.",
    )


def test_names_that_are_no_entities_may_be_left_out(dataset: Dataset, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,candidate,score,gold\no0,Mars,2,x\no0,Club_1,1,x\no0,1,0,x\n")
    names = CandidateNames(dataset, ["Mars", "Club_2"], drop_unknown=True)
    sheet = read_scores(tmp_path / "a.csv", names, "test")
    row = sheet.of_questions(0, 1)[0]
    listed = {dataset.entities[number]: row[number] for number in np.flatnonzero(~np.isnan(row))}
    assert listed == {"Club_1": 1.0, "Club_2": 0.0}
    assert sheet.notes == ("1 rows are left out: they name no entity of toy.", "Columns that are not looked at: gold.")


def test_questions_show_nothing_of_their_answers(dataset: Dataset, tmp_path: Path) -> None:
    write_questions(tmp_path / "asked", dataset, "test")
    table = pa_csv.read_csv(tmp_path / "asked" / "questions.csv").to_pylist()
    assert len(table) == 3 * len(dataset.test)
    for row in table:
        hidden = {"object": ["object"], "subject": ["subject"], "dates": ["start", "end"]}[row["asks_for"]]
        assert all(row[name] in (None, "") for name in hidden)
        assert all(row[name] for name in {"subject", "object"} - set(hidden))
    assert (tmp_path / "asked" / "entities.txt").read_text().splitlines() == list(dataset.entities)
    write_questions(tmp_path / "asked", dataset, "test")  # again, over its own
    (tmp_path / "asked" / "thesis.tex").write_text("years of work")
    with pytest.raises(UserError, match="asked holds something else already"):
        write_questions(tmp_path / "asked", dataset, "test")
    assert (tmp_path / "asked" / "thesis.tex").exists()


def test_predicted_intervals_are_scored_as_our_own_are(dataset: Dataset, tmp_path: Path) -> None:
    gold = dataset.test
    right = [f"t{row},{gold.start[row]},{gold.end[row]},2" for row in range(len(gold))]
    wrong = [f"t{row},{gold.start[row] - 50},{gold.end[row] - 50},3" for row in range(1, len(gold))]
    (tmp_path / "a.csv").write_text("question,start,end,score\n" + "\n".join(right + wrong))
    sheet = read_intervals(tmp_path / "a.csv", dataset, "test")
    rows = {row["measure"]: row for row in interval_rows([sheet])}
    assert rows["aeiou@5"]["value"] == rows["tac@5"]["value"] == 1.0 and "aeiou@10" not in rows
    assert rows["iou@1"]["value"] == round(1 / len(gold), 4) and 0 < rows["aeiou@1"]["value"] < 0.2
    (tmp_path / "b.csv").write_text("question,start,end\n" + right[0].rsplit(",", 1)[0])
    alone = read_intervals(tmp_path / "b.csv", dataset, "test")
    assert alone.notes == ("17 of 18 dated facts have no interval; they get the lowest value.",)
    assert alone.values["aeiou@1"].tolist() == [1.0] + [0.0] * 17
    compared = [row for row in interval_rows([sheet, alone]) if row["scores"] == "b"]
    assert compared[2]["measure"] == "iou@1" and 0 <= compared[0]["p"] <= compared[0]["p_holm"] <= 1


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"question": ["o0"], "start": ["2000"], "end": ["2001"]}, "no question 'o0'. This split has t0 to t17"),
        ({"question": ["t0"], "start": ["2002"], "end": ["2001"]}, "row 1: the interval of t0 ends before it starts"),
        ({"question": ["t0"], "start": [None], "end": ["2001"]}, "row 1: a predicted interval has a start and an end"),
        ({"question": ["t0"], "start": ["soon"], "end": ["2001"]}, "mine: "),
        ({"question": ["t0"] * 2, "start": ["2000"] * 2, "end": ["2001"] * 2}, "several intervals for a question"),
    ],
)
def test_intervals_that_are_none_are_told(columns: dict[str, Any], message: str, dataset: Dataset) -> None:
    with pytest.raises(UserError) as told:
        scored_intervals("mine", pa.table(columns), dataset, "test")
    assert message in str(told.value)
