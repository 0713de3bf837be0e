"""Writing with llama.cpp, without llama.cpp: which tokens are read, and that none is read again."""

from types import SimpleNamespace
from typing import Any

import pytest

from asof.models._gguf_writing import TEXTS_SIDE_BY_SIDE, LlamaWriter

END = 0


class FakeMemory:
    """A context that remembers which tokens stand where, and whose likeliest token is always the end."""

    def __init__(self, goes_back: bool) -> None:
        self.goes_back = goes_back
        self.held: dict[int, list[int]] = {}
        self.reads: list[list[int]] = []

    def memory_seq_rm(self, place: int, first: int, last: int) -> bool:
        held = self.held.get(place, [])
        if first and len(held) > first and not self.goes_back:
            return False
        self.held[place] = held[:first]
        return True

    def decode(self, batch: "FakeBatch") -> None:
        self.reads.append([token for token, *_ in batch.added])
        for token, position, [place], _ in batch.added:
            held = self.held.setdefault(place, [])
            assert position == len(held)  # nothing is left out and nothing stands there twice
            held.append(token)


class FakeBatch:
    def __init__(self, **_: Any) -> None:
        self.added: list[tuple[int, int, list[int], bool]] = []

    def clear(self) -> None:
        self.added = []

    def add(self, token: int, position: int, places: list[int], wanted: bool) -> None:
        self.added.append((token, position, places, wanted))


class FakeSampler:
    def __init__(self, _: Any) -> None: ...

    def add_greedy(self) -> None: ...

    def sample(self, context: FakeMemory, index: int) -> int:
        return END


def writer_over(memory: FakeMemory) -> LlamaWriter:
    llama_cpp = SimpleNamespace(
        LlamaSampler=FakeSampler,
        LlamaSamplerChainParams=SimpleNamespace,
        LlamaContextParams=SimpleNamespace,
        LlamaContext=lambda model, settings: memory,
        LlamaBatch=FakeBatch,
    )
    return LlamaWriter(None, llama_cpp, lambda token: token == END)


def test_what_prompts_begin_with_is_read_once_in_each_part_of_the_memory() -> None:
    memory = FakeMemory(goes_back=True)
    writer = writer_over(memory)
    prompts = [[1, 2, 3, 4, 10 + number, 5] for number in range(2 * TEXTS_SIDE_BY_SIDE)]
    assert writer.write(prompts, 4, lambda tokens: False) == [[]] * len(prompts)
    assert memory.reads[0] == prompts[0]
    assert memory.reads[TEXTS_SIDE_BY_SIDE:] == [prompt[4:] for prompt in prompts[TEXTS_SIDE_BY_SIDE:]]
    memory.reads.clear()
    writer.write(prompts[:1] * 2, 4, lambda tokens: False)  # the next call goes on with what stands there
    assert all(len(read) == 2 for read in memory.reads)  # at least two tokens: alone, one is added up otherwise


@pytest.mark.parametrize("short", [[7], [1, 2]])
def test_a_model_that_cannot_go_back_reads_all_of_it(short: list[int]) -> None:
    memory = FakeMemory(goes_back=False)
    prompts = [[1, 2, 3, 4, 5] for _ in range(TEXTS_SIDE_BY_SIDE)] + [short, [1, 2, 3, 9]]
    writer_over(memory).write(prompts, 4, lambda tokens: False)
    assert memory.reads[-2:] == prompts[-2:]
