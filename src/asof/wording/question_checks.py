"""What a written question must be before it stands in a benchmark; each check gives its reason in words.

Ammar Khodja et al. 2025 (arXiv:2502.01220), section 4.1.2 and appendix A: in the past tense, concise, without a date
(one is put before it later), asking for the object, followed by the object. A candidate is a question with the answer
that its writer gave. Two checks are ours: that the subject is named, and that yes or no is no answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from asof.errors import DateError
from asof.facts import Fact
from asof.timeline import Interval, parse_date
from asof.timeline.date import MONTHS
from asof.wording.english_tense import past_tense

_MOST_WORDS = 20  # beside the subject; the longest question that the paper prints has 15
_LONGEST_DATE = 6  # words: "on the 21st of March 1983"
_RELATIVE = re.compile(
    r"\b(?:today|nowadays|currently|now|yesterday|tomorrow|\d+ years? (?:ago|later|earlier)|as of|the year"
    r"|(?:last|this|next|that|same) (?:year|month|day|century|decade)|(?:at|by|since) (?:the|that) time)\b",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"\b(?:who|whom|whose|what|which|where|how|was|were|did|had|the|a|an|of|in|at|for|to|on|by|with|from|as|do|be)\b"
)

Check = Callable[[str, Fact], str | None]

EXAMPLE = Fact(
    subject="Q37156",
    relation="P169",
    object="Q92766",
    interval=Interval.parse("1993-04-01", "2002-03-01"),
    subject_label="IBM",
    object_label="Lou Gerstner",
)  # of the checks below


def refusal(candidate: str, fact: Fact) -> str | None:
    """Return why a candidate is no good, None when it is.

    >>> refusal("who led IBM? Lou Gerstner", EXAMPLE), refusal("who leads IBM? Lou Gerstner", EXAMPLE)
    (None, "it is not in the past tense: 'leads'")
    """
    return next((reason for check in CHECKS if (reason := check(candidate, fact))), None)


def split_answer(candidate: str) -> tuple[str, str]:
    """Cut a candidate into the question and the answer behind it.

    >>> split_answer("who led IBM? Lou Gerstner"), split_answer("who led IBM")
    (('who led IBM?', 'Lou Gerstner'), ('who led IBM', ''))
    """
    question, mark, answer = candidate.partition("?")
    return (question + mark).strip(), answer.strip(" \t\"'“”*")


def is_one_question(candidate: str, fact: Fact) -> str | None:
    """Refuse what does not ask for a thing: no question mark, several of them, or nothing but yes or no to say.

    >>> is_one_question("Lou Gerstner led IBM.", EXAMPLE)
    "it has no '?'"
    >>> is_one_question("was IBM led by Lou Gerstner? yes", EXAMPLE)
    'it has no who, what, which, where or how, so that yes or no would answer it'
    """
    if "?" not in candidate:
        return "it has no '?'"
    if candidate.count("?") > 1:
        return "it has more than one '?'"
    if not re.search(r"\b(?:who|whom|whose|what|which|where|how)\b", split_answer(candidate)[0], re.IGNORECASE):
        return "it has no who, what, which, where or how, so that yes or no would answer it"
    return None


def can_follow_a_date(candidate: str, fact: Fact) -> str | None:
    """Refuse a beginning that does not read on after "In 2011, ".

    >>> can_follow_a_date("Lou Gerstner led what?", EXAMPLE), can_follow_a_date("what was IBM?", EXAMPLE)
    ("it begins with 'L', not with a small letter", None)
    """
    return None if candidate[:1].islower() else f"it begins with {candidate[:1]!r}, not with a small letter"


def answer_is_the_object(candidate: str, fact: Fact) -> str | None:
    """Refuse a question whose writer gave another answer than the object (the paper lost 64 facts in this way).

    >>> answer_is_the_object("what did he lead? IBM", EXAMPLE)
    "its answer is the subject, 'IBM'"
    >>> answer_is_the_object("who led IBM? Bill Gates", EXAMPLE), answer_is_the_object("who led IBM?", EXAMPLE)
    ("its answer is 'Bill Gates', not 'Lou Gerstner'", 'no answer is written after it')
    """
    answer = split_answer(candidate)[1]
    if not answer:
        return "no answer is written after it"
    if _folded(answer) == _folded(_object(fact)):
        return None
    if _folded(answer) == _folded(_subject(fact)):
        return f"its answer is the subject, {_subject(fact)!r}"
    return f"its answer is {answer!r}, not {_object(fact)!r}"


def answer_is_not_in_it(candidate: str, fact: Fact) -> str | None:
    """Refuse a question that gives its answer away.

    >>> answer_is_not_in_it("which company did lou gerstner lead? IBM", EXAMPLE)
    "the answer, 'Lou Gerstner', stands in it"
    """
    if _stands_in(_object(fact), _without(split_answer(candidate)[0], _subject(fact))):
        return f"the answer, {_object(fact)!r}, stands in it"
    return None


def subject_is_named(candidate: str, fact: Fact) -> str | None:
    """Refuse a question that says nothing of the subject: no word of its name, and not its initials.

    >>> subject_is_named("who led the company?", EXAMPLE)
    "the subject, 'IBM', is not named in it"
    """
    question = split_answer(candidate)[0]
    subject = _subject(fact)
    words = [word for word in re.findall(r"\w+", subject) if len(word) > 3] or [subject]
    initials = "".join(word[0] for word in subject.split() if word[0].isupper())
    if any(_stands_in(word, question) for word in words) or _stands_in(subject, question):
        return None
    if len(initials) > 1 and re.search(rf"\b{re.escape(initials)}\b", question.replace(".", "")):
        return None
    return f"the subject, {subject!r}, is not named in it"


def says_what_is_asked(candidate: str, fact: Fact) -> str | None:
    """Refuse a question with nothing in it but the subject; a post may be asked so: "who was the pope?".

    >>> says_what_is_asked("who was IBM?", EXAMPLE), says_what_is_asked("who led IBM?", EXAMPLE)
    ('it does not say what of the subject is asked', None)
    """
    if re.search(r"holder|incumbent", fact.relation_label or ""):
        return None
    rest = _SAYS_NOTHING.sub(" ", _without(split_answer(candidate)[0], _subject(fact)).lower())
    return None if re.search(r"\w", rest) else "it does not say what of the subject is asked"


def has_no_date(candidate: str, fact: Fact) -> str | None:
    """Refuse a question that speaks of a time: a year, a month, a century, "today". Names may hold numbers.

    >>> has_no_date("who led IBM in the 1990s?", EXAMPLE), has_no_date("who led IBM in May?", EXAMPLE)
    ("it has a date: 'in the 1990s'", "it has a date: 'May'")
    >>> has_no_date("who led the 500 people of IBM?", EXAMPLE), has_no_date("who led them in 500?", EXAMPLE)
    (None, "it has a date: 'in 500'")
    """
    question = _without(split_answer(candidate)[0], _subject(fact)).rstrip("?")
    words = question.replace(",", " ").split()
    for length in range(min(_LONGEST_DATE, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            text = " ".join(words[start : start + length])
            if _is_date(text):
                return f"it has a date: {text!r}"
    month = re.search(rf"\b(?:{'|'.join(MONTHS)})\b", question)  # "may" and "march" are other words
    relative = month or _RELATIVE.search(question)
    return f"it has a date: {relative[0]!r}" if relative else None


def is_in_the_past_tense(candidate: str, fact: Fact) -> str | None:
    """Refuse the present tense: the facts are over.

    >>> is_in_the_past_tense("who is the head of IBM?", EXAMPLE), is_in_the_past_tense("who headed IBM?", EXAMPLE)
    ("it is not in the past tense: 'is'", None)
    """
    return past_tense(_without(split_answer(candidate)[0], _subject(fact)))


def is_concise(candidate: str, fact: Fact) -> str | None:
    """Refuse a long question: it has details that make it easier to answer, or it rambles.

    >>> is_concise("who led IBM, " + "and so on " * 10 + "?", EXAMPLE)
    'it has 33 words beside the subject; 20 are enough'
    """
    words = len(_without(split_answer(candidate)[0], _subject(fact)).rstrip(" ?").split())
    return f"it has {words} words beside the subject; {_MOST_WORDS} are enough" if words > _MOST_WORDS else None


# In the order of their weight: the first reason is the one that is told.
CHECKS: tuple[Check, ...] = (
    is_one_question,
    answer_is_not_in_it,
    answer_is_the_object,
    subject_is_named,
    says_what_is_asked,
    has_no_date,
    is_in_the_past_tense,
    can_follow_a_date,
    is_concise,
)


def _subject(fact: Fact) -> str:
    return fact.subject_label or fact.subject


def _object(fact: Fact) -> str:
    return fact.object_label or fact.object


def _is_date(text: str) -> bool:
    if re.fullmatch(r"(?:\D+ )?[0-9]{1,2}|(?:(?!in )\D+ )?[0-9]{3}", text, re.IGNORECASE):
        return False  # a small number could be a year, and hardly ever is
    try:
        parse_date(text.rstrip(".,;:'s") if text.endswith("'s") else text.rstrip(".,;:"))
    except DateError:
        return False
    return True


def _folded(text: str) -> str:
    """Return a text without case, accents, an article before it and a full stop after it, to compare names."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return " ".join(plain.casefold().removeprefix("the ").replace("’", "'").strip(" .").split())


def _stands_in(name: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(_folded(name))}(?!\w)", _folded(text)))


def _without(text: str, name: str) -> str:
    """Take a name out of a text, so that its words are not read as dates, verbs or answers.

    >>> _without("who was Theresa May's husband?", "Theresa May")
    'who was husband?'
    """
    return " ".join(re.sub(rf"(?<!\w){re.escape(name)}(?:['’]s?)?(?!\w)", " ", text, flags=re.IGNORECASE).split())
