"""``asof report`` as a user meets it."""

import json
import subprocess
import sys
from pathlib import Path

from tests.reports.conftest import MakeRun


def asof(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "asof", *args], capture_output=True, text=True)


def test_it_writes_the_page_and_says_where(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run()
    ran = asof("report", str(folder), "-o", str(tmp_path / "page"))
    assert (ran.returncode, ran.stdout) == (0, "")
    assert f"{tmp_path}/page/index.html shows 1 run. Open it in a browser." in ran.stderr
    again = json.loads(asof("report", str(folder), "--to", str(tmp_path / "page"), "--json").stdout)
    assert again["bytes"] == (tmp_path / "page" / "index.html").stat().st_size


def test_a_run_without_predictions_is_the_users_to_mend(make_run: MakeRun, tmp_path: Path) -> None:
    ran = asof("report", str(make_run(facts=0)), "-o", str(tmp_path / "page"))
    assert ran.returncode == 1
    assert "has no fact yet" in ran.stderr and "Traceback" not in ran.stderr
    assert asof("report").returncode == 2
