"""Formats in and out. Everything is converted here, at the edge, to metres, Y up, +Z forward."""
