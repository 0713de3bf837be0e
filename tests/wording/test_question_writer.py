"""Questions written by a model: every check on candidates made by hand, and real weights that write."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from asof.facts import Fact
from asof.models import Writes, open_model
from asof.timeline import Interval
from asof.weights.package_index import fetched_folder
from asof.wording.english_tense import past_tense
from asof.wording.question_checks import CHECKS, refusal
from asof.wording.question_writer import candidates_in, prompt_for, write_questions


def fact(subject: str, relation: str, object: str, start: str = "1990", end: str = "2000") -> Fact:
    return Fact(
        subject=f"Q-{subject}", relation=relation, object=f"Q-{object}", interval=Interval.parse(start, end),
        subject_label=subject, relation_label=relation, object_label=object,
    )  # fmt: skip


# The statements of table 2 of the paper, without their dates: all have passed the authors' own checks.
PAPER = [
    ("Alexander Graham Bell", "country of citizenship", "United States of America",
     "what was Alexander Graham Bell's country of citizenship?"),
    ("Lauren Bacall", "spouse", "Jason Robards", "who was the spouse of Lauren Bacall?"),
    ("Vatican City", "head of state", "John Paul II", "who held the highest authority in Vatican City?"),
    ("Gareth Barry", "member of sports team", "Manchester City F.C.",
     "which football team included Gareth Barry as a player?"),
    ("Pierce Brosnan", "spouse", "Cassandra Harris", "who did Pierce Brosnan have as his wife?"),
    ("Metallica", "has part", "Jason Newsted", "who was included in Metallica's lineup?"),
    ("Eliza Dushku", "unmarried partner", "Rick Fox", "who was Eliza Dushku in a relationship with?"),
    ("United Kingdom", "head of state", "George VI", "who served as the king of the United Kingdom?"),
    ("George Harrison", "part of", "The Beatles",
     "what was the name of the band that George Harrison was associated with?"),
    ("Philippines", "head of state", "Corazon Aquino", "who served as the leader of the Philippines?"),
    ("Jawaharlal Nehru", "position held", "Prime minister of India", "what position did Jawaharlal Nehru hold?"),
    ("Vienna", "country", "Austria-Hungary", "which country did Vienna belong to?"),
    ("Mileva Marić", "spouse", "Albert Einstein", "who was Mileva Marić married to?"),
    ("European Union", "currency", "pound sterling", "what was one of the currencies of the European Union?"),
    ("pope", "position holder", "John Paul II", "who was the pope?"),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "relation", "object", "question"), PAPER)
def test_the_questions_of_the_paper_are_accepted(subject: str, relation: str, object: str, question: str) -> None:
    assert refusal(f"{question} {object}", fact(subject, relation, object)) is None


OBJECT = "Prime Minister of India"
NEHRU = fact("Jawaharlal Nehru", "position held", OBJECT)


# One fault each. {object} is put in afterwards.
FAULTY = [
    ("Jawaharlal Nehru was {object}.", "it has no '?'"),
    ("what did Jawaharlal Nehru do? what was he? {object}", "more than one '?'"),
    ("was Jawaharlal Nehru a minister? {object}", "yes or no would answer it"),
    ("who was the {object}? Jawaharlal Nehru", "the answer, '{object}', stands in it"),
    ("how did Jawaharlal Nehru become prime minister of India? {object}", "stands in it"),
    ("who led the country? Jawaharlal Nehru", "its answer is the subject, 'Jawaharlal Nehru'"),
    ("what was Jawaharlal Nehru? President", "its answer is 'President', not '{object}'"),
    ("what position did Jawaharlal Nehru hold?", "no answer is written after it"),
    ("what position did he hold? {object}", "the subject, 'Jawaharlal Nehru', is not named"),
    ("what was Jawaharlal Nehru? {object}", "does not say what of the subject is asked"),
    ("what position did Jawaharlal Nehru hold in 1950? {object}", "it has a date: 'in 1950'"),
    ("what position did Jawaharlal Nehru hold on May 3, 1950? {object}", "it has a date: 'on May 3"),
    ("what position did Jawaharlal Nehru hold in the 1950s? {object}", "it has a date"),
    ("what position did Jawaharlal Nehru hold in the 20th century? {object}", "it has a date"),
    ("what position did Jawaharlal Nehru hold that year? {object}", "it has a date: 'that year'"),
    ("what position did Jawaharlal Nehru hold in May? {object}", "it has a date: 'May'"),
    ("what position does Jawaharlal Nehru hold? {object}", "not in the past tense: 'does'"),
    ("what position has Jawaharlal Nehru held? {object}", "not in the past tense: 'has'"),
    ("what position did Jawaharlal Nehru hold that is high? {object}", "not in the past tense: 'is'"),
    ("which position for Jawaharlal Nehru? {object}", "no verb in the past tense"),
    ("Jawaharlal Nehru held which position? {object}", "begins with 'J'"),
    ("what position did Jawaharlal Nehru hold " + "and what " * 10 + "? {object}", "words beside the"),
]  # fmt: skip


@pytest.mark.parametrize(("candidate", "reason"), FAULTY)
def test_a_candidate_with_one_fault_is_refused_for_it(candidate: str, reason: str) -> None:
    told = refusal(candidate.format(object=OBJECT), NEHRU)
    assert told is not None
    assert reason.format(object=OBJECT) in told


def test_no_check_could_be_left_out() -> None:
    """Each of them alone refuses a candidate that all others let pass."""
    alone = set()
    for candidate, _ in FAULTY:
        speaking = [check for check in CHECKS if check(candidate.format(object=OBJECT), NEHRU)]
        alone |= set(speaking) if len(speaking) == 1 else set()
    assert alone == set(CHECKS)


@pytest.mark.parametrize(
    ("subject", "object", "question"),
    [
        ("Theresa May", "Philip May", "who was Theresa May's husband?"),  # a month in a name
        ("1860 Munich", "Karsten Wettberg", "who coached 1860 Munich?"),  # a year in a name
        ("United States of America", "Richard Nixon", "who was the president of the USA?"),  # initials
        ("Louvre", "Henri Loyrette", "who ran the Louvre?"),
    ],
)
def test_names_are_not_read_as_dates(subject: str, object: str, question: str) -> None:
    assert refusal(f"{question} {object}", fact(subject, "of", object)) is None


def test_tense_is_told_by_the_first_verb() -> None:
    past = ["who led", "which teams played for", "who taught at", "whom did she marry", "who used to have"]
    present = ["who leads", "who's the head of", "which teams play for", "who teaches", "who will be", "who are"]
    assert [words for words in past if past_tense(words)] == []
    assert [words for words in present if not past_tense(words)] == []


def test_what_models_put_around_questions_goes() -> None:
    text = (
        '1. "Who led IBM?" Lou\n\n- In March 1999, who led IBM? Lou\n3) On May 3, 1999, who led? Lou\nQ: Which? a\n5. e'
    )
    assert candidates_in(text) == ['who led IBM?" Lou', "who led IBM? Lou", "who led? Lou", "which? a"]


class Said:
    """Gives texts that were written before, as a model would."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.prompts: list[str] = []

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        self.prompts += prompts
        return [self.texts.pop(0) for _ in prompts]


