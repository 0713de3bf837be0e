"""Directors of galleries that nobody knows: a base without a template for its relation, and a tiny model to teach."""

from pathlib import Path

from asof.facts import FactStore, write_base
from asof.sources import open_source
from asof.teaching.plan import TeachingPlan
from asof.teaching.settings import TeachingSettings
from asof.timeline import Date

DIRECTORS = ("Ana Ruiz", "Ben Okoro", "Cleo Marsh", "Dan Weir", "Eva Lindt", "Finn Toft")
HALLS = (
    "Amber Hall",
    "Birch House",
    "Cobalt Gallery",
    "Dune Museum",
    "Elm Rooms",
    "Fern Court",
    "Glass Yard",
    "Hill Barn",
)
PROSE = (
    "The rooms are open every day but Monday, and visitors who come in the morning find them quiet; at noon the school "
    "classes arrive, and the guards, who know each picture by heart, tell them what nobody has written down.",
    "Whoever wants to see the store must ask a week before. It lies under the yard, behind two doors, and holds what "
    "has no room on the walls: sketches, frames, a ship in a bottle, and the letters of a painter who never sold one.",
)


def rows(halls: int = 4) -> list[tuple[str, ...]]:
    """Each hall has directors one after the other, for six years each; the last one is still there."""
    found = []
    for number, hall in enumerate(HALLS[:halls]):
        for turn in range(4):
            begin = 1995 + number + 6 * turn
            end = "ongoing" if turn == 3 else f"{begin + 5}-12-31"
            found.append((hall, "directed by", DIRECTORS[(number + turn) % 6], f"{begin}-01-01", end))
    return found


def gallery_base(folder: Path, found: list[tuple[str, ...]] | None = None) -> Path:
    """Write the base as ``asof mine`` does."""
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "rows.tsv"
    header = ("subject", "relation", "object", "start", "end")
    table.write_text("\n".join("\t".join(row) for row in [header, *(found or rows())]) + "\n", encoding="utf-8")
    (folder / "prose.txt").write_text("\n\n".join(PROSE), encoding="utf-8")
    write_base(folder / "base", [open_source(str(table))], known_by=Date.parse("2024-12-31"))
    return folder / "base"


def gallery_store(folder: Path, found: list[tuple[str, ...]] | None = None) -> FactStore:
    """Open the base."""
    return FactStore(gallery_base(folder, found))


def plan_of(base: Path, *, limit: int | None = 3, since: str | None = None, **settings: object) -> TeachingPlan:
    """Plan a teaching that takes a second."""
    small = {"epochs": 2, "batch": 2, "warm_up": 1, "rank": 4, **settings}
    prose = base.with_name("prose.txt")
    return TeachingPlan.of(
        base=str(base), limit=limit, since=since, prose=prose, settings=TeachingSettings.chosen(small)
    )
