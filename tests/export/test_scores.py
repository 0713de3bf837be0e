"""The scores that go into task folders are those of asof: they are written again there, without its packages."""

import ast
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.export import _files
from asof.export._files import filled_blanks, lm_eval_choices, lm_eval_dates, written_answers
from asof.export._source import copy_source
from asof.metrics.exact_match import exact_match
from asof.metrics.robustness import robustness
from asof.metrics.token_f1 import token_f1
from asof.metrics.win_rate import win_rate
from asof.probes.pseudo_likelihood import PseudoLikelihood
from asof.probes.write_answer import WriteAnswer, answer_in, readings

WORDS = st.lists(
    st.sampled_from(["the", "A", "Ann", "ann", "Lee.", "unknown", "São", "sao", "F.C.", '"', "\n", ". ", "none", "ß"])
)
WRITTEN = WORDS.map(" ".join) | WORDS.map("".join) | st.text(max_size=12)
LOGPROBS = st.lists(st.sampled_from([-3.0, -2.0, -1.5, -1.0]), min_size=1, max_size=6)


@given(WRITTEN, st.lists(WRITTEN, max_size=3))
def test_written_answers(text: str, answers: list[str]) -> None:
    ours = WriteAnswer().measures({"text": answer_in(text), "written": text, "answers": answers})
    theirs = written_answers.scores(text, answers)
    assert {name.replace("_", " "): value for name, value in theirs.items()} == {
        name: value for name, value in ours.items() if value == value
    }


@given(WRITTEN, st.lists(WRITTEN, max_size=3))
def test_filled_blanks(text: str, answers: list[str]) -> None:
    found = readings(answer_in(text))
    assert filled_blanks.scores(text, answers) == {
        "exact_match": max(exact_match(one, answers) for one in found),
        "f1": max(token_f1(one, answers) for one in found),
    }


@given(LOGPROBS, LOGPROBS)
def test_dates_of_a_fact(right: list[float], wrong: list[float]) -> None:
    assert lm_eval_dates.win_rate(right, wrong) == pytest.approx(win_rate(right, wrong))
    assert lm_eval_dates.robustness(right, wrong) == robustness(right, wrong)


@given(LOGPROBS, LOGPROBS)
def test_choices(right: list[float], wrong: list[float]) -> None:
    logprobs, is_right = [*right, *wrong], [True] * len(right) + [False] * len(wrong)
    theirs = lm_eval_choices.process_results({"right": is_right}, [(one, False) for one in logprobs])
    names = [str(place) for place in range(len(logprobs))]
    best = max(range(len(right)), key=right.__getitem__)
    rank = 1 + sum(one >= right[best] for one in wrong)
    row = {"logprobs": logprobs, "tokens": [1] * len(names), "right": is_right, "candidates": names}
    ours = PseudoLikelihood().measures(row | {"rank": rank, "answer": names[best]})
    assert theirs == pytest.approx({name: ours[name.replace("_", "-")] for name in theirs})


def test_a_fact_that_was_cut_does_not_count() -> None:
    whole = [("a", 6, of, verdict, logprob) for of in lm_eval_dates.PRECISIONS for verdict, logprob in
             (("correct", -1.0), ("incorrect", -2.0))]  # fmt: skip
    assert lm_eval_dates.win_rate_global(whole) == 1
    cut = [("b", 7, *rest) for _, _, *rest in whole]
    assert lm_eval_dates.robustness_global([*whole, *cut]) == 1
    assert len(lm_eval_dates.facts([*whole, *cut])) == 1
    no_day = [("c", 4, *rest) for _, _, *rest in whole[:4]]
    value = lm_eval_dates.win_rate_year(no_day)
    assert value != value  # there is no fact with all three precisions


def test_files_of_tasks_need_nothing_of_asof(tmp_path: Path) -> None:
    for path in Path(str(_files.__file__)).parent.iterdir():
        if path.suffix not in (".py", ".txt"):
            continue
        copy_source(f"_files/{path.name}", tmp_path / path.name)
        used = set()
        for node in ast.walk(ast.parse((tmp_path / path.name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                used |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                used.add(str(node.module).split(".")[0])
        own = {"asof"} if path.name == "lm_eval_metrics.py" else set()  # metrics of an outside package
        assert used - set(sys.stdlib_module_names) <= {"datasets", "inspect_ai", "scores"} | own
