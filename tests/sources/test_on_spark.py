"""A dump mined by a Spark of three machines: refused where they share neither disk nor place, else the same base."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bench.generated_dump import Plan, write_dump

import asof
from asof.facts import FactStore
from asof.sources.wikidata_dump.work import WorkSizes
from tests.places.s3_server import S3, s3_server
from tests.sources.dumps import content, mined
from tests.unshared import unshared_python

SOURCE = Path(asof.__file__).parent

# All runs in one Spark: a start takes longer than all the rest. Its executors have working directories of their own.
MINER = """
import json
import sys
from pathlib import Path
from click.testing import CliRunner
from asof.cli.mine import command
from asof.facts.engines.spark import spark_session
from asof.sources.wikidata_dump import work

work._SMALLEST = 20_000
context = spark_session().sparkContext
assert context.master == "local-cluster[3,1,1024]"
def where(_):
    import asof, os
    return asof.__file__, os.getpid()
for python, dump, base in json.loads(sys.argv[1]):
    context.pythonExec = python
    ran = CliRunner().invoke(command, [dump, "--to", base, "--engine", "spark", "--json"])
    written = Path("base/manifest.json").stat().st_mtime_ns
    print("ran", ran.exit_code, written, ran.exception or ran.output)
print("ran from", *{path for path, _ in context.parallelize(range(9), 9).map(where).collect()})
"""


def test_machines_that_share_nothing_are_refused_and_those_with_a_disk_or_a_place_give_the_same_base(
    tmp_path: Path,
) -> None:
    with s3_server() as s3:
        compare(tmp_path, s3)


def compare(tmp_path: Path, s3: S3) -> None:
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
    s3.put("d.json.gz", tmp_path / "d.json.gz")
    # One that sees neither the dump, nor the cache, nor this package, and has only what it is sent.
    (tmp_path / "cache").mkdir()
    alone = unshared_python(tmp_path / "alone", tmp_path / "cache", then=f"mount -t tmpfs tmpfs {SOURCE}")
    runs = [(str(python), "d.json.gz", "base") for python in (lonely, deceived, sys.executable)]
    runs.append((str(alone), "s3://bucket/d.json.gz", "s3://bucket/base"))
    words = "--conf spark.ui.enabled=false --conf spark.driver.host=127.0.0.1 --conf spark.task.maxFailures=1"
    ran = subprocess.run(
        [sys.executable, "-c", MINER, json.dumps(runs)],
        cwd=tmp_path, capture_output=True, text=True,
        env=os.environ
        | {"PYSPARK_SUBMIT_ARGS": f"--master local-cluster[3,1,1024] {words} pyspark-shell"}
        | {"ASOF_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    refused, lost, good, at_a_place, sent = ran.stdout.split("ran ")[1:]
    assert "does not see" in refused and "Choose a folder with --to on a disk that all machines share" in refused
    assert refused.startswith(f"1 {written} ") and "plan.json" in refused
    assert lost.startswith(f"1 {written} ") and "what they gave is not here" in lost
    assert good.startswith("0 "), good
    assert (folder / "manifest.json").stat().st_mtime_ns > written
    assert content(folder) == before
    assert at_a_place.startswith("0 "), at_a_place
    here = {name.removeprefix("base/"): s3.content(name) for name in s3.names("base/")}
    assert {name: data for name, data in here.items() if name != "manifest.json"} == {
        name: data for name, data in before.items() if name != "manifest.json"
    }  # and no parts are left
    assert FactStore("s3://bucket/base").manifest.hash == FactStore(folder).manifest.hash
    assert sent.startswith("from ") and sent.rstrip().endswith("asof.zip/asof/__init__.py") and len(sent.split()) == 2
