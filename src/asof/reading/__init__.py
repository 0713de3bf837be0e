"""Answers from text and from facts: documents and times in them, readers, retrieval, and the reader of questions."""
