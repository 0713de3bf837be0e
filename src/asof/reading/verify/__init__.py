"""Texts held against the facts of a base: what they claim, and whether it holds on a day."""
