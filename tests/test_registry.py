"""Parts by name, where the packages that they need are not installed."""

import subprocess
import sys

import pytest

from asof import registry
from asof.errors import UserError


@pytest.mark.parametrize("kind", ["models", "scorers", "readers", "benchmarks", "metrics", "probes", "export"])
def test_a_part_is_described_as_its_documentation_says(kind: str) -> None:
    parts: registry.Registry = getattr(registry, kind)
    for name in parts.names():
        assert parts.summary(name) == parts.get(name).__doc__.strip().split("\n")[0]


def test_parts_are_described_without_what_they_need() -> None:
    script = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['torch', 'transformers', 'lightgbm', 'httpx', 'safetensors']))\n"
        "from asof import registry\n"
        "print(*(parts.summary(name) for parts in (registry.models, registry.scorers, registry.readers)"
        " for name in parts.names()), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "ComplEx, 2016" in done.stdout and all(done.stdout.splitlines())


def test_a_package_that_lacks_is_named_with_its_extra() -> None:
    said = r"temporal needs lightgbm. Install it with: pip install 'asof\[reading\]'"
    with pytest.raises(UserError, match=said), registry.readers.naming_extras("temporal"):
        raise ModuleNotFoundError("No module named 'lightgbm.basic'", name="lightgbm.basic")
    with pytest.raises(ModuleNotFoundError), registry.readers.naming_extras("temporal"):
        raise ModuleNotFoundError("No module named 'ours'", name="ours")
