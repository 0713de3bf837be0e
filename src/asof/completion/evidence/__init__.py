"""What the known facts themselves say about a missing one: counts, gaps in time, links. No embedding is needed."""
