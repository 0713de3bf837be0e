"""Which of a few short options a written text is: "2", "Yes, it is.", "The right one is **1**."."""

import re
from collections.abc import Sequence

from asof.wording.written_answer import answer_in, without_reasoning

_SEVERAL = r"\W*\s*(?:and|or|&|/|und|et)\s"


def option_in(text: str, options: Sequence[str]) -> str | None:
    """Return the option that a text gives; None when it gives none, or leaves it open.

    >>> [option_in(text, ("1", "2")) for text in ("2", "**1.** It was so in 2012.", "Statement 2 is right", "1 or 2?")]
    ['2', '1', '2', None]
    >>> [option_in(text, ("Yes", "No")) for text in ("No, that is not so.", "yes", "I don't know.", "Nobody")]
    ['No', 'Yes', None, None]
    """
    text = without_reasoning(text).strip()
    named = [option for option in options if re.search(rf"(?<!\w){re.escape(option)}(?!\w)", text, re.IGNORECASE)]
    if len(named) == 1:
        return named[0]
    answer = answer_in(text).casefold()
    for option in named:
        if answer == option.casefold():
            return option
        begins = re.match(rf"\W*{re.escape(option)}(?!\w)", text, re.IGNORECASE)
        if begins and not re.match(_SEVERAL, text[begins.end() :], re.IGNORECASE):
            return option
    return None
