"""Small benchmarks of every kind, built once, one with hostile names, and a small real model."""

from dataclasses import replace
from pathlib import Path

import pytest

from asof.benchmarks import Account, Benchmark, BenchmarkTables, Item, build, save, tables_of
from asof.benchmarks.dynamic_templama import DynamicTempLama
from asof.benchmarks.lama_tk import LamaTk
from asof.benchmarks.templama import TempLama
from asof.benchmarks.timeqa import TimeQa
from asof.benchmarks.timestress import TimeStress
from asof.facts import FactStore
from asof.probes.write_answer import WriteAnswer, prompt_for
from asof.wording import Wording

KINDS = {
    "timestress": TimeStress(facts=2, reach=1.0, stride=0.5),
    "dynamic-templama": DynamicTempLama(first="2021-Q1", last="2022-Q1", facts=4, relations="P6,P35"),
    "templama": TempLama(first="2019", last="2020", facts=3, relations="P6"),
    "timeqa": TimeQa(facts=1, relations="P6"),
    "lama-tk": LamaTk(facts=20),
}
MOST_TOKENS = 3  # that the small model writes

HOSTILE = [
    'say "hi"', "it's", "two\nlines", "a\r\nb", "tab\there", "{{ 7 * 7 }}", "{% raw %}", "{# no #}", "---",
    "--- !!python/x", "key: value", "# no comment", "- item", "&a *a", "!function os.system", "[1, 2]", "{a: 1}",
    "null", "true", "0123", "<script>alert(1)</script>", "<!--", "a|b", "`code` ```", "=1+1", "+1", "-1", "@SUM(A1)",
    "%s %(x)s {0}", "\\n \\u0041", "a,b;c", "\u2028\u2029\x85", "\ufeffbom", "\x00nul", "\x1b[31m", "e\u0301 \u00e9",
    "\u05e9\u05dc\u05d5\u05dd", "\U0001f600\u200d", "$HOME $(id) `id`", "../../etc/passwd", " lead and trail ",
    "\\", "'; DROP TABLE items; --", "x" * 3000, "~", "_X",
]  # fmt: skip


@pytest.fixture(scope="session")
def built(almanac: FactStore, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Benchmark]:
    """One benchmark of each kind, from the almanac."""
    folder = tmp_path_factory.mktemp("benchmarks")
    return {name: build(folder / name, kind, almanac, Wording()) for name, kind in KINDS.items()}


def saved(folder: Path, items: list[Item], *, probe: str, name: str = "hostile") -> Benchmark:
    """Write items as a benchmark of no base."""
    about = {
        "name": name,
        "paper": "",
        "probe": probe,
        "base": {"name": 'a "base": {{x}}\n---', "hash": "0"},
        "language": "en",
        "settings": {"facts": len(items), "note": "```\n<b>"},
    }
    return save(folder, BenchmarkTables(tables_of(items), Account(notes=("--- <i>",))), about)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Questions whose every text is one that some format gets wrong."""
    items = [
        Item(
            id=f"{place} {text}", prompt=text, answers=(text, "x") if place % 3 else (), group=text, tags={"tag": text}
        )
        for place, text in enumerate(HOSTILE)
    ]
    return saved(tmp_path_factory.mktemp("hostile") / "b", items, probe="write-answer")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A causal model of two layers with a chat template, which Inspect needs."""
    from transformers import AutoTokenizer

    from tests.models.tiny_model import make_tiny_model

    folder = make_tiny_model(tmp_path_factory.mktemp("models") / "tiny", positions=512)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def written(built: dict[str, Benchmark], tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Questions of TimeQA of which the small model answers every third right, and every fourth has no answer."""
    from asof.models.transformers_causal import TransformersCausal

    items = list(built["timeqa"].items())[:12]
    prompts = [prompt_for(item.prompt) for item in items]
    texts = TransformersCausal(str(tiny_model)).write(prompts, most_tokens=MOST_TOKENS, stop=["\n"])
    answers = [
        (text, "Nobody") if place % 3 == 0 else () if place % 4 == 1 else item.answers
        for place, (item, text) in enumerate(zip(items, texts, strict=True))
    ]
    changed = [replace(item, answers=answer) for item, answer in zip(items, answers, strict=True)]
    return saved(tmp_path_factory.mktemp("written") / "b", changed, probe=WriteAnswer.name, name="timeqa")
