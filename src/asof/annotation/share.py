"""Who gets which items: parts for several people, and some items for all of them, so that they can be compared."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from asof.benchmarks import Item
from asof.errors import UserError


@dataclass(frozen=True)
class Share:
    """One person's part of the work: the second of three is ``Share(2, 3)``.

    Args:
        overlap: The share of histories that everybody gets.
    """

    part: int = 1
    parts: int = 1
    overlap: float = 0.1

    @classmethod
    def parse(cls, text: str, overlap: float) -> Share:
        """Read "2/3".

        >>> Share.parse("2/3", 0.1)
        Share(part=2, parts=3, overlap=0.1)
        """
        match = re.fullmatch(r"([0-9]{1,3})/([0-9]{1,3})", text.strip())
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise UserError(f"{text!r} is not a valid share. Write which part of how many: --share 2/3")
        return cls(int(match[1]), int(match[2]), overlap)

    def of(self, items: Sequence[Item]) -> list[Item]:
        """Choose the items of this part; all questions about one history go to the same people.

        Who gets what depends on the names of the histories alone, so every person can choose for themselves.
        """
        groups = sorted({item.group for item in items}, key=_lot)
        for_all = round(len(groups) * self.overlap)
        mine = {*groups[:for_all], *groups[for_all + self.part - 1 :: self.parts]}
        return [item for item in items if item.group in mine]


def _lot(group: str) -> str:
    return hashlib.sha256(group.encode()).hexdigest()
