"""The temporal reader: it learns from pages, answers new ones with evidence, keeps itself in a folder, fails kindly."""

import json
import math
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.cli import asof
from asof.errors import UserError
from asof.metrics import mean_of_items
from asof.reading.answer_types import looks_like, wanted_type
from asof.reading.answers import Answer
from asof.reading.documents import Document
from asof.reading.encoder import span_vectors
from asof.reading.index import DocumentIndex
from asof.reading.names import NameRanking, choose
from asof.reading.own_times import own_time, weighed
from asof.reading.questions import ReadingItem
from asof.reading.readers.temporal import TemporalReader
from asof.reading.temporal_model import load, save
from asof.reading.times.asked import asked_time
from asof.reading.training import Settings, _said, cross_validated, train
from tests.reading.test_documents import rows
from tests.reading.tiny_readers import WordEncoder

FIRST = "Ann Bo Cy Dee Eva Finn Gus Hal Ida Jan Kim Lou".split()  # noqa: SIM905
LAST = "Stone Rivers Brook Field Wood Hill Marsh Lake Ford Dale".split()  # noqa: SIM905


def page(number: int) -> tuple[Document, list[tuple[str, int, int]]]:
    """A club with four managers, one after another; its stadiums stand in another section."""
    random = np.random.default_rng(number)
    names = [f"{FIRST[random.integers(len(FIRST))]} {LAST[random.integers(len(LAST))]}" for _ in range(4)]
    years = np.cumsum(random.integers(3, 8, 5)) + 1950
    managed = [(name, int(one), int(two)) for name, one, two in zip(names, years, years[1:], strict=False)]
    lines = ["The club plays in Oslo , Norway .", "Managers"]
    lines += [f"- {name} ( {one}–{two} )" for name, one, two in managed]
    lines += ["Grounds", f"In {years[0]} the club moved to Green Park . Since {years[2]} it plays at Royal Arena ."]
    return Document.from_text("\n".join(lines), title=f"FC Number {number}"), managed


def items(numbers: range) -> list[ReadingItem]:
    found = []
    for number in numbers:
        document, managed = page(number)
        about = {"document": document, "entity": str(number), "relation": "P286"}
        for place, (name, one, two) in enumerate(managed):
            for mode, when in (("easy", f"from {one} to {two}"), ("hard", f"in Jun {(one + two) // 2}")):
                question = f"Who was the manager of the club {when}?"
                found.append(ReadingItem(f"{number}#P286#{place}", question, (name,), mode=mode, **about))
        question = "Who was the manager of the club in 1890?"
        found.append(ReadingItem(f"{number}#P286#9", question, (), mode="easy", **about))
    return found


@pytest.fixture(scope="module")
def reader() -> TemporalReader:
    model = train(items(range(40)), WordEncoder(), settings=Settings(rounds=60, folds=2))
    return TemporalReader("made here", model=model, encoder=WordEncoder())


def test_training_says_how_good_it_is_on_pages_that_had_not_taught(reader: TemporalReader, tmp_path: Path) -> None:
    found = reader.model.about["cross_validation"]
    assert list(found) == ["all", "easy", "hard"] and found["all"]["questions"] == 40 * 9
    for one in found.values():
        assert 0.5 < one["low"] <= one["right"] <= one["high"] <= 1
    told = [_said("hard", mean_of_items([1.0, 0.0], ["a", "b"]))]
    assert told[0].startswith("Cross-validation: 50.0% (") and "of 2 hard questions are answered rightly" in told[0]
    save(reader.model, tmp_path / "reader")
    assert load(tmp_path / "reader").about["cross_validation"] == found


def test_the_command_prints_cross_validation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("asof.cli.readers.read_questions", lambda data: items(range(6)))
    monkeypatch.setattr("asof.reading.readers.temporal.fetch", lambda name: tmp_path)
    monkeypatch.setattr("asof.reading.readers.temporal.Encoder", lambda folder: WordEncoder())
    words = ["readers", "train", "temporal", str(tmp_path), "--to", str(tmp_path / "reader"), "--json"]
    asof.main(words, standalone_mode=False)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["level"], line["metric"], line["questions"]) for line in lines] == [
        ("all", "em", 54), ("easy", "em", 30), ("hard", "em", 24)
    ]  # fmt: skip
    assert all(line["low"] <= line["value"] <= line["high"] for line in lines)


