"""One function per command: the public Python API."""
