"""What ``asof train`` trains beside scorers: one file each, named as users type it in the place of a scorer.

A part has ``train(base, *, to, **settings)``, which gives back what a notebook holds, and ``command``: where the click
command with its own options is, as "package.module:name".
"""
