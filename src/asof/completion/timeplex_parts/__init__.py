"""The two parts that TIMEPLEX adds to its embeddings: recurrence, and gaps between pairs of relations."""
