"""Python files as they are written into exports: without asof they need only their tool and Python."""
