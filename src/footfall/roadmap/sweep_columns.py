"""Columns of the boxes that hold what bodies sweep; see `sweep`."""

from __future__ import annotations

MIDDLE, HALF, ANCHOR, ANCHOR_HALF, ARM, SHARE, SHARE_HALF, PART, FIRST_ROW, STOP_ROW, BESIDE = (
    0, 3, 6, 8, 10, 11, 12, 13, 14, 15, 16,
)  # fmt: skip
"""Columns of the boxes: middle and half sizes, seen from the first footprint; middle and half
sizes, in the plane, of where the anchors are, the places between footprints that parts of the body
go with; how far parts are from their anchors; how far along they are; which part, which rows; how
far apart the feet stand where the move begins and ends."""
COLUMNS = 17
