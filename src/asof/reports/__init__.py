"""From runs to a page that can be shared: one HTML file that opens from disk and asks no server for anything."""

from asof.reports.page import write_report

__all__ = ["write_report"]
