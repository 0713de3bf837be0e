"""What is taught and what is held out: dates, wordings, facts; and what the objectives make of them."""

from pathlib import Path

import numpy as np
import pytest

from asof.errors import UserError
from asof.facts import FactStore
from asof.registry import objectives
from asof.teaching.date_pool import PRECISIONS, DatePool
from asof.teaching.drill import Drill, FactDrawer
from asof.teaching.facts import FactsWanted, TeachingFact, facts_of
from asof.teaching.lesson import TeachingLesson
from asof.teaching.settings import TeachingSettings
from asof.timeline import Date, Precision, Verdict
from asof.wording import Wording
from tests.teaching.galleries import gallery_base, gallery_store, plan_of


@pytest.fixture
def facts(tmp_path: Path) -> list[TeachingFact]:
    return list(facts_of(gallery_store(tmp_path), Wording(), FactsWanted()))


def drawer_of(fact: TeachingFact, *, hold_out: str = "odd", seed: int = 0) -> FactDrawer:
    pool = DatePool.of(fact, hold_out)  # type: ignore[arg-type]
    hardness = np.full((len(pool.years), len(PRECISIONS)), np.nan, np.float32)
    random = np.random.default_rng(seed)
    return FactDrawer(fact, pool, fact.questions[:-1], PRECISIONS, "en", hardness, random)


def drilled(objective: str, fact: TeachingFact, *, seed: int = 0, hold_out: str = "odd") -> Drill:
    found: Drill = objectives.get(objective)().drill(drawer_of(fact, hold_out=hold_out, seed=seed), right=3, wrong=6)
    return found


def test_a_fact_has_its_question_in_several_words_and_its_rivals(facts: list[TeachingFact]) -> None:
    fact = next(one for one in facts if one.in_names.startswith("Amber Hall, directed by: Ben Okoro"))
    assert len(facts) == 16
    assert len(set(fact.questions)) == 3
    assert all("Amber Hall" in question and question.endswith("?") for question in fact.questions)
    assert [one.text for one in fact.right_at(Date.of(2003))] == ["Ben Okoro"]
    assert sorted(one.text for one in fact.wrong_at(Date.of(2003))) == ["Ana Ruiz", "Cleo Marsh", "Dan Weir"]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_drawn_dates_are_right_or_wrong_and_never_held_out(facts: list[TeachingFact], precision: Precision) -> None:
    for fact in facts:
        draw = drawer_of(fact)
        assert draw.pool.spares_years
        for _ in range(30):
            right = draw.pool.right(precision, draw.random)
            wrong = draw.pool.wrong(precision, draw.random, lambda places: places[0])
            for date, verdict in ((right, Verdict.CORRECT), (wrong and wrong[0], Verdict.INCORRECT)):
                if date:
                    assert fact.answer.verdict(date) is verdict
                    assert int(str(date)[:4]) % 2 == 0
                    assert date.last <= Date.parse("2024-12-31").last


def test_years_in_which_facts_begin_and_end_are_held_out_with_their_months_and_days(tmp_path: Path) -> None:
    rows = [("Hall", "run by", "Ana", "2003-05-10", "2007-08-20"), ("Hall", "run by", "Bo", "2007-08-21", "2013-03-01")]
    for fact in facts_of(gallery_store(tmp_path, rows), Wording(), FactsWanted()):
        draw = drawer_of(fact)
        assert draw.pool.spares_years and {2003, 2007, 2013} & {
            year for year, one in zip(draw.pool.years, draw.pool.verdicts, strict=True) if one is Verdict.TRANSITIONAL
        }
        for precision in PRECISIONS:
            for _ in range(60):
                right = draw.pool.right(precision, draw.random)
                wrong = draw.pool.wrong(precision, draw.random, lambda places: places[0])
                taught = [date for date in (right, wrong and wrong[0]) if date]
                assert taught and all(int(str(date)[:4]) % 2 == 0 for date in taught)


def test_without_holding_out_every_year_may_be_taught(facts: list[TeachingFact]) -> None:
    pool = DatePool.of(facts[0], "none")
    assert all(map(pool.is_taught, pool.years))
    assert {year % 2 for year in pool.year(Verdict.CORRECT, taught=True)} == {0, 1}


def test_a_fact_of_one_right_year_is_taught_whole(tmp_path: Path) -> None:
    store = gallery_store(
        tmp_path, [("Hall", "run by", "Ana", "2007-01-01", "2007-12-31"), ("Hall", "run by", "Bo", "2008", "2012")]
    )
    ana = next(one for one in facts_of(store, Wording(), FactsWanted()) if one.answer.text == "Ana")
    pool = DatePool.of(ana, "odd")
    assert pool.can_be_taught and not pool.spares_years
    assert pool.year(Verdict.CORRECT, taught=True) == [2007]


def test_times_nobody_knows_are_left_out_with_their_number(tmp_path: Path) -> None:
    base = gallery_base(tmp_path, [("Hall", "run by", "Ana", "", ""), ("Hall", "run by", "Bo", "2001", "")])
    with pytest.raises(UserError, match=r"has no fact to teach: 1 had no right or no wrong date that is known"):
        plan_of(base).lesson()


