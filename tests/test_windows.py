"""What Windows lacks, taken away here: the base commands do without it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# No POSIX module, no POSIX call, no handle of a folder, no sync of a file that was opened for reading alone.
WITHOUT_POSIX = """
import os, stat, sys
for name in ("fcntl", "resource", "termios", "tty", "pty", "grp"):
    sys.modules[name] = None
for name in ("fork", "getuid", "geteuid", "sched_getaffinity", "sysconf", "killpg", "setsid"):
    if hasattr(os, name):
        delattr(os, name)
opened, synced = os.open, os.fsync

def open_file(path, flags, *args, **options):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", str(path))
    return opened(path, flags, *args, **options)

def sync(handle):
    mode = [line.split()[1] for line in open(f"/proc/self/fdinfo/{handle}") if line.startswith("flags:")]
    if int(mode[0], 8) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(9, "Bad file descriptor")
    synced(handle)

os.open, os.fsync = open_file, sync
import asof.whole_file
class System:
    name = "nt"
    def __getattr__(self, name):
        return getattr(os, name)
asof.whole_file.os = System()
from asof.cli import main
main()
"""


@pytest.mark.skipif(not Path("/proc/self/fdinfo").is_dir(), reason="/proc is not here")
def test_the_base_commands_need_nothing_that_windows_lacks(tmp_path: Path) -> None:
    env = os.environ | {"ASOF_CACHE": str(tmp_path / "cache")}
    (tmp_path / "facts.csv").write_text("subject,relation,object,start,end\nA,likes,B,2001,2003\n", encoding="utf-8")

    def asof(*words: str) -> str:
        command = [sys.executable, "-c", WITHOUT_POSIX, *words]
        ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout + ran.stderr

    assert "Mario Draghi" in asof("facts", "--subject", "Italy", "--relation", "head of government", "--on", "2021-03")
    assert "Petrograd" in asof("timeline", "Leningrad", "official name")
    assert "Giuseppe Conte." in asof("ask", "Who was the prime minister of Italy before Mario Draghi?")
    assert "table" in asof("list", "sources")
    assert "holds 1 fact" in asof("mine", "facts.csv", "--to", "base")
    assert "likes" in asof("facts", "--base", "base")
    assert "quiz holds" in asof("build", "timeqa", "--limit", "2", "--set", "relations=P6", "--to", "quiz")
    assert "predictions in answers" in asof("run", "quiz", "facts:almanac", "--to", "answers")
    assert "em" in asof("score", "answers")
