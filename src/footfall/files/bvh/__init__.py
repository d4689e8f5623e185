"""BVH, the Biovision hierarchy: `read` and `write`."""

from __future__ import annotations

from footfall.files.bvh.read import read
from footfall.files.bvh.write import write

__all__ = ["read", "write"]
