"""Times in questions and in running text."""
