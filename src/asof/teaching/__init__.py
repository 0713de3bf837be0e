"""Teach a language model facts with the time in which they hold, and show what that did to it.

The loop is closed here: a run shows what a model does not know, ``asof teach`` teaches it, and dates, wordings and
facts that were held out show whether it was learnt, and what it cost.

``facts`` and ``date_pool`` → ``lesson`` → ``objectives`` → ``learner`` and ``anchors`` → ``training`` → ``measuring`` →
``folder``.
"""
