"""Questions written by a language model, each one checked before it is used.

Ammar Khodja et al. 2025 (arXiv:2502.01220), section 4.1.2 and appendices A.2 and A.3: a model writes four questions for
a fact, each followed by its answer; the date is taken out, and questions that do not ask for the object are refused.
Facts and a model that writes in; questions, and candidates with the reason of their refusal, out. English only: the
checks know English verbs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from asof.errors import DateError
from asof.facts import Fact
from asof.timeline import parse_date
from asof.whole_file import write_text
from asof.wording.question_checks import refusal, split_answer

_CANDIDATES = 4  # for one fact (appendix A.2)
_MOST_TOKENS = 160  # four questions with their answers
_STOP = ("\n\n", "\nFact:", f"\n{_CANDIDATES + 1}.")  # the next fact, or one question more than asked for
_FACTS_AT_A_TIME = 8


class Writer(Protocol):
    """What is needed of a model; ``asof.models.Writes`` has it."""

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        """Return what the model writes after each prompt."""


@dataclass(frozen=True, kw_only=True)
class RefusedQuestion:
    """A candidate that is not used."""

    fact: Fact
    candidate: str
    reason: str


@dataclass
class Questions:
    """What a model wrote: the questions of each fact, and what was refused."""

    facts: list[Fact] = field(default_factory=list)
    written: dict[str, list[str]] = field(default_factory=dict)  # by the id of the fact
    refused: list[RefusedQuestion] = field(default_factory=list)

    @property
    def without(self) -> list[Fact]:
        """The facts of which no candidate was good."""
        return [fact for fact in self.facts if fact.id not in self.written]

    def save(self, folder: Path) -> tuple[Path, Path]:
        """Write ``questions.tsv`` (fact, question) and ``questions.rejects.tsv`` (fact, candidate, reason)."""
        good, bad = folder / "questions.tsv", folder / "questions.rejects.tsv"
        rows = [(id, question) for id, questions in self.written.items() for question in questions]
        _save(good, [("fact", "question"), *rows])
        refused = [(entry.fact.id, entry.candidate, entry.reason) for entry in self.refused]
        _save(bad, [("fact", "candidate", "reason"), *refused])
        return good, bad


def _save(path: Path, rows: Sequence[Sequence[str]]) -> None:
    lines = ["\t".join(" ".join(cell.split()) for cell in row) for row in rows]  # a tab would be a new column
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "\n".join(lines) + "\n")


def write_questions(
    facts: Sequence[Fact], writer: Writer, *, on_progress: Callable[[int, int], None] = lambda done, total: None
) -> Questions:
    """Let a model write up to four questions for each fact and keep those that stand all checks.

    Args:
        on_progress: Called with the number of facts that are done, and of all.
    """
    found = Questions(facts=list(facts))
    for start in range(0, len(facts), _FACTS_AT_A_TIME):
        some = facts[start : start + _FACTS_AT_A_TIME]
        texts = writer.write([prompt_for(fact) for fact in some], most_tokens=_MOST_TOKENS, stop=_STOP)
        for fact, text in zip(some, texts, strict=True):
            candidates = candidates_in(text)
            for candidate in candidates:
                reason = refusal(candidate, fact)
                question = split_answer(candidate)[0]
                known = found.written.get(fact.id, [])
                if reason or question in known:
                    found.refused.append(
                        RefusedQuestion(fact=fact, candidate=candidate, reason=reason or "it is there twice")
                    )
                else:
                    found.written[fact.id] = [*known, question]
            if not candidates:
                found.refused.append(RefusedQuestion(fact=fact, candidate=text.strip(), reason="nothing was written"))
        on_progress(start + len(some), len(facts))
    return found


_INSTRUCTION = (
    "Write four different questions about a fact that is over. Each question is short, in the past tense, asks for the "
    "object of the fact and not for its subject, does not contain the object, and has no date in it. Begin each one in "
    "lower case, as it will follow a date, and write the object after the question mark."
)

# Chosen to show other relations than those of the paper's prompt, and other ways to ask than our own templates.
_WORKED = {
    ("Saint Petersburg", "country", "Soviet Union"): (
        "which country was Saint Petersburg part of?",
        "to which state did Saint Petersburg belong?",
        "in which country did Saint Petersburg lie?",
        "what country was Saint Petersburg in?",
    ),
    ("IBM", "chief executive officer", "Lou Gerstner"): (
        "who was the chief executive officer of IBM?",
        "who led IBM?",
        "who ran IBM as its chief executive officer?",
        "who held the top job at IBM?",
    ),
    ("Marie Curie", "employer", "University of Paris"): (
        "who did Marie Curie work for?",
        "where was Marie Curie employed?",
        "which employer did Marie Curie have?",
        "at which institution did Marie Curie work?",
    ),
}


def prompt_for(fact: Fact) -> str:
    """Return the text after which a model is to write the questions of a fact, numbered, one a line."""
    worked = [
        "\n".join([_line(*names), *(f"{number}. {text} {names[2]}" for number, text in enumerate(texts, start=1))])
        for names, texts in _WORKED.items()
    ]
    return "\n\n".join([_INSTRUCTION, *worked, _line(*_names(fact))]) + "\n"


def _line(subject: str, relation: str, object: str) -> str:
    return f"Fact: subject {subject}; relation {relation}; object {object}"


def _names(fact: Fact) -> tuple[str, str, str]:
    return (
        fact.subject_label or fact.subject,
        fact.relation_label or fact.relation,
        fact.object_label or fact.object,
    )


_NUMBER = re.compile(r"^(?:\W*(?:question)?\s*[0-9]{1,2}\s*[.):]\s*|[-*•]\s+|(?:question|q):\s*)", re.IGNORECASE)
_MAY_LOSE_ITS_CAPITAL = {
    "who", "whom", "whose", "what", "which", "where", "how",
    "in", "at", "for", "to", "on", "by", "of", "under", "with", "from", "as", "the",
}  # fmt: skip


def candidates_in(text: str) -> list[str]:
    r"""Cut what a model wrote into candidates: numbers, quotes, a date at the beginning and a first capital go.

    >>> candidates_in('1. Who was the mayor of Rome? Nero\n2) "In 1929, what was the capital of Chad? Paris"\nSure!')
    ['who was the mayor of Rome? Nero', 'what was the capital of Chad? Paris', 'Sure!']
    """
    lines = [_NUMBER.sub("", line.strip(), count=1).strip(" \"'“”*") for line in text.splitlines()]
    return [lower_question_word(_without_leading_date(line)) for line in lines if line][:_CANDIDATES]


def _without_leading_date(text: str) -> str:
    """Take away "In 1929, ", which is how the paper's model begins."""
    commas = [match.start() for match in re.finditer(",", text)]
    for comma in reversed(commas):  # the longest: "On May 3" alone would be a month of the year 3
        try:
            parse_date(text[:comma])
        except DateError:
            continue
        return text[comma + 1 :].strip()
    return text


def lower_question_word(text: str) -> str:
    """Take the capital from the word that begins a question, so that it can follow a date; names keep theirs.

    >>> lower_question_word("Who led IBM?"), lower_question_word("IBM had which leader?")
    ('who led IBM?', 'IBM had which leader?')
    """
    first = re.match(r"\w*", text)
    return text[0].lower() + text[1:] if first and first[0].lower() in _MAY_LOSE_ITS_CAPITAL else text
