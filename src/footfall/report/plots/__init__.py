"""Plots and maps: contacts, distances, measures, scenes."""
