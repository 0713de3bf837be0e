"""Read the templates of a language and see that they are whole."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Any

from asof.errors import UserError, did_you_mean

_SENTENCES = ("present", "past", "starts", "ends", "paraphrase")


@dataclass(frozen=True, kw_only=True)
class Template:
    """How a language says facts of one relation; slots are {subject} and {object}."""

    present: str
    past: str
    starts: str
    wordings: tuple[str, ...] = ()  # what ``present`` says, in other words
    ends: str | None = None  # what happens at one moment has no end of its own
    paraphrase: str | None = None  # what ``past`` says, in other words
    questions: tuple[str, ...] = ()
    subject_questions: tuple[str, ...] = ()
    instant: bool = False
    papers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def has(self, name: str, paper: str | None = None) -> bool:
        """Tell whether there is a sentence of a name."""
        return bool(getattr(self, name) or (paper and self.papers.get(paper, {}).get(name)))

    def sentence(self, name: str, paper: str | None = None) -> str:
        """Return one sentence, in the wording of a paper where that differs from ours."""
        text = self.papers.get(paper, {}).get(name) if paper else None
        text = text or getattr(self, name)
        return str(text)

    def present_wording(self, number: int, paper: str | None = None) -> str | None:
        """Return one of several sentences in the present tense, the first is ``present``; None when there are fewer."""
        if number == 1:
            return self.sentence("present", paper)
        return self.wordings[number - 2] if number - 2 < len(self.wordings) else None


def languages() -> list[str]:
    """List the languages that have templates."""
    return sorted(
        file.name.removesuffix(".toml") for file in files(__package__).iterdir() if file.name.endswith(".toml")
    )


@cache
def templates(language: str = "en", own: Path | None = None) -> dict[str, Template]:
    """Return the templates of a language by relation.

    Args:
        own: A TOML file of the user's in the same form; its relations go before ours.
    """
    if language not in languages():
        known = languages()
        raise UserError(
            f"asof has no templates in {language!r}.{did_you_mean(language, known)} Known: {', '.join(known)}."
        )
    text = (files(__package__) / f"{language}.toml").read_text(encoding="utf-8")
    found = _read(text, f"{language}.toml")
    if own is None:
        return found
    try:
        return found | _read(own.read_text(encoding="utf-8"), str(own))
    except OSError as error:
        raise UserError(f"{own} could not be read: {error.strerror}.") from error


def _read(text: str, file: str) -> dict[str, Template]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file} is not valid TOML: {error}.") from error
    return {relation: _template(table, f"{file}, [{relation}]") for relation, table in tables.items()}


def _template(table: dict[str, Any], location: str) -> Template:
    known = {*_SENTENCES, "wordings", "questions", "subject_questions", "instant"}
    papers = {name: value for name, value in table.items() if isinstance(value, dict)}
    for name in table.keys() - known - papers.keys():
        raise UserError(
            f"{location}: there is no key {name!r}.{did_you_mean(name, known)} Known: {', '.join(sorted(known))}."
        )
    for name in ("present", "past", "starts"):
        if name not in table:
            raise UserError(f"{location}: the sentence {name!r} is missing.")
    for name in _SENTENCES:
        if name in table:
            _check_slots(table[name], {"subject", "object"}, f"{location}, {name}")
    for paper, variants in papers.items():
        for name, sentence in variants.items():
            _check_slots(sentence, {"subject", "object"}, f"{location}, {paper}, {name}")
    for sentence in table.get("wordings", ()):
        _check_slots(sentence, {"subject", "object"}, f"{location}, wordings")
    for question in table.get("questions", ()):
        _check_slots(question, {"subject"}, f"{location}, questions")
    for question in table.get("subject_questions", ()):
        _check_slots(question, {"object"}, f"{location}, subject_questions")
    return Template(
        present=table["present"],
        past=table["past"],
        starts=table["starts"],
        wordings=tuple(table.get("wordings", ())),
        ends=table.get("ends"),
        paraphrase=table.get("paraphrase"),
        questions=tuple(table.get("questions", ())),
        subject_questions=tuple(table.get("subject_questions", ())),
        instant=table.get("instant", False),
        papers=papers,
    )


def _check_slots(sentence: str, wanted: set[str], location: str) -> None:
    try:
        slots = [name for _, name, _, _ in Formatter().parse(sentence) if name is not None]
    except ValueError as error:
        raise UserError(f"{location}: {sentence!r} has a broken slot ({error}).") from error
    if sorted(slots) != sorted(wanted):
        needed = " and ".join(f"{{{slot}}}" for slot in sorted(wanted))
        raise UserError(f"{location}: {sentence!r} must have {needed} once, and nothing else in braces.")
