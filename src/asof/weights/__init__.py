"""Weights of language models on disk: fetched from the package index, named on a hub, loaded and saved."""
