"""Where a folder is, in words that are the same on every machine."""

from pathlib import Path

from asof.cache import cache_folder


def in_words(folder: Path) -> str:
    """Say where something is: in the cache, which may lie anywhere, in the present folder, or its whole path.

    >>> in_words(cache_folder() / "benchmarks" / "timestress-1895ced1")
    'in the cache'
    >>> in_words(Path("runs", "mine"))
    'in runs/mine'
    """
    whole = folder.absolute()
    if whole.is_relative_to(cache_folder().absolute()):
        return "in the cache"
    return f"in {(whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else folder).as_posix()}"
