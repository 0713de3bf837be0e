"""A completions server by its address: requests sent again when that makes sense, errors that name the next step.

Kept beside its only caller, ``openai_completions.py``; the underscore keeps it out of the list of models.
"""

from __future__ import annotations

import json
import os
import random
import re
from threading import Event
from typing import Any

from asof.errors import UserError, did_you_mean
from asof.servers import asked_wait, read_address

try:
    import httpx
except ImportError as error:
    raise UserError("A completions endpoint needs httpx. Install it with: pip install 'asof[endpoint]'") from error

HTTPX_VERSION = httpx.__version__
_AGAIN = {408, 429, 500, 502, 503, 504}  # what may go well the next time
_NOT_SO = {400, 413, 422, 500, 501}  # how servers say that they do not take a request; 500 after all tries
_SECONDS_FOR_MODELS = 10.0  # a list of names takes no longer


class RefusedError(UserError):
    """A request that the server does not answer as it stands; another one may be answered."""


class Endpoint:
    """A server and how patient to be with it.

    Args:
        written: Its address as the user wrote it; a name and a password in it are used and never shown.
        in_flight: How many connections are open at a time.
        tries: How often a request is sent before it counts as failed.
        first_wait: Seconds before the second try; each wait is about twice the one before.
        longest_wait: Seconds; a server that asks for more patience is an error.
        timeout: Seconds without a byte after which a try has failed.
    """

    def __init__(
        self, written: str, *, in_flight: int, tries: int, first_wait: float, longest_wait: float, timeout: float
    ) -> None:
        url, login = read_address(written, example="openai-completions:http://127.0.0.1:8000/v1#MODEL")
        self._url = url.copy_with(path=url.path.rstrip("/").removesuffix("/completions"))
        self.address = str(self._url.copy_with(query=None))
        self._tries, self._first_wait, self._longest_wait, self._timeout = tries, first_wait, longest_wait, timeout
        self._key = os.environ.get("OPENAI_API_KEY", "").strip()
        self._client = httpx.Client(
            auth=login,
            headers={"Authorization": f"Bearer {self._key}"} if self._key and not login else {},
            timeout=timeout,
            limits=httpx.Limits(max_connections=in_flight, max_keepalive_connections=in_flight),
        )
        self._reached = False

    def complete(self, body: dict[str, Any], stop: Event) -> dict[str, Any]:
        """Send a request until it is answered, with longer and longer waits; a stop ends the waiting."""
        problem = ""
        for number in range(1, self._tries + 1):
            wait = self._first_wait * 2 ** (number - 1) * random.uniform(0.75, 1.25)
            try:
                answer = self._client.post(_below(self._url, "completions"), json=body)
                self._reached = True
                if answer.is_success:
                    content = answer.json()
                    if isinstance(content, dict):
                        return content
                    problem = "its answer is not a JSON object"
                elif answer.status_code in _AGAIN and not _refuses_echo(answer):
                    problem = f"status {answer.status_code}{self._said(answer)}"
                    asked = self._asked_wait(answer, problem)
                    wait = wait if asked is None else asked
                else:
                    raise self._refused(answer, str(body.get("model")))
            except httpx.ConnectError as error:
                problem = f"no connection ({error})"
                if not self._reached:  # a server that was there may come back; one that never was has a wrong address
                    raise UserError(
                        f"{self.address} does not respond: {problem}. Is the server running, and is the address right?"
                    ) from error
            except httpx.TimeoutException:
                problem = f"no answer within {self._timeout:g} s"
            except httpx.RequestError as error:
                problem = f"the connection broke ({error})"
            except ValueError:
                problem = "its answer was cut off or is not JSON"
            if number < self._tries and stop.wait(min(wait, self._longest_wait)):
                break
        failed = RefusedError if problem.startswith("status 500") else UserError
        raise failed(
            f"{self.address} failed {self._tries} times, the last time with: {problem}. "
            "Its earlier answers are kept; check the server, then run the same command again."
        )

    def served(self) -> list[dict[str, Any]]:
        """List the models that the server has; nothing when it does not tell."""
        try:
            answer = self._client.get(_below(self._url, "models"), timeout=min(_SECONDS_FOR_MODELS, self._timeout))
            entries = answer.json()["data"] if answer.is_success else []
        except (httpx.RequestError, ValueError, KeyError, TypeError):
            return []
        return [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("id"), str)]

    def no_logprobs(self, said: str = "") -> UserError:
        """Return the error for a server that is of no use here."""
        return UserError(
            f"{self.address} gives no log-probabilities of the prompt{said}. Use vLLM or SGLang (llama.cpp's server "
            "has none), or read the weights with transformers-causal:FOLDER."
        )

    def _asked_wait(self, answer: httpx.Response, problem: str) -> float | None:
        """Return the seconds that the server asks to wait, None when it does not."""
        seconds = asked_wait(answer.headers.get("retry-after", ""))
        if seconds is not None and seconds > self._longest_wait:
            raise UserError(
                f"{self.address} asks to wait {seconds:,.0f} seconds ({problem}). Earlier predictions are kept; "
                "run the same command again then."
            )
        return seconds

    def _refused(self, answer: httpx.Response, model: str) -> UserError:
        said = self._said(answer)
        status = f"{self.address} answered with status {answer.status_code}{said}."
        if _refuses_echo(answer):
            return self.no_logprobs(said)
        if answer.status_code in (401, 403):
            return UserError(f"{status} Set $OPENAI_API_KEY to a valid key.")
        if answer.status_code == 404:
            known = [entry["id"] for entry in self.served()]
            if not known:
                return UserError(f"{status} Most addresses end in /v1; is this one right?")
            return UserError(f"{status}{did_you_mean(model, known)} It serves: {', '.join(known)}.")
        kind = RefusedError if answer.status_code in _NOT_SO else UserError
        return kind(f"{status} It rejects this request; correct what it names, then run the same command again.")

    def _said(self, answer: httpx.Response) -> str:
        """Return what the server says of an error, short and without our key."""
        text = " ".join(_message(answer).split())
        text = text.replace(self._key, "***") if self._key else text
        return f" ({text[:200]})" if text else ""


def _below(url: httpx.URL, name: str) -> httpx.URL:
    return url.copy_with(path=f"{url.path.rstrip('/')}/{name}")


def _message(answer: httpx.Response) -> str:
    """Find the words in an error answer, which every server wraps in its own way."""
    try:
        content = answer.json()
    except ValueError:
        return answer.text
    for key in ("error", "message", "detail"):
        if isinstance(content, dict) and key in content:
            content = content[key]
    return content if isinstance(content, str) else json.dumps(content)


def _refuses_echo(answer: httpx.Response) -> bool:
    """Tell whether an error is about echo; a quoted "echo" is our own request, repeated."""
    return bool(re.search(r"(?<!['\"])\becho\b(?!['\"])", _message(answer), re.IGNORECASE))
