"""TComplEx (Lacroix et al. 2020, arXiv:2004.04926): TNTComplEx without the part that lasts."""

from asof.completion.scorers._scorer import Sizes
from asof.completion.scorers.tntcomplex import TNTComplEx
from asof.registry import scorers


@scorers.register("tcomplex")
class TComplEx(TNTComplEx):
    """TComplEx, 2020: every relation changes with time."""

    def __init__(self, sizes: Sizes, rank: int) -> None:
        super().__init__(sizes, rank, lasting_part=False)
