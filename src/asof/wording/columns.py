"""Many facts at once: the sentences of ``Wording``, letter for letter, put together by Arrow.

Names and relations come as numbers, so that what a name looks like in a sentence is decided once for each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.wording.grammar import as_it_is
from asof.wording.sentences import Blank, Wording

Numbers = npt.NDArray[np.int64]
_SLOT = re.compile(r"\{(subject|object)\}")


@dataclass(frozen=True)
class NameColumns:
    """Names as they stand inside a sentence, and as they open one."""

    inside: pa.Array
    opening: pa.Array

    @classmethod
    def of(cls, labels: pa.Array, say: Wording) -> NameColumns:
        """Give names their articles: "the United Kingdom", "The United Kingdom"."""
        plain = labels.to_pylist()
        inside = [say.grammar.with_article(name) for name in plain]
        opening = [
            text if text == name else text[0].upper() + text[1:] for text, name in zip(inside, plain, strict=True)
        ]
        return cls(pa.array(inside, pa.string()), pa.array(opening, pa.string()))

    def take(self, indices: Numbers) -> NameColumns:
        """Return some of the names."""
        return NameColumns(self.inside.take(pa.array(indices)), self.opening.take(pa.array(indices)))


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """One sentence of each relation, parted at its slots.

    Args:
        name: Which one: past, starts, ends, paraphrase. A relation that has none gives no text.
    """

    say: Wording
    relations: Sequence[str]
    name: str

    def filled(
        self,
        relation: Numbers,
        subject: NameColumns,
        object: NameColumns,
        *,
        blank: Blank | None = None,
        mask: str = "",
    ) -> pa.Array:
        """Return a sentence for each row, without a full stop; missing where its relation has none.

        Args:
            relation: Places in ``relations``.
        """
        before, between, after, subject_first = self._parts()
        first_is_subject = pa.array(subject_first).take(pa.array(relation))
        opens = pc.equal(before, "").take(pa.array(relation))
        masked = pa.scalar(mask, pa.string())

        def put(which: str, *, first: bool) -> pa.Array | pa.Scalar:
            names = subject if which == "subject" else object
            if blank == which:
                return masked
            return pc.if_else(opens, names.opening, names.inside) if first else names.inside

        first = pc.if_else(first_is_subject, put("subject", first=True), put("object", first=True))
        second = pc.if_else(first_is_subject, put("object", first=False), put("subject", first=False))
        parts = [part.take(pa.array(relation)) for part in (before, between, after)]
        return self._contracted(pc.binary_join_element_wise(parts[0], first, parts[1], second, parts[2], ""), mask)

    def _parts(self) -> tuple[pa.Array, pa.Array, pa.Array, list[bool]]:
        """Part the sentences of all relations: before the first slot, between the two, after the second."""
        cut = []
        for id in self.relations:
            template = self.say.template(id)
            has = template.has(self.name, self.say.paper)
            text = template.sentence(self.name, self.say.paper) if has else ""
            cut.append(_SLOT.split(text) if has else [None, "subject", None, "object", None])
        columns = (pa.array([parts[index] for parts in cut], pa.string()) for index in (0, 2, 4))
        return *columns, [parts[1] == "subject" for parts in cut]

    def _contracted(self, texts: pa.Array, mask: str) -> pa.Array:
        """Join words as the language does, on each side of a blank."""
        contract = self.say.grammar.contract
        if contract is as_it_is:
            return texts
        whole = [text and (mask.join(map(contract, text.split(mask))) if mask else contract(text)) for text in
                 texts.to_pylist()]  # fmt: skip
        return pa.array(whole, pa.string())
