"""What ``asof mine`` says of relations at its end: where their meanings come from, and what the facts suggest."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from asof.cli.output import counted, talk
from asof.errors import did_you_mean
from asof.facts import FactStore
from asof.facts.proposed import ProposalEvidence

_SHOWN = 8


def tell_relations(folder: Path, described: Mapping[Path, pa.RecordBatch], found: Sequence[ProposalEvidence]) -> None:
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
    if not found:
        return
    found = [one for one in found if one.meaning != "inverse" or one.relation < str(one.value)]  # once a pair
    talk("The facts suggest, and nobody has confirmed:")
    for one in found[:_SHOWN]:
        talk(f"  {known[one.relation].label}: {said(one, store)} ({one.in_words})")
    if len(found) > _SHOWN:
        talk(f"  ... and {len(found) - _SHOWN} more. See: asof relations {folder}")
    first = known[found[0].relation].label
    no = "" if found[0].meaning == "inverse" else "no"
    talk(f"Confirm all: asof relations {folder} --accept. Deny one: --set '{first}:{found[0].meaning}={no}'")


def said(one: ProposalEvidence, store: FactStore) -> str:
    """Say what is proposed of a relation."""
    if one.meaning == "inverse":
        return f"inverse of {store.relations[str(one.value)].label}"
    return one.meaning.replace("_", " ")
