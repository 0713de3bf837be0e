"""Every address of the explorer: what it may be asked, and what comes back as HTML and as JSON."""
