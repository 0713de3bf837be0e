"""Small real models for readers, made in a second: a BERT that marks spans, a T5 that writes, an encoder of words."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForQuestionAnswering,
    BertModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from asof.reading.encoder import EncodedText, Encoder, Vectors
from asof.reading.index import words_of

TEXT = "who led it in 1990 1995 Ann Lee Bo Ek the club from to until was by and , . ( ) – ? question : title context"
WORDS = TEXT.split()


def _tokenizer(special: tuple[str, ...]) -> Tokenizer:
    vocabulary = {word: place for place, word in enumerate((*special, *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def make_span_model(folder: Path, *, positions: int = 64, marks: bool = True) -> Path:
    tokenizer = _tokenizer(("[PAD]", "[CLS]", "[SEP]", "[UNK]"))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    special = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_input_names=inputs, **special)
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(fast), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
        max_position_embeddings=positions, initializer_range=0.5, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    (BertForQuestionAnswering if marks else BertModel)(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def make_t5(folder: Path) -> Path:
    tokenizer = _tokenizer(("<pad>", "</s>", "[UNK]"))
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="[UNK]")  # noqa: S106
    torch.manual_seed(5)
    config = T5Config(
        vocab_size=len(fast), d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, dropout_rate=0.0,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    T5ForConditionalGeneration(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


class WordEncoder(Encoder):
    """Encodes by the words alone: each word has a fixed random vector, a text the mean of its words."""

    def __init__(self, size: int = 24) -> None:
        self._size = size

    def encode(self, texts: Sequence[str]) -> list[EncodedText]:
        found = []
        for text in texts:
            spans, place = [], 0
            for word in text.split():
                start = text.index(word, place)
                place = start + len(word)
                spans.append((start, place))
            vectors = [self._vector(text[start:end]) for start, end in spans] or [self._vector("")]
            tokens = np.stack(vectors)
            mean = tokens.mean(axis=0)
            whole = (mean / np.linalg.norm(mean)).astype(np.float32)
            found.append(EncodedText(whole, tokens, np.array(spans or [(0, 0)], np.int32)))
        return found

    def vectors(self, texts: Sequence[str]) -> Vectors:
        return np.stack([one.whole for one in self.encode(texts)])

    def _vector(self, word: str) -> Vectors:
        stem = (words_of(word) or [word])[0]
        seed = int.from_bytes(hashlib.sha256(stem.encode()).digest()[:4], "big")
        return np.random.default_rng(seed).normal(size=self._size).astype(np.float32)
