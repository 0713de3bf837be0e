"""Several processes, one stretch each. None of them outlives the process that started it, however that one ends."""

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib.abc import MetaPathFinder

from asof.errors import UserError
from asof.sources.wikidata_dump.mining import MinedRange, Task, mine_stretch

_SECONDS_BETWEEN_LOOKS = 0.5

# Runs a function on tasks; yields every now and then, so that the caller can tell how far it is, what was finished
# since it did so last.
Mapper = Callable[[Callable[[Task], MinedRange], Sequence[Task]], Iterator[list[MinedRange]]]


def mine_all(tasks: Sequence[Task], processes: int) -> Iterator[list[MinedRange]]:
    """Mine stretches in processes of this machine: a ``Mapper`` with their number."""
    if processes == 1 or len(tasks) == 1:
        for task in tasks:
            yield [mine_stretch(task)]
        return
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    with ProcessPoolExecutor(min(processes, len(tasks)), mp_context=context, initializer=_begin) as pool:
        waiting = {pool.submit(mine_stretch, task) for task in tasks}
        try:
            while waiting:
                finished, waiting = wait(waiting, timeout=_SECONDS_BETWEEN_LOOKS, return_when=FIRST_COMPLETED)
                yield [future.result() for future in finished]
        except BrokenProcessPool as error:
            raise UserError(
                "A mining process was killed, perhaps because memory ran out. What is finished is kept: run the "
                "same command again, with fewer --processes."
            ) from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class _WithoutPandas(MetaPathFinder):
    """Hides pandas from pyarrow, which would load it with the first list: a quarter second in each process."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Say of pandas that it is not there, of all else nothing."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)


def _begin() -> None:
    """Prepare a process that does nothing but mine."""
    sys.meta_path.insert(0, _WithoutPandas())
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
