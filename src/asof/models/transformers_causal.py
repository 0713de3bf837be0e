"""Any decoder of Hugging Face Transformers: a local folder, a hub name, or a GGUF file that Transformers can read.

Scores exactly what one forward pass per statement would give, faster: beginnings that statements share ("In 199") are
read once and nothing is padded; the output layer runs on the answer's positions only; each core works on batches of its
own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from asof.errors import UserError
from asof.models import AnswerRequest, until_stop
from asof.models._causal_blanks import CausalBlanks
from asof.models._shared_beginnings import attends_over_trees, tree_batches, tree_scores
from asof.models._token_border import Statement, first_tokens, statement_of
from asof.models._transformers import Placement, described, equal_lengths, on_every_core
from asof.registry import models
from asof.weights.hub_names import check_name
from asof.weights.transformers_folder import NO_CODE, ONLY_NUMBERS, could_not_load, torch, transformers

_SAME = 1e-3  # two ways to compute a log-probability may differ by so much: the order of sums in float32
_SIGHTS = ("sliding_window", "attention_chunk_size")  # settings by which some layers see only the last so many tokens


@models.register("transformers-causal")
class TransformersCausal(CausalBlanks):
    """Any Transformers decoder: a folder, a hub name or a .gguf file. Scores answers, writes, fills a last blank.

    Args:
        location: The folder, the hub name, or the file.
        threads: How many batches to work on at a time; by default one per core.
        device: Where it runs, as torch names it: cpu, cuda, cuda:1, mps.
        dtype: The precision of its weights: float32, bfloat16, float16.
        batch_size: How many tokens it reads at a time; by default 1024.
    """

    can: ClassVar[frozenset[str]] = frozenset({"answer_logprob", "write", "fill", "token_logprobs"})

    def __init__(
        self,
        location: str,
        *,
        threads: int | None = None,
        device: str = "cpu",
        dtype: str = "float32",
        batch_size: int | None = None,
    ) -> None:
        self._placement = Placement.of(device, dtype, batch_size, threads)
        self.settings = self._placement.settings
        self.name = location
        path = Path(location)
        source: dict[str, str] = {"gguf_file": path.name} if path.suffix == ".gguf" else {}
        folder = str(path.parent) if source else location
        check_name(location)
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, **source, **NO_CODE)
            safely = {**source, **(NO_CODE if source else ONLY_NUMBERS)}
            self._model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **safely)
        except (OSError, ValueError) as error:
            raise could_not_load(location, error) from error
        self._model = self._placement.put(self._model.train(False))
        text = self._model.config.get_text_config()
        self._context = getattr(text, "max_position_embeddings", None)
        self._sight = min(filter(None, (getattr(text, name, None) for name in _SIGHTS)), default=math.inf)
        self._reads_trees: bool | None = None  # not tried yet
        self.texts_at_once = self._placement.texts_at_once
        self._bos = first_tokens(self._tokenizer, self._model.config.model_type)

    def describe(self) -> dict[str, str]:
        """Return what identifies the model and its runtime."""
        return described("transformers-causal", self.name, self._model)

    def chat(self, prompt: str) -> str:
        """Put a prompt into the model's chat template, up to where its answer begins."""
        if not getattr(self._tokenizer, "chat_template", None):
            raise UserError(f"{self.name} has no chat template. Run it with --format raw.")
        message = [{"role": "user", "content": prompt}]
        return str(self._tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens texts have."""
        return [len(ids) for ids in self._tokenizer(list(texts))["input_ids"]] if texts else []

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        """Go on where prompts end, always with the likeliest token; a model with a chat template gets a user's turn."""
        encoded = [self._to_go_on(prompt, most_tokens) for prompt in prompts]
        by_length = sorted(range(len(prompts)), key=lambda index: len(encoded[index]))
        size = max(1, min(self._placement.prompts_per_batch, -(-len(prompts) // self._placement.threads)))
        batches = [by_length[start : start + size] for start in range(0, len(prompts), size)]
        written = [""] * len(prompts)

        def work(batch: list[int]) -> None:
            texts = self._continued([encoded[index] for index in batch], most_tokens, stop)
            for index, text in zip(batch, texts, strict=True):
                written[index] = text

        on_every_core(batches, work, self._placement)
        return written

    def fits(self, prompt: str, most_tokens: int) -> bool:
        """Tell whether the model can read a prompt and write so many tokens after it."""
        return not self._context or len(self._prompt_tokens(prompt)) + most_tokens <= self._context

    def _continued(self, batch: list[list[int]], most_tokens: int, stop: Sequence[str]) -> list[str]:
        longest = max(map(len, batch))
        padding = [longest - len(ids) for ids in batch]  # on the left: what is new follows the prompt
        produced = self._model.generate(
            input_ids=torch.tensor([[0] * gap + ids for gap, ids in zip(padding, batch, strict=True)]),
            attention_mask=torch.tensor([[0] * gap + [1] * (longest - gap) for gap in padding]),
            generation_config=transformers.GenerationConfig(  # type: ignore[no-untyped-call]
                do_sample=False,
                max_new_tokens=most_tokens,
                eos_token_id=self._ends_a_text(),
                pad_token_id=self._tokenizer.eos_token_id,
            ),
            stopping_criteria=[self._stopped_at(stop, longest)],
        )
        texts = self._tokenizer.batch_decode(produced[:, longest:], skip_special_tokens=True)
        return [until_stop(text, stop) for text in texts]

    def _stopped_at(self, stop: Sequence[str], start: int) -> Callable[..., Any]:
        """Return what tells which texts of a batch are ended; Transformers' own spells the whole vocabulary first."""

        def stopped(ids: Any, scores: Any, **more: Any) -> Any:
            texts = self._tokenizer.batch_decode(ids[:, start:])
            return torch.tensor([any(end in text for end in stop) for text in texts])

        return stopped

    def _to_go_on(self, prompt: str, most_tokens: int) -> list[int]:
        """Return the tokens of a prompt to be continued, and say when the model cannot read so many."""
        ids = self._prompt_tokens(prompt)
        if self._context and len(ids) + most_tokens > self._context:
            raise UserError(
                f"{prompt[:60]!r} has {len(ids):,} tokens and {most_tokens:,} may follow; "
                f"{self.name} reads {self._context:,}."
            )
        return ids

    def _prompt_tokens(self, prompt: str) -> list[int]:
        """Return the tokens of a prompt, in the model's chat template if it has one."""
        if getattr(self._tokenizer, "chat_template", None):
            ids = list(self._tokenizer(self.chat(prompt), add_special_tokens=False)["input_ids"])
        else:
            ids = list(self._tokenizer(prompt)["input_ids"])
        while len(ids) > 1 and ids[-1] == self._tokenizer.eos_token_id:
            ids.pop()  # some tokenizers close every text
        if self._bos and ids[:1] != self._bos:
            ids = self._bos + ids
        return ids

    def _ends_a_text(self) -> list[int]:
        """Return the tokens after which nothing follows: the tokenizer's and those that the weights name."""
        named = self._model.generation_config.eos_token_id
        named = named if isinstance(named, list) else [named]
        return sorted({token for token in (*named, self._tokenizer.eos_token_id) if token is not None})

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        """Return log P(answer | prompt) for each request, in their order."""
        return [sum(logprobs) for logprobs in self._scored([self._encoded(request) for request in requests])]

    def _scored(self, encoded: list[Statement]) -> list[list[float]]:
        """Return the log-probabilities of the tokens at the end of each statement."""
        if not encoded:
            return []
        if self._reads_trees is None:
            self._reads_trees = self._agree_on(encoded[:3])
        in_sight = max(len(statement.tokens) for statement in encoded) <= self._sight
        return self._scored_in_trees(encoded) if self._reads_trees and in_sight else self._scored_by_length(encoded)

    def _agree_on(self, few: list[Statement]) -> bool:
        """Try both ways on a few statements: some architectures mix positions elsewhere than in attention."""
        few = [*few, *(Statement([*one.tokens[:-1], one.tokens[0]], 1) for one in few)]
        try:
            found = self._scored_in_trees(few)
        except (NotImplementedError, TypeError, RuntimeError, ValueError):
            return False
        expected = self._scored_by_length(few)
        return max(abs(sum(one) - sum(other)) for one, other in zip(found, expected, strict=True)) < _SAME

    def _scored_in_trees(self, encoded: list[Statement]) -> list[list[float]]:
        with attends_over_trees(self._model) as logits:
            return self._in_batches(
                tree_batches(encoded, self._placement.tokens_per_batch),
                lambda batch: tree_scores(logits, batch),
                encoded,
            )

    def _scored_by_length(self, encoded: list[Statement]) -> list[list[float]]:
        lengths = [len(statement.tokens) for statement in encoded]
        batches = equal_lengths(lengths, tokens=int, most_tokens=self._placement.tokens_per_batch)
        return self._in_batches(batches, self._equal_length_scores, encoded)

    def _in_batches(
        self, batches: list[list[int]], scores: Callable[[list[Statement]], list[list[float]]], encoded: list[Statement]
    ) -> list[list[float]]:
        results: list[list[float]] = [[]] * len(encoded)

        def work(indices: list[int]) -> None:
            for index, score in zip(indices, scores([encoded[index] for index in indices]), strict=True):
                results[index] = score

        on_every_core(batches, work, self._placement)
        return results

    def _encoded(self, request: AnswerRequest) -> Statement:
        statement = statement_of(self._tokenizer, request.prompt, request.answer, first=self._bos)
        if self._context and len(statement.tokens) > self._context:
            raise UserError(
                f"{request.prompt[:60]!r} with its answer has {len(statement.tokens):,} tokens; "
                f"{self.name} reads {self._context:,}."
            )
        return statement

    def _equal_length_scores(self, batch: list[Statement]) -> list[list[float]]:
        longest = max(count for _, count in batch)
        ids = torch.tensor([tokens for tokens, _ in batch])
        logits = self._model(input_ids=ids[:, :-1], logits_to_keep=longest, use_cache=False).logits.float()
        chosen = logits.gather(-1, ids[:, -longest:].unsqueeze(-1)).squeeze(-1)
        logprobs = (chosen - torch.logsumexp(logits, dim=-1)).tolist()
        return [row[longest - count :] for row, (_, count) in zip(logprobs, batch, strict=True)]
