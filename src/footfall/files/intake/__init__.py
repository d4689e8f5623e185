"""Turn a file's contents into a `Clip`: units, axes, frame rate, rest pose, root, roles.

Readers know syntax alone; everything about bodies is decided here, once for all formats.
"""
