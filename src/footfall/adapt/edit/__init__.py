"""Edits of whole clips: stitching, path editing, starts and stops, displacement mapping."""
