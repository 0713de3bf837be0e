"""A dump mined by a Spark of several machines: refused where they do not share the disk, else the same base."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bench.generated_dump import Plan, write_dump

from asof.sources.wikidata_dump.work import WorkSizes
from tests.sources.dumps import content, mined
from tests.unshared import unshared_python

# Both runs in one Spark: a start takes longer than all the rest. Its executors have working directories of their own.
MINER = """
import sys
from pathlib import Path
from click.testing import CliRunner
from asof.cli.mine import command
from asof.facts.engines.spark import spark_session
from asof.sources.wikidata_dump import work

work._SMALLEST = 20_000
context = spark_session().sparkContext
assert context.master == "local-cluster[2,1,1024]"
for python in sys.argv[1:]:
    context.pythonExec = python
    ran = CliRunner().invoke(command, ["d.json.gz", "--to", "base", "--engine", "spark", "--json"])
    written = Path("base/manifest.json").stat().st_mtime_ns
    print("ran", ran.exit_code, written, ran.exception or ran.output)
"""


def test_machines_without_a_shared_disk_are_refused_and_those_with_one_give_the_same_base(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'asof[spark]'")
    if not shutil.which("java") and not os.environ.get("JAVA_HOME"):
        pytest.skip("there is no Java here: bash scripts/java.sh")
    write_dump(tmp_path / "d.json.gz", Plan(entities=300, seed=5, line_bytes=1_000, temporal=0.5, batch=60, broken=3))
    expected, _, _ = mined(tmp_path / "d.json.gz", sizes=WorkSizes(stretch=20_000))
    folder = tmp_path / "base"
    shutil.copytree(expected.folder, folder)
    before, written = content(folder), (folder / "manifest.json").stat().st_mtime_ns
    lonely = unshared_python(tmp_path / "lonely", folder)
    # Left there by an earlier run of its own, a machine may even have the plan.
    plan = f"mkdir -p {folder}/.mining/d.json.gz && echo '{{}}' > {folder}/.mining/d.json.gz/plan.json"
    deceived = unshared_python(tmp_path / "deceived", folder, then=plan)
    words = "--conf spark.ui.enabled=false --conf spark.driver.host=127.0.0.1 --conf spark.task.maxFailures=1"
    ran = subprocess.run(
        [sys.executable, "-c", MINER, str(lonely), str(deceived), sys.executable],
        cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYSPARK_SUBMIT_ARGS": f"--master local-cluster[2,1,1024] {words} pyspark-shell"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    refused, lost, good = ran.stdout.split("ran ")[1:]
    assert "does not see" in refused and "Choose a folder with --to on a disk that all machines share" in refused
    assert refused.startswith(f"1 {written} ") and "plan.json" in refused
    assert lost.startswith(f"1 {written} ") and "what they gave is not here" in lost
    assert good.startswith("0 "), good
    assert (folder / "manifest.json").stat().st_mtime_ns > written
    assert content(folder) == before
