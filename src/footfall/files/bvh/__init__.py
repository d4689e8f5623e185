"""BVH, the Biovision hierarchy: `read` and `write`."""

from __future__ import annotations

from footfall.files.bvh.reader import read
from footfall.files.bvh.writer import write

__all__ = ["read", "write"]
