"""Footfall turns motion clips, a scene and a task into natural full-body human locomotion."""

__version__ = "0.1.0"
