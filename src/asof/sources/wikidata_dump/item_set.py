"""Sets of items: a bit for each number, so that a hundred million of them take a few megabytes."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_PAGE_BITS = 24

Numbers = npt.NDArray[np.int64]


class ItemSet:
    """A set of item numbers, in pages of two megabytes."""

    def __init__(self) -> None:
        self._pages: dict[int, npt.NDArray[np.uint8]] = {}

    def add(self, numbers: Numbers) -> None:
        """Add numbers."""
        for page in np.unique(numbers >> _PAGE_BITS).tolist():
            bits = self._pages.setdefault(page, np.zeros(1 << (_PAGE_BITS - 3), np.uint8))
            inside = numbers[numbers >> _PAGE_BITS == page] & ((1 << _PAGE_BITS) - 1)
            np.bitwise_or.at(bits, inside >> 3, (1 << (inside & 7)).astype(np.uint8))

    def mask(self, numbers: Numbers) -> npt.NDArray[np.bool_]:
        """Tell for each number whether it is in the set."""
        found = np.zeros(len(numbers), bool)
        for page in np.unique(numbers >> _PAGE_BITS).tolist():
            if page in self._pages:
                here = numbers >> _PAGE_BITS == page
                inside = numbers[here] & ((1 << _PAGE_BITS) - 1)
                found[here] = (self._pages[page][inside >> 3] >> (inside & 7).astype(np.uint8)) & 1 == 1
        return found


def numbers_of(ids: pa.Array) -> Numbers:
    """Return the numbers of the items among some ids, each once."""
    unique = pc.unique(ids)
    items = unique.filter(pc.match_substring_regex(unique, "^Q[0-9]{1,15}$"))
    return np.asarray(pc.utf8_slice_codeunits(items, 1).cast(pa.int64()).to_numpy(zero_copy_only=False))
