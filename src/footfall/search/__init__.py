"""Searches over plain arrays; they know nothing of bodies."""
