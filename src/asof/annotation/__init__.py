"""People look at the questions of a benchmark: which words of the text answer them, and which have no answer.

A person's work is a file of lines that only grows; agreement and the verified benchmark are made from such files.
"""
