"""What the site has besides docs/: pages that are made at each build, from the code and from files of the root.

mkdocs calls it: mkdocs.yml names it as a hook.
"""

from pathlib import Path
from typing import Any

from command_pages import command_reference
from grid_page import reproduction_grid
from mkdocs.structure.files import File, Files
from notebook_pages import notebook_pages

ROOT = Path(__file__).parents[2]


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made here."""
    made: dict[str, str | bytes] = {
        "commands.md": command_reference(),
        "reproductions.md": reproduction_grid(ROOT / "reproductions"),
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        "contributing.md": (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
        **notebook_pages(ROOT / "docs" / "notebooks"),
    }
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files
