"""A Wikibase by the address of its API: asked politely, asked again when that makes sense, never believed when cut.

An answer is JSON to its last bracket, or a sure "there is no such entity". Whatever else comes (a timeout, an error of
the server, half an answer) is a failure, and never read as "nothing is said".
"""

from __future__ import annotations

import json
import os
import random
import time
from types import TracebackType
from typing import Any

from asof import __version__
from asof.errors import UserError
from asof.servers import asked_wait, read_address

try:
    import httpx
except ImportError as error:
    raise UserError("A Wikibase needs httpx. Install it with: pip install 'asof[endpoint]'") from error

_GONE = {404, 410}
_REFUSED = {400, 401, 403, 405}
_BUSY = {"maxlag", "ratelimited", "readonly"}  # errors of the API that pass
_MAX_LAG = "5"  # seconds by which the server's copies may be behind, as Wikimedia asks of robots


class FailingServerError(Exception):
    """A server that did not give an answer, however often it was asked."""


class Wikibase:
    """A server, and how patient to be with it.

    Args:
        written: The address of its API, as the user wrote it; a name and a password in it are used and never shown.
        timeout: Seconds without a byte after which an answer counts as failed.
        tries: How often something is asked before it counts as failed.
        first_wait: Seconds before the second try; each wait is about twice the one before.
        longest_wait: Seconds to wait at most, if the server asks for it.
    """

    def __init__(self, written: str, *, timeout: float, tries: int, first_wait: float, longest_wait: float) -> None:
        url, login = read_address(written, example="https://www.wikidata.org/w/api.php")
        self.address = str(url).rstrip("/")
        root = self.address.removesuffix("/api.php").removesuffix("/w")
        self._entities = f"{root}/wiki/Special:EntityData"
        self._tries, self._first_wait, self._longest_wait = tries, first_wait, longest_wait
        self._client = httpx.Client(auth=login, headers=_manners(), timeout=timeout, follow_redirects=True)

    def __enter__(self) -> Wikibase:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._client.close()

    def query(self, **parameters: str) -> dict[str, Any]:
        """Ask the API and return its answer."""
        given = {"action": "query", "format": "json", "formatversion": "2", "maxlag": _MAX_LAG} | parameters
        answer = self._ask(self.address, given)
        if answer is None:
            raise UserError(f"{self.address} does not exist there. The address of an API ends in /w/api.php.")
        found: dict[str, Any] = json.loads(answer)
        return found

    def entity(self, id: str) -> bytes | None:
        """Return the JSON of an entity, whole; None where the server says that there is none."""
        return self._ask(f"{self._entities}/{id}.json", {})

    def _ask(self, address: str, parameters: dict[str, str]) -> bytes | None:
        problem = ""
        for number in range(1, self._tries + 1):
            wait = self._first_wait * 2 ** (number - 1) * random.uniform(0.75, 1.25)
            try:
                answer = self._client.get(address, params=parameters)
                if answer.status_code in _GONE:
                    return None
                if answer.status_code in _REFUSED:
                    raise UserError(_refused(address, answer))
                problem = "" if answer.is_success else f"status {answer.status_code}"
                asked = asked_wait(answer.headers.get("retry-after", ""))
                if asked is not None and asked > self._longest_wait:
                    raise FailingServerError(f"it asks to wait {asked:,.0f} seconds ({problem or 'no reason'})")
                wait = wait if asked is None else asked
                problem = problem or _problem_in(answer.content)
                if not problem:
                    return answer.content
            except httpx.TimeoutException:
                problem = "it did not answer in its time"
            except httpx.HTTPError as error:
                problem = f"the connection broke ({error})"
            if number < self._tries:
                time.sleep(min(wait, self._longest_wait))
        raise FailingServerError(problem)


def _problem_in(content: bytes) -> str:
    """Say what keeps an answer from being believed."""
    try:
        found = json.loads(content)
    except (ValueError, UnicodeDecodeError) as error:
        return f"its answer is not whole ({error})"
    said = found.get("error") if isinstance(found, dict) else None
    if isinstance(said, dict):
        if said.get("code") in _BUSY or str(said.get("code", "")).startswith("internal_api_error"):
            return f"it is busy ({said.get('code')})"
        raise UserError(f"The API rejects the question: {said.get('info') or said.get('code')}.")
    return "" if isinstance(found, dict) else "its answer is not a JSON object"


def _refused(address: str, answer: httpx.Response) -> str:
    who = " It wants to know who asks: write an address for mail or a page into $ASOF_CONTACT."
    return f"{address} answered with status {answer.status_code}." + (who if answer.status_code in (401, 403) else "")


def _manners() -> dict[str, str]:
    """Say who asks, as operators of public servers want it."""
    contact = os.environ.get("ASOF_CONTACT", "").strip()
    who = f"asof/{__version__} (temporal facts{f'; {contact}' if contact.isascii() and contact else ''})"
    return {"User-Agent": f"{who} httpx/{httpx.__version__}", "Accept": "application/json"}
