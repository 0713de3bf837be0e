"""The day on which a source is read: up to it, a source that states no day of its own is taken to be current."""

from datetime import UTC, datetime

from asof.timeline import Date


def day_of_mining() -> Date:
    """Return the present day, in UTC, so that it does not depend on where a machine stands."""
    return Date.parse(datetime.now(UTC).date().isoformat())
