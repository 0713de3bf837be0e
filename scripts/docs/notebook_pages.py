"""The notebooks of docs/notebooks/ as pages: their text, their code, and the outputs that are stored in them."""

import json
from base64 import b64decode
from pathlib import Path
from typing import Any


def notebook_pages(folder: Path) -> dict[str, str | bytes]:
    """Return each page, and each picture that a page shows, by its place in the docs."""
    made: dict[str, str | bytes] = {}
    for path in sorted(folder.glob("*.ipynb")):
        parts = []
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"], 1):
            source = "".join(cell["source"])
            parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
            for output in cell.get("outputs", []):
                picture = f"{path.stem}-{number}.png"
                if "image/png" in output.get("data", {}):
                    made[f"notebooks/{picture}"] = b64decode("".join(output["data"]["image/png"]))
                parts.append(_shown(output, picture))
        link = f"This page is a notebook: [{path.name}]({path.name})."
        made[f"notebooks/{path.stem}.md"] = "\n\n".join([parts[0], link, *parts[1:]]) + "\n"
    return made


def _shown(output: dict[str, Any], picture: str) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        return f"![the figure that the code above draws]({picture})"
    if "text/html" in data:
        return f"<div>{' '.join(''.join(data['text/html']).split())}</div>"
    return f"```text\n{''.join(data.get('text/plain') or output.get('text', '')).rstrip()}\n```"
