"""Fetch a package of the npm registry by name, version and hash, and unpack it."""

import hashlib
import subprocess
import tarfile
from pathlib import Path


def unpacked(name: str, version: str, sha256: str, folder: Path) -> Path:
    """Return the folder of an unpacked npm package, fetched unless it is there; any other content is refused."""
    archive = folder / f"{name}-{version}.tgz"
    if not archive.is_file():
        subprocess.run(
            ["npm", "pack", "--silent", f"{name}@{version}"], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != sha256:
        raise SystemExit(f"{archive} has hash {found}, expected {sha256}. Delete it and try again.")
    target = folder / f"{name}-{version}"
    with tarfile.open(archive) as tar:
        tar.extractall(target, filter="data")
    return target / "package"
