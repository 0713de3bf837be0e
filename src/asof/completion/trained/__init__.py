"""A trained model: its folder, its probabilities, its answers, and how good they are."""