def test_cross_validation_counts_what_is_rightly_not_answered() -> None:
    asked = items(range(1))[-2:]  # with an answer, and without
    judged = [(asked[0], (0.9, True, True)), (asked[1], (0.2, False, False))]
    assert cross_validated(judged, 0.5)["all"].value == 1
    assert cross_validated(judged, 0.1)["all"].value == 0.5


def test_it_answers_pages_it_has_never_seen(reader: TemporalReader) -> None:
    right = []
    for number in range(40, 50):
        document, managed = page(number)
        asked = [f"Who was the manager of the club in Jun {(one + two) // 2}?" for _, one, two in managed]
        right += [
            answer.text == name for answer, (name, _, _) in zip(reader.read_many(asked, document), managed, strict=True)
        ]
    assert np.mean(right) > 0.8


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "a b", "c"]), st.floats(0, 1), st.floats(0, 1)), min_size=1))
def test_forms_of_one_name_speak_together(mentions: list[tuple[str, float, float]]) -> None:
    texts = np.array([name for name, _, _ in mentions])
    likely, matter = (np.array(column) for column in list(zip(*mentions, strict=True))[1:])
    choice = choose(likely, matter, texts)
    own = {
        name: 1 - math.prod(1 - min(one, 1 - 1e-6) for its, one, _ in mentions if its == name) for name in set(texts)
    }
    of_form = lambda one, other: f" {one} " in f" {other} " or f" {other} " in f" {one} "  # noqa: E731
    groups = {
        name: 1 - (1 - own[name]) * math.prod(1 - 0.5 * own[o] for o in own if o != name and of_form(o, name))
        for name in own
    }
    assert choice.likely[0] == pytest.approx(max(groups.values()), abs=1e-4)
    answer = texts[choice.indices[0]]
    assert any(of_form(answer, name) for name in own if groups[name] == pytest.approx(max(groups.values()), abs=1e-9))
    assert sorted(texts[choice.indices]) == sorted(own)  # each name once
    assert likely[choice.indices[0]] == likely[texts == answer].max()  # the mention that is shown


def test_it_shows_its_evidence(reader: TemporalReader) -> None:
    document, managed = page(41)
    name, one, two = managed[1]
    answer = reader.read(f"Who was the manager of the club from {one} to {two}?", document)
    assert answer.text == name and answer.span is not None
    span = answer.span
    assert document.paragraphs[span.paragraph].text[span.start : span.end] == name
    shown = answer.evidence[0]
    assert (shown.section, shown.interval) == ("Managers", f"{one}..{two}")
    assert shown.verdict == "is the asked time"
    inside = reader.read(f"Who was the manager of the club in Jun {one + 1}?", document)
    assert inside.evidence[0].verdict == "covers the asked time"
    assert 0 <= answer.evidence[-1].probability <= answer.probability <= 1


def test_a_name_whose_own_time_lies_outside_is_not_the_answer(reader: TemporalReader) -> None:
    """However sure the trees are: what an answer shows must not speak against it."""
    document, managed = page(41)
    index = DocumentIndex(document, WordEncoder())
    asked = asked_time(f"Who was the manager in Jun {managed[0][1] + 1}?")
    of_name = {name: next(n for n, one in enumerate(index.candidates) if one.text == name) for name, _, _ in managed}
    inside, outside = of_name[managed[0][0]], of_name[managed[2][0]]
    assert own_time(index, outside, asked).lies_outside and not own_time(index, inside, asked).lies_outside

    def of(*likely: tuple[int, float]) -> NameRanking:
        return weighed(
            NameRanking(np.array([n for n, _ in likely]), np.array([one for _, one in likely], np.float32)),
            index,
            asked,
        )

    assert of((outside, 0.9), (inside, 0.5)).indices.tolist() == [inside, outside]
    assert of((outside, 0.9), (inside, 0.5)).is_answer
    alone = of((outside, 0.9), (inside, 0.1))
    assert alone.indices[0] == outside and not alone.is_answer


def test_no_answer_shows_a_time_outside_the_asked_one(reader: TemporalReader) -> None:
    for number in range(40, 50):
        document, managed = page(number)
        for year in range(managed[0][1] - 20, managed[-1][2] + 20, 3):
            answer = reader.read(f"Who was the manager of the club in Jun {year}?", document)
            assert not answer.text or answer.evidence[0].verdict != "lies outside the asked time"


