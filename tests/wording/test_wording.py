"""Sentences and questions: the published ones as published, all templates whole, errors that help."""

from pathlib import Path

import pytest

from asof.errors import UserError
from asof.facts import Fact, FactStore
from asof.timeline import Interval, Period
from asof.wording import Wording, languages, templates

PAPERS_DRIFT = {  # table 6 of the drift paper
    "P54": "<subject> plays for <object>.",
    "P39": "<subject> holds the position of <object>.",
    "P108": "<subject> works for <object>.",
    "P102": "<subject> is a member of the <object>.",
    "P286": "<object> is the head coach of <subject>.",
    "P69": "<subject> attended <object>.",
    "P488": "<object> is the chair of <subject>.",
    "P6": "<object> is the head of the government of <subject>.",
    "P279": "<subject> is a subclass of <object>.",
    "P127": "<subject> is owned by <object>.",
    "P1001": "<subject> is a legal term in <object>.",
    "P106": "<subject> is a <object> by profession.",
    "P27": "<subject> is <object> citizen.",
    "P176": "<subject> is produced by <object>.",
    "P138": "<subject> is named after <object>.",
    "P937": "<subject> used to work in <object>.",
}
LAMA_TK = {  # table 8 of the LAMA-TK paper
    "P54": "<subject> played for <object> from 1995 to 1998.",
    "P39": "<subject> held the position of <object> from 1995 to 1998.",
    "P108": "<subject> worked for <object> from 1995 to 1998.",
    "P166": "<subject> received <object> in 1995.",
    "P69": "<subject> studied at <object> from 1995 to 1998.",
    "P26": "<subject> and <object> were spouses from 1995 to 1998.",
    "P27": "<subject> was a citizen of <object> from 1995 to 1998.",
}


def fact(relation: str = "P6", start: str = "1995", end: str = "1998", **labels: str) -> Fact:
    given = {"subject_label": "<subject>", "object_label": "<object>"} | labels
    return Fact(subject="s", relation=relation, object="o", interval=Interval.parse(start, end), **given)


@pytest.mark.parametrize(("relation", "expected"), PAPERS_DRIFT.items())
def test_the_sentences_of_the_drift_paper(relation: str, expected: str) -> None:
    say = Wording(paper="margatina2023")
    assert say.statement(fact(relation), tense="present", scope=False) == expected


@pytest.mark.parametrize(("relation", "expected"), LAMA_TK.items())
def test_the_sentences_of_lama_tk(relation: str, expected: str) -> None:
    instant = relation == "P166"
    assert Wording(paper="lama-tk").statement(fact(relation, "1995", "1995" if instant else "1998")) == expected


def test_four_blanks_for_a_fact() -> None:
    say, jordan = Wording(), fact("P54", subject_label="Michael Jordan", object_label="Chicago Bulls")
    blanks = [say.cloze(jordan, blank=blank, mask="[MASK]") for blank in ("subject", "object", "start", "end")]  # type: ignore[arg-type]
    assert blanks == [
        "[MASK] played for Chicago Bulls from 1995 to 1998.",
        "Michael Jordan played for [MASK] from 1995 to 1998.",
        "Michael Jordan played for Chicago Bulls from [MASK] to 1998.",
        "Michael Jordan played for Chicago Bulls from 1995 to [MASK].",
    ]


def test_the_scope_says_what_is_known() -> None:
    scope = Wording().scope
    assert scope(Interval.parse("2005-11-22", "2021-12-08")) == "from November 22, 2005 to December 8, 2021"
    assert scope(Interval.parse("2022", "ongoing")) == "since 2022"
    assert scope(Interval.parse("2022", "unknown")) == "from 2022"
    assert scope(Interval.parse("", "44 BC")) == "until 44 BCE"
    assert scope(Interval.parse("1903", "1903")) == "in 1903"
    assert scope(Interval.parse("", "")) == ""
    french = Wording(language="fr").scope
    assert french(Interval.parse("2005-11-22", "2021-12-08")) == "du 22 novembre 2005 au 8 décembre 2021"
    assert french(Interval.parse("2005", "2021")) == "de 2005 à 2021"
    assert french(Interval.parse("1990s", "ongoing")) == "depuis les années 1990"


