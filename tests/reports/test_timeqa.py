"""The page of runs on TimeQA: a reader of the facts themselves beside one that never answers."""

from pathlib import Path

import pytest

from asof.benchmarks import build, read_benchmark
from asof.benchmarks.timeqa import TimeQa
from asof.facts import FactStore
from asof.reports import write_report
from asof.runs import read_run, run
from asof.runs.item_scores import scores_of
from asof.wording import Wording
from tests.reports.reader import Reader


class Writer:
    """Answers from the items: every second question of a history rightly, or none at all."""

    can = frozenset({"write"})

    def __init__(self, name: str, known: dict[str, str]) -> None:
        self.name, self._known = name, known

    def describe(self) -> dict[str, str]:
        return {"kind": "writer", "model": self.name}

    def write(self, prompts: list[str], *, most_tokens: int, stop: tuple[str, ...] = ()) -> list[str]:
        return [self._known.get(prompt.splitlines()[0].removeprefix("Question: "), "unknown") for prompt in prompts]


@pytest.fixture(scope="module")
def folders(almanac: FactStore, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("timeqa")
    build(folder / "quiz", TimeQa(facts=30), almanac, Wording())
    quiz = read_benchmark(folder / "quiz")
    known = {item.prompt: item.answers[0] for number, item in enumerate(quiz.items()) if item.answers and number % 2}
    for name, answers in (("half", known), ("silent", {})):
        run(quiz, Writer(name, answers), folder / name)
    return [folder / "half", folder / "silent"]


def test_exact_match_and_f1_stand_by_level_specifier_and_relation(folders: list[Path], tmp_path: Path) -> None:
    page = Reader(write_report(folders, tmp_path / "page").read_text(encoding="utf-8"))
    scores = scores_of(read_run(folders[0]))
    for tag, title in (("level", "by level"), ("specifier", "by time specifier"), ("relation_label", "by relation")):
        rows = {tuple(row[:2]): row[2:] for row in page.tables[f"The numbers: {title}"][1:]}
        parts = scores.by(tag)
        assert {value for value, _ in rows} == set(parts)
        for value, part in parts.items():
            em = part.results()["em"]
            assert rows[value, "A"][0] == f"{em.value:.3f} [{em.low:.3f}, {em.high:.3f}] n = {em.n:,}"
    assert "em with 95 % intervals, higher is better" in page.text


def test_right_and_wrong_questions_are_shown(folders: list[Path], tmp_path: Path) -> None:
    page = Reader(write_report(folders, tmp_path / "page").read_text(encoding="utf-8"))
    titles = [title for title in page.tables if title.startswith(("Right", "Wrong"))]
    assert [title.split(":")[0][:8] for title in titles] == ["Wrong, A", "Right, A", "Wrong, B", "Right, B"]
    assert all(row[3] == "1.000" for row in page.tables[titles[1]][1:])
    assert all(row[1:3] == ["none", "nothing"] for row in page.tables[titles[3]][1:])  # silence is right where none is
