"""Which relations a benchmark asks for: those that a person names, or all that can be said."""

from __future__ import annotations

from asof.errors import UserError
from asof.facts import FactStore, find_relation
from asof.wording import Wording


def relations_to_ask(store: FactStore, say: Wording, named: str | None, *, lasting: bool = False) -> tuple[str, ...]:
    """Return the relations that are named, or all that can be said; or say which cannot.

    Args:
        named: Ids or names with commas between.
        lasting: Where none is named, leave out those that happen at a moment.
    """
    if named is None:
        said = sorted(id for id in store.relations if say.can_say(id))
        return tuple(id for id in said if not (lasting and say.template(id).instant))
    found = [find_relation(store, name.strip()).id for name in named.split(",") if name.strip()]
    if not found:
        raise UserError("No relation is named. Write --set relations=P39,P54, or leave it out for all of them.")
    for id in found:
        say.template(id)  # which says how to add one
    return tuple(dict.fromkeys(found))