def test_names_get_their_article() -> None:
    blair = fact(subject_label="United Kingdom", object_label="Tony Blair")
    assert Wording().statement(blair, scope=False) == "Tony Blair was the head of the government of the United Kingdom."
    beirut = fact("P17", subject_label="Beirut", object_label="Ottoman Empire")
    assert "the Ottoman Empire" in Wording().statement(beirut)
    capital = fact("P1376", subject_label="Italy", object_label="United Kingdom")
    assert Wording().cloze(capital, blank="subject").startswith("_X_ was the capital of the United Kingdom")
    assert (
        Wording(language="fr")
        .statement(fact(subject_label="Italie"))
        .startswith("<object> dirigeait le gouvernement de l'I")
    )


def test_beginnings_and_ends() -> None:
    say, draghi = Wording(), fact("P6", "2021-02-13", "2022-10", subject_label="Italy", object_label="Mario Draghi")
    assert say.started(draghi) == "Mario Draghi became the head of the government of Italy on February 13, 2021."
    assert say.ended(draghi) == "Mario Draghi ceased to be the head of the government of Italy in October 2022."


def test_questions_are_chosen_by_seed_and_stay_the_same() -> None:
    say = Wording()
    asked = {say.question(fact(), seed=seed) for seed in range(40)}
    assert len(asked) >= 4
    assert say.question(fact(), seed=3) == say.question(fact(), seed=3)
    assert f"{say.when(Period.parse('2021-Q3'))}, {say.question(fact())}" == (
        "In the third quarter of 2021, who was the head of the government of <subject>?"
    )


@pytest.mark.parametrize("language", languages())
def test_all_templates_can_be_said(language: str) -> None:
    say = Wording(language=language)
    for relation, template in templates(language).items():
        instant = template.instant
        told = fact(relation, "1995-03-04", "1995-03-04" if instant else "1998")
        assert len(set(template.questions)) >= 4
        assert len(set(template.subject_questions)) >= 2
        sentences = [say.statement(told), say.statement(told, tense="present"), say.started(told)]
        sentences += [] if instant else [say.ended(told)]
        for sentence in sentences:
            assert sentence.endswith(".") and "{" not in sentence and "<subject>" in sentence and "<object>" in sentence
        for question in template.questions:
            assert question[0].islower() and question.endswith("?")


def test_every_relation_of_the_almanac_has_words(almanac: FactStore) -> None:
    for language in languages():
        assert [relation for relation in almanac.relations if not Wording(language=language).can_say(relation)] == []


def test_the_languages_have_the_same_relations() -> None:
    assert len({tuple(templates(language)) for language in languages()}) == 1
    assert set(PAPERS_DRIFT) | set(LAMA_TK) <= set(templates("en"))


def test_what_cannot_be_said_is_explained(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no en wording for relation 'P9999'"):
        Wording().statement(fact("P9999"))
    with pytest.raises(UserError, match="has no end to leave out: it is ongoing"):
        Wording().cloze(fact(end="ongoing"), blank="end")
    with pytest.raises(UserError, match="happens at one moment"):
        Wording().ended(fact("P166"))
    with pytest.raises(UserError, match="asof has no templates in 'de'"):
        Wording(language="de").statement(fact())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[P1]\npresent = "{subject} is"\npast = "x"\nstarts = "y"', r"must have \{object\} and \{subject\} once"),
        ('[P1]\npresent = "{subject} {object}"\npast = "{subject} {object}"', "the sentence 'starts' is missing"),
        ('[P1]\npresnt = "{subject} {object}"', "there is no key 'presnt'. Did you mean 'present'"),
        ("[P1\n", "is not valid TOML"),
    ],
)
def test_templates_of_the_user_are_checked(tmp_path: Path, text: str, message: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        Wording(own=own).statement(fact("P1"))


def test_templates_of_the_user_go_before_ours(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    sentence = '"{object} rules {subject}"'
    own.write_text(f"[P6]\npresent = {sentence}\npast = {sentence}\nstarts = {sentence}\n", encoding="utf-8")
    say = Wording(own=own)
    assert say.statement(fact(), scope=False) == "<object> rules <subject>."
    assert say.statement(fact("P54"), scope=False) == "<subject> played for <object>."
