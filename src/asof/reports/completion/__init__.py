"""Trained completion models on the page: the tables and figures of Jain et al. 2020 (TIMEPLEX), side by side."""
