"""One test: a prompt, every accepted answer, the fact it belongs to, and what is known of it."""

from dataclasses import dataclass, field

Tag = str | float | int | None

BLANK = "_X_"  # stands in a prompt for the answer that a model is to fill in; no name of a fact has it


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One test for a model.

    Args:
        group: The fact that the item is about; intervals are by fact.
        tags: What metrics and reports need to know: precision, verdict, relation. The same keys in every item.
        candidates: Answers to compare, right and wrong; a probe chooses them, they are no part of a benchmark's files.
    """

    id: str
    prompt: str
    answers: tuple[str, ...]
    group: str
    tags: dict[str, Tag] = field(default_factory=dict)
    candidates: tuple[str, ...] = ()
