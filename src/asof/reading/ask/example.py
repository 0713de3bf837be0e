"""A small base for the examples of the kinds of question: two companies, their managers and their owners."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from asof.facts import FactStore, write_base
from asof.reading.ask.query_words import in_words
from asof.reading.ask.reader import QuestionReader
from asof.sources import open_source
from asof.timeline import Date

_ROWS = """subject,relation,object,start,end
Acme,manager,Ann Lee,2012,2015
Acme,manager,Bo Ek,2015,2018
Acme,manager,Cy Day,2018,ongoing
Bolt,manager,Cy Day,2010,2016
Bolt,manager,Ann Lee,2016,ongoing
Bolt,owner,Bo Ek,2011,ongoing
Bolt,owner,Di Fox,2014,2020
"""


@cache
def example_reader() -> QuestionReader:
    """Return a reader of the small base."""
    folder = Path(tempfile.mkdtemp())
    (folder / "acme.csv").write_text(_ROWS, encoding="utf-8")
    write_base(folder / "acme", [open_source(str(folder / "acme.csv"))], known_by=Date.parse("2024-12-31"))
    return QuestionReader(FactStore(folder / "acme"), today=Date.parse("2024-12-01"))


def read(question: str) -> str:
    """Return in words how a question is read; "nothing" where it is not understood."""
    readings = example_reader().read(question)
    return in_words(readings[0].query) if readings else "nothing"
