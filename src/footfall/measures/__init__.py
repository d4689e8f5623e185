"""Measures: how feet hold, how paths are met, how smooth and how natural clips are."""
