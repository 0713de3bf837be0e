"""A dump that is cut, spoiled or changed, a process that is killed, a full disk: nothing lost, nothing twice."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from bench.generated_dump import ENDINGS, MEMBER_HEADER, Plan, write_dump

from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.sources.wikidata_dump import WikidataDump
from asof.sources.wikidata_dump.mining import FACTS, MinedRange, Task, mine_stretch, reports_of, rows_of
from asof.sources.wikidata_dump.wanted import MiningSettings
from asof.sources.wikidata_dump.work import WorkSizes, tasks_of
from tests.small_disk import enlarge, small_disk
from tests.sources.dumps import SMALL, content, facts_in, facts_of, mined, rejects_of

MINER = """
import os, signal, sys, threading, time
from pathlib import Path
from asof.facts import write_base
from asof.sources.wikidata_dump import WikidataDump
from asof.sources.wikidata_dump.work import WorkSizes
def die(folder, parts, seconds):  # from within, so that a busy machine holds up the kill as much as the work
    while len(list(Path(folder).glob(".mining/*/*/part-*"))) <= parts:
        time.sleep(0.002)
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":
    for line in sys.stdin:
        dump, folder, processes, parts, seconds = line.rstrip().split("|")
        child = os.fork()
        if not child:
            if parts:
                threading.Thread(target=die, args=(folder, int(parts), float(seconds)), daemon=True).start()
            source = WikidataDump(dump, processes=int(processes), sizes=WorkSizes(stretch=60_000, part=100_000))
            write_base(Path(folder), [source], name="base")
            os._exit(0)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Miner:
    """Mines in forks of one process that has imported everything: a dozen starts of Python take a dozen seconds."""

    def __init__(self, script: Path) -> None:
        script.write_text(MINER, encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, dump: Path, folder: Path, processes: int, dies: tuple[int | str, float] = ("", 0.0)) -> int:
        """Begin to mine; return the number of the process.

        Args:
            dies: It is killed when more parts than so many are finished, after so many seconds.
        """
        assert self._process.stdin
        self._process.stdin.write(f"{dump}|{folder}|{processes}|{dies[0]}|{dies[1]}\n")
        self._process.stdin.flush()
        return self._answer()

    def end(self) -> int:
        """Wait for its end; return its exit code."""
        return self._answer()

    def close(self) -> None:
        """Let the process end that the others are forks of."""
        self._process.communicate()

    def _answer(self) -> int:
        assert self._process.stdout
        return int(self._process.stdout.readline())


def finished_parts(folder: Path) -> int:
    return len(list(folder.glob(".mining/*/*/part-*")))


def children_of(process: int) -> set[int]:
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[1]) == process:
                found.add(int(stat.parent.name))
        except (OSError, ValueError):
            continue
    return found | {grandchild for child in found for grandchild in children_of(child)}


