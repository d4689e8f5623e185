"""Clips made from published and population-level figures of how people move."""
