"""A real causal language model that is made in a second: two layers, random weights, a byte-level tokenizer."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

_SENTENCES = [
    "In 2011, who was the president of the United States? Barack Obama",
    "On March 21, 1983, who was the spouse of Betty Ford? Gerald Ford",
    "In May 1759, to which sovereign state did Beirut belong? Ottoman Empire",
]


def make_tiny_model(folder: Path, *, positions: int = 256, broken: bool = False) -> Path:
    """Write a model folder; a broken one has a weight that is no number."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, special_tokens=["<s>", "</s>"])
    tokenizer.train_from_iterator(_SENTENCES * 20, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")  # noqa: S106
    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=positions,
    )
    model = LlamaForCausalLM(config)
    if broken:
        with torch.no_grad():
            model.lm_head.weight[5] = float("nan")
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder
