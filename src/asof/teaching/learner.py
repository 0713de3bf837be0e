"""A model of Transformers that learns: scores of many statements in one pass, with gradients, and what is trained.

This one is a decoder; ``blank_learners`` has those that fill a blank. Statements of a step begin alike ("In 19", or one
question with several answers), so all distinct beginnings are read once and nothing is padded; the output layer runs on
the positions of answers only. An architecture that does not allow that reads padded rows, with the same results.
Dropout is off: what a step does depends on its statements alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from asof.devices import known_device
from asof.errors import UserError, did_you_mean
from asof.models import kind_and_location
from asof.models.statement_trees import (
    Statement,
    TokenTree,
    attends_over_trees,
    first_tokens,
    statement_of,
    tree_batches,
)
from asof.teaching.answer_logits import AnswerLogits
from asof.teaching.drill import Ask
from asof.weights.transformers_folder import loaded, transformers

_TRANSFORMERS = "transformers-"  # how their kinds begin
_DTYPES = ("auto", "float32", "bfloat16")
_SAME = 1e-3
_SIGHTS = ("sliding_window", "attention_chunk_size")  # settings by which some layers see only the last so many tokens
_TOKENS_PER_BATCH = 1024
_LAYERS_SHOWN = 8


@dataclass(frozen=True)
class Adaptation:
    """What of a model is trained: LoRA's matrices of a rank in some layers, or all weights but the embeddings."""

    whole: bool = False
    rank: int = 16
    targets: str = "all-linear"
    seed: int = 0


