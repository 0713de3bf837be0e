"""Choices between two answers of a fact (choose): the one of a period and an earlier one, both orders, often enough."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import ClassVar

from asof.probes import LEFT_OUT, Row
from asof.registry import preferences
from asof.runs.cutoff_answers import Choice, ModelAnswer, ReadingSettings
from asof.runs.cutoff_history import FactHistory

_Pair = tuple[int, int, int | None]  # the present answer, the earlier one, and the period that the question named


@preferences.register("choices")
class ChoicePreferences:
    """The share of askings in which the answer of a period was chosen before an earlier one."""

    compared: ClassVar[bool] = False
    own_only: ClassVar[bool] = True

    def read(self, facts: Sequence[FactHistory], rows: Mapping[str, Row], how: ReadingSettings) -> list[ModelAnswer]:
        """Put the choices about each fact together; the same pair asked in several periods is one choice."""
        found = []
        for fact in facts:
            shares = _shares(fact, rows)
            if shares:
                won = _winner(shares)
                choices = tuple(one for pair, share in shares.items() for one in _choices(pair, share))
                found.append(ModelAnswer(fact, fact.names[won], fact.names[won], won, choices=choices))
        return found


def _shares(fact: FactHistory, rows: Mapping[str, Row]) -> dict[_Pair, float]:
    """Return how often the present answer of each pair was chosen."""
    seen: defaultdict[_Pair, list[float]] = defaultdict(list)
    for index, id in enumerate(fact.items):
        row = rows.get(id) if id is not None else None
        if row is None or LEFT_OUT in row:
            continue
        present, earlier = (fact.answer(str(row[name])) for name in ("present", "earlier"))
        if present is not None and earlier is not None and present != earlier:
            seen[present, earlier, index if row.get("dated") else None].append(float(row["share"]))
    return {pair: sum(values) / len(values) for pair, values in seen.items()}


def _choices(pair: _Pair, share: float) -> list[Choice]:
    present, earlier, period = pair
    both = ((present, share), (earlier, 1 - share))
    return [Choice(given, (present, earlier), weight, period) for given, weight in both if weight > 0]


def _winner(shares: Mapping[_Pair, float]) -> int:
    """Return the answer that wins the most; of equal ones the older."""
    won: defaultdict[int, float] = defaultdict(float)
    for (present, earlier, _), share in shares.items():
        won[present] += share - 0.5
        won[earlier] += 0.5 - share
    return min(won, key=lambda answer: (-won[answer], answer))
