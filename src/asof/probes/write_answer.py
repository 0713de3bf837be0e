"""What is the answer to a question, in the model's own words? (Chen et al. 2021, section 4).

A language model sees the question alone. A reader (``reading/``) also sees the document that the item names, and may
say where it found the answer. Both may say that they do not know, which is right where a question has no answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from asof.benchmarks import BLANK, Item
from asof.errors import UserError
from asof.metrics import Range, range_of
from asof.metrics.squad_em import squad_em
from asof.metrics.squad_f1 import squad_f1
from asof.probes import Fit, Row
from asof.registry import probes

_NO_ANSWER = ("unknown", "unanswerable", "not stated", "not mentioned", "none", "n/a", "no answer")


@probes.register("write-answer")
@dataclass(frozen=True, kw_only=True)
class WriteAnswer:
    """What does the model answer to a question? Exact match and F1 against all answers; none may be right, too.

    Args:
        most_tokens: Where a language model does not end by itself; a line is an answer in any case.
    """

    name: ClassVar[str] = "write-answer"
    needs: ClassVar[tuple[str, ...]] = ("read", "write")
    scored: ClassVar[str] = "text"
    items_per_step: ClassVar[int] = 64
    ranges: ClassVar[Mapping[str, Range]] = {
        "em": range_of("squad-em"), "f1": range_of("squad-f1"),
        "em answerable": range_of("squad-em"), "em unanswerable": range_of("squad-em"),
    }  # fmt: skip

    most_tokens: int = 24

    def fit(self, items: Sequence[Item], model: Any, *, everything: Iterable[Item] = ()) -> Fit:
        """See that items are questions, and that a reader has the documents of theirs."""
        if self.most_tokens < 1:
            raise UserError(f"most_tokens = {self.most_tokens} leaves no room for an answer. Give 1 or more.")
        return Fit.parted(items, [_why_not(item, model) for item in items])

    def predict(self, items: Sequence[Item], model: Any) -> list[Row]:
        """Return the answer of each item, with what a reader found for it."""
        if "read" in model.can:
            rows: list[Row] = model.read(items)
            return rows
        written = model.write([prompt_for(item.prompt) for item in items], most_tokens=self.most_tokens, stop=["\n"])
        return [{"text": answer_in(text)} for text in written]

    def measures(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Return exact match and F1 as TimeQA defines them, for all items and for those with and without an answer."""
        em, f1 = squad_em(row["text"], row["answers"]), squad_f1(row["text"], row["answers"])
        kind = "answerable" if row["answers"] else "unanswerable"
        other = "unanswerable" if row["answers"] else "answerable"
        return {"em": em, "f1": f1, f"em {kind}": em, f"em {other}": float("nan")}


def _why_not(item: Item, model: Any) -> str:
    """Return why an item cannot be asked, nothing when it can."""
    if BLANK in item.prompt:
        return f"it has a blank ({BLANK}) and is no question"
    return str(model.cannot_read(item)) if "read" in model.can else ""


def prompt_for(question: str, passages: Sequence[str] = ()) -> str:
    """Write the prompt: passages if there are any, the question, and where the answer begins.

    >>> print(prompt_for("Who led it in 2011?", ["Ann led it until 2012 ."]))
    Answer with a name from the text, or with "unknown".
    Text: Ann led it until 2012 .
    Question: Who led it in 2011?
    Answer:
    """
    if not passages:
        return f"Question: {question}\nAnswer:"
    texts = "\n".join(f"Text: {text}" for text in passages)
    return f'Answer with a name from the text, or with "unknown".\n{texts}\nQuestion: {question}\nAnswer:'


def answer_in(text: str) -> str:
    """Take the answer out of what a model wrote; "" when it says that it does not know.

    >>> answer_in(" Ann Lee. She led it"), answer_in("Unknown."), answer_in("")
    ('Ann Lee', '', '')
    """
    first = text.strip().split(". ")[0].strip().rstrip(".").strip("\"'")
    return "" if first.lower() in _NO_ANSWER else first
