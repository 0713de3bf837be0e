"""The page that holds a text against the base."""

from __future__ import annotations

from asof.errors import UserError
from asof.reading.verify.claim_row import VerificationRow
from asof.reading.verify.verification import TextVerifier
from asof.web.desks import Desk
from asof.web.rows import read_date

LONGEST = 2_500  # characters of a text in an address; a longer one comes in a body


def verify_page(desk: Desk, text: str, on: str | None) -> VerificationRow:
    """Hold a text against the base of a desk.

    Raises:
        UserError: The text is empty, or the date is none.
    """
    return TextVerifier(desk.store, on=read_date(on)).verify(text).row()


def short_enough(text: str) -> str:
    """Return a text that fits an address."""
    if len(text) > LONGEST:
        raise UserError(
            f"The text has {len(text):,} characters; an address takes up to {LONGEST:,}. Send a longer one with POST, "
            'as {"text": ..., "on": ...}.'
        )
    return text
