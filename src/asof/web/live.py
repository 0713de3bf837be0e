"""The page of an entity that a live Wikibase was asked for."""

from __future__ import annotations

from dataclasses import replace

from asof.live import LiveEntities
from asof.web.desks import Desk
from asof.web.entity import EntityPage, NotThereError, entity_page


def live_page(live: LiveEntities, name: str, on: str | None) -> EntityPage:
    """Look an entity up and collect its page; it has the facts of the entity, not those that name it."""
    entity = live.entity(name)
    if not entity.store.count():
        raise NotThereError(f"{entity.id} has no statement with a date at {entity.server}. {entity.note}")
    return replace(entity_page(Desk(entity.store.folder), entity.id, on), live=entity.note)
