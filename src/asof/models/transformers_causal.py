"""Any decoder of Hugging Face Transformers: a local folder, a hub name, or a GGUF file that Transformers can read.

Scores exactly what one forward pass per statement would give, faster: statements of equal length share a batch, so
nothing is padded; beginnings that statements share ("In 199") are read once; the output layer runs on the answer's
positions only; each core works on batches of its own.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

from asof.errors import UserError
from asof.models import AnswerRequest
from asof.models._token_border import answer_tokens
from asof.registry import models

try:
    import torch
    import transformers
except ImportError as error:
    raise UserError(
        "Language models need torch and transformers. Install them with: pip install 'asof[transformers]'"
    ) from error

transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # the command has a bar of its own

_TOKENS_PER_BATCH = 2048  # enough to keep a core busy, few enough to stay in its cache
_WANTS_BOS = ("gemma",)  # families whose logits are garbage without the token that begins a text


@models.register("transformers-causal")
class TransformersCausal:
    """Any Transformers decoder: a folder, a hub name or a .gguf file. Scores a given answer.

    Args:
        place: The folder, the hub name, or the file.
        threads: How many batches to work on at a time; by default one per core.
    """

    can: ClassVar[frozenset[str]] = frozenset({"answer_logprob"})

    def __init__(self, place: str, *, threads: int | None = None) -> None:
        self.name = place
        path = Path(place)
        source: dict[str, str] = {"gguf_file": path.name} if path.suffix == ".gguf" else {}
        folder = str(path.parent) if source else place
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, **source)
            self._model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **source)
        except (OSError, ValueError) as error:
            first_line = str(error).strip().splitlines()[0]
            raise UserError(f"The model {place!r} could not be loaded: {first_line}") from error
        self._model.train(False)
        self._threads = threads or len(os.sched_getaffinity(0))
        self._context = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        family = self._model.config.model_type
        self._bos = [self._tokenizer.bos_token_id] if family.startswith(_WANTS_BOS) else []

    def describe(self) -> dict[str, str]:
        """Return what identifies the model and its runtime."""
        return {
            "kind": "transformers-causal",
            "model": self.name,
            "architecture": str(self._model.config.model_type),
            "parameters": str(sum(parameter.numel() for parameter in self._model.parameters())),
            "dtype": "float32",
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        }

    def chat(self, prompt: str) -> str:
        """Put a prompt into the model's chat template, up to where its answer begins."""
        if not getattr(self._tokenizer, "chat_template", None):
            raise UserError(f"{self.name} has no chat template. Run it with --format raw.")
        message = [{"role": "user", "content": prompt}]
        return str(self._tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens texts have."""
        return [len(ids) for ids in self._tokenizer(list(texts))["input_ids"]] if texts else []

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        """Return log P(answer | prompt) for each request, in their order."""
        encoded = [self._encoded(request) for request in requests]
        batches = [
            (batch, shared)
            for members in _by_length(encoded).values()
            for shared in (best_shared_length([encoded[place] for place in members]),)
            for batch in _cut(
                sorted(members, key=lambda place: encoded[place][0]), len(encoded[members[0]][0]) - shared
            )
        ]
        results = [0.0] * len(requests)

        def work(job: tuple[list[int], int]) -> None:
            torch.set_num_threads(1)
            places, shared = job
            scores = self._scored([encoded[place] for place in places], shared)
            for place, score in zip(places, scores, strict=True):
                results[place] = score

        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(work, sorted(batches, key=lambda job: -len(job[0]))))
        return results

    def _encoded(self, request: AnswerRequest) -> tuple[list[int], int]:
        text = request.text
        tokens = self._tokenizer(text, return_offsets_mapping=True)
        ids, offsets = list(tokens["input_ids"]), list(tokens["offset_mapping"])
        while ids and ids[-1] == self._tokenizer.eos_token_id and offsets[-1][0] == offsets[-1][1]:
            ids.pop()  # some tokenizers close every text
            offsets.pop()
        if self._bos and ids[:1] != self._bos:
            ids, offsets = self._bos + ids, [(0, 0), *offsets]
        count = answer_tokens(offsets, len(request.prompt), text)
        if self._context and len(ids) > self._context:
            raise UserError(
                f"{request.prompt[:60]!r} with its answer has {len(ids):,} tokens; {self.name} reads {self._context:,}."
            )
        if count == len(ids):
            raise UserError(f"{request.prompt[:60]!r}: nothing stands before the answer, so it has no probability.")
        return ids, count

    @torch.inference_mode()
    def _scored(self, batch: list[tuple[list[int], int]], shared: int) -> list[float]:
        """Score statements of one length; beginnings of ``shared`` tokens are read once for all that have them."""
        longest = max(count for _, count in batch)
        ids = torch.tensor([tokens for tokens, _ in batch])
        past: dict[str, Any] = {"use_cache": False}
        if shared:
            beginnings, which = torch.unique(ids[:, :shared], dim=0, return_inverse=True)
            cache = self._model(input_ids=beginnings, logits_to_keep=1, use_cache=True).past_key_values
            cache.batch_select_indices(which)
            past = {"past_key_values": cache}
        logits = self._model(input_ids=ids[:, shared:], logits_to_keep=longest + 1, **past).logits[:, :-1]
        chosen = logits.gather(-1, ids[:, -longest:].unsqueeze(-1)).squeeze(-1).double()
        logprobs = chosen - torch.logsumexp(logits.double(), dim=-1)
        return [float(row[longest - count :].sum()) for row, (_, count) in zip(logprobs, batch, strict=True)]


def best_shared_length(statements: Sequence[tuple[Sequence[int], int]]) -> int:
    """Return the length of beginnings that saves most work when each distinct one is read only once.

    >>> best_shared_length([([1, 2, 3, 9, 8], 1), ([1, 2, 3, 7, 8], 1), ([1, 2, 4, 7, 8], 1)])
    2
    """
    length = len(statements[0][0])
    most = length - max(count for _, count in statements) - 1  # the token before the answer is read with the answer

    def tokens_read(shared: int) -> int:
        distinct = len({tuple(ids[:shared]) for ids, _ in statements}) if shared else 0
        return distinct * shared + len(statements) * (length - shared)

    return min(range(max(1, most + 1)), key=tokens_read)


def _by_length(encoded: Sequence[tuple[list[int], int]]) -> dict[int, list[int]]:
    found: defaultdict[int, list[int]] = defaultdict(list)
    for place, (ids, _) in enumerate(encoded):
        found[len(ids)].append(place)
    return found


def _cut(places: list[int], tokens_each: int) -> list[list[int]]:
    size = max(1, _TOKENS_PER_BATCH // tokens_each)
    return [places[start : start + size] for start in range(0, len(places), size)]
