"""Several processes, one stretch each. None of them outlives the process that started it, however that one ends."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from asof.errors import UserError
from asof.sources.wikidata_dump.mining import Task, mine_stretch

_SECONDS_BETWEEN_LOOKS = 0.5

Mapper = Callable[[Callable[[Task], str], Sequence[Task]], Iterator[object]]


def mine_all(tasks: Sequence[Task], processes: int) -> Iterator[None]:
    """Mine stretches; yields every now and then, so that the caller can tell how far it is."""
    if processes == 1 or len(tasks) == 1:
        for task in tasks:
            mine_stretch(task)
            yield
        return
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    with ProcessPoolExecutor(min(processes, len(tasks)), mp_context=context, initializer=_end_with_parent) as pool:
        waiting = {pool.submit(mine_stretch, task) for task in tasks}
        try:
            while waiting:
                finished, waiting = wait(waiting, timeout=_SECONDS_BETWEEN_LOOKS, return_when=FIRST_COMPLETED)
                for future in finished:
                    future.result()
                yield
        except BrokenProcessPool as error:
            raise UserError(
                "A mining process was killed, perhaps because the memory was full. What is finished is kept: run the "
                "same command again, with fewer --processes."
            ) from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
