"""From names to ids: labels, aliases, and what the user may have meant."""

from collections.abc import Iterable, Mapping

from asof.errors import UserError
from asof.facts.base_in_commands import base_argument
from asof.facts.fact import Entity, Relation
from asof.facts.near_names import nearest
from asof.facts.schema import FOLD_NAME
from asof.facts.store import FactStore

_SHOWN = 8
_SHORT = 4  # letters with which a word is told from others
_MOST_MEANT = 5
_NAME_KIND = "name"  # "Leningrad" means the city before it means that name of the city
_NEAR = 0.88  # Jaro-Winkler similarity from which a name counts as a likely typing error

_BY_NAME = f"""
    SELECT e.*, n.is_label FROM names n JOIN entities e ON e.id = n.entity
    WHERE n.name = {FOLD_NAME.format("$name")} ORDER BY n.is_label DESC, e.popularity DESC NULLS LAST, e.id
"""
# A typing error, or a word of the name alone ("Conte").
_NEAR_NAMES = f"""
    WITH wanted AS (SELECT {FOLD_NAME.format("$name")} AS text), near AS (
        SELECT n.entity, max(jaro_winkler_similarity(n.name, text)) AS similarity,
            bool_or(contains(' ' || n.name || ' ', ' ' || text || ' ')) AS is_word
        FROM names n, wanted GROUP BY n.entity
    )
    SELECT e.* FROM near JOIN entities e ON e.id = near.entity
    WHERE is_word OR (similarity >= {_NEAR} AND NOT (SELECT bool_or(is_word) FROM near))
    ORDER BY is_word DESC, popularity DESC NULLS LAST, similarity DESC, e.id LIMIT {_SHOWN}
"""


class UnknownNameError(UserError):
    """Nothing in a base has a name."""


def find_entity(store: FactStore, name: str) -> Entity:
    """Return the one entity that an id, a label or an alias means.

    A label goes before an alias. When several fit, or none, the error lists the candidates.
    """
    by_id = store.rows("entities", name)
    if by_id.num_rows:
        return _entity(by_id.to_pylist()[0])
    found = store.sql(_BY_NAME, {"name": name}).to_pylist()
    things = [row for row in found if row["kind"] != _NAME_KIND] or found
    labelled = [row for row in things if row["is_label"]] or things
    if len(labelled) == 1:
        return _entity(labelled[0])
    if labelled:
        listed = _listed([_entity(row) for row in labelled])
        raise UserError(
            f"{name!r} is ambiguous; it may be one of {len(labelled)}:\n{listed}\nGive the id of the one you mean."
        )
    near = near_entities(store, name)
    hint = f" Did you mean:\n{_listed(near)}" if near else ""
    raise UnknownNameError(f"{store.manifest.name} has nothing called {name!r}.{hint}")


def near_entities(store: FactStore, name: str) -> list[Entity]:
    """Return some entities with a name that has these words in it, or else that is nearly written so."""
    return [_entity(row) for row in store.sql(_NEAR_NAMES, {"name": name}).to_pylist()]


def find_relation(store: FactStore, name: str) -> Relation:
    """Return the one relation that an id, a label or an alias means."""
    relations = store.relations
    if name in relations:
        return relations[name]
    wanted = name.casefold()
    found = [relation for relation in relations.values() if relation.label.casefold() == wanted]
    found = found or [
        relation for relation in relations.values() if wanted in (alias.casefold() for alias in relation.aliases)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        listed = "\n".join(f"  {relation.id:10} {relation.label}" for relation in found)
        raise UserError(f"{name!r} may be one of {len(found)} relations:\n{listed}\nGive the id of the one you mean.")
    raise UserError(
        f"{store.manifest.name} has no relation {name!r}.{_meant(relations, name)} "
        f"See: asof relations{base_argument(store)}"
    )


def _meant(relations: Mapping[str, Relation], name: str) -> str:
    """Return a question that names some relations by their labels, each with the alias that is nearly written so."""
    called: dict[str, list[Relation]] = {}
    for relation in relations.values():
        for text in {relation.id, relation.label, *relation.aliases}:
            called.setdefault(text, []).append(relation)
    meant: dict[str, str] = {}
    for text in nearest(name, called) or _alike(name, called):
        for relation in called[text]:
            said = repr(relation.label) if text in (relation.label, relation.id) else f"{relation.label!r} ({text})"
            meant.setdefault(relation.label, said)
    *others, last = list(meant.values())[:_MOST_MEANT] or [""]
    return f" Did you mean {', '.join(others)}{' or ' if others else ''}{last}?" if last else ""


def _alike(name: str, texts: Iterable[str]) -> list[str]:
    """Return the names that share the beginning of a word with one that is no misspelling of any, short ones first."""
    wanted = {word[:_SHORT] for word in name.casefold().split() if len(word) > _SHORT}
    return sorted((text for text in texts if wanted & _beginnings(text)), key=lambda text: (len(text), text))


def _beginnings(text: str) -> set[str]:
    """Return how the words of a name begin, so that "Store Mgr" is found for "store manager"."""
    return {word[:_SHORT] for word in text.casefold().replace("_", " ").split() if len(word) >= _SHORT}


def _entity(row: dict[str, object]) -> Entity:
    fields = {key: value for key, value in row.items() if key != "is_label"}
    return Entity(**fields | {"aliases": tuple(row["aliases"])})  # type: ignore[arg-type]


def _listed(entities: list[Entity]) -> str:
    rows = [entity_line(entity) for entity in entities[:_SHOWN]]
    more = len(entities) - len(rows)
    return "\n".join(rows + ([f"  ... and {more} more"] if more > 0 else []))


def entity_line(entity: Entity) -> str:
    """Return an entity as a line: its id where that is no name, its label, and what is told of it."""
    id = f"{entity.id:12} " if entity.id != entity.label else ""
    told = entity.description or entity.kind
    return f"  {id}{entity.label}{f', {told}' if told else ''}"
