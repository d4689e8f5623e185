"""Displacement mapping: motions bent smoothly to meet constraints on feet and body."""
