"""The temporal knowledge base: written all-or-nothing, asked as of a date, compared over time."""

from asof.facts.fact import Entity, Fact, Relation
from asof.facts.intake import Intake, InversionPolicy
from asof.facts.manifest import Manifest
from asof.facts.names import find_entity, find_relation
from asof.facts.rejects import Rejects
from asof.facts.schema import ENTITIES, FACTS, RELATIONS, Rank
from asof.facts.store import FactStore, FactTable
from asof.facts.write import Source, write_base

__all__ = [
    "ENTITIES",
    "FACTS",
    "RELATIONS",
    "Entity",
    "Fact",
    "FactStore",
    "FactTable",
    "Intake",
    "InversionPolicy",
    "Manifest",
    "Rank",
    "Rejects",
    "Relation",
    "Source",
    "find_entity",
    "find_relation",
    "write_base",
]
