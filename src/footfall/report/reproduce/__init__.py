"""The papers' experiments, run again: tables and plots beside the printed figures."""
