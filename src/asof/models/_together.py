"""Several requests under way at a time; whatever is counted on behalf of whoever asked is counted for them."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from threading import Event
from typing import TypeVar

Asked = TypeVar("Asked")
Given = TypeVar("Given")


def together(ask: Callable[[Asked, Event], Given], requests: Sequence[Asked], in_flight: int) -> list[Given]:
    """Ask several things at a time and return the answers in their order."""
    stop = Event()  # one request that failed for good ends the waiting of all others
    if len(requests) == 1:
        return [ask(requests[0], stop)]
    pool = ThreadPoolExecutor(in_flight)
    try:
        answers = [pool.submit(copy_context().run, ask, request, stop) for request in requests]
        for answer in as_completed(answers):
            answer.result()
        return [answer.result() for answer in answers]
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)  # nothing is under way any more when this returns or raises
