"""asof from Python: the verbs of the command, and one object for each thing. ``import asof`` offers all of it."""
