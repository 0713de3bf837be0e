"""All right answers of a prompt: those of every fact that gives the same text with the blank at the same place.

Prompts and answers in as numbers, lists of answers out, for each prompt the answer that was taken out of it first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.benchmarks.dynamic_templama.spells import spread
from asof.benchmarks.lama_tk.times import Numbers


@dataclass(frozen=True)
class PromptAnswers:
    """The different answers of each prompt, in the order in which facts give them.

    Args:
        begin: Where the answers of a prompt begin in ``answer``, by its number; one more at the end.
    """

    begin: Numbers
    answer: Numbers

    @classmethod
    def of(cls, prompt: Numbers, answer: Numbers, prompts: int) -> PromptAnswers:
        """Gather answers, each once.

        >>> found = PromptAnswers.of(np.array([1, 0, 1, 1]), np.array([7, 5, 3, 7]), 2)
        >>> found.begin.tolist(), found.answer.tolist()
        ([0, 1, 3], [5, 7, 3])
        """
        order = np.lexsort((answer, prompt))
        again = np.zeros(len(order), bool)
        again[1:] = (prompt[order[1:]] == prompt[order[:-1]]) & (answer[order[1:]] == answer[order[:-1]])
        once = np.sort(order[~again])
        once = once[np.argsort(prompt[once], kind="stable")]
        begin = np.append(0, np.cumsum(np.bincount(prompt[once], minlength=prompts)))
        return cls(begin.astype(np.int64), answer[once])

    def count(self, prompt: Numbers) -> Numbers:
        """Return how many answers some prompts have."""
        return self.begin[prompt + 1] - self.begin[prompt]

    def lists(self, prompt: Numbers, masked: Numbers) -> tuple[Numbers, Numbers]:
        """Return the answers of some prompts one after the other, and where each prompt's begin.

        Args:
            masked: An answer of each prompt, which comes first.

        >>> found = PromptAnswers(np.array([0, 3]), np.array([7, 3, 5]))
        >>> [numbers.tolist() for numbers in found.lists(np.array([0, 0]), np.array([7, 5]))]
        [[7, 3, 5, 5, 7, 3], [0, 3, 6]]
        """
        index, row = spread(self.begin[prompt], self.begin[prompt + 1])
        lengths = self.count(prompt)
        ends = np.append(0, np.cumsum(lengths)).astype(np.int64)
        every = self.answer[index]
        own = np.flatnonzero(every == masked[row])  # one in each list
        turn = np.arange(len(row)) - ends[row]
        before = own - ends[:-1]
        turn = np.where(turn == 0, before[row], turn - (turn <= before[row]))
        return every[ends[row] + turn], ends
