"""The reader that comes with the package, used as a stranger would: pages that nobody here has taught it."""

from pathlib import Path

import pytest

import asof
from asof.errors import UserError
from asof.reading import shipped
from asof.reading.page_files import read_page
from asof.reading.readers.temporal import TemporalReader
from asof.weights.package_index import fetched_folder

needs_encoder = pytest.mark.skipif(fetched_folder("bge-small") is None, reason="asof models get bge-small")
CLUB = """'''Eastmoor Rovers''' is a football club from [[Eastmoor]], founded in 1908.
== Stadium ==
The club played at [[Albion Lane]] until 1936. From 1936 to 1999 its home was [[Station Road]].
== Managers ==
* 1946–1952: [[Harry Locke]]
* [[Jim Stanhope]] (1952–1960)
* [[Bill Ferris]] (1960–1971)
"""


@needs_encoder
def test_it_answers_as_installed(tmp_path: Path) -> None:
    (tmp_path / "Eastmoor_Rovers.wiki").write_text(CLUB, encoding="utf-8")
    reader = TemporalReader("")
    asked = {
        "Who managed Eastmoor Rovers in 1965?": "Bill Ferris",
        "Who was the manager of Eastmoor Rovers from 1946 to 1952?": "Harry Locke",
        "Which stadium did Eastmoor Rovers use in May 1950?": "Station Road",
    }
    answers = reader.read_many(list(asked), read_page(str(tmp_path / "Eastmoor_Rovers.wiki")))
    assert [answer.text for answer in answers] == list(asked.values())
    assert all(answer.evidence[0].verdict != "lies outside the asked time" for answer in answers)
    assert reader.name == "temporal" and "threshold" in reader.describe()


@needs_encoder
def test_the_door_uses_it() -> None:
    text = "Ruth Feldman was director of the museum from 1963 to 1981. Before, Thomas Garrick led it from 1946 to 1963."
    assert str(asof.read(text, "Who was the director of the museum in 1970?", title="Museum")) == "Ruth Feldman"
    assert not asof.read(text, "Who was the director of the museum in 1870?", title="Museum").text


def test_its_card_says_how_it_was_made_and_it_is_small() -> None:
    folder = shipped.shipped()
    card = (folder.parent / "card.md").read_text(encoding="utf-8")
    assert all(licence in card for licence in ("CC BY-SA 4.0", "BSD 3-Clause", "Apache-2.0"))
    assert sum(path.stat().st_size for path in folder.iterdir()) < 25_000_000


def test_a_copy_without_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shipped, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(UserError, match="has no reader of its own"):
        shipped.shipped()
