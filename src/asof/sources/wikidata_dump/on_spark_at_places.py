"""Mine a dump on machines of Spark that share no disk: they read it at its place, and leave the parts at another.

A machine mines a stretch on a disk of its own, writes the parts to the place, and last of all a mark that the stretch
is done. Whoever started it fetches the parts, sees that they are as many as were told, and puts them where its own
processes would have put them: the base is the same. Stopped, the next run takes what is done from here or from there.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from asof.errors import UserError
from asof.facts.manifest import sha256_of
from asof.places import MissingPlaceError, place_at
from asof.sources.wikidata_dump.mining import PLAN, MinedRange, Task, mine_stretch, reports_of
from asof.sources.wikidata_dump.on_spark import map_on_spark

_DONE = "done.json"
_WORK = ".mining"
_AT_A_TIME = 8


@dataclass(frozen=True)
class StretchAtPlace:
    """A stretch to mine, and the address for what it gives."""

    task: Task
    address: str


@dataclass(frozen=True)
class SparkAtPlace:
    """A ``Mapper``: runs tasks on Spark, with a place between the machines.

    Args:
        address: Where the base is to be; the parts lie beside it until they are fetched.
    """

    address: str

    def __call__(self, function: Callable[[Task], MinedRange], tasks: Sequence[Task]) -> Iterator[list[MinedRange]]:
        """Mine what is not done yet, and fetch it."""
        here = [task for task in tasks if (reports := reports_of(Path(task.folder))) and reports[-1]["last"]]
        yield [MinedRange.of(task.folder) for task in here]
        work = self._work(tasks)
        wanted = [StretchAtPlace(task, f"{work}/{Path(task.folder).name}") for task in tasks if task not in here]
        if not wanted:
            return
        for finished in map_on_spark(mine_at_place, wanted):
            if finished:
                with ThreadPoolExecutor(_AT_A_TIME) as pool:
                    yield list(pool.map(fetched, wanted, finished))
        _empty(work)

    def _work(self, tasks: Sequence[Task]) -> str:
        """Return an address that only the same dump with the same settings has."""
        folder = Path(tasks[0].folder).parent
        return f"{self.address}/{_WORK}/{folder.name}-{sha256_of(folder / PLAN)[:12]}"


def mine_at_place(stretch: StretchAtPlace) -> MinedRange:
    """Mine a stretch on this machine and leave its parts at their place; what was done by an earlier run stays."""
    place, task = place_at(stretch.address), stretch.task
    try:
        return replace(MinedRange(**json.loads(place.child(_DONE).read())), folder=task.folder)
    except MissingPlaceError:
        pass
    with tempfile.TemporaryDirectory(prefix="asof-") as work:
        folder = Path(work) / Path(task.folder).name
        (Path(work) / PLAN).write_text("{}", encoding="utf-8")
        mined = mine_stretch(replace(task, folder=str(folder)))
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            place.child(file.relative_to(folder).as_posix()).put(file)
        done = Path(work) / _DONE
        done.write_text(json.dumps(asdict(mined)), encoding="utf-8")
        place.child(_DONE).put(done)
    return replace(mined, folder=task.folder)


def fetched(stretch: StretchAtPlace, mined: MinedRange) -> MinedRange:
    """Bring the parts of a stretch to this disk, and see that they are what its machine told of."""
    place, folder = place_at(stretch.address), Path(stretch.task.folder)
    making = folder.with_name(f".fetching-{folder.name}")
    shutil.rmtree(making, ignore_errors=True)
    for name in place.files():
        if name != _DONE:
            (making / name).parent.mkdir(parents=True, exist_ok=True)
            place.child(name).fetch(making / name)
    there = replace(MinedRange.of(str(making)), folder=mined.folder)
    if there != mined:
        raise UserError(
            f"A machine of Spark told of {mined.facts:,} facts in {mined.parts} parts, and at {place} there are "
            f"{there.facts:,} in {there.parts}. Remove {place}, and run the same command again."
        )
    shutil.rmtree(folder, ignore_errors=True)
    making.rename(folder)
    return mined


def _empty(address: str) -> None:
    """Remove what was fetched; what cannot be removed does no harm."""
    place = place_at(address)
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        list(pool.map(lambda name: place.child(name).delete(), place.files()))
