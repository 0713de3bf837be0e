"""Pseudo-log-likelihoods: asof and minicons on the same model and sentences, in one run.

    python bench/pseudo_likelihood.py [--quick]

The sentences state facts of the almanac. The models are BERT architectures with random weights, which costs the same
time as trained ones: one of MiniLM's size (6 layers, 384 wide) and one of BERT base's (12 layers, 768 wide), both with
BERT's 30,522 output tokens. Two things are measured: whole sentences, each token hidden once (Salazar et al. 2020), and
what a run of the probe asks: the answer's tokens of many candidates for one blank. No sentence stands twice; in a run
the same sentence often does, at several quarters, and asof then reads it once, which is not counted here.

minicons gets the number of sentences at a time that suits it best. It runs with all cores, for time on the clock, and
with one thread, for CPU time, because threads that wait for each other count as busy. All work in turns, each in a
process of its own, and the scores are compared. Beside the ratios stands that of the multiplications which the two do
in matrices: nearly all of the time is spent there, at the same speed, so that the ratio of CPU time cannot be much
higher. Writes results/pseudo_likelihood.json and .png. Needs minicons.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import torch
from growth import keep, mark_sizes, panels
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast
from workers import Worker, work

from asof.cores import usable_cores
from asof.facts import FactStore, FactTable
from asof.models import Blank, FilledBlank
from asof.models.transformers_masked import TransformersMasked
from asof.sources.almanac import almanac_base

SIZES = {"MiniLM's size": (6, 384, 12), "BERT base's size": (12, 768, 12)}
VOCABULARY = 30_522
AT_A_TIME = (1, 4)  # sentences, of which minicons gets the best
ASOF, MINICONS, ONE_THREAD = "asof", "minicons", "minicons, one thread"
Work = list[tuple[str, str, str]]  # before the answer, the answer, after it


def statements(count: int) -> Work:
    """Return sentences with the place of their answer."""
    store = FactStore(almanac_base())
    table = store.sql(f"SELECT * FROM facts ORDER BY hash(subject || relation || object) LIMIT {4 * count}")
    labelled = store.with_labels(table, subject="entity", relation="relation", object="entity")
    made = [
        ("", str(fact.object_label), f" is the {fact.relation_label} of {fact.subject_label}.")
        for fact in FactTable(labelled)
    ]
    different = list(dict.fromkeys(made))[:count]  # a fact may hold at several times
    if len(different) < count:
        raise SystemExit(f"the almanac gave {len(different)} different sentences, {count} are wanted")
    return different


def make_model(folder: Path, size: tuple[int, int, int], texts: list[str]) -> None:
    """Write a BERT of a size with a WordPiece tokenizer of the texts."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=8000, special_tokens=special))
    ends = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    layers, width, heads = size
    torch.manual_seed(0)
    BertForMaskedLM(
        BertConfig(
            vocab_size=VOCABULARY,
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=4 * width,
        )
    ).save_pretrained(folder)


Score = Callable[[list[FilledBlank], int, str], list[float]]


def scorer_of(name: str, folder: str) -> Callable[..., tuple[list[float], list[float]]]:
    """Load one way of scoring; it returns the seconds on the clock and of CPU that it took, and the scores."""
    torch.set_num_threads(1 if name == ONE_THREAD else usable_cores())
    score = by_asof(folder) if name == ASOF else by_minicons(folder)

    def answer(asked: Work, at_a_time: int = 1, of: str = "sentence") -> tuple[list[float], list[float]]:
        filled = [FilledBlank(Blank(before, after), answer) for before, answer, after in asked]
        clock, cpu = time.perf_counter(), time.process_time()
        scores = score(filled, at_a_time, of)
        return [time.perf_counter() - clock, time.process_time() - cpu], scores

    return answer


def by_asof(folder: str) -> Score:
    """Score as asof does, which chooses for itself how much it does at a time."""
    model = TransformersMasked(folder)
    return lambda filled, _, of: [sum(one) for one in model.token_logprobs(filled, masking="token", of=of)]


def by_minicons(folder: str) -> Score:
    """Score as minicons does, so many sentences at a time."""
    from minicons.scorer import MaskedLMScorer

    # minicons 0.3.39 calls tokenizers by a name that Transformers 5 dropped; both do the same.
    PreTrainedTokenizerFast.batch_encode_plus = PreTrainedTokenizerFast.__call__
    scorer = MaskedLMScorer(folder, "cpu")

    def score(filled: list[FilledBlank], at_a_time: int, of: str) -> list[float]:
        parts = (filled[start : start + at_a_time] for start in range(0, len(filled), at_a_time))
        return [one for part in parts for one in some_by_minicons(scorer, part, of)]

    return score


def some_by_minicons(scorer: Any, filled: list[FilledBlank], of: str) -> list[float]:
    """Score some sentences, or the answers with which they begin, hiding each token once."""
    encoded = scorer.encode([one.sentence for one in filled], manual_special=False)
    ends = None
    if of == "answer":
        ends = [1 + len(scorer.tokenizer.tokenize(one.answer)) for one in filled]  # after [CLS]
    hidden = scorer.get_masked_tensors(encoded, "original", None if ends is None else [1] * len(ends), ends)
    return [one.sum().item() for one in scorer.compute_stats(hidden, return_tensors=True)]


