"""The temporal reader that comes with the package: its folder, as training wrote it, and a card of how it was made."""

from pathlib import Path

from asof.errors import UserError


def shipped() -> Path:
    """Return the folder of the reader that is used where none is named."""
    folder = Path(__file__).parent / "temporal"
    if not (folder / "reader.toml").is_file():
        raise UserError(
            f"This copy of asof has no reader of its own ({folder} is not there). Name a trained one: "
            "--reader temporal:FOLDER, or install asof again."
        )
    return folder
