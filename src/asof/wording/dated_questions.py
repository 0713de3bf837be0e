"""Items as questions about a time, for models that only write: "In March 2021, who was the head of ...?".

A sentence with a blank is asked in the question of its relation's template, if the sentence is from that template, so
that the question is in its language; sentences of other origin are to be completed. Only the prompt and the tags of an
item are looked at, never its answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from asof.errors import UserError
from asof.facts import Fact
from asof.timeline import Date, Interval, Open, Period
from asof.wording.sentences import Tense, Wording

_BLANK, _LINE = "_X_", "____"
_NO_TIME = Interval(Open.NOT_STATED, Open.NOT_STATED)
_BRIEFLY = {"en": "Answer with the name only.", "fr": "Réponds par le nom seulement."}
_PAPERS = (None, "margatina2023")
_TENSES: tuple[Tense, ...] = ("present", "past")


def question_to_write(prompt: str, tags: Mapping[str, Any]) -> str:
    """Ask for the answer of an item, in words that a model without log-probabilities can answer.

    >>> italy = {"subject_label": "Italy", "subject": "Q38", "relation": "P6", "period": "2021-03"}
    >>> question_to_write("_X_ is the head of the government of Italy.", italy)
    'In March 2021, who was the head of the government of Italy? Answer with the name only.'
    >>> question_to_write("_X_ paints Rome.", {"period": "2021-03"})
    'Complete the sentence: In March 2021: ____ paints Rome. Answer with what fits the blank only.'
    """
    found = _from_template(prompt, tags)
    if found:
        question, language = found
        return f"{question} {_BRIEFLY[language]}"
    if _BLANK not in prompt:
        return f"{prompt} {_BRIEFLY['en']}"
    return f"Complete the sentence: {_with_time(prompt, tags)} Answer with what fits the blank only."


def question_of(prompt: str, tags: Mapping[str, Any]) -> str:
    """Return the same without the instruction: a question with its time, or a sentence with a line in its blank."""
    found = _from_template(prompt, tags)
    return found[0] if found else _with_time(prompt, tags)


def statement_of(prompt: str, tags: Mapping[str, Any], answer: str) -> str:
    """Put an answer to a question, or into a blank.

    >>> statement_of("In 2011, who led Italy?", {}, "Mario Monti"), statement_of("_X_ led Italy in 2011.", {}, "Monti")
    ('In 2011, who led Italy? Mario Monti', 'Monti led Italy in 2011.')
    """
    question = question_of(prompt, tags)
    return question.replace(_LINE, answer, 1) if _LINE in question else f"{question} {answer}"


def _with_time(prompt: str, tags: Mapping[str, Any]) -> str:
    said = _when(tags, "en")
    dated = f"{said}: {prompt}" if said and _BLANK in prompt and said[3:] not in prompt else prompt
    return dated.replace(_BLANK, _LINE)


def _from_template(prompt: str, tags: Mapping[str, Any]) -> tuple[str, str] | None:
    """Ask in the words of a template, when the sentence is from it; also return its language."""
    if _BLANK not in prompt or tags.get("subject_label") is None or _period(tags) is None:
        return None
    fact = Fact(
        subject=str(tags.get("subject")),
        relation=str(tags.get("relation")),
        object="",
        interval=_NO_TIME,
        subject_label=str(tags["subject_label"]),
    )
    for language in _BRIEFLY:
        for paper in _PAPERS:
            say = _wording(language, paper)
            if say.can_say(fact.relation) and say.template(fact.relation).questions and _says(say, fact, prompt):
                return f"{_when(tags, language)}, {say.question(fact)}", language
    return None


def _says(say: Wording, fact: Fact, prompt: str) -> bool:
    """Tell whether a sentence is the one of the template, perhaps after a date."""
    for tense in _TENSES:
        sentence = say.cloze(fact, blank="object", tense=tense, scope=False, mask=_BLANK)
        if prompt.casefold().endswith(sentence.casefold()):
            return True
    return False


def _when(tags: Mapping[str, Any], language: str) -> str:
    period = _period(tags)
    return "" if period is None else _wording(language, None).when(period)


def _period(tags: Mapping[str, Any]) -> Date | Period | None:
    written = tags.get("period")
    try:
        return None if written is None else Period.parse(str(written))
    except UserError:  # of another benchmark, which says by this word something else
        return None


@cache
def _wording(language: str, paper: str | None) -> Wording:
    return Wording(language=language, paper=paper)
