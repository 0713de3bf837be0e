"""From runs and trained models to a page to share: one HTML file that opens from disk and asks no server."""

from asof.reports.page import Figures, figures_of, is_trained_model, write_report

__all__ = ["Figures", "figures_of", "is_trained_model", "write_report"]