def side_by_side(
    workers: dict[str, Worker], asked: Work, best: int, rounds: int, of: str = "sentence"
) -> dict[str, float]:
    """Measure all in turns on the same sentences."""
    took: dict[str, list[list[float]]] = {name: [] for name in workers}
    apart = 0.0
    for _ in range(rounds):
        found = {}
        for name, worker in workers.items():
            seconds, found[name] = worker.ask(asked, best, of)
            took[name].append(seconds)
        gaps = [abs(one - other) for one, other in zip(found[ASOF], found[MINICONS], strict=True)]
        apart = max(apart, *gaps)
    clock = [theirs[0] / ours[0] for ours, theirs in zip(took[ASOF], took[MINICONS], strict=True)]
    cpu = [theirs[1] / ours[1] for ours, theirs in zip(took[ASOF], took[ONE_THREAD], strict=True)]
    return {
        "sentences": len(asked),
        "asof_s": median(one[0] for one in took[ASOF]),
        "minicons_s": median(one[0] for one in took[MINICONS]),
        "asof_cpu_s": median(one[1] for one in took[ASOF]),
        "minicons_cpu_s": median(one[1] for one in took[ONE_THREAD]),
        "minicons_at_a_time": best,
        "ratio_clock": median(clock),
        "lowest_ratio_clock": min(clock),
        "ratio_cpu": median(cpu),
        "lowest_ratio_cpu": min(cpu),
        "largest_difference": apart,
    }


def products(size: tuple[int, int, int], lengths: list[int]) -> float:
    """Return how often asof's multiplications go into those of minicons, for sentences of so many tokens.

    A layer multiplies each token with 12 matrices of its width squared, the output with the vocabulary. minicons does
    so at each place of each copy. asof does 2 of the last layer's 12 at each place, the others and the output at the
    asked one; and 3 of the first layer's once for each different token of a sentence and for its masks.
    """
    layers, width, _ = size
    square, output = width**2, width**2 + VOCABULARY * width
    ours = theirs = 0
    for length in lengths:
        copies = length - 2  # nobody hides the ends
        theirs += copies * length * (12 * layers * square + output)
        ours += copies * length * (12 * layers - 10 - 3) * square + copies * (10 * square + output)
        ours += (length + copies) * 3 * square
    return theirs / ours


def candidates(everything: Work, blanks: int, count: int) -> Work:
    """Return so many different answers for each of some blanks."""
    names = list(dict.fromkeys(answer for _, answer, _ in everything))[:count]
    ends = list(dict.fromkeys(after for _, _, after in everything))[:blanks]
    return [("", name, after) for after in ends for name in names]


def measured(size: tuple[int, int, int], everything: Work, sizes: list[int], rounds: int) -> dict[str, Any]:
    """Measure a model of a size on more and more sentences, and on what a run asks."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_model(folder, size, [before + answer + after for before, answer, after in everything])
        workers = {name: Worker(__file__, name, place) for name in (ASOF, MINICONS, ONE_THREAD)}
        try:
            for worker in workers.values():
                worker.ask([("", "Paris", " is a city.")])  # wait until it is loaded
            few = everything[: max(AT_A_TIME)]
            best = min(AT_A_TIME, key=lambda count: workers[ONE_THREAD].ask(few, count)[0][1])
            growth = [side_by_side(workers, everything[:count], best, rounds) for count in sizes]
            tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
            lengths = [len(ids) for ids in tokenizer(["".join(one) for one in everything])["input_ids"]]
            for row in growth:
                row["ratio_products"] = products(size, lengths[: int(row["sentences"])])
            asked = candidates(everything, 2, 20)
            return {"sentences": growth, "candidates": side_by_side(workers, asked, best, rounds, of="answer")}
        finally:
            for worker in workers.values():
                worker.stop()


def plot(result: dict[str, dict[str, Any]], path: Path) -> None:
    """Draw how the time grows with the number of sentences."""
    with panels(path, size=(5 * len(result), 3.6), columns=len(result)) as axes:
        for axis, (name, found) in zip(axes, result.items(), strict=True):
            rows = found["sentences"]
            sizes = [row["sentences"] for row in rows]
            for who, style in ((ASOF, "o-"), (MINICONS, "x:")):
                axis.loglog(sizes, [row[f"{who}_cpu_s"] for row in rows], style, label=who)
            axis.set_title(f"a BERT of {name}", fontsize=10)
            axis.set_xlabel("sentences")
            mark_sizes(axis, sizes)
        axes[0].set_ylabel("CPU seconds")


def main(quick: bool) -> None:
    """Measure, print ratios, write JSON and a plot."""
    everything = statements(200)
    sizes, rounds = ([8, 24], 2) if quick else ([16, 64, 128], 3)
    result = {}
    for name, size in SIZES.items():
        result[name] = measured(size, everything, sizes if size[1] < 700 else sizes[:-1], rounds)
        for what, row in [
            *(("sentences", row) for row in result[name]["sentences"]),
            ("candidates", result[name]["candidates"]),
        ]:
            print(
                f"{name}, {what}, {row['sentences']:>4}: {row['ratio_clock']:.2f} times on the clock (lowest "
                f"{row['lowest_ratio_clock']:.2f}), {row['ratio_cpu']:.2f} times in CPU time (lowest "
                f"{row['lowest_ratio_cpu']:.2f}"
                + (f"; {row['ratio_products']:.2f} times the multiplications" if "ratio_products" in row else "")
                + f"), apart by {row['largest_difference']:.1g}",
                flush=True,
            )
    keep("pseudo_likelihood", result, plot)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(partial(scorer_of, *sys.argv[2:4]))
        sys.exit()
    main("--quick" in sys.argv[1:])
