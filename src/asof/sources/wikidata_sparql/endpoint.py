"""A SPARQL endpoint by its address: asked politely, asked again when that makes sense, never believed when it is cut.

An answer counts when it is JSON to the last bracket and the server has not said that it stopped early. A question that
takes the server too long raises ``SlowError``; the caller then asks smaller ones.
"""

from __future__ import annotations

import os
import random
import re
import time

from asof import __version__
from asof.errors import UserError
from asof.servers import asked_wait, read_address
from asof.sources.wikidata_sparql.kept import KeptAnswers

try:
    import httpx
except ImportError as error:
    raise UserError("A SPARQL endpoint needs httpx. Install it with: pip install 'asof[endpoint]'") from error

Row = dict[str, dict[str, str]]
_AGAIN = {429, 500, 502, 503}  # what may go well the next time
_TOO_MUCH = {408, 413, 414, 504}  # what goes well with a smaller question only
# How Blazegraph, QLever (with status 429) and Virtuoso say that a question took too long.
_SAYS_SLOW = re.compile(r"time.?out|timed out|time limit|exceeds the limit|QueryTimeout|deadline", re.IGNORECASE)
_STOPPED_EARLY = "x-sql-state"  # a header of Virtuoso: the answer is what it had when its time was over


class SlowError(UserError):
    """A question that the endpoint does not answer in its time, or not to the end; a smaller one may do."""


class SparqlEndpoint:
    """A server, how patient to be with it, and what it has answered already.

    Args:
        written: Its address as the user wrote it; a name and a password in it are used and never shown.
        kept: Where answers are kept.
        timeout: Seconds without a byte after which a question counts as too slow.
        tries: How often a question is sent before it counts as failed.
        first_wait: Seconds before the second try; each wait is about twice the one before.
        longest_wait: Seconds; a server that asks for more patience is an error.
    """

    def __init__(
        self, written: str, kept: KeptAnswers, *, timeout: float, tries: int, first_wait: float, longest_wait: float
    ) -> None:
        self._url, login = read_address(written, example="https://query.wikidata.org/sparql")
        self.address = str(self._url)
        self.asked = 0
        self._kept, self._timeout, self._tries = kept, timeout, tries
        self._first_wait, self._longest_wait = first_wait, longest_wait
        self._client = httpx.Client(auth=login, headers=_manners(), timeout=timeout)
        self._reached = False

    def ask(self, query: str) -> list[Row]:
        """Return the rows of an answer that is whole."""
        rows = self._kept.find(query)
        if rows is None:
            rows = self._answer(query)
            self._kept.keep(query, rows)
        return rows

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def _answer(self, query: str) -> list[Row]:
        problem, is_cut = "", False
        for number in range(1, self._tries + 1):
            wait = self._first_wait * 2 ** (number - 1) * random.uniform(0.75, 1.25)
            try:
                self.asked += 1
                answer = self._client.post(self._url, data={"query": query})
                self._reached = True
                if answer.is_success:
                    return _rows(answer)
                is_cut, problem = False, f"status {answer.status_code}{_said(answer)}"
                if answer.status_code in _TOO_MUCH or (answer.status_code in _AGAIN and _SAYS_SLOW.search(answer.text)):
                    raise SlowError(f"{self.address} did not answer in its time ({problem}).")
                if answer.status_code not in _AGAIN:
                    raise self._refused(answer, problem)
                wanted = self._asked_wait(answer, problem)
                wait = wait if wanted is None else wanted
            except httpx.TimeoutException as error:
                raise SlowError(f"{self.address} did not answer within {self._timeout:g} s.") from error
            except httpx.ConnectError as error:
                is_cut, problem = False, f"no connection ({error})"
                if not self._reached:  # a server that was there may come back; one that never was has a wrong address
                    raise UserError(
                        f"{self.address} does not respond: {problem}. Is the server running, and is the address right?"
                    ) from error
            except httpx.RequestError as error:
                is_cut, problem = True, f"the connection broke ({error})"
            except ValueError as error:
                is_cut, problem = True, f"its answer is not whole ({error})"
            if number < self._tries:
                time.sleep(min(wait, self._longest_wait))
        failed = SlowError if is_cut else UserError
        raise failed(
            f"{self.address} failed {self._tries} times, the last time with: {problem}. Its earlier answers are "
            "kept for a day; run the same command again later."
        )

    def _asked_wait(self, answer: httpx.Response, problem: str) -> float | None:
        """Return the seconds that the server asks to wait, None when it does not."""
        seconds = asked_wait(answer.headers.get("retry-after", ""))
        if seconds is not None and seconds > self._longest_wait:
            raise UserError(
                f"{self.address} asks to wait {seconds:,.0f} seconds ({problem}). Its earlier answers are kept for "
                "a day; run the same command again then."
            )
        return seconds

    def _refused(self, answer: httpx.Response, problem: str) -> UserError:
        status = f"{self.address} answered with {problem}."
        if answer.is_redirect:
            return UserError(f"{status} It has moved to {answer.headers.get('location')}; give that address.")
        if answer.status_code in (401, 403):
            return UserError(f"{status} It requires a name and a password (https://NAME:PASSWORD@...) or a known user: "
                             "say who you are in $ASOF_CONTACT, an address for mail or a page.")  # fmt: skip
        if answer.status_code in (404, 405):
            return UserError(f"{status} Is this the address of a SPARQL endpoint? Wikidata's ends in /sparql.")
        return UserError(f"{status} It rejects this query; is it a SPARQL 1.1 endpoint?")


def _rows(answer: httpx.Response) -> list[Row]:
    """Read an answer to its end, or raise a ValueError that says why it cannot be believed."""
    if answer.headers.get(_STOPPED_EARLY):
        raise SlowError(f"{answer.url} stopped early: {answer.headers.get('x-sql-message', 'no reason given')}.")
    content = answer.json()
    try:
        rows: list[Row] = content["results"]["bindings"]
    except (KeyError, TypeError):
        raise ValueError("it is JSON, but no result of a SELECT") from None
    if not isinstance(rows, list):
        raise ValueError("it is JSON, but no result of a SELECT")
    return rows


def _manners() -> dict[str, str]:
    """Say who asks, as operators of public endpoints want it."""
    contact = os.environ.get("ASOF_CONTACT", "").strip()
    who = f"asof/{__version__} (temporal facts{f'; {contact}' if contact.isascii() else ''}) httpx/{httpx.__version__}"
    return {"User-Agent": who.replace("facts; )", "facts)"), "Accept": "application/sparql-results+json"}


def _said(answer: httpx.Response) -> str:
    """Return what the server says of an error, short."""
    text = " ".join(re.sub(r"<[^>]*>", " ", answer.text).split())
    return f" ({text[:200]})" if text else ""
