"""Feet engine: contacts held, legs solved, clips cleaned and fitted to a ground."""
