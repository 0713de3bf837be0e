"""Ways of doing the same work, each in a process of its own, so that none changes the threads of another."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any


class Worker:
    """A process that answers lines of JSON with lines of JSON."""

    def __init__(self, program: str, *words: str) -> None:
        command = [sys.executable, program, "--work", *words]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *question: Any) -> Any:
        """Return the answer; the first comes when the worker is loaded."""
        if self._process.stdin is None or self._process.stdout is None:
            raise SystemExit("a worker has no pipes")
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def work(load: Callable[[], Callable[..., Any]]) -> None:
    """Be a worker: load what answers, and answer every line."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    answer = load()
    with os.fdopen(answers, "w") as out:
        for line in sys.stdin:
            out.write(json.dumps(answer(*json.loads(line))) + "\n")
            out.flush()
