"""The folder for what asof can make or fetch again."""

import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """Return $ASOF_CACHE, or ``asof`` in the user's cache, or a temporary folder where neither can be written."""
    home = os.environ.get("ASOF_CACHE") or os.environ.get("XDG_CACHE_HOME")
    wanted = Path(home) if home else Path("~/.cache").expanduser()
    folder = wanted if os.environ.get("ASOF_CACHE") else wanted / "asof"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""  # Windows has a folder of that kind for each user
    fallback = Path(tempfile.gettempdir()) / f"asof{user}"
    fallback.mkdir(mode=0o700, exist_ok=True)
    return fallback
