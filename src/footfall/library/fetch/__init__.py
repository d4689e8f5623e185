"""Downloading public libraries: registry, resume, checksums, safe unpacking."""
