"""A small dataset that can be learnt: players change clubs every five years, from one club to the next."""

from collections.abc import Container
from pathlib import Path

CLUBS = 6
PLAYERS = 36


def rows() -> list[tuple[str, str, str, str, str, str]]:
    """Split and fact: each player is five years with each of three clubs; of one group all do the same.

    Each spell of a group is in valid for one of its six players and in test for another, so train has it four times.
    """
    found = []
    for player in range(PLAYERS):
        mate, group = divmod(player, CLUBS)
        name, begin = f"Player_{player:02d}", 1980 + 2 * group
        found.append(("train", name, "bornIn", f"Town_({group})", str(begin - 20), str(begin - 20)))
        for spell in range(3):
            start = begin + 5 * spell
            split = "valid" if mate == spell else "test" if mate == spell + 3 else "train"
            no_end = spell == 2 and mate == 0 and group < 3
            end = "####" if no_end else str(start + 4)
            found.append((split, name, "playsFor", f"Club_{(group + spell) % CLUBS}", str(start), end))
    return found


def write_toy(folder: Path, *, without: Container[str] = ()) -> Path:
    """Write the dataset as the published ones are: train.txt, valid.txt, test.txt.

    Args:
        without: Splits whose files are to be empty.
    """
    folder.mkdir(parents=True)
    for split in ("train", "valid", "test"):
        lines = [
            f"{subject}\t{relation}\t{object}\t{start}-##-##\t{end}-##-##\n"
            for where, subject, relation, object, start, end in rows()
            if where == split and split not in without
        ]
        (folder / f"{split}.txt").write_text("".join(lines), encoding="utf-8")
    return folder
