"""Train any scorer: plans and presets, the loop with its losses, checkpoints, a search over settings."""
