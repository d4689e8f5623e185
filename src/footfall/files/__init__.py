"""Formats in and out; everything is converted here, at the edge, to metres, Y up, +Z forward.

`formats.py` has `load` and `save`, one sub-package each reads and writes a format, `intake` makes
clips of what readers find, and `results.py` says which files may be overwritten.
"""
