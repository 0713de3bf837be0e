"""Which kind of model a folder or a hub name is, from its configuration."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from asof.errors import UserError

_MASKED = ("ForMaskedLM", "ForPreTraining")


def kind_of_config(config: Mapping[str, Any]) -> str:
    """Return the kind of a model; causal when the configuration does not tell.

    >>> kind_of_config({"architectures": ["RobertaForMaskedLM"]})
    'transformers-masked'
    >>> kind_of_config({"architectures": ["T5ForConditionalGeneration"], "is_encoder_decoder": True})
    'transformers-seq2seq'
    >>> kind_of_config({"architectures": ["Gemma3ForConditionalGeneration"]}), kind_of_config({})
    ('transformers-causal', 'transformers-causal')
    """
    architectures = config.get("architectures") or []
    if config.get("is_encoder_decoder"):
        return "transformers-seq2seq"
    if any(name.endswith(_MASKED) for name in architectures):
        return "transformers-masked"
    return "transformers-causal"


def config_of(location: str) -> Mapping[str, Any]:
    """Read the configuration of a folder, or of a hub name as Transformers finds it; empty where there is none."""
    path = Path(location) / "config.json"
    if path.is_file():
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise UserError(f"{path} is broken ({error}). Fetch the model again.") from error
        return content if isinstance(content, dict) else {}
    if Path(location).exists():
        return {}
    try:
        import transformers
    except ImportError:
        return {}  # the kind of model will say what to install
    try:
        found: dict[str, Any] = transformers.AutoConfig.from_pretrained(location, trust_remote_code=False).to_dict()
        return found
    except (OSError, ValueError):
        return {}  # ... and what is wrong with the name
