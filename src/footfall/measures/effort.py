"""Measure effort: squared torques of all joints, by inverse dynamics.

Safonova & Hodgins 2007 look for the motion whose sum of squared torques over frames, at 30 a
second, is least. Here it is told by the second and by the metre as well, since clips differ in
length; a body of 70 kg is meant, whoever was recorded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.dynamics import inverse_dynamics
from footfall.gait.contacts import Contacts, find_contacts
from footfall.gait.signatures import clip_signatures
from footfall.measures.tracks import way_m

SHORTEST_WAY_M = 0.5
"""Below this distance there is no effort by the metre."""
FEWEST_FRAMES = 8


@dataclass(frozen=True)
class Effort:
    """The effort of a clip, N² m²; nan where it is not known.

    effort_total       sum of squared torques over frames at 30 a second
    effort_per_second  that by the second
    effort_per_metre   that by the metre that the root goes in the plane
    torque_max_nm      99th percentile of the largest torque of a joint
    """

    effort_total: float
    effort_per_second: float
    effort_per_metre: float
    torque_max_nm: float


def effort(clip: Clip, contacts: Contacts | None = None) -> Effort:
    """Return what a humanoid clip costs."""
    contacts = contacts or find_contacts(clip)
    nan = float("nan")
    if len(clip) < FEWEST_FRAMES or contacts.problem:
        return Effort(nan, nan, nan, nan)
    found = inverse_dynamics(clip, clip_signatures(clip, contacts))
    total = float(found.effort.sum())
    way = way_m(clip.root[:, [0, 2]])
    largest = np.linalg.norm(found.torques, axis=2).max(axis=1)
    return Effort(
        effort_total=total,
        effort_per_second=total / clip.seconds,
        effort_per_metre=total / way if way >= SHORTEST_WAY_M else nan,
        torque_max_nm=float(np.percentile(largest, 99.0)),
    )
