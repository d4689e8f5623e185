"""Posture of the body over its feet, frame by frame, in leg lengths."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import sole_height
from footfall.body.roles import SIDES
from footfall.gait.contacts import Contacts
from footfall.maths.arrays import Bools, Floats
from footfall.maths.runs import without_short_gaps, without_short_runs
from footfall.maths.signals import differentiate, low_pass

DOWN_TRUNK, DOWN_HIPS, DOWN_S = math.radians(60.0), 0.4, 0.3
KNEELING_HIPS, KNEE_DOWN = 0.7, 0.2
"""Who lies or crawls has the trunk this level for so long, and the hips this low (leg lengths), or
a little higher with a knee on the floor."""
_CUTOFF_HZ = 6.0


@dataclass(frozen=True, eq=False)
class Posture:
    """Heights above the ground that carries the body; lengths in leg lengths, speeds per second.

    floor         (T,) height of that ground in the world, metres
    hips          (T,) height of the hip joints; about 1.05 standing
    head          (T,) height of the head joint, as a share of its height standing upright
    trunk         (T,) lean of the trunk from the vertical, radians
    hands         (T, 2) heights of the wrists
    hand_speeds   (T, 2) speeds of the wrists against the hips
    hands_speed   (T, 2) speeds of the wrists in space
    hand_places   (T, 2, 2) where the wrists are from the hips: ahead, as the body faces, and up
    hips_speed    (T,) speed of the hips in space
    balance       (T,) how far the centre of mass is in front of the rearmost standing heel
    knees         (T, 2) bend of the knees, radians
    knee_height   (T,) height of the lower knee
    arms_out      (T,) how far the wrists are out from the shoulders to their sides, their mean
    """

    floor: Floats
    hips: Floats
    head: Floats
    trunk: Floats
    hands: Floats
    hand_speeds: Floats
    hands_speed: Floats
    hand_places: Floats
    hips_speed: Floats
    balance: Floats
    knees: Floats
    knee_height: Floats
    arms_out: Floats


def find_posture(clip: Clip, contacts: Contacts) -> Posture:
    """Return the posture at every frame of a clip, over the ground that its contacts stand on."""
    poses = clip.world
    skeleton, leg = clip.skeleton, contacts.motion.leg_m
    parts = ["hip", "shoulder", "wrist", "knee", "ankle"]
    joints = [skeleton.role(f"{side}_{part}") for part in parts for side in SIDES]
    top = skeleton.roles["head"] if "head" in skeleton.roles else skeleton.role("neck")
    tracks = poses.positions[:, [*joints, top]]
    tracks = low_pass(tracks, clip.fps, min(_CUTOFF_HZ, 0.4 * clip.fps))
    hips, shoulders, hands, knees, ankles = (tracks[:, 2 * k : 2 * k + 2] for k in range(5))
    floor = ground_under(contacts)
    middle, up = hips.mean(axis=1), shoulders.mean(axis=1) - hips.mean(axis=1)
    upright = skeleton.rest_positions[top, 1] - sole_height(skeleton)
    reach = hands - middle[:, None]
    across = shoulders[:, 0] - shoulders[:, 1]
    across = across / np.maximum(_length(across), 1e-9)[:, None]
    out = np.einsum("tsi,ti->ts", hands - shoulders, across) * [1.0, -1.0]
    return Posture(
        floor=floor,
        hips=(middle[:, 1] - floor) / leg,
        head=(tracks[:, -1, 1] - floor) / upright,
        trunk=np.arccos(np.clip(up[:, 1] / np.maximum(_length(up), 1e-9), -1.0, 1.0)),
        hands=(hands[..., 1] - floor[:, None]) / leg,
        hand_speeds=_length(differentiate(reach, clip.fps)) / leg,
        hands_speed=_length(differentiate(hands, clip.fps)) / leg,
        hand_places=_ahead_and_up(reach, contacts.motion.facing) / leg,
        hips_speed=_length(differentiate(middle, clip.fps)) / leg,
        balance=_balance(contacts) / leg,
        knees=_bend(hips, knees, ankles),
        knee_height=(knees[..., 1].min(axis=1) - floor) / leg,
        arms_out=out.mean(axis=1) / leg,
    )


def down_mask(posture: Posture, fps: float) -> Bools:
    """Return (T,) whether the body is on the floor with its trunk level: it lies or crawls."""
    kneels = (posture.hips < KNEELING_HIPS) & (posture.knee_height < KNEE_DOWN)
    level = (posture.trunk > DOWN_TRUNK) & ((posture.hips < DOWN_HIPS) | kneels)
    return without_short_runs(without_short_gaps(level, DOWN_S * fps), DOWN_S * fps)


def _ahead_and_up(reach: Floats, facing: Floats) -> Floats:
    """Return (T, 2, 2) of ways (T, 2, 3) from the hips."""
    sin, cos = np.sin(facing)[:, None], np.cos(facing)[:, None]
    return np.stack([reach[..., 0] * sin + reach[..., 2] * cos, reach[..., 1]], axis=-1)


def ground_under(contacts: Contacts) -> Floats:
    """Return (T,) height of what carries: the lower standing foot; straight on between stances."""
    frames = len(contacts)
    level = np.full(frames, np.inf)
    for stance in contacts.stances:
        span = slice(stance.first, stance.stop)
        level[span] = np.minimum(level[span], stance.level_m)
    known = np.flatnonzero(np.isfinite(level))
    if len(known) == 0:
        return np.full(frames, float(contacts.motion.lowest.min()))
    return np.asarray(np.interp(np.arange(frames), known, level[known]))


def _balance(contacts: Contacts) -> Floats:
    """Return (T,) metres, as the body faces; 0 where no foot stands."""
    motion = contacts.motion
    ahead = np.stack([np.sin(motion.facing), np.cos(motion.facing)], axis=1)
    heels = motion.points[:, :, 0][..., [0, 2]] - motion.centre[:, None, [0, 2]]
    front = -np.einsum("tfi,ti->tf", heels, ahead)
    front = np.where(contacts.feet, front, -np.inf).max(axis=1)
    return np.where(np.isfinite(front), front, 0.0)


def _bend(hips: Floats, knees: Floats, ankles: Floats) -> Floats:
    thigh, shank = knees - hips, ankles - knees
    cosine = np.einsum("tsi,tsi->ts", thigh, shank) / np.maximum(
        _length(thigh) * _length(shank), 1e-9
    )
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _length(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))