class Learner:
    """A decoder that is taught.

    Args:
        model: A folder, a hub name, or the name of fetched weights.
        adaptation: What is trained; None where the model is only asked.
        dtype: bfloat16 computes in bfloat16 over weights in float32; auto does where the processor can.
    """

    auto_class: ClassVar[Any] = transformers.AutoModelForCausalLM
    task: ClassVar[str | None] = "CAUSAL_LM"  # as peft names it
    reads_trees: ClassVar[bool] = True

    def __init__(
        self, model: str, adaptation: Adaptation | None = None, *, device: str = "cpu", dtype: str = "auto"
    ) -> None:
        self.name = model
        self.device = known_device(device)
        self.dtype = _dtype(dtype, self.device)
        self.tokenizer, network = loaded(_trainable(model), self.auto_class)
        self.network: Any = network.to(self.device)
        text = self.network.config.get_text_config()
        self._context = self._most_tokens()
        self._sight = min(filter(None, (getattr(text, name, None) for name in _SIGHTS)), default=math.inf)
        self._first = first_tokens(self.tokenizer, self.network.config.model_type)
        self._reads_trees = self.reads_trees and self._agree()
        self.adapter: Any = None
        self._exact: dict[Any, torch.Tensor] = {}
        self.trained: dict[str, torch.nn.Parameter] = {}
        if adaptation:
            self._adapt(adaptation)

    @property
    def parameters_count(self) -> int:
        """How many numbers are trained."""
        return sum(one.numel() for one in self.trained.values())

    def _most_tokens(self) -> int | None:
        found: int | None = getattr(self.network.config.get_text_config(), "max_position_embeddings", None)
        return found

    def statement(self, ask: Ask) -> Statement:
        """Put a prompt with its answer into tokens."""
        found = statement_of(self.tokenizer, ask.prompt, ask.answer, first=self._first)
        self._see_that_it_fits(len(found.tokens), ask.prompt)
        return found

    def text(self, text: str, *, most: int) -> Statement | None:
        """Put a text into tokens, of which all but the first are asked for; None where there are not two."""
        tokens = [*self._first, *self.tokenizer(text)["input_ids"]][: min(most, self._context or most)]
        return Statement(tokens, len(tokens) - 1) if len(tokens) > 1 else None

    def answers(self, statements: Sequence[Statement]) -> AnswerLogits:
        """Return the logits of all answers in one pass, with gradients where somebody wants them."""
        order = sorted(range(len(statements)), key=lambda index: statements[index].tokens)
        rows = [statements[index] for index in order]
        owners = [owner for owner, row in zip(order, rows, strict=True) for _ in range(row.answer)]
        longest = max(len(row.tokens) for row in rows)
        trees = self._reads_trees and longest <= self._sight
        with self._computing():
            logits, place = (self._in_a_tree if trees else self._in_rows)(rows)
        tokens = [token for row in rows for token in row.tokens[len(row.tokens) - row.answer :]]
        token, owner = (torch.tensor(numbers, device=self.device) for numbers in (tokens, owners))
        return AnswerLogits(logits.float(), place, token, owner)

    def asked(self, asks: Sequence[Ask], on_progress: Callable[[int], None] = lambda done: None) -> list[AskScore]:
        """Return how likely each answer is, and whether it would be written."""
        statements = [self.statement(ask) for ask in asks]
        found: list[AskScore] = [AskScore(math.nan, written=False)] * len(asks)
        done = 0
        for batch in tree_batches(statements, _TOKENS_PER_BATCH) if statements else []:
            with torch.inference_mode():
                answers = self.answers([statements[index] for index in batch])
                logprobs, written = answers.of_answers(len(batch)).tolist(), answers.written(len(batch)).tolist()
            for index, logprob, said in zip(batch, logprobs, written, strict=True):
                found[index] = AskScore(logprob, written=said)
            done += len(batch)
            on_progress(done)
        return found

    def _in_a_tree(self, rows: Sequence[Statement]) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.device(self.device):
            tree = TokenTree.of([row.tokens[:-1] for row in rows])
        nodes = tree.nodes[numbers_on(self.device, _places(rows, 0)), numbers_on(self.device, _places(rows, 1))]
        wanted, place = torch.unique(nodes, return_inverse=True)
        with attends_over_trees(self.network) as logits:
            return logits(tree, wanted), place

    def _in_rows(self, rows: Sequence[Statement]) -> tuple[torch.Tensor, torch.Tensor]:
        longest = max(len(row.tokens) for row in rows) - 1
        ids = [row.tokens[:-1] + [0] * (longest + 1 - len(row.tokens)) for row in rows]
        mask = [[1] * (len(row.tokens) - 1) + [0] * (longest + 1 - len(row.tokens)) for row in rows]
        read = self.network(
            input_ids=numbers_on(self.device, ids), attention_mask=numbers_on(self.device, mask), use_cache=False
        )
        logits = read.logits[numbers_on(self.device, _places(rows, 0)), numbers_on(self.device, _places(rows, 1))]
        return logits, torch.arange(len(logits), device=self.device)

    def _computing(self) -> AbstractContextManager[Any]:
        reduced = self.dtype == "bfloat16"
        return torch.autocast(torch.device(self.device).type, dtype=torch.bfloat16, enabled=reduced)

    def _agree(self) -> bool:
        """Try both ways on two short statements: some architectures mix positions elsewhere than in attention."""
        few = [Statement([3, 4, 5, 6], 2), Statement([3, 4, 7], 1), Statement([4, 3, 4, 5, 6], 3)]
        few.sort(key=lambda one: one.tokens)
        try:
            with torch.inference_mode():
                (found, place), (expected, other) = self._in_a_tree(few), self._in_rows(few)
        except (NotImplementedError, TypeError, RuntimeError, ValueError):
            return False
        return bool((found.float()[place] - expected.float()[other]).abs().max() < _SAME)

    def _adapt(self, adaptation: Adaptation) -> None:
        torch.manual_seed(adaptation.seed)
        if adaptation.whole:
            ends = (self.network.get_input_embeddings(), self.network.get_output_embeddings())
            frozen = {id(one) for end in ends if end is not None for one in end.parameters()}
            for parameter in self.network.parameters():
                parameter.requires_grad_(id(parameter) not in frozen)
        else:
            self.adapter = with_lora(self.network, adaptation, self.name, task=self.task)
            self._exact = _reduced(self.network) if self.dtype == "bfloat16" else {}
        self.trained = {name: one for name, one in self.network.named_parameters() if one.requires_grad}

    def merged(self) -> Any:
        """Return the network with what was learnt in its own weights; it learns no further."""
        for layer, exact in self._exact.items():
            layer.weight.data = exact
        self._exact = {}
        return self.adapter.merge_and_unload() if self.adapter is not None else self.network

    def _see_that_it_fits(self, tokens: int, prompt: str) -> None:
        if self._context and tokens > self._context:
            raise UserError(
                f"{prompt[:60]!r} with its answer has {tokens:,} tokens; {self.name} reads {self._context:,}."
            )