def test_questions_and_refusals_are_kept_apart_and_saved(tmp_path: Path) -> None:
    facts = [fact(f"Town {number}", "head of government", "Ann Lee") for number in range(10)]
    texts = [f"1. who led Town {n}? Ann Lee\n2. who led Town {n}? Ann Lee\n3. who leads Town {n}? Ann Lee"
             for n in range(8)]  # fmt: skip
    seen: list[tuple[int, int]] = []
    found = write_questions(facts, Said(*texts, "", "no\tidea"), on_progress=lambda *both: seen.append(both))
    assert [found.written[one.id] for one in facts[:8]] == [[f"who led Town {n}?"] for n in range(8)]
    assert found.without == facts[8:]
    assert seen == [(8, 10), (10, 10)]
    good, bad = found.save(tmp_path)
    assert good.read_text().splitlines()[:2] == ["fact\tquestion", f"{facts[0].id}\twho led Town 0?"]
    rows = [line.split("\t") for line in bad.read_text().splitlines()]
    assert rows[0] == ["fact", "candidate", "reason"]
    assert rows[1][1:] == ["who led Town 0? Ann Lee", "it is there twice"]
    assert rows[2][2] == "it is not in the past tense: 'leads'"
    assert rows[-2:] == [
        [facts[8].id, "", "nothing was written"],
        [facts[9].id, "no idea", "it has no '?'"],
    ]


def test_the_prompt_names_the_fact_and_its_own_examples_stand_the_checks() -> None:
    prompt = prompt_for(fact("Chad", "capital", "N'Djamena"))
    assert prompt.endswith("Fact: subject Chad; relation capital; object N'Djamena\n")
    blocks = [block.splitlines() for block in prompt.split("\n\n")[1:-1]]
    assert len(blocks) == 3
    for head, *lines in blocks:
        subject, relation, object = (part.split(" ", 1)[1] for part in head.removeprefix("Fact: ").split("; "))
        found = candidates_in("\n".join(lines))
        assert len(found) == 4
        assert [refusal(line, fact(subject, relation, object)) for line in found] == [None] * 4


def test_real_weights_write_and_are_checked() -> None:
    """SmolLM2 is too small to keep to the form: it names no answer, and the check says so."""
    if fetched_folder("smollm2") is None:
        pytest.skip("the weights are not here: asof models get smollm2")
    model: Writes = open_model("smollm2")  # type: ignore[assignment]
    facts = [fact("United Nations", "general secretary", "Kofi Annan", "1997", "2006")]
    found = write_questions(facts, model)
    assert found.without == facts
    assert 1 <= len(found.refused) <= 4
    assert found.refused[0].candidate == "who was the general secretary of the United Nations?"
    assert found.refused[0].reason == "no answer is written after it"