def test_an_answer_that_came_back_is_right_in_both_times(tmp_path: Path) -> None:
    rows = [
        ("Hall", "run by", "Ana", "1990", "1994"),
        ("Hall", "run by", "Ana", "2000", "2004"),
        ("Hall", "run by", "Bo", "1995", "1999"),
    ]
    ana, *_ = [
        one for one in facts_of(gallery_store(tmp_path, rows), Wording(), FactsWanted()) if one.answer.text == "Ana"
    ]
    assert [str(ana.answer.verdict(Date.of(year))) for year in (1992, 1997, 2002)] == [
        "correct",
        "incorrect",
        "correct",
    ]


@pytest.mark.parametrize("name", objectives.names())
def test_every_objective_keeps_the_contract(name: str, facts: list[TeachingFact]) -> None:
    assert objectives.summary(name).endswith(".")
    for seed, fact in enumerate(facts):
        drill = drilled(name, fact, seed=seed)
        places = range(len(drill.statements))
        assert drill.statements and len(set(drill.statements)) == len(drill.statements)
        assert drill.said and set(drill.said) <= set(places)
        assert all(better in places and worse in places and better != worse for better, worse in drill.pairs)
        assert all(fact.questions[-1] not in ask.prompt for ask in drill.statements)  # the wording that is held out
        assert drilled(name, fact, seed=seed) == drill


def truth(fact: TeachingFact, drill: Drill, place: int) -> Verdict:
    """Judge a statement of a drill by the base."""
    ask = drill.statements[place]
    when = ask.prompt.partition(", ")[0] if ask.prompt.startswith("In ") else ", ".join(ask.prompt.split(", ")[:2])
    date = Date.parse(when.removeprefix("In ").removeprefix("On "))
    answer = next(one for one in (fact.answer, *fact.rivals) if one.text == ask.answer.strip())
    return answer.verdict(date)


@pytest.mark.parametrize("name", ["contrast", "each", "statements"])
def test_what_is_said_is_true_and_what_loses_is_false(name: str, facts: list[TeachingFact]) -> None:
    for seed, fact in enumerate(facts):
        drill = drilled(name, fact, seed=seed)
        assert all(truth(fact, drill, place) is Verdict.CORRECT for place in drill.said)
        for better, worse in drill.pairs:
            assert truth(fact, drill, better) is Verdict.CORRECT
            assert truth(fact, drill, worse) is Verdict.INCORRECT


def test_update_lets_the_new_answer_win_now_and_the_old_one_keep_its_time(tmp_path: Path) -> None:
    lesson = plan_of(gallery_base(tmp_path), limit=None, since="2013", objective="update").lesson()
    assert {pool.fact.answer.text for pool in lesson.taught} == {"Dan Weir", "Eva Lindt", "Finn Toft", "Ana Ruiz"}
    fact = lesson.taught[0].fact
    asked = {}
    for seed in range(5):
        drill = drilled("update", fact, seed=seed)
        undated = {ask.answer.strip() for ask in drill.statements if not ask.prompt.startswith(("In ", "On "))}
        assert fact.answer.text in undated
        for better, worse in drill.pairs:
            one, other = drill.statements[better], drill.statements[worse]
            assert one.prompt == other.prompt  # answers are compared at one date
            asked[one.answer == f" {fact.answer.text}"] = True
    assert asked == {True: True, False: True}


def test_what_is_not_taught_shares_no_subject_and_relation_with_what_is(tmp_path: Path) -> None:
    lesson = plan_of(gallery_base(tmp_path), limit=2).lesson()
    pairs = [{pool.fact.pair for pool in pools} for pools in (lesson.taught, lesson.anchors, lesson.others)]
    assert all(pairs)
    assert not pairs[0] & pairs[1] and not pairs[0] & pairs[2] and not pairs[1] & pairs[2]
    assert not set(lesson.prose_to_keep) & set(lesson.prose_to_measure)


def test_the_lesson_follows_from_its_seed(tmp_path: Path) -> None:
    base = gallery_base(tmp_path)

    def taught(seed: int) -> list[str]:
        lesson: TeachingLesson = plan_of(base, seed=seed).lesson()
        return [pool.fact.id for pool in lesson.taught]

    assert taught(1) == taught(1) != taught(2)


def test_settings_that_cannot_be_are_told(tiny: FactStore) -> None:
    for given, said in (
        ({"precisions": "year,weeks"}, "precisions has 'weeks'"),
        ({"objective": "contrst"}, "Did you mean 'contrast'"),
        ({"margn": 2}, "no setting 'margn'. Did you mean 'margin'"),
        ({"rank": 0}, "rank is 0; it must be at least 1"),
        ({"margin": -1.0}, "margin is -1"),
    ):
        with pytest.raises(UserError, match=said):
            TeachingSettings.chosen(given)
    assert TeachingSettings.chosen({"whole": True}).learning_rate < TeachingSettings.chosen({}).learning_rate
