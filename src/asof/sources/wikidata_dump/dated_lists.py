"""Lists of statements with dates, cut out of a line that is not decoded.

A qualifier with a start, an end or a point in time reads ``"P580":[{"s`` (``snaktype`` comes first). As the property of
a statement, P580 is followed by ``[{"mainsnak"``, and inside a string its quotes would be escaped: so the search hits
qualifiers (and, rarely, references), and misses none. The list around a hit begins at the last ``":[{"mainsnak":``
before it, because nothing but the list of a property begins so, and ends before the next one.
"""

from stringzilla import find, rfind

_HIT = b'"P58'
_BEHIND_HIT = frozenset({b'0":[{"s', b'2":[{"s', b'5":[{"s'})
_LIST_BEGINS = b'":[{"mainsnak":'
_CLAIMS_END = b'},"sitelinks":'
_BEFORE_KEY = b"{,"


def next_date(block: bytes, begin: int, stop: int) -> int:
    """Return where a start, an end or a point in time qualifies something next, -1 if nowhere."""
    place: int = find(block, _HIT, begin, stop)
    while place >= 0 and block[place + 4 : place + 11] not in _BEHIND_HIT:
        place = find(block, _HIT, place + 4, stop)
    return place


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
        first = block.rfind(_LIST_BEGINS, begin, date)
        key = block.rfind(b'"P', begin, first) if first >= 0 else -1
        following = find(block, _LIST_BEGINS, date, stop)
        last = block.rfind(b',"P', date, following) if following >= 0 else rfind(block, _CLAIMS_END, date, stop)
        if key < 0 or last < 0 or block[key - 1] not in _BEFORE_KEY:
            return None
        lists[block[key + 1 : first].decode()] = block[first + 2 : last]
        date = next_date(block, last, stop)
    return lists
