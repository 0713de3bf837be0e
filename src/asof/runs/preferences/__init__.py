"""Which answers does a model give or prefer? One file for each kind of rows; a probe names it as ``preference``."""
