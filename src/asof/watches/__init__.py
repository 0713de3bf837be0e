"""Releases of models, watched: what is due is asked, what is known is kept, what got worse is told."""
