"""Where the answer begins, in tokens: the one place for that arithmetic (Ammar Khodja et al. 2025, appendix B).

Prompt and answer are tokenised together, as the model would see them; the answer's tokens are the shortest run at the
end that covers it. A token that spans the border belongs to the answer. Only the end of the text counts, so an answer
whose words also stand in the question is counted once.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from asof.errors import UserError

_WANTS_BOS = ("gemma",)  # families whose logits are garbage without the token that begins a text


class Statement(NamedTuple):
    """A prompt with its answer, in tokens."""

    tokens: list[int]
    answer: int  # how many of them, at the end, are the answer


def first_tokens(tokenizer: Any, family: str) -> list[int]:
    """Return the tokens that a family of models needs before every text, beside those that its tokenizer adds."""
    return [tokenizer.bos_token_id] if family.startswith(_WANTS_BOS) else []


def statement_of(tokenizer: Any, prompt: str, answer: str, *, first: Sequence[int] = ()) -> Statement:
    """Put a prompt with its answer into tokens, as a model of Transformers reads them; the answer brings its space.

    Args:
        first: The tokens that must begin every text.
    """
    text = prompt + answer
    tokens = tokenizer(text, return_offsets_mapping=True)
    ids, offsets = list(tokens["input_ids"]), list(tokens["offset_mapping"])
    while ids and ids[-1] == tokenizer.eos_token_id and offsets[-1][0] == offsets[-1][1]:
        ids.pop()  # some tokenizers close every text
        offsets.pop()
    if first and ids[: len(first)] != list(first):
        ids, offsets = [*first, *ids], [(0, 0)] * len(first) + offsets
    count = answer_tokens(offsets, len(prompt), text)
    if count == len(ids):
        raise UserError(f"{prompt[:60]!r}: nothing stands before the answer, so it has no probability.")
    return Statement(ids, count)


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
    first = next(index for index, (start, end) in enumerate(offsets) if end > answer_start and start < end)
    return len(offsets) - first


def byte_spans(tokens: Sequence[bytes], text: str) -> list[tuple[int, int]] | None:
    r"""Find the characters that each token covers from the bytes it holds; None when the bytes do not spell the text.

    A token that holds part of a character covers it. Spaces that a tokenizer puts before a text cover nothing.

    >>> byte_spans([b"", b" Is", b" \xc5", b"\x81"], "Is \u0141")    # Ł in two tokens
    [(0, 0), (0, 2), (2, 4), (3, 4)]
    """
    added = b"".join(tokens).removesuffix(text.encode())
    if len(added) + len(text.encode()) != sum(map(len, tokens)) or added.strip(b" "):
        return None
    characters = [0] * len(added) + [index for index, sign in enumerate(text) for _ in sign.encode()] + [len(text)]
    spans = []
    start = 0
    for token in tokens:
        end = start + len(token)
        covers = end > max(start, len(added))
        spans.append((characters[start], characters[end - 1] + 1 if covers else characters[start]))
        start = end
    return spans


_BROKEN = "\N{REPLACEMENT CHARACTER}"  # how servers write a token that holds part of a character
_BYTES = re.compile(r"<0x[0-9A-F]{2}>|bytes:(\\x[0-9a-f]{2})+")  # ... or so: SentencePiece, OpenAI


def token_spans(tokens: Sequence[str], offsets: Sequence[int], text: str) -> list[tuple[int, int]] | None:
    r"""Find the characters that each token of a server's answer covers; None when the tokens do not spell the text.

    Offsets are believed where the tokens really stand there. Often they do not: vLLM counts the letters of ``<s>`` and
    of broken characters, SGLang says -1. Then the tokens are laid along the text. Spaces are left out of that, because
    some servers drop or rewrite them, and ``answer_tokens`` does not look at them.

    >>> token_spans(["<s>", "Is", " it", " Bo"], [0, 3, 5, 8], "Is it Bo")
    [(0, 0), (0, 2), (3, 5), (6, 8)]
    >>> token_spans(["At", " \ufffd", "\ufffd", "d\u017a"], [-1, -1, -1, -1], "At \u0141d\u017a")    # Ł in two tokens
    [(0, 2), (3, 4), (3, 4), (4, 6)]
    >>> token_spans(["Is", "it"], [0, 2], "Is it Bo") is None
    True
    """
    whole = [_BROKEN if _BYTES.fullmatch(token) else token.replace("▁", " ") for token in tokens]
    believed = _between(offsets, text)
    if len(believed) == len(whole) and all(
        _fits(token, text[start:end]) for token, (start, end) in zip(whole, believed, strict=True)
    ):
        return _joined(whole, believed, text)
    laid = _laid_along(whole, text)
    if laid is None and whole:
        laid = _laid_along(["", *whole[1:]], text)  # the first one begins the text and is not part of it
        if laid is not None:
            laid[0] = (0, 0)
    return laid


def _between(offsets: Sequence[int], text: str) -> list[tuple[int, int]]:
    """Let each token reach to where the next one begins; nothing when the offsets cannot be right."""
    if not offsets or offsets[0] != 0 or list(offsets) != sorted(offsets) or offsets[-1] > len(text):
        return []
    later = [*offsets[1:], len(text)]
    # Tokens that begin at the same place share a character, so all of them end where the next character begins.
    ends = [next((end for end in later[index:] if end > start), start) for index, start in enumerate(offsets)]
    return list(zip(offsets, ends, strict=True))


def _fits(token: str, covered: str) -> bool:
    """Tell whether a token can stand for some characters; what cannot be read stands only for those beyond ASCII."""
    shown, seen = token.strip(), covered.strip()
    if shown and _BROKEN not in token:  # a character that began in the token before may be left out of this one
        return seen == shown or (seen[1:] == shown and not seen[0].isascii())
    return all(sign.isspace() or not sign.isascii() or sign in token for sign in seen)


def _joined(tokens: Sequence[str], spans: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Let a token that holds a space and the first part of a character reach to the end of that character.

    Tokenizers of bytes often join these two. The part shows as a broken sign, or is left out: then a space before a
    character that no token shows is taken for such a join.
    """
    joined = list(spans)
    shown = {
        start for token, (start, end) in zip(tokens, spans, strict=True) if token and _shows(token, text[start:end])
    }
    for index in range(len(tokens) - 2, -1, -1):
        start, end = spans[index + 1]
        hidden = tokens[index].isspace() and start < end and start not in shown and _BROKEN not in tokens[index + 1]
        if tokens[index].endswith(_BROKEN) or hidden:
            joined[index] = (joined[index][0], max(joined[index][1], joined[index + 1][1]))
    return joined


