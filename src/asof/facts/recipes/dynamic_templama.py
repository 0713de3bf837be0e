"""DynamicTempLAMA: TempLAMA's selection for more relations, to be asked quarter by quarter.

Margatina et al. 2023 (arXiv:2302.12297), section 3.1 and appendix A: sixteen relations and the 1,000 most frequent
subjects of each. The published program keeps 5,000 subjects: set ``subjects=5000`` for that.
"""

from dataclasses import dataclass
from typing import ClassVar

from asof.facts.recipes.templama import TempLamaRecipe
from asof.registry import recipes


@recipes.register("dynamic-templama")
@dataclass(frozen=True, kw_only=True)
class DynamicTempLamaRecipe(TempLamaRecipe):
    """Subjects with several objects over time since 2010, both with a page; the best known of sixteen relations."""

    name: ClassVar[str] = "dynamic-templama"
    paper: ClassVar[str] = "arXiv:2302.12297"

    relations: int = 16  # the nine of TempLAMA and seven more
