"""``asof import-log``: a run made of the log of another tool."""

from pathlib import Path

import click

from asof.benchmarks import read_benchmark
from asof.cli.options import json_option
from asof.cli.output import talk, write_json
from asof.errors import FailedCheckError
from asof.runs.folder import short_name
from asof.runs.import_log import import_logs

_EXAMPLES = """\b
Examples:
  asof export changes --as inspect --to task
  cd task && inspect eval task.py --model PROVIDER/MODEL
  asof import-log task/logs --benchmark changes --to model-changes
  asof cutoff model-changes
"""


@click.command("import-log", epilog=_EXAMPLES)
@click.argument("log", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option(
    "--benchmark", "bench", required=True, type=click.Path(path_type=Path), help="The benchmark that was asked."
)
@click.option("--to", "folder", type=click.Path(path_type=Path), help="The run folder (default: runs/BENCHMARK-LOG).")
@click.option("--model", metavar="NAME", help="The model's name; of a folder with logs of several, the one to take.")
@click.option(
    "--allow-unmatched", is_flag=True, help="Do not fail when answers of the log match no item of the benchmark."
)
@json_option
def command(
    log: Path, bench: Path, folder: Path | None, model: str | None, allow_unmatched: bool, as_json: bool
) -> None:
    """Make a run of answers that another tool has kept.

    Reads logs of Inspect (.eval, .json), samples of lm-evaluation-harness (--log_samples), and plain tables: CSV, TSV
    or JSONL with a column id or prompt, and a column answer. Items are found by id, else by their prompt. Score,
    compare, report and cutoff take the run like any other. Items without an answer are counted; answers that match no
    item are named, and the command ends with 3 unless you allow them.
    """
    benchmark = read_benchmark(bench)
    target = folder or Path("runs") / f"{bench.resolve().name}-{short_name(log.stem)}"
    found = import_logs(log, benchmark, target, model=model)
    if as_json:
        told = {"run": str(target), "model": found.run.settings["model"], "probe": found.run.settings["probe"]}
        told |= {"items": found.items, "answered": found.answered, "left_out": found.run.left_out()}
        write_json(told | {"again": found.again, "unmatched": list(found.unmatched)})
    else:
        for note in found.notes():
            talk(note)
        talk(f"{target} is a run of {found.run.settings['model']}. Next: asof score {target}")
    if found.unmatched and not allow_unmatched:
        raise FailedCheckError(
            f"{len(found.unmatched):,} answers of {log} match no item of {bench}; the others are kept in {target}. "
            "Give the benchmark that was asked, or accept it with --allow-unmatched."
        )
