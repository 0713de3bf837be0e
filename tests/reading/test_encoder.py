"""The real sentence encoder: meaning as vectors, whatever is encoded beside a text."""

from pathlib import Path

import numpy as np
import pytest

from asof.reading.encoder import Encoder, span_vectors
from asof.weights.package_index import fetched_folder

FOLDER = fetched_folder("bge-small")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="bge-small has not been fetched")
COACH, CLUB = "He was head coach of Serie A club Chievo .", "Which team did he train?"
OTHER = "The cathedral was built of red sandstone ."


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder(FOLDER or Path())


def test_near_in_meaning_is_near(encoder: Encoder) -> None:
    coach, club, other = encoder.vectors([COACH, CLUB, OTHER])
    assert np.allclose([np.linalg.norm(one) for one in (coach, club, other)], 1, atol=1e-5)
    assert coach @ club > other @ club + 0.1


def test_a_batch_changes_little(encoder: Encoder) -> None:
    alone = encoder.vectors([COACH])[0]
    together = encoder.vectors([OTHER * 9, COACH, CLUB])[1]
    assert alone @ together > 0.99  # states are rounded to 8 bits by the largest of a batch


def test_the_vector_of_a_part_knows_the_words_around_it(encoder: Encoder) -> None:
    said = encoder.encode([COACH, "Chievo is a suburb of Verona ."])
    start = COACH.index("Chievo")
    parts = [span_vectors(said[0], [start], [start + 6])[0], span_vectors(said[1], [0], [6])[0]]
    assert 0.3 < parts[0] @ parts[1] < 0.99
    club = encoder.vectors([CLUB])[0]
    assert parts[0] @ club > parts[1] @ club


def test_long_and_empty_texts(encoder: Encoder) -> None:
    assert encoder.vectors(["", COACH * 200]).shape == (2, 384)
    assert encoder.vectors([]).shape == (0, 384)
