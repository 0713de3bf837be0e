"""The English of the package and of a base's own lexicon, as files that anybody can read and correct.

In ``[nouns]`` the noun names the object ("manager": Ann Lee is the manager of Acme), in ``[subject_nouns]`` the
subject;
in ``[verbs]``, ``[starts]`` and ``[ends]`` S and O show where subject and object stand. Each is given relations by
their
plain names: joined with + they are asked together; those behind a | are asked when the ones before have no facts; ^
turns a relation round; ~ counts only beside another saying that means it, too. ``[relations]`` has further plain names.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.reading.ask.lexicon.inflection import verb_forms
from asof.reading.ask.lexicon.known import OWN as OWN_RELATION
from asof.reading.ask.lexicon.known import KnownRelations
from asof.reading.ask.lexicon.labels import noun_forms
from asof.reading.ask.lexicon.saying import End, Event, Group, LexiconLayer, Saying, Use
from asof.reading.ask.spoken import spoken
from asof.reading.ask.words import ARTICLES

OWN = "lexicon.en.toml"  # in the folder of a base
Table = dict[str, Any]
_SECTIONS: tuple[tuple[str, Event | None], ...] = (("verbs", None), ("starts", "start"), ("ends", "end"))
_HEADS: Mapping[str, End] = {"S": "subject", "O": "object"}


@cache
def english() -> Table:
    """Read the English of the package."""
    table: Table = {}
    for file in sorted(files(__package__).joinpath("en").iterdir(), key=lambda file: file.name):
        merge(table, tomllib.loads(file.read_text(encoding="utf-8")))
    return table


def own_english(folder: Path) -> Table:
    """Read the lexicon of a base; nothing where it has none."""
    path = folder / OWN
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is no TOML: {error}. Correct it, or take it away.") from error


def merge(table: Table, more: Mapping[str, Any]) -> None:
    """Add sections to a table; what both have is that of ``more``."""
    for section, content in more.items():
        if isinstance(content, dict):
            table[section] = {**table.get(section, {}), **content}
        elif isinstance(content, list):
            table[section] = [*table.get(section, []), *content]
        else:
            table[section] = content


def sayings_in(
    table: Mapping[str, Any], known: KnownRelations, layer: LexiconLayer, irregular: Mapping[str, str]
) -> Iterator[Saying]:
    """Walk over the sayings of a lexicon, as far as a base has their relations."""
    ends: tuple[tuple[str, End], ...] = (("nouns", "object"), ("subject_nouns", "subject"))
    for section, head in ends:
        for text, value in table.get(section, {}).items():
            if groups := groups_of(value, head, known):
                words = tuple(word for word in spoken(text).split() if word not in ARTICLES)
                for form in noun_forms(words):
                    yield Saying(form, False, groups, (layer,) * len(groups), plural=form != words)
    for section, event in _SECTIONS:
        for text, value in table.get(section, {}).items():
            yield from _verb(text, value, event, known, layer, irregular)


def groups_of(value: str, head: End, known: KnownRelations) -> tuple[Group, ...]:
    """Return the relations that a value of a lexicon names, as far as a base has them."""
    other: End = "subject" if head == "object" else "object"
    groups = []
    for group in value.split("|"):
        uses: dict[Use, None] = {}
        for name in group.split("+"):
            said = name.strip()
            for id, turned in known.named(said.lstrip("^~")):
                end = other if turned != said.startswith("^") else head
                uses[Use(id, end, beside=said.startswith("~"), joining=said.lstrip("^~") == OWN_RELATION)] = None
        groups.append(tuple(uses))
    return tuple(dict.fromkeys(group for group in groups if group))


def _verb(
    text: str, value: str, event: Event | None, known: KnownRelations, layer: LexiconLayer, irregular: Mapping[str, str]
) -> Iterator[Saying]:
    """Make the forms of a verb, and its passive: "O coach S" is also "S was coached by O"."""
    parts = text.split()
    head = _HEADS.get(parts[0])
    if head is None:
        raise UserError(f"The lexicon has a verb {text!r}; it begins with S or O, as in 'O manage S'.")
    groups = groups_of(value, head, known)
    if not groups:
        return
    layers = (layer,) * len(groups)
    said = [word for word in spoken(" ".join(parts[1:])).split() if word not in ("s", "o") and word not in ARTICLES]
    if said[0] == "be":
        yield Saying(tuple(said[1:]), True, groups, layers, event, after_be=True)
        return
    for form in verb_forms(said[0], irregular):
        present = form in (said[0] + "s", said[0] + "es")
        base = form == said[0] and form not in irregular.get(form, "").split()
        yield Saying((form, *said[1:]), True, groups, layers, event, in_present=present, in_base_form=base)
        if len(said) == 1 and parts[-1] in _HEADS and form.endswith(("ed", "t", "n", "ld", "run", "led")):
            turned = groups_of(value, "subject" if head == "object" else "object", known)
            yield Saying((form, "by"), True, turned, layers, event, after_be=True)
