"""DuckDB as all parts open it: in memory, and silent."""

import duckdb


def open_database() -> duckdb.DuckDBPyConnection:
    """Open a database in memory that draws no bar of its own.

    DuckDB draws one on standard output when a query is slow and it takes the program for a person at a prompt, as it
    does with ``python -m asof``. It would stand in the middle of the command's answer.
    """
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    return connection
