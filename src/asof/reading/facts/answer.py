"""What comes back from a question; it stands in ``asof.reading.ask`` now."""

from asof.reading.ask.answer import Answer, Evidence, Holds, Item, Status

__all__ = ["Answer", "Evidence", "Holds", "Item", "Status"]
