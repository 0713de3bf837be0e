"""``base.update``: what ``asof update`` does, for Python and the command line alike."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath
from typing import Any

from asof.errors import UserError
from asof.facts import FactStore, InversionPolicy
from asof.facts.update import BaseUpdate, update_base
from asof.sources import open_source
from asof.timeline import Date

_OF_UPDATES = ("replaces", "max_rejects", "max_gone", "memory")


def update_of(
    store: FactStore,
    source: str | PathLike[str],
    options: dict[str, Any],
    on_progress: Callable[[int], None] = lambda rows: None,
) -> BaseUpdate:
    """Take a source into a base.

    Args:
        options: Those of updates; all others are settings of the source.
    """
    if store.known_on is not None:
        raise UserError(f"{store.manifest.name} as known on {store.known_on} is past. Update the base as it is now.")
    mine = {name: options[name] for name in _OF_UPDATES if name in options}
    day = options.get("known_by")
    mine["known_by"] = Date.parse(day) if isinstance(day, str) else day
    mine["inverted"] = InversionPolicy(options.get("inverted", InversionPolicy.REJECT))
    others = {name: value for name, value in options.items() if name not in (*_OF_UPDATES, "known_by", "inverted")}
    opened = open_source(fspath(source), **others)
    return update_base(store.folder, opened, on_progress=on_progress, **mine)
