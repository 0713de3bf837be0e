"""The answer as a row; it stands in ``asof.reading.ask`` now."""

from asof.reading.ask.answer_row import AnswerRow, ItemRow, QuestionRow, answer_row

__all__ = ["AnswerRow", "ItemRow", "QuestionRow", "answer_row"]
