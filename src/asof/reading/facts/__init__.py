"""Answers from facts: a question in plain words, its relation, names and time found, the facts that say so."""

from asof.reading.facts.answer import AnswerItem, FactEvidence, FactsAnswer, Holds, Status
from asof.reading.facts.reader import FactsReader, ask

__all__ = ["AnswerItem", "FactEvidence", "FactsAnswer", "FactsReader", "Holds", "Status", "ask"]
