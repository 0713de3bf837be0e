"""The agents' door: a base as tools that an assistant calls, over the Model Context Protocol (``asof mcp``)."""
