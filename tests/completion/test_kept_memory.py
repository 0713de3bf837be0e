"""Memory that a training keeps: its weights stay as they are, and where there is no glibc nothing happens."""

import platform
import resource
import subprocess
import sys

import pytest
import torch

from asof.completion.dataset import Dataset
from asof.completion.scorers.de_simple import DESimplE
from asof.completion.scorers.timeplex_base import TimeplexBase
from asof.completion.training.trainer import CompletionTraining, sizes_of, train
from asof.training.kept_memory import kept_memory

SETTINGS = CompletionTraining(epochs=3, batch=32, evaluate_every=1)

FAULTS = """
import resource
from asof.training.kept_memory import kept_memory

def faults(steps):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(steps):
        bytearray(64_000_000)  # more than glibc keeps by itself
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

outside = faults(5)
with kept_memory():
    with kept_memory():
        faults(1)
    inside = faults(5)
print(outside, inside, faults(5))
"""


@pytest.mark.parametrize("kind", [TimeplexBase, DESimplE])
def test_weights_are_the_same_with_kept_memory_and_without(
    kind: type[TimeplexBase | DESimplE], dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, plain = kind(sizes_of(dataset), 6), kind(sizes_of(dataset), 6)
    train(kept, dataset, SETTINGS)
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    train(plain, dataset, SETTINGS)
    assert all(torch.equal(one, other) for one, other in zip(kept.parameters(), plain.parameters(), strict=True))


def test_without_glibc_nothing_is_asked_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    monkeypatch.setattr("ctypes.CDLL", lambda name: pytest.fail("there is no such library"))
    with kept_memory():
        pass


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="memory is kept where the C library is glibc")
def test_the_system_is_asked_for_memory_once_and_gets_it_back() -> None:
    ran = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)
    outside, inside, afterwards = map(int, ran.stdout.split())
    pages = 64_000_000 // resource.getpagesize()
    assert inside < pages / 10  # the first step got them, the second to the sixth find them
    assert outside > 10 * inside
    assert afterwards > 10 * inside


def test_an_error_inside_is_handed_on() -> None:
    with pytest.raises(KeyError), kept_memory():
        raise KeyError
