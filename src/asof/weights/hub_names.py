"""A name of a model that is no folder: is it one of a hub? Said at once where it cannot be, or the hub is out of reach.

Transformers asks a hub for anything that it does not find on disk, five times with growing pauses, and then speaks of
repositories. A path, a kind of model that does not exist and a name nobody can look up now are told apart before.
"""

import os
import socket
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from asof import registry
from asof.errors import UserError, did_you_mean
from asof.weights.package_index import KNOWN

_HUB = "https://huggingface.co"
_SECONDS = 5.0  # to reach a hub
_WHAT_TO_GIVE = "Give a folder, a .gguf file, a hub name such as ORGANISATION/MODEL, or one of 'asof models list'."


def check_name(name: str) -> None:
    """Say what is wrong with a name that is no folder, no file and no model of a hub that could be looked up."""
    if Path(name).exists():
        return
    kind, colon, _ = name.partition(":")
    if colon:
        kinds = [*registry.models.names(), *registry.readers.names(), "memorized"]
        raise UserError(
            f"No kind of model is called {kind!r}.{did_you_mean(kind, kinds)}\n"
            f"Known: {', '.join(sorted(kinds))}. See: asof list models, asof list readers"
        )
    if name.startswith((".", "~", os.sep)) or name.endswith("/") or "\\" in name or name.count("/") > 1:
        raise UserError(f"{name} does not exist. {_WHAT_TO_GIVE}")
    if name in KNOWN:
        raise UserError(f"{name} is not downloaded yet. Get it with: asof models get {name}")
    if os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or _kept(name):
        return
    hub = os.environ.get("HF_ENDPOINT") or _HUB
    reason = _cannot_reach(hub)
    if reason:
        raise UserError(
            f"{name!r} is not a local folder, and {hub}, where it might be a model, cannot be reached: {reason}."
            f"{did_you_mean(name, KNOWN)}\n{_WHAT_TO_GIVE}"
        )


def _kept(name: str) -> bool:
    """Tell whether a model of a hub was fetched before."""
    try:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError
    except ImportError:
        return True  # whoever opens the model says what to install
    try:
        return isinstance(try_to_load_from_cache(name, "config.json"), str)
    except HFValidationError as error:
        raise UserError(f"{name!r} is neither a local folder nor a valid hub name: {error} {_WHAT_TO_GIVE}") from error


def _cannot_reach(hub: str) -> str:
    """Return why a hub, or the proxy before it, does not answer; nothing when it does."""
    address = urlsplit(hub)
    proxy = getproxies().get(address.scheme)
    if proxy and not proxy_bypass(address.hostname or ""):
        address = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        socket.create_connection((address.hostname or "", port), timeout=_SECONDS).close()
    except OSError as error:
        return str(error.strerror or error)
    return ""
