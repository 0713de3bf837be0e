"""Which relations a benchmark asks for: those that a person names, or all that can be said; and why not the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from asof.errors import UserError
from asof.facts import FactStore, find_relation
from asof.wording import Wording

_SHOWN = 5


@dataclass(frozen=True)
class RelationRule:
    """The relations that are left after a rule, and the words for the facts of those that are not."""

    drops: str
    advice: str
    keeps: frozenset[str]


@dataclass(frozen=True)
class RelationsToAsk:
    """The relations that a benchmark asks for, by id, and the rules by which the others are left out."""

    ids: tuple[str, ...]
    rules: tuple[RelationRule, ...]


def relations_to_ask(
    store: FactStore, say: Wording, named: str | None, *, moments: str | None = None, asking: bool = False
) -> RelationsToAsk:
    """Return the relations that are named, or all that can be said; or say which cannot.

    Args:
        named: Ids or names with commas between.
        moments: Where none is named, leave out those that hold at one moment, with this advice on {relations}.
        asking: A relation needs a question, too.
    """
    if named is not None:
        ids = _named(store, say, named, asking=asking)
        advice = "Add their relations to --set relations, or omit that setting."
        return RelationsToAsk(ids, (RelationRule("of other relations", advice, frozenset(ids)),))
    said = {id for id in store.relations if say.can_say(id) and (say.template(id).questions or not asking)}
    what, needed = ("question", "sentences and questions") if asking else ("sentence", "sentences")
    unsaid = _listed(store, store.relations.keys() - said)
    advice = f"Write {needed} for {unsaid} in a TOML file, in the form of asof's wording/templates/{say.language}.toml"
    drops = f"of relations without a {what} in {say.language!r}"
    rules = [RelationRule(drops, f"{advice}: --set templates=FILE", frozenset(said))]
    if moments is not None:
        instant = {id for id in said if say.template(id).instant}
        said -= instant
        advice = moments.format(relations=_listed(store, instant))
        rules.append(RelationRule("of relations that hold at one moment", advice, frozenset(said)))
    return RelationsToAsk(tuple(sorted(said)), tuple(rules))


def _named(store: FactStore, say: Wording, named: str, *, asking: bool) -> tuple[str, ...]:
    found = [find_relation(store, name.strip()).id for name in named.split(",") if name.strip()]
    if not found:
        raise UserError("No relation is named. Write --set relations=P39,P54, or omit the setting for all of them.")
    for id in found:
        if not say.template(id).questions and asking:  # a relation without a template says how to add one
            raise UserError(f"There is no question for relation {id!r}: add questions to its table in {say.own}.")
    return tuple(dict.fromkeys(found))


def _listed(store: FactStore, ids: Iterable[str]) -> str:
    """Name some relations by what a file of templates and --set relations call them."""
    names = sorted(str(store.relations[id]) for id in ids)
    more = [f"{len(names) - _SHOWN:,} more"] if len(names) > _SHOWN else []
    return ", ".join(names[:_SHOWN] + more)
