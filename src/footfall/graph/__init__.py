"""Motion graphs after Kovar, Gleicher & Pighin 2002, as van Basten & Egges compare them.

`build.py` makes a `MotionGraph` of the clips of a library; `follow.py` walks it along a path.
"""
