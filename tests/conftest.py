"""What all tests share: small bases written by the real writer, and a cache of their own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from asof.facts import FactStore, write_base
from asof.sources import open_source
from asof.sources.almanac import almanac_base
from asof.timeline import Date
from asof.weights.package_index import models_folder

settings.register_profile("steady", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("steady")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
KNOWN_BY = Date.parse("2024-12-31")  # of tables mined in tests, so that nothing depends on the day of the test
TINY = Path(__file__).parent / "data" / "tiny.tsv"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep the user's cache out of the tests."""
    patch = pytest.MonkeyPatch()
    patch.setenv("ASOF_MODELS", str(models_folder()))  # but for the weights, which are large
    folder = tmp_path_factory.mktemp("cache")
    patch.setenv("ASOF_CACHE", str(folder))
    patch.delenv("ASOF_BASE", raising=False)
    return folder


@pytest.fixture(scope="session")
def almanac() -> FactStore:
    """The base that comes with asof."""
    return FactStore(almanac_base())


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> FactStore:
    """The hand-checked facts of tests/data/tiny.tsv, the inverted one kept."""
    folder = tmp_path_factory.mktemp("bases") / "tiny"
    from asof.facts import InversionPolicy

    write_base(folder, [open_source(str(TINY))], inverted=InversionPolicy.KEEP, known_by=KNOWN_BY)
    return FactStore(folder)


@pytest.fixture
def base_of(tmp_path: Path) -> Callable[..., FactStore]:
    """A function that writes rows (subject, relation, object, start, end) as a base."""
    count = 0

    def make(rows: list[tuple[str, ...]], **options: object) -> FactStore:
        nonlocal count
        count += 1
        table = tmp_path / f"rows{count}.tsv"
        header = ("subject", "relation", "object", "start", "end", "statement")[
            : max(5, *(len(row) for row in rows), 5)
        ]
        table.write_text("\n".join("\t".join(row) for row in [header, *rows]) + "\n", encoding="utf-8")
        chosen = {"known_by": KNOWN_BY} | options
        write_base(tmp_path / f"base{count}", [open_source(str(table))], **chosen)  # type: ignore[arg-type]
        return FactStore(tmp_path / f"base{count}")

    return make


def shared(name: str) -> Path:
    """Return a real dataset, or skip the test where it is not there."""
    folder = SHARED_DATA / name
    if not folder.exists():
        pytest.skip(f"the dataset {name} is not here")
    return folder
