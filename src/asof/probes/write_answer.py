"""What is the answer to a question, in the model's own words? (Chen et al. 2021, section 4).

A reader (``reading/``) sees the document that the item names, and may say where it found the answer. A language model
is shown passages of it by ``reading.as_model.with_documents``; closed-book, and where items name no document, it sees
the question alone. All may say that they do not know, which is right where a question has no answer.

A sentence with a blank is asked as a question with its time. Of right and wrong dates of a fact only right ones are
asked about. So every benchmark can be put to a model that only writes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from asof.benchmarks import BLANK, Item
from asof.errors import UserError
from asof.metrics import Metric, metric_of
from asof.metrics.squad_em import squad_em
from asof.metrics.squad_f1 import squad_f1
from asof.probes import Fit, HarnessTask, Row
from asof.probes._pairs import NOT_THIS_TIME, thinned
from asof.registry import probes
from asof.wording.dated_questions import question_to_write
from asof.wording.written_answer import answer_in, readings

__all__ = [
    "STOP",
    "TEXTS_AT_ONCE",
    "WriteAnswer",
    "answer_in",
    "prompt_for",
    "question_for",
    "readings",
    "why_not_asked",
]

STOP = ("\nQuestion:", "\nText:")  # a model that goes on with a question of its own has answered
HAS_BLANK = f"it has a blank ({BLANK}) and is not a question"
WRONG_DATE = "its answer is not right at its date"
TEXTS_AT_ONCE = 16  # of a model that does not say how many it writes side by side


@probes.register("write-answer")
@dataclass(frozen=True, kw_only=True)
class WriteAnswer:
    """What does the model answer to a question? Exact match and F1 against all answers; none may be right, too.

    Args:
        most_tokens: Where a language model is cut off; one that reasons before it answers needs 1000 or more.
        closed_book: Show a language model no document.
        passages: How many passages of a hundred words a language model is shown of the document, the best ones;
            small models lose the thread in more than a few.
        latest: Of each fact only its so many latest times, which tell most about a cutoff; all, if not given.
        per_fact: Of each fact so many items at most, drawn by seed; all, if not given.
    """

    name: ClassVar[str] = "write-answer"
    needs: ClassVar[tuple[str, ...]] = ("read", "write")
    scored: ClassVar[str] = "text"
    score_elsewhere: ClassVar[str] = "written"
    report_with: ClassVar[str] = "written"
    preference: ClassVar[str] = "written"
    hub_task: ClassVar[str] = "question-answering"
    items_per_step: ClassVar[int] = 64
    shows_answers: ClassVar[bool] = False
    metrics: ClassVar[Mapping[str, Metric]] = {
        "em": metric_of("squad-em"), "f1": metric_of("squad-f1"),
        "em answerable": metric_of("squad-em"), "em unanswerable": metric_of("squad-em"),
    }  # fmt: skip

    most_tokens: int = 48
    closed_book: bool = False
    passages: int = 3
    latest: int | None = None
    per_fact: int | None = None
    seed: int = 0

    def fit(self, items: Sequence[Item], model: Any, *, everything: Iterable[Item] = ()) -> Fit:
        """See that items are questions, and that whoever answers has the documents of theirs."""
        if self.most_tokens < 1:
            raise UserError(f"most_tokens = {self.most_tokens} leaves no room for an answer. Give 1 or more.")
        if self.passages < 1:
            raise UserError(f"passages = {self.passages} shows nothing. Give 1 or more, or ask with --closed-book.")
        for name, count in (("per_fact", self.per_fact), ("latest", self.latest)):
            if count is not None and count < 1:
                raise UserError(f"{name} = {count} asks nothing. Give 1 or more, or omit it.")
        if "read" in model.can and self.closed_book:
            raise UserError(f"{model.name} reads documents. Omit --closed-book, or name the language model itself.")
        if "read" not in model.can and not self.closed_book and any(item.tags.get("document") for item in items):
            raise UserError(
                f"These items name documents, and {model.name} would not see them. Give it with "
                "asof.reading.as_model.with_documents(model, benchmark, probe), or set closed_book=True."
            )
        reasons = [_why_not(item, model) for item in items]
        askable = [item for item, why in zip(items, reasons, strict=True) if not why]
        drawn = thinned(askable if self.latest is None else _latest(askable, self.latest), self.per_fact, self.seed)
        return Fit.parted(
            items,
            [why or ("" if item.id in drawn else NOT_THIS_TIME) for item, why in zip(items, reasons, strict=True)],
        )

    def predict(self, items: Sequence[Item], model: Any) -> Iterator[Row]:
        """Give the answer of each item as it comes, with what a reader found for it, or all that a model wrote."""
        if "read" in model.can:
            yield from model.read(items)
            return
        size = getattr(model, "texts_at_once", TEXTS_AT_ONCE)
        for start in range(0, len(items), size):
            prompts = [prompt_for(question_for(item)) for item in items[start : start + size]]
            for text in model.write(prompts, most_tokens=self.most_tokens, stop=STOP):
                yield {"text": answer_in(text), "written": text}

    def harness_task(self) -> HarnessTask:
        """Let another harness have answers written."""
        return HarnessTask(
            asks="text",
            file="asof.export/_files/written_answers.py",
            scores=("em", "f1", "em_answerable", "em_unanswerable"),
            of_some=("em_answerable", "em_unanswerable"),
            how="What the model writes, against all accepted answers. It sees the question alone. Give a model that "
            "has a chat template `--apply_chat_template`, as `asof run` does by itself. Which of the other answers are "
            "outdated, `asof score` tells.",
            stop=STOP,
            most_tokens=self.most_tokens,
        )

    def harness_rows(self, items: Sequence[Item]) -> Iterable[Row | str]:
        """Put each item as a question."""
        for item in items:
            yield why_not_asked(item) or {"prompt": prompt_for(question_for(item))}

    def measures(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Return exact match and F1 as TimeQA defines them, for all items and for those with and without an answer."""
        texts = (row["text"],) if row.get("written") is None else readings(row["text"])
        em = max(squad_em(text, row["answers"]) for text in texts)
        f1 = max(squad_f1(text, row["answers"]) for text in texts)
        kind = "answerable" if row["answers"] else "unanswerable"
        other = "unanswerable" if row["answers"] else "answerable"
        return {"em": em, "f1": f1, f"em {kind}": em, f"em {other}": float("nan")}


