"""Mine a dump on the machines of Spark: the same function on the same stretches as the processes of one machine.

All machines read the dump and write its parts, so both must lie on a disk that they share, or at places (see
``on_spark_at_places``). This package is sent to them; what it needs must be installed on each. A machine that sees
another disk refuses to work (``mining``). Stopped, the next run goes on where this one
was, on Spark or without it.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import asof
from asof.errors import UserError
from asof.facts.engines.spark import spark_session

if TYPE_CHECKING:
    from pyspark import SparkContext

Task = TypeVar("Task")
Result = TypeVar("Result")
_SECONDS_BETWEEN_LOOKS = 0.5
_PACKAGE = "asof.zip"
_sent_to: set[str] = set()  # the applications of Spark that have it


def map_on_spark(function: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[list[Result]]:
    """Apply a function to tasks on Spark, one by one as its machines get free.

    Yields every now and then while they work, so that the caller can tell how far it is; all results come last.
    """
    context = spark_session().sparkContext
    send_package(context)
    from py4j.protocol import Py4JError  # there when Spark is

    pieces = context.parallelize(tasks, max(1, len(tasks)))
    with ThreadPoolExecutor(1) as waiter:
        finished = waiter.submit(lambda: pieces.map(function).collect())
        try:
            while not finished.done():
                wait([finished], timeout=_SECONDS_BETWEEN_LOOKS)
                yield []
            yield finished.result()
        except Py4JError as error:
            raise UserError(
                f"Spark did not finish: {_reason(str(error))}\nFinished work is kept: run the same command again."
            ) from error
        finally:
            if not finished.done():
                context.cancelAllJobs()


def send_package(context: SparkContext) -> None:
    """Send this package to the machines of Spark, so that each runs the same version, whether it has one or not."""
    if context.applicationId in _sent_to:
        return
    folder = Path(tempfile.mkdtemp(prefix="asof-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(folder / _PACKAGE, "w", zipfile.ZIP_DEFLATED) as packed:
        root = Path(asof.__file__).parent
        for path in sorted(root.rglob("*.py")):
            packed.write(path, Path(root.name) / path.relative_to(root))
    context.addPyFile(str(folder / _PACKAGE))
    _sent_to.add(str(context.applicationId))


def _reason(text: str) -> str:
    """Return the line of a Java and Python traceback that says what went wrong.

    >>> _reason(chr(10).join(["An error.", ": org.apache.spark.SparkException: Job aborted", "OSError: disk full"]))
    'OSError: disk full'
    >>> _reason("asof.errors.UserError: The machine m1 does not see /data/plan.json.")
    'The machine m1 does not see /data/plan.json.'
    """
    named = [line for line in text.splitlines() if line.partition(":")[0].endswith(("Error", "Exception"))]
    reason = named[-1] if named else text.partition("\n")[0]
    return reason.removeprefix(f"{UserError.__module__}.{UserError.__name__}: ")
