"""Language models as temporal knowledge bases: statements are taught to a network, which then recites them.

A statement has a blank; what stands there is an entity or a time point, and the network answers with one of the list
that it was taught (LAMA-TK, Findings of EMNLP 2022, section 3). Names in the statement stay words.

``statements`` → ``words`` or ``subwords`` → ``network`` → ``objectives``, ``batches`` and ``training`` → ``folder`` →
``reciting`` and ``as_model``.
"""
