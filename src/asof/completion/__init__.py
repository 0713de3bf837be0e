"""Complete a knowledge base: predict the missing entity of a fact, or the interval in which it held."""
