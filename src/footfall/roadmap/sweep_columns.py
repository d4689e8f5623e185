"""Columns of the boxes that hold what bodies sweep, and lists of what they meet; see `sweep`.

Kernels are compiled again when a module changes that they import: these names stand alone here.
"""

from __future__ import annotations

MIDDLE, HALF, ANCHOR, ANCHOR_HALF, ARM, SHARE, SHARE_HALF, PART, FIRST_ROW, STOP_ROW, BESIDE = (
    0, 3, 6, 8, 10, 11, 12, 13, 14, 15, 16,
)  # fmt: skip
"""Columns of the boxes: middle and half sizes, seen from the first footprint; middle and half
sizes, in the plane, of where the anchors are, the places between footprints that parts of the body
go with; how far parts are from their anchors; how far along they are; which part, which rows; how
far apart the feet stand where the move begins and ends."""
COLUMNS = 17
FOUND, NEAR, MOVE_HITS, PART_HITS = range(4)
"""Lists of primitives: under a sole, near a move, in its box, and in the box of a part of it."""
