"""Benchmarks: ratios in one run beside the peers; `python -m bench` writes their page."""
