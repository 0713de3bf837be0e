"""Facts in sentences and questions, the same in all benchmarks; and the answer in what a model wrote.

The sentences are data: ``templates/en.toml``, ``fr.toml``, one table per relation, so that a person can correct them.
"""

from asof.wording.sentences import Blank, Wording
from asof.wording.templates import Template, languages, templates

__all__ = ["Blank", "Template", "Wording", "languages", "templates"]
