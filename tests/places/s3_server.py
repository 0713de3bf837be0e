"""A real S3 server on the loopback address: moto's."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

import pytest


class S3:
    """The server, with one bucket, as the tests see it."""

    def __init__(self, address: str) -> None:
        import boto3

        self.address = address
        self.client = boto3.client("s3", endpoint_url=address, region_name="us-east-1")
        self.client.create_bucket(Bucket="bucket")

    def names(self, prefix: str = "") -> list[str]:
        """Return what lies in the bucket."""
        found = self.client.list_objects_v2(Bucket="bucket", Prefix=prefix).get("Contents", [])
        return sorted(one["Key"] for one in found)

    def content(self, name: str) -> bytes:
        """Return the content of an object."""
        found: bytes = self.client.get_object(Bucket="bucket", Key=name)["Body"].read()
        return found

    def put(self, name: str, content: bytes | Path) -> None:
        """Write an object."""
        body = content if isinstance(content, bytes) else content.read_bytes()
        self.client.put_object(Bucket="bucket", Key=name, Body=body)

    def delete(self, name: str) -> None:
        """Remove an object."""
        self.client.delete_object(Bucket="bucket", Key=name)

    def empty(self) -> None:
        """Remove all."""
        for name in self.names():
            self.delete(name)


@contextlib.contextmanager
def s3_server() -> Iterator[S3]:
    """Start a server that is found by the variables of AWS."""
    pytest.importorskip("s3fs", reason="s3fs is not installed: pip install 'asof[s3]'")
    server = pytest.importorskip("moto.server", reason="moto is not installed: pip install 'moto[s3]' flask flask-cors")
    running = server.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    patch = pytest.MonkeyPatch()
    for name, value in {"ACCESS_KEY_ID": "here", "SECRET_ACCESS_KEY": "only", "DEFAULT_REGION": "us-east-1"}.items():
        patch.setenv(f"AWS_{name}", value)
    with contextlib.redirect_stderr(io.StringIO()):
        running.start()
    host, port = running.get_host_and_port()
    patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    try:
        begun = S3(f"http://{host}:{port}")
        begun.empty()  # all servers of a process share what is stored
        yield begun
    finally:
        running.stop()
        patch.undo()
        forget_connections()


def forget_connections() -> None:
    """Have the next look at a place begin with the variables as they are then."""
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
