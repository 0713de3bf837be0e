"""Mine a dump on the machines of Spark: the same function on the same stretches as the processes of one machine.

All machines read the dump and write its parts, so both must lie on a disk that they share, and asof must be installed
on each. A machine that sees another disk refuses to work (``mining``). Stopped, the next run goes on where this one
was, on Spark or without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from asof.errors import UserError
from asof.facts.engines.spark import spark_session

Task = TypeVar("Task")
Result = TypeVar("Result")
_SECONDS_BETWEEN_LOOKS = 0.5


def map_on_spark(function: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[list[Result]]:
    """Apply a function to tasks on Spark, one by one as its machines get free.

    Yields every now and then while they work, so that the caller can tell how far it is; all results come last.
    """
    context = spark_session().sparkContext
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
