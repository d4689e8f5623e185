"""Distances between poses and between windows of poses."""
