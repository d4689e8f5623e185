"""Measure distances between poses and between windows of poses."""