def test_a_time_before_everything_has_no_answer(reader: TemporalReader) -> None:
    assert reader.read("Who was the manager of the club in 1890?", page(42)[0]).text == ""
    assert reader.read("Who was the manager of the club in 1960?", Document.from_text("")).text == ""


def test_a_folder_gives_the_same_reader(reader: TemporalReader, tmp_path: Path) -> None:
    save(reader.model, tmp_path / "reader")
    again = TemporalReader(tmp_path / "reader", encoder=WordEncoder())
    document, managed = page(43)
    question = f"Who was the manager of the club in {managed[0][1] + 1}?"
    assert again.read(question, document) == reader.read(question, document)
    files = {"reader.toml", "arrays.safetensors", "matter.txt", "trees.txt"}
    assert {path.name for path in (tmp_path / "reader").iterdir()} == files
    save(reader.model, tmp_path / "reader")  # in the place of the old one
    (tmp_path / "other").mkdir()
    with pytest.raises(UserError, match="is not a reader folder"):
        save(reader.model, tmp_path / "other")


def test_a_reader_of_another_version_is_refused(reader: TemporalReader, tmp_path: Path) -> None:
    save(reader.model, tmp_path / "reader")
    path = tmp_path / "reader/reader.toml"
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if "format" not in line))
    with pytest.raises(UserError, match="another version of asof"):
        load(tmp_path / "reader")


@pytest.mark.parametrize("name", ["reader.toml", "arrays.safetensors", "matter.txt", "trees.txt"])
def test_cut_files_are_told(reader: TemporalReader, tmp_path: Path, name: str) -> None:
    save(reader.model, tmp_path / "reader")
    path = tmp_path / "reader" / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    with pytest.raises(UserError, match=r"is broken"):
        load(tmp_path / "reader")
    with pytest.raises(UserError, match="is not a trained reader"):
        load(tmp_path / "none")


def test_a_killed_save_leaves_the_old_reader(reader: TemporalReader, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    save(reader.model, folder)
    code = (
        "import sys\nfrom pathlib import Path\nfrom asof.reading.temporal_model import load, save\n"
        "model = load(Path(sys.argv[1]))\nprint('begun', flush=True)\nwhile True: save(model, Path(sys.argv[1]))"
    )
    running = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE)
    assert running.stdout is not None
    running.stdout.readline()
    time.sleep(0.2)
    running.send_signal(signal.SIGKILL)
    running.wait()
    # Killed between its two renames, the old reader stands under another name.
    load(folder if folder.exists() else next(tmp_path.glob(".reader.*.before")))


def test_nothing_to_learn_from_is_told() -> None:
    none = [item for item in items(range(2)) if not item.answers]
    with pytest.raises(UserError, match="no question with an answer"):
        train(none, WordEncoder())


def test_span_vectors_are_means_of_their_tokens() -> None:
    text = "Ann Stone led it"
    encoded = WordEncoder().encode([text])[0]
    found = span_vectors(encoded, [0, 4], [9, 9])
    mean = encoded.tokens[:2].mean(axis=0)
    assert np.allclose(found[0], mean / np.linalg.norm(mean), atol=1e-5)
    assert np.allclose(found[1], encoded.tokens[1] / np.linalg.norm(encoded.tokens[1]), atol=1e-5)


def test_kinds_of_questions_and_answers() -> None:
    assert wanted_type("Which university did he attend in 1990?") == "school"
    assert wanted_type("Where did she live?") == "place"
    assert looks_like("University of Chicago") == "school" and looks_like("Milton Friedman") == "person"


