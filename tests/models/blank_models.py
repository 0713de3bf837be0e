"""Real models with blanks that are made in a second, with random weights: BERT, RoBERTa and T5 in small.

BERT's vocabulary is written by hand, so that its tokens can be counted by hand: "Draghi" is dra + ##ghi.
"""

from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    T5Config,
    T5ForConditionalGeneration,
)

WORDPIECES = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "mario", "dra", "##ghi", "giu", "##sep", "##pe", "con", "##te", "is",
    "the", "head", "of", "government", "italy", "france", ".", "f", "c", "plays", "for", "juventus", "cristiano",
    "ronaldo", "manchester", "united", "leads", "paris", "rome", "a", "club",
]  # fmt: skip
SENTENCES = [
    "Mario Draghi is the head of the government of Italy.",
    "Giuseppe Conte is the head of the government of Italy.",
    "Cristiano Ronaldo plays for Juventus F.C.",
    "Cristiano Ronaldo plays for Manchester United F.C.",
    "Rome is a club, Łódź is another.",
]
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}


def make_bert(folder: Path, *, mask: bool = True) -> Path:
    """Write a BERT with WordPiece; without a mask token, if asked."""
    tokenizer = Tokenizer(models.WordPiece({word: place for place, word in enumerate(WORDPIECES)}, unk_token="[UNK]"))  # type: ignore[call-arg]  # noqa: S106
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)  # type: ignore[assignment]
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()  # type: ignore[assignment]
    tokenizer.decoder = decoders.WordPiece()  # type: ignore[assignment]
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)  # type: ignore[assignment]
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names, **({"mask_token": "[MASK]"} if mask else {}))
    torch.manual_seed(1)
    config = BertConfig(vocab_size=len(WORDPIECES), max_position_embeddings=40, initializer_range=0.4, **SMALL)
    return _saved(BertForMaskedLM(config), fast, folder)


def _trained(special: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=420, initial_alphabet=alphabet, special_tokens=special)  # type: ignore[call-arg]
    tokenizer.train_from_iterator(SENTENCES * 5, trainer)
    return tokenizer


def make_roberta(folder: Path, *, positions: int = 66) -> Path:
    """Write a RoBERTa with byte-level BPE; its mask takes the space before it along."""
    tokenizer = _trained(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    ends = [("<s>", 0), ("</s>", 2)]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)  # type: ignore[assignment]
    mask = AddedToken("<mask>", lstrip=True, special=True)
    names = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token=mask, **names)
    torch.manual_seed(2)
    config = RobertaConfig(
        vocab_size=len(fast), max_position_embeddings=positions, pad_token_id=1, initializer_range=0.4, **SMALL
    )
    return _saved(RobertaForMaskedLM(config), fast, folder)


def make_t5(folder: Path, *, sentinels: bool = True) -> Path:
    """Write a T5; without sentinels, if asked."""
    more = [f"<extra_id_{number}>" for number in range(3)] if sentinels else []
    tokenizer = _trained(["<pad>", "</s>", "<unk>", *more])
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])  # type: ignore[assignment]
    names = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)
    torch.manual_seed(3)
    config = T5Config(
        vocab_size=len(fast), d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0,
        initializer_factor=1.0,
    )  # fmt: skip
    return _saved(T5ForConditionalGeneration(config), fast, folder)


def _saved(model: torch.nn.Module, tokenizer: PreTrainedTokenizerFast, folder: Path) -> Path:
    model.save_pretrained(folder)  # type: ignore[operator]
    tokenizer.save_pretrained(folder)
    return folder
