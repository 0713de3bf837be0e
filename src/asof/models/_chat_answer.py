"""What is the answer in what a chat model gave: its text without its thinking, and which of a few options it is."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from asof.wording.written_answer import UNFINISHED

Ended = Literal["by itself", "cut off", "declined"]
TopTokens = Sequence[tuple[str, float]]  # tokens at one place, with their log-probabilities

_THOUGHT = re.compile(r"^\s*<(think|thinking|reasoning|seed:think)>.*?</\1>\s*", re.DOTALL)
_ENDS_THINKING = re.compile(r"^.*</(?:think|thinking|reasoning)>\s*", re.DOTALL)  # the template opened it
_THINKS = re.compile(r"^\s*<(?:think|thinking|reasoning|seed:think)>")
_MARKS = " \t\r\n\"'`*_([{<«“‘#>:-–▁ĠĊ"  # what may stand before an answer: markup, quotes, signs for a space
_LEAST = 0.01  # of the probability of the first token: with less on all options, something else was answered
_STATES = re.compile(
    r"\b(?:answer|choice|option|choose|pick|statement)\b(?:\s+(?:is|would be))?\s*[:=]?\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """One answer of a chat model.

    Args:
        text: All that it wrote as its answer.
        ended: How it came to an end.
        thought: Whether it wrote thinking, too, which the server keeps apart.
        why: What the server says of an answer that was declined.
        top: The likeliest tokens at each place of the answer, where the server tells.
    """

    text: str
    ended: Ended = "by itself"
    thought: bool = False
    why: str = ""
    top: Sequence[TopTokens] = ()

    @property
    def answer(self) -> str:
        r"""The text without its thinking; a mark for a model that did not come to an answer.

        >>> ChatAnswer("<think>Obama? No.</think>\n\nGeorge Bush").answer
        'George Bush'
        >>> ChatAnswer("<think>Was it Obama or", "cut off").answer, ChatAnswer("", "cut off", thought=True).answer
        ('<think>', '<think>')
        >>> ChatAnswer("", "declined").answer, ChatAnswer("I cannot say.", "declined").answer
        ('<think>', 'I cannot say.')
        """
        text = _ENDS_THINKING.sub("", _THOUGHT.sub("", self.text))
        nothing = not text.strip() and (self.ended == "declined" or (self.ended == "cut off" and self.thought))
        return UNFINISHED if nothing or _THINKS.match(text) else text


def shares_of_tokens(top: Sequence[TopTokens], options: Sequence[str]) -> list[float] | None:
    """Return the share of each option from the likeliest tokens where the answer begins; None where it is none of them.

    Marks before the answer are passed over; the tokens that begin an option count for it.

    >>> a, b = shares_of_tokens([[("A", math.log(.5)), (" A", math.log(.1)), ("b", math.log(.2))]], ["A", "B"])
    >>> round(a, 3), round(b, 3)
    (0.75, 0.25)
    >>> shares_of_tokens([[("**", -.1)], [("Yes", -.2), ("Not", -2)]], ["Yes", "No"])
    [1.0, 0.0]
    >>> shares_of_tokens([[("I", -.01), ("A", -9.0)]], ["A", "B"]) is None
    True
    """
    for place in top:
        if not place:
            return None
        likeliest = max(place, key=lambda one: one[1])[0]
        if likeliest.strip(_MARKS) or not likeliest:
            found = [0.0] * len(options)
            for token, logprob in place:
                which = _begins(token, options)
                if which is not None:
                    found[which] += math.exp(logprob)
            total = sum(found)
            return [mass / total for mass in found] if total >= _LEAST else None
    return None


def option_in(text: str, options: Sequence[str]) -> int | None:
    """Return which option a text answers with; None where it is none of them, or several.

    >>> [option_in(text, ["A", "B"]) for text in ("B", "(a)", "**B.** It is", "The answer is (A).", "A dog", "Either.")]
    [1, 0, 1, 0, None, None]
    >>> [option_in(text, ["Yes", "No"]) for text in ("Yes, he was.", "no", "I do not know. No?", "Yes and No")]
    [0, 1, 1, 0]
    """
    stated = _STATES.search(text)
    for begins in [text] if stated is None else [text, text[stated.end() :]]:
        which = _begins_with(begins.lstrip(_MARKS), options)
        if which is not None:
            return which
    named = {which for which, option in enumerate(options) if _named(option, text)}
    return named.pop() if len(named) == 1 else None


def _begins(token: str, options: Sequence[str]) -> int | None:
    """Return which option a token begins, or holds and ends; None for none or several."""
    word = token.strip(_MARKS)
    if not word:
        return None
    small = word.casefold()
    found = [
        which
        for which, option in enumerate(options)
        if option.casefold().startswith(small) or _begins_with(word, [option]) is not None
    ]
    return found[0] if len(found) == 1 else None


def _begins_with(text: str, options: Sequence[str]) -> int | None:
    """Return the longest option that a text begins with, where a word ends after it."""
    small = text.casefold()
    found = [
        which
        for which, option in enumerate(options)
        if small.startswith(option.casefold()) and _ends_there(text, option)
    ]
    return max(found, key=lambda which: len(options[which]), default=None)


def _ends_there(text: str, option: str) -> bool:
    """Tell whether an option is whole: "A dog" does not answer A, "A." does."""
    rest = text[len(option) :]
    if len(option) == 1 and option.isalpha():
        return not rest.strip() or bool(re.match(r"\s*[^\w\s'’]|\s*\n", rest))
    return not rest[:1].isalnum()


def _named(option: str, text: str) -> bool:
    if len(option) == 1:
        return bool(re.search(rf"(?<![\w'’]){re.escape(option)}(?=[).:,*\]]|\s*$)", text))
    return bool(re.search(rf"(?<!\w){re.escape(option)}(?!\w)", text, re.IGNORECASE))
