"""A Wikibase asked now: entities that no base has, each as a small base of its own, kept for a while.

``wikibase`` speaks with the server, politely and within a budget; ``entities`` keeps what came and makes bases of it.
"""

from asof.live.entities import LiveEntities, LiveEntity, open_live
from asof.live.wikibase import WikibaseServer

__all__ = ["LiveEntities", "LiveEntity", "WikibaseServer", "open_live"]
