"""DuckDB as all parts open it: in memory, and silent."""

from contextlib import suppress

import duckdb


def open_database() -> duckdb.DuckDBPyConnection:
    """Open a database in memory that draws no bar of its own.

    DuckDB draws one on standard output when a query is slow and it takes the program for a person at a prompt, as it
    does with ``python -m asof``. It would stand in the middle of the command's answer.
    """
    connection = duckdb.connect()
    with suppress(duckdb.InvalidInputException):  # in a notebook without ipywidgets, where it has no bar anyway
        connection.execute("SET enable_progress_bar = false")
    return connection
