"""What a report shows of the runs on a benchmark, by name: one file each. A benchmark names its as ``report_with``."""