def finished(process: int) -> bool:
    """Tell whether a process has ended, though nobody has asked for its exit code."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_for_end_of(processes: set[int]) -> None:
    for _ in range(600):
        alive = [number for number in processes if Path(f"/proc/{number}").exists()]
        if not alive:
            return
        time.sleep(0.1)
    pytest.fail(f"processes {alive} outlive the one that started them")


def test_killed_ten_times_it_goes_on_and_gives_the_same_base(tmp_path: Path) -> None:
    dump, folder = tmp_path / "d.json.gz", tmp_path / "base"
    truth = write_dump(dump, Plan(entities=1_500, seed=3, line_bytes=4_000, batch=20, broken=5))
    chance = random.Random(1)
    miner = Miner(tmp_path / "mine.py")
    for kill in range(10):
        dies = (finished_parts(folder), chance.random() * 0.05)
        process = miner.start(dump, folder, processes=2 if kill % 5 == 0 else 1, dies=dies)
        children: set[int] = set()
        while Path(f"/proc/{process}").exists() and not finished(process):
            children |= children_of(process)
            time.sleep(0.002)
        assert miner.end() == -signal.SIGKILL, "the dump is too small to be killed ten times"
        wait_for_end_of(children)
    for place in (folder, tmp_path / "whole"):
        miner.start(dump, place, processes=1)
        assert miner.end() == 0
    miner.close()
    assert content(folder) == content(tmp_path / "whole")
    assert facts_in(FactStore(folder)) == facts_of(truth, qualifiers=False)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("one_stream", [False, True])
def test_a_cut_dump_is_told_and_taken_on_demand(tmp_path: Path, ending: str, one_stream: bool) -> None:
    path = tmp_path / f"d{ending}"
    entities = 1_500 if one_stream and ending == ".json.bz2" else 300  # one stream has blocks of 900 kB
    plan = Plan(entities=entities, seed=8, line_bytes=2_500, temporal=0.5, batch=30, one_stream=one_stream)
    truth = write_dump(path, plan)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    with pytest.raises(UserError, match=r"(?s)is cut: .*byte [0-9,]+.*--accept-cut"):
        mined(path)
    store, source, _ = mined(path, accept_cut=True)
    assert facts_in(store) <= facts_of(truth, qualifiers=False)
    assert 0.4 * truth.counts["items"] < source.counts["items"] < 0.8 * truth.counts["items"]


def test_a_gzip_cut_between_two_members_is_told_by_its_missing_bracket(tmp_path: Path) -> None:
    path = tmp_path / "d.json.gz"
    write_dump(path, Plan(entities=100, seed=8, line_bytes=1_500, batch=20))
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(MEMBER_HEADER)])
    with pytest.raises(UserError, match=r"is cut: it ends at byte [0-9,]+ without the bracket that closes the list"):
        mined(path)


@pytest.mark.parametrize("ending", [".json.gz", ".json.bz2", ".json.zst"])
def test_a_spoiled_block_costs_only_itself_and_is_named(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"d{ending}"
    truth = write_dump(path, Plan(entities=400, seed=6, line_bytes=4_000, temporal=0.5, batch=40))
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 200] = bytes(200)
    path.write_bytes(data)
    store, source, intake = mined(path)
    numbers = range(1, 401)
    kept = {fact[0] for fact in facts_in(store)}
    true = {fact["subject"] for fact in truth.facts}
    assert facts_in(store) <= facts_of(truth, qualifiers=False)
    lost = sorted(int(id[1:]) for id in true - kept)
    assert lost and lost[-1] - lost[0] <= 41, "more than one batch is lost"
    assert len(lost) < 0.2 * len(numbers)
    [note] = [note for note in source.notes() if "lost" in note]
    assert "at byte" in note and "reading went on" in note
    assert any("lost" in reject["reason"] for reject in rejects_of(store))
    assert intake.rejects.count == len(rejects_of(store))


def test_unfinished_work_on_another_dump_or_with_other_settings_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.json.gz"
    write_dump(path, Plan(entities=200, seed=8, line_bytes=1_500, batch=20))
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(MEMBER_HEADER)])
    with pytest.raises(UserError, match="is cut"):
        mined(path)
    with pytest.raises(UserError, match=r"unfinished work with other settings \(languages\)\. .*rm -r .*\.mining"):
        mined(path, languages=["fr"])
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"unfinished work on another dump, or d\.json\.gz has changed"):
        mined(path)


def test_a_full_disk_is_told_and_mining_goes_on_when_there_is_space(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "700k") as disk:
        path = tmp_path / "d.json.gz"
        truth = write_dump(path, Plan(entities=1_500, seed=8, line_bytes=2_000, temporal=0.9, batch=50))
        source = WikidataDump(str(path), processes=1, sizes=SMALL)
        with pytest.raises(UserError, match=r"The disk of .* is full\. .*What is mined so far is kept"):
            write_base(disk / "base", [source])
        assert finished_parts(disk / "base") > 0
        enlarge(disk, "64m")
        write_base(disk / "base", [WikidataDump(str(path), processes=1, sizes=SMALL)])
        assert facts_in(FactStore(disk / "base")) == facts_of(truth, qualifiers=False)
        assert not (disk / "base" / ".mining").exists()


def test_a_killed_worker_is_told(tmp_path: Path) -> None:
    path = tmp_path / "d.json.gz"
    write_dump(path, Plan(entities=600, seed=8, line_bytes=3_000, batch=20))
    source = WikidataDump(str(path), processes=2, sizes=WorkSizes(stretch=20_000, part=50_000))
    killed = False

    def kill_one(done: int, size: int) -> None:
        nonlocal killed
        workers = [number for number in children_of(os.getpid()) if b"spawn_main" in _command(number)]
        if not killed and workers:
            killed = True
            os.kill(max(workers), signal.SIGKILL)

    source.on_progress = kill_one
    with pytest.raises(UserError, match=r"A mining process was killed.*run the same command again"):
        write_base(tmp_path / "base", [source])


def mine_into(folder: Path, tasks: Sequence[Task], *, say: int) -> Iterator[list[MinedRange]]:
    """Mine as a process does whose results are elsewhere, or fewer than it says."""
    for task in tasks:
        made = mine_stretch(task)
        Path(task.folder).replace(folder / Path(task.folder).name)
        yield [replace(made, facts=made.facts + say)]


@pytest.mark.parametrize("fault", ["nobody mines", "one is missing", "on another disk", "other counts"])
def test_a_base_stays_unless_every_stretch_was_mined_and_the_counts_add_up(tmp_path: Path, fault: str) -> None:
    path, elsewhere = tmp_path / "d.json.gz", tmp_path / "elsewhere"
    write_dump(path, Plan(entities=300, seed=8, line_bytes=1_500, batch=20))
    store, _, _ = mined(path)
    before = content(store.folder)
    elsewhere.mkdir()

    def mapper(mine: Callable[[Task], MinedRange], tasks: Sequence[Task]) -> Iterator[list[MinedRange]]:
        assert len(tasks) > 2
        if fault == "one is missing":
            yield [mine(task) for task in tasks[:-1]]
        elif fault == "on another disk":
            yield from mine_into(elsewhere, tasks, say=0)
        elif fault == "other counts":
            yield from mine_into(Path(tasks[0].folder).parent, tasks, say=1)

    with pytest.raises(UserError, match=r"Of [0-9]+ stretches of d\.json\.gz, [0-9]+ were not mined to their end"):
        mined(path, mapper=mapper)
    assert content(store.folder) == before


def test_a_process_refuses_another_dump_of_the_same_name(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    write_dump(path, Plan(entities=60, seed=8, line_bytes=1_500))
    tasks = tasks_of(path, MiningSettings(), tmp_path / "work", SMALL)
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(UserError, match=r"has another .*d\.json, of [0-9,]+ bytes instead of"):
        mine_stretch(tasks[0])
    path.unlink()
    with pytest.raises(UserError, match=r"does not see .*d\.json\. Put the dump on a disk that all machines share"):
        mine_stretch(tasks[0])


def test_rows_that_were_lost_on_the_disk_are_told(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    write_dump(path, Plan(entities=60, seed=8, line_bytes=1_500, temporal=0.5))
    [task] = tasks_of(path, MiningSettings(), tmp_path / "work", WorkSizes())
    mine_stretch(task)
    [report] = reports_of(Path(task.folder))
    report["rows"][FACTS] += 1
    with pytest.raises(
        UserError, match=r"facts\.arrow has [0-9,]+ rows, and [0-9,]+ were written\. Start again: rm -r"
    ):
        list(rows_of(report, FACTS))


def _command(number: int) -> bytes:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return b""
