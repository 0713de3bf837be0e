"""Statements that begin alike, read once: the tree of their tokens, and attention over it.

A decoder's hidden state at a token depends on the tokens up to it alone. So each distinct beginning of a batch is one
node; all layers but attention run on the nodes in one row without padding, and attention puts the statements together
again from the nodes, attends as ever, and keeps one result for each node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from asof.models._token_border import Statement
from asof.weights.transformers_folder import torch

_NAME = "asof-shared-beginnings"
_NO_TOKEN = -1
_SHORT = 128  # tokens
_MOST_SCORES = 1 << 25  # of a layer at a time: 128 MB

Tokens = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class TokenTree:
    """The distinct beginnings of statements.

    >>> tree = TokenTree.of([[5, 6, 7], [5, 6, 8], [5, 9]])
    >>> tree.tokens.tolist(), tree.depths.tolist()
    ([5, 6, 7, 8, 9], [0, 1, 2, 2, 1])
    >>> tree.nodes.tolist()  # a short statement is filled up with its last node
    [[0, 1, 2], [0, 1, 3], [0, 4, 4]]

    Args:
        tokens: Of each node, its last token.
        depths: Of each node, how many tokens stand before it.
        nodes: Of each statement and position, its node.
        homes: Of each node, one place in ``nodes``, read row by row.
    """

    tokens: torch.Tensor
    depths: torch.Tensor
    nodes: torch.Tensor
    homes: torch.Tensor

    @classmethod
    def of(cls, statements: Sequence[Sequence[int]]) -> TokenTree:
        """Build the tree of statements in sorted order, so that those that begin alike are neighbours."""
        table = _table(statements)
        new = _is_new(table)
        numbers = np.cumsum(new.ravel()).reshape(new.shape) - 1
        nodes = np.maximum.accumulate(np.where(new, numbers, 0), axis=0)  # what is not new stands in the row above
        last = np.array([len(tokens) - 1 for tokens in statements])
        positions = np.minimum(np.arange(table.shape[1]), last[:, None])
        homes = np.flatnonzero(new)
        return cls(
            tokens=_here(table.ravel()[homes]),
            depths=_here(homes % table.shape[1]),
            nodes=_here(np.take_along_axis(nodes, positions, axis=1)),
            homes=_here(homes),
        )


def _here(numbers: Tokens) -> torch.Tensor:
    return torch.from_numpy(numbers).to(torch.get_default_device())


def _table(statements: Sequence[Sequence[int]]) -> Tokens:
    """Put statements into rows, short ones filled up."""
    table = np.full((len(statements), max(map(len, statements))), _NO_TOKEN, np.int64)
    for row, tokens in zip(table, statements, strict=True):
        row[: len(tokens)] = tokens
    return table


def _is_new(table: Tokens) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Tell of each token whether the row above does not have the same beginning up to it."""
    new: np.ndarray[Any, np.dtype[np.bool_]] = table != _NO_TOKEN
    new[1:] &= np.logical_or.accumulate(table[1:] != table[:-1], axis=1)
    return new


def tree_batches(statements: Sequence[Statement], most_nodes: int) -> list[list[int]]:
    """Cut statements, sorted so that those that begin alike are neighbours, into batches of so many nodes.

    >>> tree_batches([Statement([5, 6, 7], 1), Statement([9, 1], 1), Statement([5, 6, 8], 1)], most_nodes=2)
    [[0, 2], [1]]
    """
    indices = sorted(range(len(statements)), key=lambda index: statements[index].tokens)
    nodes = _is_new(_table([statements[index].tokens[:-1] for index in indices])).sum(axis=1)
    batches: list[list[int]] = []
    size = most_nodes
    for index, more in zip(indices, nodes.tolist(), strict=True):
        if size + more > most_nodes:
            batches.append([])
            size = len(statements[index].tokens) - 1 - more
        batches[-1].append(index)
        size += more
    return batches


Logits = Callable[[TokenTree, torch.Tensor], torch.Tensor]


def tree_scores(logits: Logits, batch: Sequence[Statement]) -> list[list[float]]:
    """Return the log-probabilities of the tokens of each answer; statements come in sorted order."""
    tree = TokenTree.of([statement.tokens[:-1] for statement in batch])  # nothing follows the last token
    rows, columns = zip(
        *(
            (row, column)
            for row, (tokens, answer) in enumerate(batch)
            for column in range(len(tokens) - answer, len(tokens))
        ),
        strict=True,
    )
    wanted, which = torch.unique(tree.nodes[list(rows), [column - 1 for column in columns]], return_inverse=True)
    found = logits(tree, wanted)
    answers = torch.tensor([batch[row].tokens[column] for row, column in zip(rows, columns, strict=True)])
    logprobs = iter((found[which, answers] - torch.logsumexp(found, dim=-1)[which]).tolist())
    return [list(islice(logprobs, answer)) for _, answer in batch]


_reading: ContextVar[TokenTree | None] = ContextVar("reading", default=None)


@contextmanager
def attends_over_trees(model: Any) -> Iterator[Logits]:
    """Let a model read trees for a while: yield a function from a tree and some of its nodes to their logits."""
    before = model.config._attn_implementation
    if before != "sdpa":
        raise NotImplementedError(f"{before} attention")

    def logits(tree: TokenTree, wanted: torch.Tensor) -> torch.Tensor:
        token = _reading.set(tree)
        try:
            read = model(
                input_ids=tree.tokens[None], position_ids=tree.depths[None], logits_to_keep=wanted, use_cache=False
            )
            found: torch.Tensor = read.logits[0].float()
            return found
        finally:
            _reading.reset(token)

    model.set_attn_implementation(_NAME)
    try:
        yield logits
    finally:
        model.set_attn_implementation(before)


def _attend(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    tree = _reading.get()
    if tree is None:
        return sdpa_attention_forward(module, query, key, value, attention_mask, **options)
    rows, columns = tree.nodes.shape

    def statements(of_nodes: torch.Tensor) -> torch.Tensor:
        heads, width = of_nodes.shape[1], of_nodes.shape[3]
        chosen = of_nodes[0].transpose(0, 1).index_select(0, tree.nodes.view(-1))
        return chosen.view(rows, columns, heads, width).transpose(1, 2)

    given = (statements(query), statements(key), statements(value))
    few = columns <= _SHORT and rows * query.shape[1] * columns**2 <= _MOST_SCORES
    if few and query.device.type == "cpu":
        attended = _attend_short(*given, options.get("scaling"))
    else:
        attended, _ = sdpa_attention_forward(module, *given, None, **options | {"is_causal": True})
    return attended.reshape(rows * columns, *attended.shape[2:]).index_select(0, tree.homes)[None], None


def _attend_short(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float | None) -> torch.Tensor:
    """Attend by two plain products: for many short statements PyTorch's kernel takes ten times as long to train."""
    rows, heads, columns, width = query.shape
    shared = key.shape[1]  # heads of keys, each for several of queries
    scores = query.reshape(rows, shared, -1, width) @ key.transpose(-1, -2) * (scaling or width**-0.5)
    later = torch.ones(columns, columns, dtype=torch.bool, device=query.device).triu(1)
    seen = scores.view(rows, heads, columns, columns).float().masked_fill(later, -torch.inf)
    spread = torch.softmax(seen, dim=-1).to(value.dtype).view(rows, shared, -1, columns)
    return (spread @ value).view(rows, heads, columns, -1).transpose(1, 2).contiguous()


AttentionInterface.register(_NAME, _attend)
