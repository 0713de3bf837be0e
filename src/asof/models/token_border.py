"""Where the answer begins, in tokens: the one place for that arithmetic (Ammar Khodja et al. 2025, appendix B).

Prompt and answer are tokenised together, as the model would see them; the answer's tokens are the shortest run at the
end that covers it. A token that spans the border belongs to the answer. Only the end of the text counts, so an answer
whose words also stand in the question is counted once.
"""

from collections.abc import Sequence

from asof.errors import UserError


def answer_tokens(offsets: Sequence[tuple[int, int]], border: int, text: str) -> int:
    """Count the tokens at the end of a text that cover what comes after a border.

    Args:
        offsets: For each token the characters that it covers; tokens that cover nothing (special ones) have equal ends.
        border: The number of characters before the answer.

    >>> text = "Is it Bo? Bo"
    >>> answer_tokens([(0, 0), (0, 2), (2, 5), (5, 8), (8, 9), (9, 12)], border=9, text=text)
    1
    >>> answer_tokens([(0, 0), (0, 2), (2, 5), (5, 8), (8, 12)], border=9, text=text)    # a token spans the border
    1
    """
    if border >= len(text) or not text[border:].strip():
        raise UserError(f"The answer after {text[:border]!r} is empty: there is nothing to score.")
    answer_start = border + len(text[border:]) - len(text[border:].lstrip())
    first = next(place for place, (start, end) in enumerate(offsets) if end > answer_start and start < end)
    return len(offsets) - first
