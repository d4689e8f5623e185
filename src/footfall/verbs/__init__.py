"""Functions that the package exports: each takes a clip, or a file with one."""
