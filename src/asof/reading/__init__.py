"""Answers from text and from facts: documents and times in them, readers, retrieval, and the reader of facts."""

from asof.reading.facts import FactsAnswer, ask

__all__ = ["FactsAnswer", "ask"]
