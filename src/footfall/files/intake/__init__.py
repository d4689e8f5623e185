"""From what a file says to a `Clip`: units, axes, frame rate, rest pose, root and joint roles.

Readers know syntax alone; everything about bodies is decided here, once for all formats.
"""
