"""Answers from facts: a question in plain words, its relation, names and time found, the facts that say so."""

from asof.reading.facts.answer import Answer, Evidence, Holds, Item, Status
from asof.reading.facts.reader import FactsReader, ask

__all__ = ["Answer", "Evidence", "FactsReader", "Holds", "Item", "Status", "ask"]
