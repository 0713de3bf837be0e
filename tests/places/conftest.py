"""One S3 server for all tests of places; each begins with an empty bucket and an empty cache."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.places.s3_server import S3, forget_connections, s3_server


@pytest.fixture(scope="session")
def running_s3() -> Iterator[S3]:
    with s3_server() as running:
        yield running


@pytest.fixture
def s3(running_s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> S3:
    """The bucket, empty, seen from a machine that has fetched nothing yet."""
    running_s3.empty()
    forget_connections()
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "cache"))
    return running_s3
