"""A network that reads a question with one sentence, and tells which candidates in it answer, whatever the time.

It is the reader's sentence encoder made teachable: question, heading and sentence go in as one text, and layers on top
look at the first and the last token of a candidate and at the whole. Trees weigh numbers; the network knows words: that
a league is no club, and a parliament no party.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from asof.models._transformers import torch, transformers
from asof.reading.document_features import Column
from asof.reading.encoder import batches_of
from asof.reading.index import DocumentIndex, Ints
from asof.reading.matter import UNREAD
from asof.reading.onnx_weights import bert_of

WEIGHTS, SHAPE, TOKENIZER = "network.safetensors", "network.json", "tokenizer.json"
_MOST_TOKENS = 128  # of a question with a sentence
_LONGEST_HEADING = 80  # letters
_INNER = 192
_DROPOUT = 0.1


class Shown(NamedTuple):
    """A question with a sentence in tokens, and its candidates, each with its first and its last token."""

    tokens: list[int]
    kinds: list[int]
    candidates: Ints
    first: Ints
    last: Ints


class SpanNetwork(torch.nn.Module):
    """Gives log-odds to candidates."""

    def __init__(self, bert: Any, tokenizer: str) -> None:
        from tokenizers import Tokenizer

        super().__init__()
        self.bert = bert
        width = bert.config.hidden_size
        self.head = torch.nn.Sequential(
            torch.nn.Dropout(_DROPOUT),
            torch.nn.Linear(3 * width, _INNER),
            torch.nn.GELU(),
            torch.nn.Dropout(_DROPOUT),
            torch.nn.Linear(_INNER, 1),
        )
        self._tokenizer_text = tokenizer
        self._tokenizer = Tokenizer.from_str(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MOST_TOKENS)

    @classmethod
    def begin(cls, folder: Path, *, seed: int) -> SpanNetwork:
        """Begin with the weights of an encoder; those on top are drawn by seed."""
        torch.manual_seed(seed)
        return cls(bert_of(folder), (folder / TOKENIZER).read_text(encoding="utf-8"))

    def forward(self, shown: Sequence[Shown]) -> torch.Tensor:
        """Return the log-odds of all candidates of some texts, one after another."""
        longest = max(len(one.tokens) for one in shown)
        tokens, kinds, mask = (torch.zeros(len(shown), longest, dtype=torch.long) for _ in range(3))
        for row, one in enumerate(shown):
            length = len(one.tokens)
            tokens[row, :length], kinds[row, :length] = torch.tensor(one.tokens), torch.tensor(one.kinds)
            mask[row, :length] = 1
        states = self.bert(input_ids=tokens, token_type_ids=kinds, attention_mask=mask).last_hidden_state
        rows = torch.repeat_interleave(torch.tensor([len(one.candidates) for one in shown]))
        first = torch.from_numpy(np.concatenate([one.first for one in shown]))
        last = torch.from_numpy(np.concatenate([one.last for one in shown]))
        logits: torch.Tensor = self.head(torch.cat([states[rows, first], states[rows, last], states[rows, 0]], -1))
        return logits[:, 0]

    def show(self, question: str, index: DocumentIndex, sentences: Sequence[int] | Ints) -> Iterator[Shown]:
        """Put a question before each of some sentences; those whose candidates all are beyond its reach are left out.

        Args:
            question: Without its time.
        """
        document = index.document
        heads = [
            document.paragraphs[document.sentences[place].paragraph].section[:_LONGEST_HEADING] + " : "
            for place in sentences
        ]
        texts = [
            (question, head + document.text_of(document.sentences[place]))
            for head, place in zip(heads, sentences, strict=True)
        ]
        for place, head, read in zip(sentences, heads, self._tokenizer.encode_batch(texts), strict=True):
            low, high = np.searchsorted(index.sentence_of, [place, place + 1])
            shift = len(head) - document.sentences[place].start
            inside = np.flatnonzero(np.array([one == 1 for one in read.sequence_ids]))
            spans = np.array(read.offsets, dtype=np.int64).reshape(-1, 2)[inside]
            first, last = (
                np.searchsorted(spans[:, 0], letters + shift, side="right") - 1
                for letters in (index.starts[low:high], index.ends[low:high] - 1)
            )
            whole = (first >= 0) & (index.ends[low:high] + shift <= spans[:, 1].max(initial=0))
            if whole.any():
                candidates = np.arange(low, high)[whole]
                yield Shown(read.ids, read.type_ids, candidates, inside[first[whole]], inside[last[whole]])

    def read(self, question: str, index: DocumentIndex, sentences: Ints) -> Column:
        """Return the log-odds of each candidate of a document, UNREAD for those outside of the sentences."""
        found = np.full(len(index.candidates), UNREAD, np.float32)
        shown = list(self.show(question, index, sentences))
        self.eval()
        with torch.inference_mode():
            for places in batches_of([len(one.tokens) for one in shown]):
                batch = [shown[place] for place in places]
                found[np.concatenate([one.candidates for one in batch])] = self(batch).numpy()
        return found

    def rounded(self) -> SpanNetwork:
        """Round the weights to the 16 bits in which they are kept."""
        return self.half().float()

    def save(self, folder: Path) -> tuple[str, ...]:
        """Write the network into a folder, and return the names of its files."""
        from safetensors.torch import save_file

        save_file({name: weight.half().contiguous() for name, weight in self.state_dict().items()}, folder / WEIGHTS)
        shape = {name: getattr(self.bert.config, name) for name in _SHAPE}
        (folder / SHAPE).write_text(json.dumps(shape), encoding="utf-8")
        (folder / TOKENIZER).write_text(self._tokenizer_text, encoding="utf-8")
        return WEIGHTS, SHAPE, TOKENIZER

    @classmethod
    def load(cls, folder: Path) -> SpanNetwork:
        """Read a network that ``save`` wrote."""
        from safetensors.torch import load_file

        config = transformers.BertConfig(**json.loads((folder / SHAPE).read_text(encoding="utf-8")))
        bert = transformers.BertModel(config, add_pooling_layer=False)  # type: ignore[no-untyped-call]
        network = cls(bert, (folder / TOKENIZER).read_text(encoding="utf-8"))
        network.load_state_dict({name: weight.float() for name, weight in load_file(folder / WEIGHTS).items()})
        return network


_SHAPE = (
    "vocab_size",
    "max_position_embeddings",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
)
