"""Ways to answer a question from a document: one file each, named as users type it before the colon."""
