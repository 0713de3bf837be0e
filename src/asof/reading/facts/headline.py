"""An answer in a line; it stands in ``asof.reading.ask`` now."""

from asof.reading.ask.headline import headline, why_no_answer

__all__ = ["headline", "why_no_answer"]