@dataclass(frozen=True)
class AskScore:
    """How likely an answer is, and whether greedy decoding writes it."""

    logprob: float
    written: bool


def with_lora(network: Any, adaptation: Adaptation, name: str, *, task: str | None) -> Any:
    """Put LoRA's matrices beside the layers of a network."""
    try:
        import peft
    except ImportError as error:
        raise UserError("Teaching by LoRA needs peft. Install it with: pip install 'asof[teach]'") from error
    named = [one.strip() for one in adaptation.targets.split(",") if one.strip()]
    targets: str | list[str] = adaptation.targets if adaptation.targets == "all-linear" else named
    settings = peft.LoraConfig(
        r=adaptation.rank, lora_alpha=2 * adaptation.rank, target_modules=targets, task_type=task
    )
    missing = [one for one in named if not _has(network, one)] if isinstance(targets, list) else []
    try:
        if missing or not named:
            raise ValueError(f"it has no layer called {', '.join(missing) or repr(adaptation.targets)}")
        return peft.get_peft_model(network, settings)
    except ValueError as error:
        raise _no_targets(network, name, str(error).splitlines()[0]) from error


def _reduced(network: Any) -> dict[Any, torch.Tensor]:
    """Keep the frozen weights beside LoRA's in bfloat16, as they are computed with; return what they were.

    Otherwise autocast makes them anew in each step, and peft turns what goes into its matrices into float32 and back.
    """
    exact = {}
    for module in network.modules():
        if hasattr(module, "lora_A") and hasattr(module, "cast_input_dtype_enabled"):
            module.cast_input_dtype_enabled = False
            layer = module.base_layer
            exact[layer] = layer.weight.data
            layer.weight.data = exact[layer].to(torch.bfloat16)
    return exact


def _has(network: Any, target: str) -> bool:
    return any(layer == target or layer.endswith(f".{target}") for layer, _ in network.named_modules())


def _no_targets(network: Any, name: str, reason: str) -> UserError:
    kinds = (torch.nn.Linear, transformers.pytorch_utils.Conv1D)
    found = (layer.rpartition(".")[2] for layer, module in network.named_modules() if isinstance(module, kinds))
    names = sorted(set(found))
    there = f"Its linear layers are: {', '.join(names[:_LAYERS_SHOWN])}. Name some with --set targets=NAME,NAME, or"
    return UserError(
        f"LoRA cannot be put into {name}: {reason}. {there if names else 'It has no linear layers;'} train all "
        "weights with --whole."
    )


def _trainable(model: str) -> str:
    """Return where a model is whose weights can be trained."""
    kind, location = kind_and_location(model)
    if location.endswith(".gguf") or kind == "gguf":
        raise UserError(f"{model} is a GGUF file, whose weights cannot be trained. Give the folder of the model.")
    if not kind.startswith(_TRANSFORMERS):
        raise UserError(
            f"{model} is a model of kind {kind}; asof teach takes models of Transformers, whose weights are here. "
            "For other models write a training set: asof export RUN --as chat"
        )
    return location


def _dtype(dtype: str, device: str) -> str:
    if dtype not in _DTYPES:
        raise UserError(f"dtype = {dtype!r} is not known.{did_you_mean(dtype, _DTYPES)} Known: {', '.join(_DTYPES)}.")
    if dtype != "auto":
        return dtype
    on_cpu = device == "cpu" and bool(torch.cpu.get_capabilities().get("avx512_bf16"))
    on_cuda = device.startswith("cuda") and torch.cuda.is_bf16_supported()
    return "bfloat16" if on_cpu or on_cuda else "float32"


def _places(rows: Sequence[Statement], which: int) -> list[int]:
    """Return of each token of each answer the row (0), or the column of the token before it (1)."""
    return [
        (number, column)[which]
        for number, row in enumerate(rows)
        for column in range(len(row.tokens) - row.answer - 1, len(row.tokens) - 1)
    ]


def numbers_on(device: str, numbers: Any) -> torch.Tensor:
    """Put numbers on a device."""
    return torch.tensor(numbers, device=device)
