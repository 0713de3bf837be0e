"""``--set KEY=VALUE``, read as the type that the setting has."""

from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from asof.errors import UserError, did_you_mean


def read_settings(whose: str, known: Mapping[str, Any], pairs: Iterable[str]) -> dict[str, Any]:
    """Read settings; an unknown one is an error with a guess.

    Args:
        whose: What has the settings, for messages.
        known: The type of each setting by its name.

    >>> read_settings("a toy", {"rank": int, "light": bool}, ["rank=5", "light=true"])
    {'rank': 5, 'light': True}
    """
    return {key: read_value(pair, text, known[key]) for pair, key, text in split_pairs(whose, known, pairs)}


def split_pairs(whose: str, known: Mapping[str, Any], pairs: Iterable[str]) -> list[tuple[str, str, str]]:
    """Part pairs into the pair itself, its key, which is known, and its text."""
    found = []
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign or key not in known:
            hint = did_you_mean(key, known)
            raise UserError(f"{whose} has no setting {key!r}.{hint} It has: {', '.join(known)}. Write --set KEY=VALUE.")
        found.append((pair, key, text))
    return found


def read_value(pair: str, text: str, wanted: Any) -> Any:
    """Read a value as the type of its setting: a word of several, yes or no, a number, or text."""
    if get_origin(wanted) is Literal:
        words = get_args(wanted)
        if text not in words:
            raise UserError(f"--set {pair}: {text!r} is not one of {', '.join(words)}.{did_you_mean(text, words)}")
        return text
    kinds = [kind for kind in get_args(wanted) or (wanted,) if kind is not NoneType]
    if kinds[0] is bool:
        if text.lower() not in ("true", "false"):
            raise UserError(f"--set {pair}: write true or false.")
        return text.lower() == "true"
    try:
        return kinds[0](text)
    except ValueError:
        word = {int: "a whole number", float: "a number"}.get(kinds[0], f"a valid {kinds[0].__name__}")
        raise UserError(f"--set {pair}: {text!r} is not {word}.") from None
