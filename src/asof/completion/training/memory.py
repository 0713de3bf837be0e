"""How much memory a training takes, told before it begins; one that cannot fit is refused."""

from __future__ import annotations

import torch

from asof import registry
from asof.completion.dataset import Dataset
from asof.completion.scorers import ProductScorer
from asof.completion.training.phases import LearnsWeights
from asof.completion.training.plan import CompletionPlan
from asof.completion.training.trainer import sizes_of
from asof.cores import free_memory
from asof.errors import UserError

_FEW = 1000  # shared negatives
_BYTES = 4  # of a number
_PROGRAM = 500_000_000  # torch and the others, before anything is read
_OF_A_FACT = 400  # both directions of a fact, and what is made of them for a while
_COPIES = (
    5  # of the weights: themselves, their slopes, the sums of Adagrad, the best so far, those on their way to disk
)
_TABLES = 3  # of the scores of a step that stand beside each other
_RANKED = 20_000_000 * _BYTES * _TABLES  # scores while valid is ranked
_EVIDENCE_OF_A_FACT, _EVIDENCE = 700, 900_000_000  # counts; features of the questions that trees learn from


def needed_memory(plan: CompletionPlan, dataset: Dataset) -> int:
    """Return about how many bytes a training takes at its peak."""
    kind = registry.scorers.get(plan.scorer)
    with torch.device("meta"):
        scorer = kind(sizes_of(dataset), plan.rank, **plan.options)
    weights: int = sum(one.numel() for one in scorer.parameters())
    questions = 2 * min(plan.training.batch, len(dataset.train))
    compared = len(dataset.entities)
    if plan.training.shared_negatives:
        compared = min(compared, plan.training.shared_negatives + questions)
    elif plan.training.negatives or not isinstance(scorer, ProductScorer):
        compared = (plan.training.negatives or 100) * 2 * plan.rank  # each question has candidates of its own
    found = _PROGRAM + _OF_A_FACT * len(dataset.all_facts) + _COPIES * _BYTES * weights
    found += max(_TABLES * _BYTES * questions * compared, _RANKED)
    if isinstance(scorer, LearnsWeights):
        found += _EVIDENCE_OF_A_FACT * len(dataset.train) + _EVIDENCE
    return found


def told_memory(needed: int) -> str:
    """Say how much memory a training takes, and how much is free."""
    free = free_memory()
    told = f"It takes about {needed / 1e9:.1f} GB of memory"
    return f"{told}." if free is None else f"{told}; {free / 1e9:.1f} GB are free."


def see_that_it_fits(needed: int, plan: CompletionPlan, dataset: Dataset) -> None:
    """Raise an error when a training takes more memory than is free."""
    free = free_memory()
    if free is None or needed <= free:
        return
    ways = []
    if not plan.training.shared_negatives and len(dataset.entities) > 2 * _FEW:
        ways.append(f"--set shared_negatives={_FEW}")
    if plan.rank > 1:
        ways.append(f"--rank {max(1, plan.rank // 2)}")
    if plan.training.batch > 1:
        ways.append(f"--set batch={max(1, plan.training.batch // 2)}")
    raise UserError(
        f"{plan.scorer} of dimension {plan.rank} on {dataset.name} takes about {needed / 1e9:.1f} GB of memory, and "
        f"{free / 1e9:.1f} GB are free. Try {' or '.join(ways) or 'a machine with more memory'}."
    )
