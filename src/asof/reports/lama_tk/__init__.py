"""Runs on LAMA-TK: what models keep of facts with their time, and how they use it."""
