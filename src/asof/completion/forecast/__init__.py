"""Forecasts from what was known on a day: who follows, when the next one begins, when the present one ends."""
