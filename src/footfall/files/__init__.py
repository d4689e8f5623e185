"""Read and write clips, scenes, paths and tasks; convert units and axes.

`formats.py` has `load` and `save`, one sub-package each reads and writes a format, `intake` makes
clips of what readers find, and `results.py` says which files may be overwritten.
"""
