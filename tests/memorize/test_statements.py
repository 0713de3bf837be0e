from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.benchmarks import BLANK, Account, BenchmarkTables, save
from asof.errors import UserError
from asof.memorize.statements import numbered, statements_of, without_other_time
from asof.memorize.words import HIDDEN, PAD, UNKNOWN, Words
from tests.memorize.offices import benchmark_of, held, table_of

NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12).filter(
    lambda name: BLANK not in name and name.strip()
)
FACTS = st.lists(
    st.tuples(NAMES, st.sampled_from(["a", "b", "b c"]), st.sampled_from(["1", "2"]), st.sampled_from(["3", "4"])),
    min_size=1, max_size=12, unique=True,
)  # fmt: skip


@pytest.mark.parametrize(
    ("prompt", "other", "expected"),
    [
        ("Ann led Acme from _X_ to 2017.", "2017", "Ann led Acme from _X_."),
        ("Ann led Acme from 2009 to _X_.", "2009", "Ann led Acme to _X_."),
        ("Ann led 2009 Acme from 2009 to _X_.", "2009", "Ann led 2009 Acme to _X_."),
        ("Ann led from 2009 to Acme from _X_ to 2017.", "2017", "Ann led from 2009 to Acme from _X_."),
        ("Ann led Acme from March 2009 to _X_.", "March 2009", "Ann led Acme to _X_."),
        ("Ann won it in _X_.", "2009", "Ann won it in _X_."),
        ("Ann led Acme from _X_ to 20170.", "2017", "Ann led Acme from _X_ to 20170."),
        ("Ann led Acme from _X_ to 2017.", "", "Ann led Acme from _X_ to 2017."),
        ("Ann led (.* from _X_ to 44 BCE.", "44 BCE", "Ann led (.* from _X_."),
    ],
)
def test_the_other_time_is_deleted_with_its_word(prompt: str, other: str, expected: str) -> None:
    assert without_other_time(prompt, other) == expected


@settings(max_examples=40, deadline=None)
@given(FACTS)
def test_right_answers_are_those_of_all_statements_with_the_prompt(facts: list[tuple[str, str, str, str]]) -> None:
    table = table_of(facts)
    statements = numbered(table)
    expected: dict[str, set[tuple[bool, str]]] = defaultdict(set)
    for row in table.to_pylist():
        is_time = row["place"] in ("start", "end")
        other = row["end"] if row["place"] == "start" else row["start"]
        expected[row["prompt"]].add((is_time, row["answer_id"]))
        if is_time:
            expected[without_other_time(row["prompt"], other)].add((is_time, row["answer_id"]))
    answers, begins = statements.right_answers()
    for number, prompt in enumerate(statements.prompts):
        found = answers[begins[number] : begins[number + 1]]
        kinds = {(int(one) >= len(statements.known.entities), statements.known.id_of(int(one))) for one in found}
        assert kinds == expected[prompt] and len(found) == len(kinds)
    assert list(statements.is_time) == [row["place"] in ("start", "end") for row in table.to_pylist()]


def test_a_time_keeps_its_id_and_how_it_is_said() -> None:
    table = table_of([("Ann", "judge", "213", "214")]).to_pylist()
    for row in table:
        if row["place"] == "start":
            row["answer_id"] = "0213"
    known = numbered(pa.Table.from_pylist(table)).known
    number = len(known.entities) + known.times.index("0213")
    assert (known.id_of(number), known.name_of(number)) == ("0213", "213")


def test_a_limit_counts_facts(tmp_path: Path) -> None:
    benchmark = benchmark_of(tmp_path / "b", held(5))
    assert [len(statements_of(benchmark, limit=limit)) for limit in (1, 3, 99)] == [4, 12, 20]


def test_items_that_teach_nothing_are_refused(tmp_path: Path) -> None:
    rows = table_of([("Ann", "judge", "2000", "2001")]).to_pylist()
    without_time = pa.Table.from_pylist([rows[2] | {"answer_id": ""}])
    with pytest.raises(UserError, match="has no start time, so there is nothing to learn"):
        numbered(without_time)
    with pytest.raises(UserError, match="has 0 blanks"):
        numbered(pa.Table.from_pylist([rows[0] | {"prompt": "Ann was."}]))
    about = {
        "name": "templama", "paper": "", "probe": "fill-one", "base": {"name": "", "hash": ""}, "language": "en",
        "settings": {},
    }  # fmt: skip
    other = pa.table({"id": ["1"], "prompt": ["_X_ is."], "answers": [["Ann"]], "group": ["g"]})
    benchmark = save(tmp_path / "other", BenchmarkTables(iter([other]), Account()), about)
    with pytest.raises(UserError, match=r"has no column place, answer_id, start, end; .*asof build lama-tk"):
        statements_of(benchmark)


def test_words_are_whole_and_strangers_are_named() -> None:
    words = Words.of(["Ann led _X_ in 2009.", "_X_ led Acme."])
    tokens = words.encode(["_X_ led Acme in 2010."])
    assert tokens.blank.tolist() == [0] and tokens.flat[0] == HIDDEN
    assert (tokens.flat == UNKNOWN).sum() == 1
    assert words.strangers("Ann served _X_ in 2010.") == ["served", "2010"]
    with pytest.raises(UserError, match="has 2 blanks"):
        words.encode(["_X_ and _X_"])


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=6))
def test_any_text_can_be_words(names: list[str]) -> None:
    prompts = [f"{name} led _X_." for name in names]
    words = Words.of(prompts)
    tokens = words.encode(prompts)
    rows = tokens.padded(np.arange(len(prompts)))
    assert not (tokens.flat == UNKNOWN).any() and not (tokens.flat == PAD).any()
    for row, (blank, length) in enumerate(zip(tokens.blank, tokens.lengths, strict=True)):
        assert rows[row, blank] == HIDDEN
        assert (rows[row] != PAD).sum() == length
