"""What the name of a candidate says: entities that share a word, such as the country they are of, do alike.

Names are the ids of a dataset. Where these are numbers no two share a word, and nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from asof.completion.dataset import Ints
from asof.completion.evidence.known_facts import Floats, KnownFacts, Numbers
from asof.completion.queries import Queries

NAMES = ("name like the known entity's", "name fits the role", "name fits the company", "words of the name")
_ROLE_PRIOR, _COMPANY_PRIOR = 10.0, 5.0  # facts that would have to be seen before their own share outweighs the usual
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class NameWords:
    """Weighs the words of names that at least two entities have.

    Args:
        words: Entities × words.
        alike: The same with words that few have counting more, rows of length one.
        usual: For each word, in what share of facts the answer has it.
        in_role: Roles × words: how much likelier than usual an answer of the role has the word, as a logarithm.
        in_company: Entities × words: how many facts of the entity have an answer with the word.
        facts: How many facts each entity has.
    """

    words: sp.csr_matrix
    alike: sp.csr_matrix
    usual: Floats
    in_role: Floats
    in_company: sp.csr_matrix
    facts: Ints

    @classmethod
    def of(cls, known: KnownFacts, names: Sequence[str]) -> NameWords:
        """Count the words of the answers of the training facts."""
        facts, words = known.facts, _words_of(names)
        has = np.bincount(words.indices, minlength=words.shape[1])
        rare = sp.csr_matrix(words @ sp.diags(np.log(len(names) / np.maximum(1, has))))
        lengths = np.sqrt(np.asarray(rare.multiply(rare).sum(1)).ravel())
        of_answers = words[facts.answer]
        usual = (np.bincount(of_answers.indices, minlength=words.shape[1]) + 1) / (len(facts) + 1)
        by_role, by_entity = (
            sp.csr_matrix((np.ones(len(facts)), (which, np.arange(len(facts)))), shape=(count, len(facts)))
            for which, count in ((facts.relation, known.roles), (facts.entity, known.entities))
        )
        role_facts = np.bincount(facts.relation, minlength=known.roles)
        return cls(
            words=words,
            alike=sp.csr_matrix(sp.diags(1 / np.maximum(lengths, 1e-9)) @ rare),
            usual=usual,
            in_role=_likelier((by_role @ of_answers).toarray(), role_facts, usual, _ROLE_PRIOR),
            in_company=sp.csr_matrix(by_entity @ of_answers),
            facts=np.bincount(facts.entity, minlength=known.entities),
        )

    def features(self, queries: Queries, chosen: Ints) -> Numbers:
        """Return one row of ``NAMES`` for each chosen candidate of each question."""
        unseen = queries.entity >= len(self.facts)
        entity = np.where(unseen, 0, queries.entity)
        like = (self.alike[entity] @ self.alike.T).toarray()
        company = _likelier(self.in_company[entity].toarray(), self.facts[entity], self.usual, _COMPANY_PRIOR)
        like[unseen], company[unseen] = 0, 0
        count = np.diff(self.words.indptr)
        fits = [
            (self.words @ ratios.T).T / np.maximum(1, count) for ratios in (self.in_role[queries.relation], company)
        ]
        columns = [np.take_along_axis(one, chosen, 1) for one in (like, *fits)]
        return np.stack([*columns, count[chosen]], axis=2).astype(np.float32)


def _words_of(names: Sequence[str]) -> sp.csr_matrix:
    found = [sorted(set(_WORD.findall(name.lower()))) for name in names]
    number = {word: index for index, word in enumerate(sorted({word for words in found for word in words}))}
    column = np.array([number[word] for words in found for word in words], np.int64)
    row = np.repeat(np.arange(len(names)), [len(words) for words in found])
    words = sp.csr_matrix((np.ones(len(row)), (row, column)), shape=(len(names), len(number)))
    return words[:, np.bincount(column, minlength=len(number)) > 1]


def _likelier(seen: Floats, facts: Ints, usual: Floats, prior: float) -> Floats:
    """Return how much likelier than usual words are, as logarithms; few facts say little."""
    ratios: Floats = np.log((seen + prior * usual) / (facts[:, None] + prior) / usual)
    return ratios