def _why_not(item: Item, model: Any) -> str:
    """Return why an item cannot be asked, nothing when it can."""
    if "read" in model.can:
        return HAS_BLANK if BLANK in item.prompt else str(model.cannot_read(item))
    return why_not_asked(item)


def _latest(items: Sequence[Item], times: int) -> list[Item]:
    """Return the items of the latest times of each fact, in all their wordings."""
    of_fact: defaultdict[str, set[int]] = defaultdict(set)
    for item in items:
        if "first_day" not in item.tags:
            raise UserError(
                f"latest = {times} chooses among times, and item {item.id!r} names none (it has no tag 'first_day'). "
                "Omit it, or use a benchmark with periods: dynamic-templama."
            )
        of_fact[item.group].add(int(str(item.tags["first_day"])))
    kept = {group: set(sorted(days)[-times:]) for group, days in of_fact.items()}
    return [item for item in items if item.tags["first_day"] in kept[item.group]]


def why_not_asked(item: Item) -> str:
    """Return why nobody should be asked for an answer to an item, nothing when one may be."""
    return WRONG_DATE if item.tags.get("verdict", "correct") != "correct" else ""


def question_for(item: Item) -> str:
    """Return the question of an item: its own, or one made of its sentence and its time.

    >>> question_for(Item(id="1", prompt="In 2011, _X_ led Italy.", answers=("Mario Monti",), group="1"))
    'Complete the sentence: In 2011, ____ led Italy. Answer with what fits the blank only.'
    """
    made_to_be_written = BLANK not in item.prompt and "verdict" not in item.tags
    return item.prompt if made_to_be_written else question_to_write(item.prompt, item.tags)


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
