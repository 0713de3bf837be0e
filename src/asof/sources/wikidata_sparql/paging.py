"""Page after page until an empty one, in smaller pieces where an endpoint is slow: nothing lost, nothing twice."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from asof.errors import UserError
from asof.sources.wikidata_sparql.endpoint import Row, SlowError, SparqlEndpoint
from asof.sources.wikidata_sparql.queries import StatementRange, count_query, statements_query

_MOST_SLOW_IN_A_ROW = 12  # an endpoint that answers nothing in time is down, however small the question


@dataclass
class Patience:
    """Counts questions that took too long, one after the other."""

    slow: int = 0

    def lose(self, error: SlowError) -> None:
        """Count one more, or give up."""
        self.slow += 1
        if self.slow >= _MOST_SLOW_IN_A_ROW:
            raise UserError(
                f"{error} That was the {self.slow}th question in a row without an answer, however small. What was "
                "answered before is kept for a day; run the same command again later."
            ) from error


def statement_pages(endpoint: SparqlEndpoint, stretch: StatementRange, *, limit: int) -> Iterator[list[Row]]:
    """Walk over the dated statements of a stretch.

    Each page begins behind the last statement of the one before, so a page that a server has cut short, with a word or
    without, only makes the next one longer. The end is an empty page.
    """
    patience = Patience()
    waiting = [stretch]
    seen: set[str] = set()
    sorted_throughout = True
    while waiting:
        now = waiting.pop()
        try:
            page = endpoint.ask(statements_query(now, limit))
        except SlowError as error:
            patience.lose(error)
            parts = now.parts()
            if not parts:
                raise UserError(
                    f"{error} Even {now} is too much for the endpoint. Name fewer subjects, or set a longer --timeout."
                ) from error
            waiting += reversed(parts)
            continue
        patience.slow = 0
        if page:
            addresses = [row["id"]["value"] for row in page]
            again = next((address for address in addresses if address in seen), None)
            if again:
                raise UserError(
                    f"{endpoint.address} gave {again} on two pages: it does not sort or compare texts as SPARQL 1.1 "
                    "says, so nobody can tell when it is at the end. Use another endpoint, or a dump."
                )
            seen.update(addresses)
            sorted_throughout &= addresses == sorted(addresses)
            waiting.append(replace(now, after=addresses[-1]))
            yield page
    if not sorted_throughout:  # sorted by the rules of some language: check that its comparisons follow the same rules
        _check_count(endpoint, stretch, len(seen))


def _check_count(endpoint: SparqlEndpoint, stretch: StatementRange, seen: int) -> None:
    count = int(endpoint.ask(count_query(stretch))[0]["count"]["value"])
    if count != seen:
        raise UserError(
            f"{endpoint.address} says that it has {count:,} statements ({stretch}) but gave {seen:,}, page by page: "
            "its order of texts is not that of its comparisons. Use another endpoint, or a dump."
        )


def marks_of(
    endpoint: SparqlEndpoint, things: Sequence[str], query: Callable[[Sequence[str]], str], *, at_a_time: int
) -> dict[str, list[str]]:
    """Ask for the marks of things by their addresses.

    What is missing in an answer, or has fewer marks than it counts, is asked for again, until an answer brings nothing
    new: the things that are left then have no marks.
    """
    patience = Patience()
    waiting = [list(things[first : first + at_a_time]) for first in range(0, len(things), at_a_time)][::-1]
    found: dict[str, list[str]] = {}
    while waiting:
        now = waiting.pop()
        try:
            rows = endpoint.ask(query(now))
        except SlowError as error:
            patience.lose(error)
            if len(now) == 1:
                raise UserError(f"{error} Even one thing ({now[0]}) is too much for it.") from error
            waiting += _halves(now)
            continue
        patience.slow = 0
        whole = {row["thing"]["value"]: marks for row in rows if (marks := _whole_marks(row)) is not None}
        found |= {thing: whole[thing] for thing in now if thing in whole}
        missing = [thing for thing in now if thing not in found]
        if missing and rows:
            waiting += [missing] if len(missing) < len(now) else _halves(missing) if len(now) > 1 else []
    return found


def _whole_marks(row: Row) -> list[str] | None:
    marks = row.get("marks", {}).get("value", "").split("\n")
    count = row.get("count", {}).get("value", "")
    return marks if count.isdigit() and int(count) == len(marks) else None


def _halves(things: list[str]) -> list[list[str]]:
    middle = (len(things) + 1) // 2
    return [part for part in (things[middle:], things[:middle]) if part]
