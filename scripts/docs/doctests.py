"""Examples in docstrings as code: an extension of griffe, for the Python page.

Docstrings here have their doctests in the running text, where Markdown would take ``>>>`` for a quotation.
"""

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^[ ]*>>> .*\n?(?:^[ ]*\S.*\n?)*)+", re.MULTILINE)


class FencedDoctests(griffe.Extension):
    """Puts fences round the examples of every docstring."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """Put fences round each stretch of lines that begins with >>> and has no empty line."""
    return _EXAMPLE.sub(lambda found: f"\n```python\n{found[0].rstrip()}\n```\n", text)