def test_the_command_answers_and_helps(
    reader: TemporalReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("asof.reading.readers.temporal.fetch", lambda name: tmp_path)
    monkeypatch.setattr("asof.reading.readers.temporal.Encoder", lambda folder: WordEncoder())
    save(reader.model, tmp_path / "reader")
    document, managed = page(44)
    path = tmp_path / "club.txt"
    path.write_text(
        "\n".join(["Managers", *(f"- {one.text}" for one in document.paragraphs if one.entry)]), encoding="utf-8"
    )

    def run(*words: str) -> tuple[str, str]:
        asof.main(["read", *words, "--reader", f"temporal:{tmp_path / 'reader'}"], standalone_mode=False)
        return capsys.readouterr()

    name, one, _ = managed[0]
    said, talked = run(str(path), "--question", f"Who was the manager of the club in Jun {one + 1}?")
    assert said.strip() == name and "covers the asked time" in talked
    said, _ = run(str(path), "--question", f"Who was the manager of the club in Jun {one + 1}?", "--json")
    assert json.loads(said)["text"] == name
    _, talked = run(str(path), "--question", "Who was the manager of the club?")
    assert "names no time" in talked
    with pytest.raises(UserError, match="June 2022 has 30 days"):
        run(str(path), "--question", "Who was the manager on 2022-06-31?")
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(UserError, match="has no text to read"):
        run(str(path), "--question", "Who led it in 2000?")
    with pytest.raises(UserError, match="could not be read"):
        run(str(tmp_path / "none.txt"), "--question", "Who led it in 2000?")


def test_readers_are_measured_like_models(
    reader: TemporalReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("asof.reading.readers.temporal.fetch", lambda name: tmp_path)
    monkeypatch.setattr("asof.reading.readers.temporal.Encoder", lambda folder: WordEncoder())
    save(reader.model, tmp_path / "reader")
    path = tmp_path / "x.easy.json"
    path.write_text(json.dumps(rows(question="Who managed the club from 1973 to 1981?")) + "\n", encoding="utf-8")
    quiz, answers, opened = str(tmp_path / "quiz"), str(tmp_path / "answers"), f"temporal:{tmp_path / 'reader'}"
    asof.main(["build", "timeqa", "--to", quiz, "--set", f"files={path}"], standalone_mode=False)
    asof.main(["run", quiz, opened, "--to", answers], standalone_mode=False)
    for tag, value in (("level", "easy"), ("length", "up to 500 words"), ("told", "explicit time")):
        capsys.readouterr()
        asof.main(["score", answers, "--by", tag, "--json"], standalone_mode=False)
        told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert {row[tag] for row in told} == {value} and {row["items"] for row in told if row["metric"] == "em"} == {1}
    asof.main(["readers", "consistency", quiz, opened, "--json"], standalone_mode=False)
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["metric"].partition(",")[0] for row in told] == ["one answer"] * 3 + ["right each time"]
    assert told[0]["ranges"] == 1
    path.write_text(json.dumps(rows(question="Who managed the club in 1975?")) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="no question about a range"):
        asof.main(["readers", "consistency", str(path), opened], standalone_mode=False)
    with pytest.raises(UserError, match=r"is not trained here\. Did you mean 'temporal'"):
        asof.main(["readers", "train", "temporl", str(path)], standalone_mode=False)


def test_an_odd_page_does_not_stop_the_measuring_of_consistency(
    reader: TemporalReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read_many = TemporalReader.read_many

    def stumble(self: TemporalReader, questions: Sequence[str], document: Document) -> list[Answer]:
        if any("Ghosts" in question for question in questions):
            raise LookupError("an odd page")
        return read_many(self, questions, document)

    monkeypatch.setattr(TemporalReader, "read_many", stumble)
    monkeypatch.setattr("asof.reading.readers.temporal.fetch", lambda name: tmp_path)
    monkeypatch.setattr("asof.reading.readers.temporal.Encoder", lambda folder: WordEncoder())
    save(reader.model, tmp_path / "reader")
    opened, path = f"temporal:{tmp_path / 'reader'}", tmp_path / "x.easy.json"
    two = [rows(question=f"Who managed the {club} from 1973 to 1981?") for club in ("club", "Ghosts")]
    path.write_text("\n".join(map(json.dumps, two)) + "\n", encoding="utf-8")
    asof.main(["readers", "consistency", str(path), opened, "--json"], standalone_mode=False)
    out = capsys.readouterr()
    assert json.loads(out.out.splitlines()[0])["ranges"] == 1
    assert "4 questions could not be read, and their ranges are left out. The first: 'Who managed the Ghosts" in out.err
    assert "LookupError: an odd page" in out.err
    path.write_text(json.dumps(two[1]) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"could read no question of .* about a range"):
        asof.main(["readers", "consistency", str(path), opened], standalone_mode=False)
