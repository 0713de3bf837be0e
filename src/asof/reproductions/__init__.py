"""Published figures and ours, each with the commands that make it: read, run again, check.

A reproduction is a TOML file in the folder ``reproductions`` of the repository; a wheel has that folder as ``tables``
inside this package. ``entry.py`` says what such a file holds.
"""

from asof.reproductions.again import run_again
from asof.reproductions.entry import Entry, Figure, Row, read_entries, read_entry, reproductions_folder
from asof.reproductions.needs import what_is_missing

__all__ = [
    "Entry",
    "Figure",
    "Row",
    "read_entries",
    "read_entry",
    "reproductions_folder",
    "run_again",
    "what_is_missing",
]
