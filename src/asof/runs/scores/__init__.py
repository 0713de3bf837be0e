"""Ways to score a run as a whole, by name: one file each. A benchmark names its own as ``score_with``."""
