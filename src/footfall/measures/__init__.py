"""Measure motions: feet, ground, path, sway, smoothness, physics, naturalness.

One module for each group of measures; `all.py` has `measure`, which takes them all.
"""
