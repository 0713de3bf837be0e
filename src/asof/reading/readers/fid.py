"""Fusion-in-Decoder: a T5 reads passages one by one and writes the answer looking at all of them.

Izacard and Grave 2020, as Chen et al. 2021, section 3.2, use it: at most 100 passages of 200 tokens, an empty answer
where there is none. Takes any T5 by folder or hub name, or one that ``asof readers train fid`` has trained.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.reading.answers import Answer, OnMessage
from asof.reading.documents import Document
from asof.reading.questions import ReadingItem
from asof.registry import readers
from asof.training.teaching import teach
from asof.weights.transformers_folder import loaded, may_hold_taught, save_taught, torch, transformers

_PASSAGES = 100
_TOKENS = 200  # of a passage with its question
_ANSWER_TOKENS = 50
_WORDS = 100  # of a passage
_RATE = 5e-5  # of the published settings; the paper says 2e-5


@readers.register("fid")
class FusionInDecoder:
    """Writes an answer by a T5 whose decoder sees all passages of a document at once."""

    needs_document = True
    trained_with = ("start", "epochs")

    def __init__(self, location: str) -> None:
        if not location:
            raise UserError("Which T5? Give a folder or hub name: fid:FOLDER.")
        self.name = f"fid:{location}"
        self.tokenizer, self.model = loaded(location, transformers.AutoModelForSeq2SeqLM)

    @classmethod
    def train(
        cls,
        questions: Sequence[ReadingItem],
        folder: Path,
        *,
        seed: int,
        on_message: OnMessage,
        start: str = "",
        epochs: int = 3,
    ) -> Sequence[Mapping[str, Any]]:
        """Train a T5 further."""
        if not start:
            raise UserError("fid starts from a T5: name it with --start FOLDER or --start t5-base.")
        train_fid(questions, start=start, folder=folder, epochs=epochs, seed=seed, on_message=on_message)
        return ()

    def describe(self) -> dict[str, str]:
        """Return what identifies the reader."""
        return {"kind": "fid", "reader": self.name, "passages": str(_PASSAGES), "tokens": str(_TOKENS)}

    def read(self, question: str, document: Document) -> Answer:
        """Answer one question."""
        texts = passages(question, document)
        if not texts:
            return Answer("", 0.0)
        with torch.inference_mode():
            hidden, mask = fused(self.model, self.tokenizer, texts)
            written = self.model.generate(
                encoder_outputs=hidden,
                attention_mask=mask,
                max_new_tokens=_ANSWER_TOKENS,
                num_beams=1,
                do_sample=False,
                output_scores=True,
                return_dict_in_generate=True,
            )
        tokens = written.sequences[0][1:]
        logprob = sum(
            float(scores[0].log_softmax(-1)[token]) for scores, token in zip(written.scores, tokens, strict=False)
        )
        text = self.tokenizer.decode(tokens, skip_special_tokens=True).strip()
        return Answer(text, float(torch.exp(torch.tensor(logprob))))

    def read_many(self, questions: Sequence[str], document: Document) -> list[Answer]:
        """Answer questions about one document, in their order."""
        return [self.read(question, document) for question in questions]


def passages(question: str, document: Document) -> list[str]:
    """Write the passages of a document as the encoder reads them, each with the question and its heading."""
    found: list[str] = []
    for index, paragraph in enumerate(document.paragraphs):
        words = paragraph.text.split()
        joins = index and paragraph.entry and document.paragraphs[index - 1].section == paragraph.section and found
        if joins and len(found[-1].split()) + len(words) < _WORDS + len(question.split()):
            found[-1] += f" - {paragraph.text}"
            continue
        for start in range(0, len(words), _WORDS):
            text = " ".join(words[start : start + _WORDS])
            found.append(f"question: {question} title: {paragraph.section} context: {text}")
    return found[:_PASSAGES]


def fused(model: Any, tokenizer: Any, texts: Sequence[str]) -> tuple[Any, Any]:
    """Encode passages apart from each other and lay them end to end; returns hidden states and their mask."""
    given = tokenizer(list(texts), truncation=True, max_length=_TOKENS, padding=True, return_tensors="pt")
    hidden = model.get_encoder()(input_ids=given["input_ids"], attention_mask=given["attention_mask"])[0]
    outputs = transformers.modeling_outputs.BaseModelOutput(last_hidden_state=hidden.reshape(1, -1, hidden.shape[-1]))
    return outputs, given["attention_mask"].reshape(1, -1)


def train_fid(
    items: Sequence[ReadingItem],
    *,
    start: str,
    folder: Path,
    epochs: int = 3,
    rate: float = _RATE,
    seed: int = 0,
    on_message: Callable[[str], None] = lambda sentence: None,
) -> list[float]:
    """Train a T5 on questions, one at a time; one of several right answers is drawn anew each time.

    Returns:
        The mean loss of each epoch.
    """
    may_hold_taught(folder)
    torch.manual_seed(seed)
    drawn = random.Random(seed)
    tokenizer, model = loaded(start, transformers.AutoModelForSeq2SeqLM)
    steps = torch.optim.AdamW(model.parameters(), lr=rate)

    def batches() -> list[list[ReadingItem]]:
        order = [item for item in items if item.document.paragraphs]
        drawn.shuffle(order)
        return [[item] for item in order]

    def loss_of(batch: Sequence[ReadingItem]) -> Any:
        (item,) = batch
        hidden, mask = fused(model, tokenizer, passages(item.question, item.document))
        wanted = drawn.choice(item.answers) if item.answers else ""
        labels = tokenizer(text_target=wanted, truncation=True, max_length=_ANSWER_TOKENS, return_tensors="pt")
        return model(encoder_outputs=hidden, attention_mask=mask, labels=labels["input_ids"]).loss

    losses = teach(model, batches, loss_of, steps, epochs=epochs, on_message=on_message)
    save_taught(tokenizer, model, folder)
    return losses
