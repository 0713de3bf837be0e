"""A model server by its address: requests sent again when that makes sense, errors that name the next step.

Which protocol it speaks is the business of the models that ask it; the underscore keeps it out of their list.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from asof.errors import UserError, did_you_mean
from asof.models._event_stream import is_event_stream, joined_events
from asof.servers import asked_wait, read_address

try:
    import httpx
except ImportError as error:
    raise UserError("A model behind an address needs httpx. Install it with: pip install 'asof[endpoint]'") from error

HTTPX_VERSION = httpx.__version__
_AGAIN = {408, 429, 500, 502, 503, 504, 529}  # what may go well the next time
_NOT_SO = {400, 413, 422, 500, 501}  # how servers say that they do not take a request; 500 after all tries
_NO_MODEL = re.compile(r"\bmodel\b.*\b(exist|found|available|unknown|access)|model_not_found", re.IGNORECASE)
_SECONDS_FOR_MODELS = 10.0  # a list of names takes no longer
_LATER = "Earlier answers are kept; run the same command again then."


class RefusedError(UserError):
    """A request that the server does not answer as it stands; another one may be answered.

    Args:
        said: What the server said of it.
        lasting: Whether it was said at once, not after all tries.
    """

    def __init__(self, message: str, *, said: str = "", lasting: bool = True) -> None:
        super().__init__(message)
        self.said = said
        self.lasting = lasting


@dataclass(frozen=True, kw_only=True)
class ServerPatience:
    """How patient to be with a server.

    Args:
        in_flight: How many connections are open at a time.
        tries: How often a request is sent before it counts as failed.
        first_wait: Seconds before the second try; each wait is about twice the one before.
        longest_wait: Seconds; a server that asks for more patience is an error.
        timeout: Seconds without a byte after which a try has failed.
    """

    in_flight: int
    tries: int
    first_wait: float
    longest_wait: float
    timeout: float

    def __post_init__(self) -> None:
        for name in ("in_flight", "tries"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} = {getattr(self, name)} leaves nothing to ask. Give 1 or more.")


@dataclass(frozen=True, kw_only=True)
class KeyFrom:
    """The environment variable that holds a key, and the header that the key goes out in."""

    variable: str = "OPENAI_API_KEY"
    header: str = "Authorization"
    before: str = "Bearer "
    key: str = field(init=False, repr=False, default="")

    def __post_init__(self) -> None:
        if not self.variable.replace("_", "a").isalnum() or len(self.variable) > 64:
            raise UserError("key_from is the name of an environment variable, such as MISTRAL_API_KEY, not a key.")
        object.__setattr__(self, "key", os.environ.get(self.variable, "").strip())

    @property
    def headers(self) -> Mapping[str, str]:
        """What goes out with every request."""
        return {self.header: f"{self.before}{self.key}"} if self.key else {}

    def is_wanted(self) -> str:
        """Say what to do when the server wants a key, or another one."""
        where = f"Set ${self.variable} to a valid key"
        return where if self.key else f"${self.variable} is not set. {where}, or name another with --set key_from=NAME"


class Endpoint:
    """A server by its address.

    Args:
        written: Its address as the user wrote it; a name and a password in it are used and never shown.
        below: What the protocol asks for under that address; a user may write it, too.
        kind: What users type before the address.
        key: Where the key comes from.
        patience: How patient to be.
        headers: What else goes out with every request.
        explained: Makes an error of a status and what the server said of it, where the protocol knows better than
            to send the request again.
    """

    def __init__(
        self,
        written: str,
        *,
        below: str,
        kind: str,
        key: KeyFrom,
        patience: ServerPatience,
        headers: Mapping[str, str] | None = None,
        explained: Callable[[int, str], UserError | None] = lambda status, said: None,
    ) -> None:
        url, login = read_address(written, example=f"{kind}:http://127.0.0.1:8000/v1#MODEL")
        self._url = url.copy_with(path=url.path.rstrip("/").removesuffix(f"/{below}"))
        self._below, self._kind, self._key, self._patience, self._explained = below, kind, key, patience, explained
        self._client = httpx.Client(
            auth=login,
            headers={**(headers or {}), **({} if login and key.header == "Authorization" else key.headers)},
            timeout=httpx.Timeout(patience.timeout, pool=None),  # to wait for a free connection is no trouble
            limits=httpx.Limits(
                max_connections=patience.in_flight, max_keepalive_connections=patience.in_flight, keepalive_expiry=60
            ),
        )
        self._reached = False
        self._quiet_until = 0.0  # the server asked all of us to wait

    @property
    def address(self) -> str:
        """The address without what is secret."""
        return str(self._url.copy_with(query=None))

    @property
    def address_with_version(self) -> str:
        """The address as it is when nothing stands before what the protocol asks for: with /v1."""
        return self.address if self._url.path.strip("/") else f"{self.address.rstrip('/')}/v1"

    def post(self, body: dict[str, Any], stop: Event) -> dict[str, Any]:
        """Send a request until it is answered, with longer and longer waits; a stop ends the waiting."""
        problem, patience = "", self._patience
        quiet = self._quiet_until - time.monotonic()
        if quiet > 0:
            stop.wait(quiet)
        for number in range(1, patience.tries + 1):
            wait = patience.first_wait * 2 ** (number - 1) * random.uniform(0.75, 1.25)
            try:
                answer = _as_it_went(self._sent(body))
                self._reached = True
                if answer.is_success:
                    content = joined_events(answer.text) if is_event_stream(answer.text) else answer.json()
                    if isinstance(content, dict):
                        return content
                    problem = "its answer is not a JSON object"
                else:
                    problem = f"status {answer.status_code}{self._in_brackets(answer)}"
                    wait = self._wait_after(answer, problem, str(body.get("model")), wait)
            except httpx.ConnectError as error:
                problem = f"no connection ({error})"
                if not self._reached:  # a server that was there may come back; one that never was has a wrong address
                    raise UserError(
                        f"{self.address} does not respond: {problem}. Is the server running, and is the address right?"
                    ) from error
            except httpx.TimeoutException:
                problem = f"no answer within {patience.timeout:g} s"
            except httpx.RequestError as error:
                problem = f"the connection broke ({error})"
            except ValueError:
                problem = "its answer was cut off or is not JSON"
            if number < patience.tries and stop.wait(min(wait, patience.longest_wait)):
                break
        message = (
            f"{self.address} failed {patience.tries} times, the last time with: {problem}. "
            "Its earlier answers are kept; check the server, then run the same command again."
        )
        raise RefusedError(message, lasting=False) if problem.startswith("status 500") else UserError(message)

    def served(self) -> list[dict[str, Any]]:
        """List the models that the server has; nothing when it does not tell."""
        for url in (self._url, self._with_version()):
            try:
                seconds = min(_SECONDS_FOR_MODELS, self._patience.timeout)
                answer = self._client.get(_under(url, "models"), timeout=seconds)
                entries = answer.json()["data"] if answer.is_success else []
            except (httpx.RequestError, ValueError, KeyError, TypeError):
                entries = []
            found = [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("id"), str)]
            if found or url == self._with_version():
                return found
        return []

    def only_model(self) -> str:
        """Return the name of the one model that is served, or say which there are."""
        known = [entry["id"] for entry in self.served()]
        if len(known) != 1:
            told = f"It serves: {', '.join(known)}." if known else "The server does not list its models."
            raise UserError(f"Say which model of {self.address}: {self._kind}:{self.address}#MODEL. {told}")
        return str(known[0])

    def about(self, model: str) -> dict[str, str]:
        """Return what identifies the server, and what it tells of a model."""
        for entry in self.served():
            if entry["id"] == model:
                told = {key: value for key, value in entry.items() if key not in ("created", "permission")}
                return {"server": json.dumps(told, ensure_ascii=False, sort_keys=True)}
        return {}

    def _sent(self, body: dict[str, Any]) -> httpx.Response:
        """Send a request; where the address lacks /v1 and nothing is there, look there."""
        answer = self._client.post(_under(self._url, self._below), json=body)
        if answer.status_code in (404, 405) and self._url != self._with_version():
            there = self._client.post(_under(self._with_version(), self._below), json=body)
            if there.status_code not in (404, 405):
                self._url = self._with_version()
                return there
        return answer

    def _with_version(self) -> httpx.URL:
        return self._url if self._url.path.strip("/") else self._url.copy_with(path="/v1")

    def _wait_after(self, answer: httpx.Response, problem: str, model: str, wait: float) -> float:
        """Return how long to wait after an answer that is an error, or raise it when no waiting helps."""
        said = self._without_key(_message(answer))
        known = self._explained(answer.status_code, f"{said} {_code(answer)}".strip())
        if known:
            raise known
        if answer.status_code not in _AGAIN:
            raise self._refused(answer, model)
        seconds = asked_wait(answer.headers.get("retry-after", ""))
        if seconds is None:
            return wait
        if seconds > self._patience.longest_wait:
            raise UserError(f"{self.address} asks to wait {seconds:,.0f} seconds ({problem}). {_LATER}")
        self._quiet_until = max(self._quiet_until, time.monotonic() + seconds)
        return seconds

    def _refused(self, answer: httpx.Response, model: str) -> UserError:
        said = self._in_brackets(answer)
        status = f"{self.address} answered with status {answer.status_code}{said}."
        if answer.status_code in (401, 403):
            return UserError(f"{status} {self._key.is_wanted()}.")
        if answer.is_redirect:
            return UserError(f"{status} It has moved{self._moved_to(answer)}.")
        if answer.status_code in (404, 405):
            known = [entry["id"] for entry in self.served()]
            asked = _under(self._url, self._below).copy_with(query=None)
            if not (_NO_MODEL.search(said) or (known and model not in known)):
                return UserError(
                    f"{status} Most addresses end in /v1; is this one right? Asked was {asked}; "
                    f"write {self._kind}:http://HOST:PORT/v1#MODEL"
                )
            serves = f" It serves: {', '.join(known)}." if known else ""
            return UserError(f"{status}{did_you_mean(model, known) or ' Is its name right?'}{serves}")
        message = f"{status} It rejects this request; correct what it names, then run the same command again."
        return RefusedError(message, said=said) if answer.status_code in _NOT_SO else UserError(message)

    def _moved_to(self, answer: httpx.Response) -> str:
        """Say where a server sends us, and how to write that; we follow nobody with a key."""
        there = answer.headers.get("location", "")
        url = self._url.join(there).copy_with(query=None, username=None, password=None) if there else None
        return f" to {url}. Write {self._kind}:{str(url).removesuffix('/' + self._below)}#MODEL" if url else ""

    def _in_brackets(self, answer: httpx.Response) -> str:
        """Return what the server says of an error, short and without our key."""
        text = self._without_key(" ".join(_message(answer).split()))
        return f" ({text[:200]})" if text else ""

    def _without_key(self, text: str) -> str:
        return text.replace(self._key.key, "***") if self._key.key else text


def _as_it_went(answer: httpx.Response) -> httpx.Response:
    """Return an answer with the status of the error that is in it: some routers send every error with status 200."""
    if not answer.is_success or is_event_stream(answer.text):
        return answer
    content = answer.json()
    error = content.get("error") if isinstance(content, dict) and not content.get("choices") else None
    if not error or not isinstance(error, dict | str) or "content" in content:
        return answer
    code = error.get("code") if isinstance(error, dict) else None
    number = int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdigit()) else 0
    kept = {name: value for name, value in answer.headers.items() if name == "retry-after"}
    return httpx.Response(number if 400 <= number < 600 else 502, json=content, headers=kept)


def _under(url: httpx.URL, name: str) -> httpx.URL:
    return url.copy_with(path=f"{url.path.rstrip('/')}/{name}")


def _message(answer: httpx.Response) -> str:
    """Find the words in an error answer, which every server wraps in its own way."""
    try:
        content = answer.json()
    except ValueError:
        return _title_of(answer.text)
    for key in ("error", "message", "detail"):
        if isinstance(content, dict) and key in content:
            content = content[key]
    return content if isinstance(content, str) else json.dumps(content)


def _title_of(text: str) -> str:
    """Return what a page says, without its HTML: proxies answer errors with pages."""
    title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
    return title[1].strip() if title else re.sub(r"<[^>]*>", " ", text)


def _code(answer: httpx.Response) -> str:
    """Find the words by which programs tell errors apart, such as insufficient_quota."""
    try:
        content = answer.json()
    except ValueError:
        return ""
    content = content.get("error", content) if isinstance(content, dict) else {}
    found = (content.get(key) for key in ("code", "type")) if isinstance(content, dict) else ()
    return " ".join(word for word in found if isinstance(word, str))
