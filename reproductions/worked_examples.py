"""The example that Jain et al. 2020 work out by hand: table 1, the rank of Jean under each way of filtering.

    python reproductions/worked_examples.py

Four members of an assembly are likelier than Jean, and each sat at another time. Prints one JSON object.
"""

import json

import numpy as np
import torch

from asof.completion.filters import FILTERS, known_answers
from asof.completion.queries import Queries
from asof.completion.ranking import ranks_of

ASSEMBLY, HAS_MEMBER = 5, 0
PIERRE, PAUL, ALAIN, CLAUDE, JEAN = range(5)
MEMBERS = {PIERRE: (2002, 2003), PAUL: (2003, 2008), ALAIN: (2008, 2009), CLAUDE: (2000, 2003), JEAN: (2000, 2003)}
SCORES = [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]


def main() -> None:
    """Rank Jean and print his ranks."""
    facts = np.array([(ASSEMBLY, HAS_MEMBER, member, *years) for member, years in MEMBERS.items()])
    every, jean = Queries(*facts.T), Queries(*facts[[JEAN]].T)
    told = {}
    for chosen in FILTERS:
        known = known_answers(jean, every, chosen)
        told[f"rank, {chosen}"] = float(ranks_of(torch.tensor([SCORES]), jean, known, "mean")[0])
    print(json.dumps(told))


if __name__ == "__main__":
    main()
