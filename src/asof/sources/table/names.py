"""Names as a table means them: without marks that nobody sees, and empty where the cell says that there is none."""

import pyarrow as pa
import pyarrow.compute as pc

from asof.timeline.readings import INVISIBLE

_NO_NAMES = frozenset((
    "-", "--", "---", "–", "—", "?", "??", "???", ".", "..", "...", "…", "n/a", "N/A", "<NA>", "(null)", "<null>",
    "#N/A", "#REF!", "#VALUE!", "#NAME?", "#NULL!", "#NUM!", "#DIV/0!",
))  # fmt: skip
# Signs that steer a terminal or the direction of writing, but not the joiners that Persian and Hindi need.
_NO_LETTERS = f"[{INVISIBLE}\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
_BLANKS = (
    r"[ \t\x{00a0}\x{2007}\x{202f}\x{3000}]+"  # but not the end of a line, which a name of several lines has on purpose
)


def clean_names(names: pa.Array) -> pa.Array:
    r"""Write names without what cannot be seen, without superfluous space, and without ="..." around them.

    >>> clean_names(pa.array(["Ann\u00a0 Lee\u200b", '="00123"', "n/a", "-", "Saint-Étienne"])).to_pylist()
    ['Ann Lee', '00123', '', '', 'Saint-Étienne']
    """
    shown = pc.replace_substring_regex(names, pattern=_NO_LETTERS, replacement="")
    shown = pc.replace_substring_regex(shown, pattern=_BLANKS, replacement=" ")
    shown = pc.replace_substring_regex(shown, pattern='^ *="(.*)" *$', replacement=r"\1")
    shown = pc.utf8_trim_whitespace(shown)
    return pc.if_else(pc.is_in(shown, value_set=pa.array(sorted(_NO_NAMES))), "", shown)
