"""Lists of statements with dates, cut out of a line that is not decoded.

A start, an end or a point in time qualifies a statement only where ``"P580"``, ``"P582"`` or ``"P585"`` is a key, in
whatever order and with whatever space around it. Mostly it reads ``"P580":[{"s`` (``snaktype`` comes first). A value
is followed by a comma or a bracket, and as the property of a statement P580 is followed by ``:[{"mainsnak"``: both are
passed over, all else is looked at. (A key may also be written with escapes; ``scan`` looks for those.)

The list around a date begins at the last ``":[{"mainsnak":`` before it and ends before the next one. Where that is not
so, what is cut out is no list, and the line is decoded as a whole.
"""

from stringzilla import find, rfind

_HIT = b'"P58'
_VALUES = frozenset(digit + b'"' + sign for digit in (b"0", b"2", b"5") for sign in (b",", b"]", b"}"))
_KEYS = frozenset({b'0"', b'2"', b'5"'})
_PROPERTY = b':[{"mainsnak"'
_USUAL = b':[{"s'
_LIST_BEGINS = b'":[{"mainsnak":'
_CLAIMS_END = b'},"sitelinks":'
_BEFORE_KEY = b"{,"


def next_date(block: bytes, begin: int, stop: int) -> int:
    """Return where a start, an end or a point in time may qualify something next, -1 if nowhere."""
    offset: int = find(block, _HIT, begin, stop)
    while offset >= 0:
        behind = block[offset + 4 : offset + 7]
        if behind not in _VALUES and behind[:2] in _KEYS and not block.startswith(_PROPERTY, offset + 6):
            return offset
        offset = find(block, _HIT, offset + 4, stop)
    return -1


def dated_lists(block: bytes, begin: int, stop: int, date: int) -> dict[str, bytes] | None:
    """Cut the lists with dates out of the line between two bytes; None if it does not look as usual.

    >>> line = b'{"claims":{"P6":[{"mainsnak":1}],"P39":[{"mainsnak":2,"q":{"P580":[{"s":3}]}}]},"sitelinks":{}}'
    >>> dated_lists(line, 0, len(line), next_date(line, 0, len(line)))
    {'P39': b'[{"mainsnak":2,"q":{"P580":[{"s":3}]}}]'}

    Args:
        date: The place of the first date.
    """
    lists: dict[str, bytes] = {}
    while date >= 0:
        if not block.startswith(_USUAL, date + 6):
            return None
        first = block.rfind(_LIST_BEGINS, begin, date)
        key = block.rfind(b'"P', begin, first) if first >= 0 else -1
        following = find(block, _LIST_BEGINS, date, stop)
        last = block.rfind(b',"P', date, following) if following >= 0 else rfind(block, _CLAIMS_END, date, stop)
        if key < 0 or last < 0 or block[key - 1] not in _BEFORE_KEY or not block[key + 2 : first].isdigit():
            return None
        lists[block[key + 1 : first].decode()] = block[first + 2 : last]
        date = next_date(block, last, stop)
    return lists
