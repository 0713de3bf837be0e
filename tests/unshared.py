"""Machines that do not share a disk: processes with a file system of their own in the place of a folder."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest


def unshared_python(script: Path, hidden: Path, *, then: str = "true") -> Path:
    """Write a Python that sees an empty disk of its own in the place of a folder; skip the test where none can be.

    Args:
        then: A command to run on that disk before Python starts.
    """
    inside = f'mount -t tmpfs tmpfs {shlex.quote(str(hidden))} && {then} && exec {shlex.quote(sys.executable)} "$@"'
    script.write_text(f'#!/bin/sh\nexec unshare --mount sh -c {shlex.quote(inside)} sh "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    if subprocess.run([str(script), "-c", "pass"], capture_output=True).returncode:
        pytest.skip("this system lets us hide no folder from a process")
    return script
