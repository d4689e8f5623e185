"""Contacts as bits of one number, frame by frame: feet, hands, seat."""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip
from footfall.body.touching import (
    FEET,
    HANDS,
    LEFT_FOOT,
    LEFT_HAND,
    PARTS,
    RIGHT_FOOT,
    RIGHT_HAND,
    SEAT,
    touching_bits,
)
from footfall.gait.contacts import Contacts, find_contacts
from footfall.gait.posture import Posture, find_posture
from footfall.gait.touch import find_touches, touch_mask
from footfall.maths.arrays import Bools, Bytes
from footfall.maths.runs import runs, without_short_gaps, without_short_runs

__all__ = [
    "FEET",
    "HANDS",
    "LEFT_FOOT",
    "LEFT_HAND",
    "PARTS",
    "RIGHT_FOOT",
    "RIGHT_HAND",
    "SEAT",
    "clip_signatures",
    "describe_signature",
    "find_clip_touches",
]

LANDING_S = 0.07
"""Feet that leave or land within this time of each other do it together."""
SHORTEST_HAND_S = 0.1
"""A hand that touches for less than this only passes."""


def describe_signature(signature: int) -> str:
    """Return what touches, in words."""
    names = [name.replace("_", " ") for bit, name in enumerate(PARTS) if signature >> bit & 1]
    return " and ".join(names) if names else "nothing"


def clip_signatures(
    clip: Clip, contacts: Contacts | None = None, posture: Posture | None = None
) -> Bytes:
    """Return (T,) what touches in each frame, without changes that are too short to mean anything.

    As the clip says; what it does not say is found, for which `contacts` and `posture` spare work.
    """
    if clip.contacts is None:
        contacts = contacts or find_contacts(clip)
    points = clip.contacts if contacts is None or clip.contacts is not None else contacts.points
    assert points is not None
    touches = clip.touches
    if touches is None:
        touches = find_clip_touches(clip, contacts, posture)
    feet = _land_together(touching_bits(points), clip.fps)
    for hand in range(2):
        mask = without_short_gaps(touches[:, hand], SHORTEST_HAND_S * clip.fps)
        mask = without_short_runs(mask, SHORTEST_HAND_S * clip.fps)
        feet |= np.where(mask, LEFT_HAND if hand == 0 else RIGHT_HAND, 0).astype(np.uint8)
    return feet | np.where(touches[:, 2], SEAT, 0).astype(np.uint8)


def find_clip_touches(
    clip: Clip, contacts: Contacts | None = None, posture: Posture | None = None
) -> Bools:
    """Return (T, 3) contacts of hands and seat; of two hands only the one that reaches."""
    contacts = contacts or find_contacts(clip)
    posture = posture or find_posture(clip, contacts)
    found = find_touches(posture, clip.fps, contacts.motion.leg_m)
    mask = touch_mask(found, len(clip), clip.fps)
    for first, stop in runs(mask[:, 0] | mask[:, 1]).tolist():
        part = mask[first:stop]
        if part[:, :2].all(axis=1).any():
            reach = np.abs(posture.hand_places[first:stop]).sum(axis=(0, 2))
            hand = int(reach[1] >= reach[0])
            part[:, hand], part[:, 1 - hand] = True, False
    return mask


def _land_together(signature: Bytes, fps: float) -> Bytes:
    """Signatures of feet that leave and land together where they nearly do."""
    out = signature.copy()
    alone = runs((signature > 0) & (signature < FEET))
    for first, stop in alone.tolist():
        beside = [signature[k] for k in (first - 1, stop) if 0 <= k < len(signature)]
        if stop - first <= LANDING_S * fps and 0 in beside and FEET in beside:
            out[first:stop] = 0
    return out
