"""``asof verify``: sentences with their verdicts, written by hand on six bases and made by templates."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from asof.errors import UserError
from asof.facts import FactStore
from asof.reading.verify.passages import verified_passages
from asof.reading.verify.sentences import sentences
from asof.reading.verify.verification import TextVerifier
from asof.timeline import Date, parse_when
from tests.reading.verify_data import GoldSentence, Tally, gold_sentences, rows_of, table_base, told, verifier
from tests.reading.verify_made import KINDS, SentenceMaker

TABLES = ("staff", "league", "museum", "hospital", "ships", "space", "theatre", "parish", "software")
# Claims that are not found, or not judged, of each file; none is judged wrongly.
FOUND = {
    "free.tsv": (116, 125), "adversarial.tsv": (28, 33), "second.tsv": (81, 95), "third.tsv": (43, 45),
    "fourth.tsv": (72, 79), "fifth.tsv": (92, 126),
}  # fmt: skip


@pytest.fixture(scope="module")
def stores(almanac: FactStore, tmp_path_factory: pytest.TempPathFactory) -> dict[str, FactStore]:
    folder = tmp_path_factory.mktemp("verify")
    return {"almanac": almanac} | {name: table_base(name, folder) for name in TABLES}


@pytest.mark.parametrize("name", FOUND)
def test_what_is_judged_is_judged_rightly(name: str, stores: dict[str, FactStore]) -> None:
    tally, verifiers, wrong = Tally(), {}, []
    for one in gold_sentences(name):
        key = (one.base, one.on)
        verifiers.setdefault(key, verifier(stores[one.base], one.on))
        said = told(verifiers[key].verify(one.text))
        if not tally.add(one.gold, said):
            wrong.append((one.gold, said, one.text))
    assert wrong == []
    assert (tally.right, tally.wanted) >= FOUND[name]


def test_sentences_made_from_the_almanac_are_judged_rightly(almanac: FactStore) -> None:
    tally, alone = Tally(), Counter[str]()
    for one in SentenceMaker(almanac, np.random.default_rng(7)).made(300):
        said = told(TextVerifier(almanac, on=one.on).verify(one.text))
        assert tally.add(one.gold, said), (one.kind, one.on, one.text, said)
        alone[one.kind] += not any(letter in "HONC" for letter in said)
    assert tally.judged == tally.right >= 190 and tally.sentences == 300
    assert alone["no claim"] == alone["unknown"] == 300 // len(KINDS)


def test_gold_that_is_exchanged_is_missed(stores: dict[str, FactStore]) -> None:
    """The measure can fail: sentences under the verdicts of others are mostly wrong."""
    rows = [one for one in gold_sentences("third.tsv") if one.gold in ("H", "O")]
    tally = Tally()
    judge = verifier(stores["theatre"], "2024-03")
    for one in rows:
        tally.add("O" if one.gold == "H" else "H", told(judge.verify(one.text)))
    assert tally.precision < 0.1


def said_of(store: FactStore, text: str, on: str = "2024-03") -> list[str]:
    return told(verifier(store, on).verify(text))


def test_tense_and_the_day_decide(almanac: FactStore) -> None:
    text = "Angela Merkel is the chancellor of Germany."
    assert [said_of(almanac, text, on) for on in ("2003", "2010", "2024")] == [["N"], ["H"], ["O"]]
    assert said_of(almanac, text, "2021-12") == ["h"]  # only a part of that month
    assert said_of(almanac, "Angela Merkel was the chancellor of Germany.", "2024") == ["H"]
    assert said_of(almanac, "Angela Merkel was the chancellor of Germany.", "2003") == ["N"]
    assert said_of(almanac, "Last year, Olaf Scholz was the chancellor of Germany.", "2023-02") == ["H"]
    assert said_of(almanac, "Giorgia Meloni is the prime minister of Italy.", "2026") == ["h"]  # known to 2024


def test_several_at_a_time_and_gaps_contradict_nothing(stores: dict[str, FactStore]) -> None:
    several = "Ruth Ingram is a consultant at Alder Ward."
    gap = "Desmond Pryce was the chief executive of St Brannoc's Hospital in May 2009."
    assert said_of(stores["hospital"], several) == ["U"]
    assert said_of(stores["hospital"], gap) == ["O"] and said_of(stores["theatre"], gap) in ([], ["U"])
    nobody = "Karim Haddad was the cellist of the Orchard Quartet in 1990."  # before the first that is known
    assert said_of(stores["theatre"], nobody) == ["U"]
    assert said_of(stores["theatre"], nobody.replace("1990", "2005")) == ["C"]


def test_pronouns_mean_the_one_subject_of_the_sentence_before(almanac: FactStore) -> None:
    assert said_of(almanac, "Angela Merkel grew up in the east. She was chancellor of Germany in 2010.") == ["H"]
    assert said_of(almanac, "Angela Merkel met Olaf Scholz. She was chancellor of Germany in 2010.") == []
    assert said_of(almanac, "Angela Merkel grew up there. It rained. She was chancellor of Germany in 2010.") == []
    assert said_of(almanac, "Angela Merkel grew up there. It was chancellor of Germany in 2010.") == []


def test_a_last_name_means_whom_the_text_has_named(almanac: FactStore) -> None:
    clear = "George W. Bush came from Texas. Bush was president of the United States in 2005."
    unclear = "George W. Bush and George H. W. Bush met. Bush was president of the United States in 1997."
    assert said_of(almanac, clear) == ["H"] and said_of(almanac, unclear) == []


def test_what_is_left_alone_says_why(almanac: FactStore) -> None:
    reasons = {
        "Is Mario Draghi the prime minister of Italy?": "it is a question",
        "Mario Draghi will be the prime minister of Italy.": "'will'",
        "On 30 February 2021 Mario Draghi became prime minister of Italy.": "February 2021 has 28 days",
        '"Mario Draghi is the prime minister of Italy," she wrote.': "a quotation",
        "Johnson was president of the United States in 1900.": "may mean several",
        "Joe Biden is the 46th president of the United States.": "more than the facts tell",
    }
    for text, reason in reasons.items():
        (left,) = verifier(almanac, "2024-05").verify(text).left_alone
        assert reason in left.why, (text, left.why)


def test_where_sentences_end() -> None:
    text = (
        "# Leaders\nDr. A. B. Lee led Acme Inc. in 2010. She left\nin 2012!\n\n1. J. Roe\n- U.S. President Lee, 3.5 m"
    )
    assert [one.text for one in sentences(text)] == [
        "Leaders", "Dr. A. B. Lee led Acme Inc. in 2010.", "She left\nin 2012!", "J. Roe", "U.S. President Lee, 3.5 m",
    ]  # fmt: skip
    assert all(text[one.start : one.end] == one.text for one in sentences(text))


def test_passages_keep_what_they_had(almanac: FactStore) -> None:
    given = [
        {"id": 1, "text": "Steve Jobs is the CEO of Apple."}, {"id": 2, "content": "Tim Cook is the CEO of Apple."},
        {"id": 3, "text": ""}, {"id": 4, "passage": "Apples are red."},
    ]  # fmt: skip
    judge = TextVerifier(almanac, on=parse_when("2024-05"))
    rows = [one.as_row() for one in verified_passages(judge, given)]
    assert [row["keep"] for row in rows] == [False, True, True, True] and [row["id"] for row in rows] == [1, 2, 3, 4]
    assert rows[0]["verification"]["claims"][0]["held_until"] == "2011-08-24" and rows[2]["verification"] is None
    with pytest.raises(UserError, match=r"Passage 1 has no text under 'body'; it has: id, text\. .*--field"):
        list(verified_passages(judge, given, field="body"))


def test_passages_that_are_no_longer_valid_are_dropped_and_no_others(stores: dict[str, FactStore]) -> None:
    verifiers: dict[str, TextVerifier] = {}
    dropped = []
    for row in rows_of("passages.tsv"):
        judge = verifiers.setdefault(row["base"], verifier(stores[row["base"]], row["on"]))
        (one,) = verified_passages(judge, [{"text": row["text"].replace("\\n", "\n")}])
        dropped += [row["keep"]] * (not one.as_row()["keep"])
    assert dropped == ["no"] * 11  # of the twelve that are not valid, one is not read


def test_the_day_is_the_one_to_which_the_base_is_current(almanac: FactStore) -> None:
    judge = TextVerifier(almanac)
    assert judge.on == almanac.known_by == Date.parse("2024-12-31") and "is current" in judge.notes[0]
    stale = TextVerifier(almanac, on=parse_when("2026-05")).verify("Tim Cook is the CEO of Apple.")
    assert stale.stale and "unconfirmed" in stale.notes[0] and stale.claims[0].judgement.possibly
    assert stale.fails(["holds"]) == [] and "unconfirmed since 2024-12-31" in stale.claims[0].judgement.why


def test_a_text_without_words_and_one_that_is_too_long_are_refused(almanac: FactStore) -> None:
    for text, said in ((" ... ", "There is no text to verify"), ("a" * 1_000_001, "up to 1,000,000")):
        with pytest.raises(UserError, match=said):
            TextVerifier(almanac).verify(text)


def test_a_file_of_gold_has_all_that_was_promised() -> None:
    files: dict[str, list[GoldSentence]] = {name: gold_sentences(name) for name in FOUND}
    assert len(files["free.tsv"]) >= 120 and len({one.base for one in files["free.tsv"]}) >= 4
    assert len(files["adversarial.tsv"]) >= 150 and (Path(__file__).parents[1] / "data" / "verify").is_dir()
