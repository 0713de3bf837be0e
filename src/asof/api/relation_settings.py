"""What a person says of the relations of a base: as ``manager:one_at_a_time=yes``, or with names and values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from asof.cache import cache_folder
from asof.errors import UserError
from asof.facts import FactStore, Manifest, find_relation
from asof.facts.described import SETTABLE, read_meaning
from asof.facts.meanings import FLAGS
from asof.facts.rewrite import set_relations

_PAIR = re.compile(r"(?P<relation>.+):(?P<name>[^:=]+)=(?P<text>.*)", re.DOTALL)


def set_by_words(store: FactStore, pairs: Iterable[str]) -> Manifest:
    """Set what pairs such as ``manager:one_at_a_time=yes`` say, all of them or none."""
    changes: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        read = _PAIR.fullmatch(pair)
        if not read:
            raise UserError(
                f"--set {pair!r} is not a setting. Write RELATION:NAME=VALUE, as in manager:one_at_a_time=yes. "
                f"NAME can be: {', '.join((*SETTABLE, 'alias'))}."
            )
        name = read["name"].strip().replace(" ", "_")
        relation = find_relation(store, read["relation"].strip())
        said = changes.setdefault(relation.id, {})
        if name == "alias":
            said["aliases"] = [*said.get("aliases", relation.aliases), read["text"].strip()]
        else:
            said[name] = read_meaning(name, read["text"]) if read["text"].strip() else None
    return set_checked(store, changes)


def set_checked(store: FactStore, changes: Mapping[str, Mapping[str, Any]]) -> Manifest:
    """Set meanings by relation and name, in a new version of the base."""
    see_that_it_may_change(store.folder, "relations")
    checked = {id: _checked(store, id, said) for id, said in changes.items()}
    return set_relations(store.folder, checked)


def accepted(store: FactStore) -> dict[str, dict[str, Any]]:
    """Return all that is proposed for relations, to be set as it is."""
    return {
        one.id: {name: getattr(one, name) for name in one.proposed} for one in store.relations.values() if one.proposed
    }


def see_that_it_may_change(folder: Path, what: str) -> None:
    """Refuse to change the almanac, which every part of asof shares."""
    if folder.parent == cache_folder() and folder.name.startswith("almanac-"):
        raise UserError(
            f"The almanac's {what} cannot be changed: it comes with asof. Make a base of your own from it with: "
            "asof mine almanac --to my-almanac"
        )


def _checked(store: FactStore, id: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """See that values are of the right kind, and give the inverse by its id."""
    checked: dict[str, Any] = {}
    for name, value in said.items():
        if isinstance(value, str) or name not in SETTABLE:
            value = read_meaning(name, value)
        if name in FLAGS and not isinstance(value, bool | None):
            raise UserError(f"{name} is {value!r}. Give True or False, or None where it is not known.")
        if name == "inverse" and value is not None:
            value = find_relation(store, value).id
            if value == id:
                raise UserError(
                    f"{id!r} is its own inverse if it is symmetric. Set symmetric instead: {id}:symmetric=yes"
                )
        if name == "label" and not value:
            raise UserError(f"{id!r} needs a label. Give one, as in {id}:label=head coach")
        checked[name] = list(value) if name == "aliases" else value
    return checked
