"""From a benchmark to scores in a notebook: built, run on a user's own object, compared, drawn, reported."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest

import asof
from asof.models import AnswerRequest, Blank


class Clock:
    """Likes answers that have as many letters as its number says."""

    def __init__(self, letters: int) -> None:
        self.letters, self.name = letters, f"clock-{letters}"

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        return [-float(abs(len(one.text) - self.letters)) for one in requests]


@pytest.fixture(scope="module")
def bench() -> asof.BuiltBenchmark:
    return asof.build("timestress", asof.open("almanac"), limit=4)


@pytest.fixture(scope="module")
def run(bench: asof.BuiltBenchmark) -> asof.ModelRun:
    return asof.run(bench, Clock(60))


def test_the_same_call_finds_the_same_benchmark(bench: asof.BuiltBenchmark) -> None:
    again = asof.build("timestress", "almanac", limit=4)
    assert again.folder == bench.folder and len(again.items()) == len(bench)
    assert asof.build("timestress", limit=5).folder != bench.folder
    assert {"prompt", "answers", "relation"} <= set(bench.items().columns)
    assert len({row["group"] for row in bench.items(limit=2)}) == 2
    assert "without a start or an end" in bench.left_out()["reason"]


def test_a_setting_that_is_none_gets_a_guess() -> None:
    with pytest.raises(asof.UserError, match=r"timestress has no setting 'sede'. Did you mean 'seed'"):
        asof.build("timestress", sede=1)
    with pytest.raises(asof.UserError, match=r"No benchmark is called 'timestres'. Did you mean 'timestress'"):
        asof.build("timestres")


def test_an_object_is_a_model_and_its_scores_are_a_table(run: asof.ModelRun, bench: asof.BuiltBenchmark) -> None:
    assert len(run) == len(bench) and "clock-60" in repr(run)
    scores = run.scores()
    assert "win-rate year" in scores["metric"] and set(scores["facts"]) == {4}
    by = run.scores(by="relation")
    assert sum(row["facts"] for row in by if row["metric"] == "win-rate year") == 4
    assert by.columns[0] == "relation" and "relation" in repr(by)
    with pytest.raises(asof.UserError, match=r"Items of one fact differ in precision"):
        run.scores(by="precision")
    with pytest.raises(asof.UserError, match=r"Items have no tag 'relatoin'. Did you mean 'relation'"):
        run.scores(by="relatoin")
    assert run.predictions()["logprob"][0] <= 0 and len(run.predictions()) == len(bench)
    assert "<table>" in run._repr_html_()


def test_an_object_that_was_changed_is_asked_anew(bench: asof.BuiltBenchmark, run: asof.ModelRun) -> None:
    other = asof.run(bench, Clock(60))
    assert other.folder != run.folder
    found = asof.compare(run, other)
    assert set(found["difference"]) == {0.0} and set(found["p"]) == {1.0} and "4 facts in both" in found.notes[0]


def test_runs_are_drawn_and_reported(bench: asof.BuiltBenchmark, run: asof.ModelRun, tmp_path: Path) -> None:
    other = asof.run(bench, Clock(80), to=tmp_path / "run")
    assert asof.open_run(tmp_path / "run").scores().to_pylist() == other.scores().to_pylist()
    drawn = asof.plot([run, other])
    labels = [text.get_text() for text in drawn.axes[0].get_yticklabels()]
    assert labels == list(dict.fromkeys(run.scores()["metric"]))
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["clock-60", "clock-80"]
    assert len(run.plot(by="relation").axes) >= len(labels)
    page = asof.report([run, tmp_path / "run"], to=tmp_path / "page")
    assert "clock-80" in page.path.read_text(encoding="utf-8") and "iframe" in page._repr_html_()


def test_a_function_answers_questions_and_is_held_to_its_words() -> None:
    bench = asof.build("timeqa", limit=3)

    def knows_all(prompt: str) -> str:
        return "unknown\nQuestion: another?"

    run = asof.run(bench, knows_all)
    assert {row["text"] for row in run.predictions()} <= {"", "unknown"}
    with pytest.raises(asof.UserError, match=r"knows_nothing.write gave None, which is not a str"):

        def knows_nothing(prompt: str) -> None: ...

        asof.run(bench, knows_nothing)


def test_what_cannot_be_asked_says_so(bench: asof.BuiltBenchmark) -> None:
    with pytest.raises(
        asof.UserError, match=r"An object of type int cannot be asked: it has none of write, answer_logprob"
    ):
        asof.run(bench, 7)
    with pytest.raises(
        asof.UserError,
        match=r"needs answer_logprob; <lambda> offers write. To ask it about timestress, use probe='choose' or probe='",
    ):
        asof.run(bench, lambda prompt: "yes")
    with pytest.raises(
        asof.UserError, match=r"Clock with answer-likelihood has no setting 'fromat'. Did you mean 'format'"
    ):
        asof.run(bench, Clock(1), fromat="raw")

    with pytest.raises(asof.UserError, match=r"Clock is a class. Give an object of it"):
        asof.run(bench, Clock)
    for verb in (asof.plot, asof.report, asof.cutoff):
        with pytest.raises(asof.UserError, match=r"No run was given"):
            verb([])

    class Short:
        def answer_logprob(self, requests: Any) -> list[float]:
            return [0.0]

    with pytest.raises(asof.UserError, match=r"Short.answer_logprob gave 1 results for 1024. Give one for each"):
        asof.run(bench, Short())


def test_an_object_fills_blanks_with_plain_texts() -> None:
    class Filler:
        def fill(self, blanks: Sequence[Blank]) -> list[str]:
            return ["Real Madrid" for _ in blanks]

    bench = asof.build("dynamic-templama", limit=5, first="2019-Q1", until="2019-Q2")
    run = asof.run(bench, Filler(), probe="fill-many")
    assert set(run.predictions()["text"]) == {"Real Madrid"} and "exact-match" in run.scores()["metric"]
    with pytest.raises(asof.UserError, match=r"Filler has no guess_token.*fill-many"):
        asof.run(bench, Filler(), probe="fill-one")


def test_facts_are_a_model_that_knows_its_time() -> None:
    bench = asof.build("timeqa", limit=3)
    model = asof.open_model("facts:almanac")
    assert model.can == {"read"}
    run = asof.run(bench, "facts:almanac", to=bench.folder.parent / "facts-run")
    em = next(row for row in run.scores() if row["metric"] == "em")
    assert em["value"] > 0.5


def test_a_benchmark_goes_to_other_tools(bench: asof.BuiltBenchmark, tmp_path: Path) -> None:
    told = bench.export("lm-eval", tmp_path / "task", license="cc0-1.0")
    assert told[-1].startswith("Next: ") and any((tmp_path / "task").rglob("*.yaml"))


def test_words_for_a_relation_of_ones_own_and_advice_as_python_says_it() -> None:
    jobs = {"subject": "Ann", "relation": "works at", "object": ["Acme", "Beta"], "start": ["2001", "2005"]}
    jobs |= {"end": ["2005", "2009"]}
    base = asof.open(pandas.DataFrame(jobs), name="jobs", known_by="2020-12-31")
    with pytest.raises(asof.UserError, match=r"(?s)no facts for timeqa.*wording/templates/en.toml: templates=FILE"):
        asof.build("timeqa", base)
    words = {"present": "{subject} works at {object}", "past": "{subject} worked at {object}"}
    words |= {"starts": "{subject} joined {object}", "ends": "{subject} left {object}"}
    asked = {"questions": ["where did {subject} work?"], "subject_questions": ["who worked at {object}?"]}
    bench = asof.build("timeqa", base, templates={"works at": words | asked})
    assert any("Ann work" in prompt for prompt in bench.items()["prompt"])


def test_what_an_export_does_not_have_gets_a_guess(bench: asof.BuiltBenchmark, tmp_path: Path) -> None:
    with pytest.raises(asof.UserError, match=r"lm-eval has no setting 'licence'. Did you mean 'license'"):
        bench.export("lm-eval", tmp_path, licence="cc0-1.0")


def test_sentences_with_a_blank_are_put_to_objects_of_every_kind() -> None:
    bench = asof.build("dynamic-templama", first=2019, until=2022, by="year", relations="P6", limit=5)
    assert {"period", "subject_label"} <= set(bench.items().shown)
    run = asof.run(bench, Clock(60))
    assert len(run) == len(bench) and repr(run).endswith("in the cache>")

    class Even:
        def token_logprobs(self, filled: Sequence[Any]) -> list[list[float]]:
            return [[-1.0, -1.0] for _ in filled]

    assert asof.run(bench, Even()).predictions()["rank"][0] > 1
    told = asof.cutoff([run, asof.run(bench, Even())])
    assert told["cutoff"] == ["cannot tell"] * 2
    drawn = told.plot()
    assert len(drawn.axes) == 2 and "cannot tell" in drawn.axes[0].get_title()
    with pytest.raises(asof.UserError, match=r"A cutoff cannot be listed by 'perod'. Did you mean 'period'"):
        asof.cutoff(run, by="perod")  # type: ignore[arg-type]


def test_an_object_fills_blanks_with_several_texts() -> None:
    bench = asof.build("lama-tk", limit=3)
    items = bench.items(limit=100)
    answers = dict(zip(items["prompt"], (given[0] for given in items["answers"]), strict=True))

    class Filler:
        def __init__(self, give: Any) -> None:
            self.give = give

        def fill(self, blanks: Any) -> list[Any]:
            return [self.give(answers[f"{blank.before}_X_{blank.after}"]) for blank in blanks]

    for give in (lambda text: text, lambda text: [text, "Rome"], lambda text: [("Rome", -2.0), (text, -0.5)]):
        run = asof.run(bench, Filler(give), probe="fill-many")
        assert set(run.scores()["value"]) == {1.0}
    with pytest.raises(asof.UserError, match=r"Filler.fill gave 3 for a blank. Give a text, a pair"):
        asof.run(bench, Filler(lambda text: [3]), probe="fill-many")


def test_scores_by_relation_have_its_name() -> None:
    base = asof.open("almanac")
    run = asof.run(asof.build("timeqa", base, limit=3), lambda prompt: "")
    names = {relation.label for relation in base.store.relations.values()}
    assert set(run.scores(by="relation")["relation"]) <= names


def test_what_is_not_a_run_or_a_number_says_so(bench: asof.BuiltBenchmark) -> None:
    base = asof.open("almanac")
    wrong: dict[str, Callable[[], Any]] = {
        "None is neither a run nor a trained model": lambda: asof.report(None),
        "5 is not a run. Give what asof.run returned": lambda: asof.open_run(5),  # type: ignore[arg-type]
        "facts = -1 asks about nothing. Give 1 or more": lambda: asof.build("timestress", limit=-1),
        "limit=-1 is not a number of rows. Give 0 or more": lambda: base.facts(limit=-1),
        "limit=-2 is not a number of rows. Give 0 or more": lambda: base.facts("Italy", limit=-2),
    }
    for message, call in wrong.items():
        with pytest.raises(asof.UserError, match=message):
            call()
    assert "<table>" in bench._repr_html_() and "asof benchmark" in bench._repr_html_()
