"""So many queries at a time, each with a store of its own and a time in which it must be done.

A request takes a desk, works there in a thread, and gives it back. Whoever finds no desk waits in line; when the line
is too long or the wait lasts too long, the answer is to come again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import duckdb

from asof.facts import FactStore
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.reader import QuestionReader
from asof.timeline import Date

Found = TypeVar("Found")


class TooBusyError(Exception):
    """No desk was free in time."""


class TooLongError(Exception):
    """The work took longer than a request may."""


class Desk:
    """One store, with its names and the reader that answers questions from it; used by one request at a time.

    The store is not shared, so that a query that takes too long can be stopped without stopping others.
    """

    def __init__(self, folder: Path, known_on: Date | None = None) -> None:
        self.store = FactStore(folder, known_on=known_on)
        self.reader = QuestionReader(self.store)
        self.index = NameIndex(self.store)


class Desks:
    """The desks of a server.

    Args:
        count: How many queries run at a time.
        seconds: How long one may take.
        patience: How long a request waits for a desk.
        line: How many requests may wait.
        known_on: Answer what the base said on this day, not what it says now.
    """

    def __init__(
        self,
        folder: Path,
        *,
        count: int = 4,
        seconds: float = 30.0,
        patience: float = 30.0,
        line: int = 200,
        known_on: Date | None = None,
    ) -> None:
        self._free = [Desk(folder, known_on) for _ in range(count)]
        self._seconds, self._patience, self._line = seconds, patience, line
        self._threads = ThreadPoolExecutor(count, "desk")
        self._slots = asyncio.Semaphore(count)
        self._waiting = 0

    @property
    def first(self) -> Desk:
        """A desk for what is done before the first request."""
        return self._free[0]

    async def run(self, work: Callable[[Desk], Found]) -> Found:
        """Do some work at a desk.

        Raises:
            TooBusyError: No desk was free in time.
            TooLongError: The work took too long; its query was stopped.
        """
        if self._waiting >= self._line:
            raise TooBusyError
        self._waiting += 1
        try:
            await asyncio.wait_for(self._slots.acquire(), self._patience)
        except TimeoutError:
            raise TooBusyError from None
        finally:
            self._waiting -= 1
        desk = self._free.pop()

        def give_back(_: object) -> None:
            self._free.append(desk)
            self._slots.release()

        task = asyncio.get_running_loop().run_in_executor(self._threads, work, desk)
        task.add_done_callback(give_back)  # also when nobody waits for the reply any more
        await asyncio.wait({task}, timeout=self._seconds)
        while not task.done():
            desk.store.interrupt()  # again and again: the work may be between two queries
            await asyncio.wait({task}, timeout=0.1)
        try:
            return task.result()
        except duckdb.InterruptException:
            raise TooLongError from None
