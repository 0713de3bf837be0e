"""Several wordings of the same fact: every relation has them, in correct form."""

import re

from asof.facts import Fact
from asof.timeline import Interval
from asof.wording import Wording, templates


def test_every_english_relation_has_three_wordings_of_the_present() -> None:
    for relation, template in templates("en").items():
        said = [template.present_wording(number) for number in (1, 2, 3)]
        assert None not in said and len(set(said)) == 3, relation
        assert template.present_wording(4) is None
        for sentence in template.wordings:
            assert sentence.startswith("{") and not sentence.endswith("."), (relation, sentence)
            assert not re.search(r"\ban? \{", sentence) and not re.search(r"\b(was|were|had)\b", sentence), relation


def test_a_relation_without_sentences_has_three_wordings_by_its_label() -> None:
    say = Wording(labels={"r": "isLocatedIn"})
    fact = Fact(subject="s", relation="r", object="o", interval=Interval.parse("2001", "2002"), subject_label="Acme")
    assert [say.present_cloze(fact, wording=number) for number in (1, 2, 3)] == [
        "Acme, is located in: _X_.", "Acme: is located in _X_.", "Acme (is located in): _X_.",
    ]  # fmt: skip
