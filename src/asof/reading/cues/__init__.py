"""Words by which English tells the kinds of facts that questions ask for (`en.toml`), and the kind that one means."""
