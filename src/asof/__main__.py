"""``python -m asof`` is ``asof``."""

from asof.cli import main

main()
