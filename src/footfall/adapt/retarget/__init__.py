"""Retargeting: whole clips, and frame by frame for live characters."""
