"""Statements in tokens, and all their distinct beginnings read once, also for training: gradients flow through both.

The door for folders that come after ``models``; what it opens stands in ``_token_border.py`` and
``_shared_beginnings.py``.
"""

from asof.models._shared_beginnings import TokenTree, attends_over_trees, tree_batches
from asof.models._token_border import Statement, first_tokens, statement_of

__all__ = ["Statement", "TokenTree", "attends_over_trees", "first_tokens", "statement_of", "tree_batches"]
