"""What can be evaluated on a benchmark, by its name: a language model, a reader, a model that memorised statements."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Literal

from asof import registry
from asof.benchmarks import Benchmark, documents
from asof.errors import UserError, did_you_mean
from asof.models import Model, settings_of
from asof.models import open_model as open_language_model
from asof.probes import Probe, types_of_settings
from asof.probes.write_answer import WriteAnswer


def open_model(model: str, *, benchmark: Benchmark | None = None, probe: Probe | None = None, **settings: Any) -> Model:
    """Open what ``asof run`` opens.

    Args:
        model: A folder, a hub name, a .gguf file, the name of weights that ``asof models get`` fetched, ``KIND:PLACE``,
            a reader (``facts:almanac``, ``temporal:FOLDER``), or ``memorized:FOLDER``.
        benchmark: Where its items name documents, the model gets to see them.
        probe: How the model is asked about items, where that makes a difference to what it sees.
    """
    kind = _kind(model)
    if kind == "memorized":
        needs_torch()
        from asof.memorize.as_model import MemorizedModel

        return MemorizedModel(model.removeprefix("memorized:"))
    if kind == "reader":
        from asof.reading.answers import open_reader
        from asof.reading.as_model import ReaderAsModel

        name = model.partition(":")[0]
        with registry.readers.naming_extras(name):
            taken = getattr(registry.readers.get(name), "takes_of_probe", ())
        own = {one: getattr(probe, one) for one in taken if isinstance(probe, WriteAnswer)}
        return ReaderAsModel(open_reader(model, **own), documents(benchmark) if benchmark else {})
    return with_documents(open_language_model(model, **settings), benchmark, probe)


def with_documents(model: Model, benchmark: Benchmark | None, probe: Probe | None) -> Model:
    """Show a language model the documents that items name, where there are any."""
    if isinstance(probe, WriteAnswer) and benchmark is not None and benchmark.documents_sha256 is not None:
        from asof.reading import as_model

        return as_model.with_documents(model, benchmark, probe)
    return model


def types_of_model_settings(model: str) -> dict[str, Any]:
    """Return the type of each setting that a model can be opened with; a reader and a memorised model have none."""
    return settings_of(model) if _kind(model) == "model" else {}


def parted_settings(
    given: Mapping[str, Any], probe: str, of_model: Mapping[str, Any], whose: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tell the settings of the probe from those of the model; one that neither has is an error."""
    of_probe = types_of_settings(probe)
    known = {**of_probe, **of_model}
    for name in given:
        if name not in known:
            has = f" It has: {', '.join(known)}." if known else ""
            raise UserError(f"{whose} has no setting {name!r}.{did_you_mean(name, known)}{has}")
    return (
        {name: value for name, value in given.items() if name in of_probe},
        {name: value for name, value in given.items() if name not in of_probe},
    )


def needs_torch() -> None:
    """See that what completion needs is installed."""
    if not find_spec("torch") or not find_spec("safetensors"):
        raise UserError("Completion needs torch and safetensors. Install them with: pip install 'asof[completion]'")


def _kind(model: str) -> Literal["memorized", "reader", "model"]:
    """Tell by what stands before the colon how something is opened."""
    kind, _, location = model.partition(":")
    if kind == "memorized" and location:
        return "memorized"
    return "reader" if kind in registry.readers.names() else "model"
