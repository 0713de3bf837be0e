"""A matplotlib figure that shows itself in a notebook."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from asof.api.frame import needed

_DOTS_PER_INCH = 80


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure of so many inches, whoever else uses matplotlib; it is no figure of pyplot.

    A plain ``Figure`` is a line of text in a notebook in which nobody has imported pyplot.
    """

    class ShownFigure(needed("matplotlib.figure").Figure):  # type: ignore[misc]
        def _repr_png_(self) -> bytes:
            picture = BytesIO()
            self.savefig(picture, format="png", dpi=_DOTS_PER_INCH)
            return picture.getvalue()

    return ShownFigure(figsize=(width, height), layout="constrained")
