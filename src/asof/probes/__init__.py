"""The ways in which an item is put to a model."""

from collections.abc import Callable

from asof.errors import UserError
from asof.models import Model
from asof.probes.answer_likelihood import answer_likelihood, formats

__all__ = ["answer_likelihood", "can_probe", "formats"]

Progress = Callable[[int], None]


def can_probe(model: Model, needs: str, benchmark: str) -> None:
    """Say before anything runs when a model cannot do what a benchmark needs."""
    if needs not in model.can:
        offers = ", ".join(sorted(model.can)) or "nothing of the kind"
        raise UserError(f"{benchmark} needs {needs}; {model.name} offers {offers}. Use a model that gives it.")
