"""How a base is named in a command that a message tells users to type."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from asof.facts.store import FactStore

_DEFAULT = "almanac"


def base_argument(store: FactStore) -> str:
    """Return the place of a base as an argument, with a space before it; nothing for the base that is asked anyway."""
    if store.manifest.name == _DEFAULT or os.environ.get("ASOF_BASE") == str(store.folder):
        return ""
    folder = store.folder.resolve()
    here = Path.cwd()
    return f" {shlex.quote(str(folder.relative_to(here) if folder.is_relative_to(here) else folder))}"


def base_option(store: FactStore) -> str:
    """Return the same as an option."""
    place = base_argument(store)
    return f" --base{place}" if place else ""