def _shows(token: str, covered: str) -> bool:
    return covered.strip().startswith(token.strip())


def _laid_along(tokens: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """Lay tokens along a text, spaces left out; a run of broken signs covers one or more characters beyond ASCII."""
    indices = [index for index, sign in enumerate(text) if not sign.isspace()]
    signs = [(sign, number) for number, token in enumerate(tokens) for sign in token if not sign.isspace()]
    spelled = "".join(sign for sign, _ in signs)
    runs = [(run.start(), run.end()) for run in re.finditer(f"{_BROKEN}+|[^{_BROKEN}]+", spelled)]
    pattern = "".join(
        f"([^\\x00-\\x7f]{{1,{end - start}}}?)" if spelled[start] == _BROKEN else f"({re.escape(spelled[start:end])})"
        for start, end in runs
    )
    found = re.fullmatch(pattern, "".join(text[index] for index in indices))
    if not found:
        return None
    covered: list[tuple[int, int] | None] = [None] * len(tokens)
    for group, (start, end) in enumerate(runs, start=1):
        first, last = found.span(group)
        for step in range(start, end):
            broken = spelled[step] == _BROKEN  # then the whole run: which sign is which character cannot be told
            begin, stop = (first, last) if broken else (first + step - start, first + step - start + 1)
            number = signs[step][1]
            known = covered[number]
            covered[number] = (known[0] if known else indices[begin], indices[stop - 1] + 1)
    # An empty token is the first part of a character beyond ASCII that the next token completes. Where a server drops
    # all spaces it may also be a space, and it is taken for that.
    keeps_spaces = any(sign.isspace() for token in tokens for sign in token) or len(indices) == len(text)
    spans: list[tuple[int, int]] = []
    following = (len(text), len(text))
    for token, span in zip(reversed(tokens), reversed(covered), strict=True):
        part = not token and keeps_spaces and not text[following[0] : following[0] + 1].isascii()
        spans.append(span or (following if part else (following[0], following[0])))
        following = span or following
    return spans[::-1]
