"""What ``asof mine`` says of relations at its end: where their meanings come from, and what the facts suggest."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from asof.cli.output import counted, talk
from asof.errors import did_you_mean
from asof.facts import FactStore
from asof.facts.proposed import ProposalEvidence

_SHOWN = 8


def tell_relations(
    folder: Path, described: Mapping[Path, pa.RecordBatch], proposals: Sequence[ProposalEvidence]
) -> None:
    """Say which descriptions were read, which of their relations no fact has, and what is proposed."""
    store = FactStore(folder)
    known = store.relations
    for path, rows in described.items():
        ids = rows["id"].to_pylist()
        talk(f"Described in {path}: {counted(sum(id in known for id in ids), 'relation')} of the base.")
        for id in ids:
            hint = did_you_mean(id, known)
            if id not in known and hint:
                talk(f"  No fact has its relation {id!r}.{hint}")
    if store.manifest.told:
        names = ", ".join(known[id].label for id in store.manifest.told if id in known)
        talk(f"Kept from 'asof relations': what was set for {names}.")
    if not proposals:
        return
    proposals = [one for one in proposals if one.meaning != "inverse" or one.relation < str(one.value)]  # once a pair
    talk("The facts suggest, and nobody has confirmed:")
    for one in proposals[:_SHOWN]:
        talk(f"  {known[one.relation].label}: {said(one, store)} ({one.in_words})")
    if len(proposals) > _SHOWN:
        talk(f"  ... and {len(proposals) - _SHOWN} more. See: asof relations {folder}")
    first = known[proposals[0].relation].label
    no = "" if proposals[0].meaning == "inverse" else "no"
    talk(f"Confirm all: asof relations {folder} --accept. Deny one: --set '{first}:{proposals[0].meaning}={no}'")


def said(proposal: ProposalEvidence, store: FactStore) -> str:
    """Say what is proposed of a relation."""
    if proposal.meaning == "inverse":
        return f"inverse of {store.relations[str(proposal.value)].label}"
    return proposal.meaning.replace("_", " ")
