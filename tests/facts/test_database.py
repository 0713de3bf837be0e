"""A slow query must not draw into what a command prints."""

import subprocess
import sys

_ASK = "execute(\"SELECT current_setting('enable_progress_bar')\").fetchone()"


def test_no_bar_is_drawn_where_duckdb_would_draw_one() -> None:
    programs = [
        f"import duckdb; print(duckdb.connect().{_ASK})",
        f"from asof.facts.database import open_database; print(open_database().{_ASK})",
        f"from asof.facts.database import open_database; print(open_database().cursor().{_ASK})",
    ]
    said = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for code in programs]
    assert said == ["(True,)\n", "(False,)\n", "(False,)\n"]
