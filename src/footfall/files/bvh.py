"""BVH, the Biovision hierarchy: `read` and `write`."""

from __future__ import annotations

from footfall.files.bvh_read import read

__all__ = ["read"]
