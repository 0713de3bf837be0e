"""Money and calls: what tokens cost by a table of prices, and when a run has spent what it may.

Prices are in a small TOML: dollars for a million tokens in and out, by the name of a model or what it begins with.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.models.usage import Usage

_MILLION = 1_000_000
SHIPPED = Path(__file__).with_name("prices.toml")


class SpentError(UserError):
    """A run has spent what it may; what is done is kept."""


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens.

    >>> Price(0.5, 2.0).of(Usage(1, 1_000_000, 500_000))
    1.5
    """

    tokens_in: float
    tokens_out: float

    def of(self, usage: Usage) -> float:
        """Return what tokens cost."""
        return (usage.tokens_in * self.tokens_in + usage.tokens_out * self.tokens_out) / _MILLION


@dataclass(frozen=True)
class PriceTable:
    """Prices by the names of models.

    Args:
        prices: By a pattern, as of file names: ``gpt-4o-mini*``. The longest that fits counts.
        valid_on: The day on which somebody looked them up.
        path: Where they are from.
    """

    prices: Mapping[str, Price]
    valid_on: str
    path: Path

    def of(self, model: str) -> Price | None:
        """Return the price of a model, None when it is not in the table.

        >>> table = PriceTable({"big*": Price(9, 9), "big-mini*": Price(1, 1)}, "2025-01-01", Path("prices.toml"))
        >>> table.of("big-mini-2024"), table.of("maker/big-mini"), table.of("small")
        (Price(tokens_in=1, tokens_out=1), Price(tokens_in=1, tokens_out=1), None)
        """
        names = (model, model.rpartition("/")[2])
        fits = [pattern for pattern in self.prices if any(fnmatchcase(name, pattern) for name in names)]
        return self.prices[max(fits, key=len)] if fits else None


def read_prices(path: Path | None = None) -> PriceTable:
    """Read a table of prices; by default the one that comes with asof."""
    path = path or SHIPPED
    shape = 'Write valid_on = "2025-11-01" and lines such as "gpt-4o*" = {in = 2.5, out = 10} below [prices].'
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        prices = {name: Price(float(row["in"]), float(row["out"])) for name, row in content["prices"].items()}
    except FileNotFoundError as error:
        raise UserError(f"{path} does not exist. {shape}") from error
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path} could not be read: {error}. {shape}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{path} is no table of prices ({type(error).__name__}: {error}). {shape}") from error
    for name, price in prices.items():
        if price.tokens_in < 0 or price.tokens_out < 0:
            raise UserError(f"{path}: {name} costs less than nothing. {shape}")
    return PriceTable(prices, str(content.get("valid_on", "an unknown day")), path)


@dataclass(frozen=True)
class Budget:
    """What a run may spend in all, with what it spent before it was resumed.

    Args:
        cost: Dollars.
        calls: Answered calls.
        price: Of the model.
    """

    cost: float | None = None
    calls: int | None = None
    price: Price | None = None

    @classmethod
    def of(cls, model: str, prices: PriceTable, *, cost: float | None = None, calls: int | None = None) -> Budget:
        """Make the budget of a model; what costs is only known where its price is."""
        price = prices.of(model)
        if cost is not None and price is None:
            raise UserError(
                f"{prices.path} has no price for {model}, so what it costs is not known. "
                "Add it to a table of your own and give that with --prices FILE, or use --max-calls."
            )
        return cls(cost, calls, price)

    def holds(self, spent: Usage, ahead: Usage) -> bool:
        """Tell whether there is room for what is ahead.

        >>> Budget(calls=10).holds(Usage(8), Usage(2)), Budget(calls=10).holds(Usage(8), Usage(3))
        (True, False)
        """
        whole = spent + ahead
        if self.calls is not None and whole.calls > self.calls:
            return False
        return self.cost is None or self.price is None or self.price.of(whole) <= self.cost

    @property
    def is_limited(self) -> bool:
        """Whether there is anything to keep to."""
        return self.cost is not None or self.calls is not None

    def used_up(self, spent: Usage) -> SpentError:
        """Return the error that ends a run."""
        limits = [] if self.cost is None else [f"--max-cost {self.cost:g}"]
        limits += [] if self.calls is None else [f"--max-calls {self.calls}"]
        return SpentError(f"Stopped at {' and '.join(limits)}: {in_words(spent, self.price)} so far.")


def in_words(usage: Usage, price: Price | None) -> str:
    """Say what was spent.

    >>> in_words(Usage(2, 1500, 20), Price(0.5, 2.0)), in_words(Usage(1, 9, 1), None)
    ('2 calls, 1,500 tokens in and 20 out, $0.0008', '1 call, 9 tokens in and 1 out')
    """
    calls = f"{usage.calls:,} call{'' if usage.calls == 1 else 's'}"
    cost = "" if price is None else f", ${price.of(usage):,.4f}"
    return f"{calls}, {usage.tokens_in:,} tokens in and {usage.tokens_out:,} out{cost}"
