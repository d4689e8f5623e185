"""Angles of trunk, pelvis, head, arms and legs, worked out from plain positions and turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from bench.limits import plain
from bench.limits.plain import SIDES, Floats

UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Angles:
    """Of T frames; degrees and metres, (T,) or (T, 2) for left and right.

    trunk_pitch, trunk_side   from between the hips to between the shoulders: forward, to the left
    pelvis_list               how much higher the left hip joint is
    head_pitch, head_yaw      against how it is held at rest in the world: down, left of the hips
    hip, knee, ankle          flexion; the ankle's against rest, toes up positive
    foot_pitch                of the sole against rest, toes up positive
    shoulder, elbow           upper arm forward of the vertical; flexion
    wrist, collar             turn away from the clip's mean
    ankle_y, hips             height of the ankles; (T, 3) the middle of the hips
    """

    body: plain.Body
    trunk_pitch: Floats
    trunk_side: Floats
    pelvis_list: Floats
    head_pitch: Floats
    head_yaw: Floats
    hip: Floats
    knee: Floats
    ankle: Floats
    foot_pitch: Floats
    shoulder: Floats
    elbow: Floats
    wrist: Floats
    collar: Floats
    ankle_y: Floats
    hips: Floats

    @property
    def fps(self) -> float:
        return self.body.fps


def angles_of(clip: Any, fps: float = 60.0) -> Angles:
    """The angles of a clip at some frame rate."""
    body = plain.body_of(clip, fps)
    at, world = body.at, _world_turns(clip, body)
    hips = 0.5 * (at["left_hip"] + at["right_hip"])
    tops = 0.5 * (at["left_shoulder"] + at["right_shoulder"])
    left = _level(at["left_hip"] - at["right_hip"])
    ahead = np.cross(left, UP)
    trunk = tops - hips
    across = at["left_hip"] - at["right_hip"]
    legs = [_leg(body, side, trunk, ahead) for side in SIDES]
    arms = [_arm(body, side, ahead) for side in SIDES]
    head = world[body.roles["head"]]
    looks = head.apply(np.array([0.0, 0.0, 1.0]))
    return Angles(
        body=body,
        trunk_pitch=_tilt(trunk, ahead),
        trunk_side=_tilt(trunk, left),
        pelvis_list=np.degrees(np.arcsin(across[:, 1] / np.linalg.norm(across, axis=1))),
        head_pitch=-np.degrees(np.arcsin(np.clip(looks[:, 1], -1.0, 1.0))),
        head_yaw=np.degrees(np.arctan2((looks * left).sum(1), (looks * ahead).sum(1))),
        hip=np.stack([leg[0] for leg in legs], axis=1),
        knee=plain.knees_deg(body),
        ankle=np.stack([leg[1] for leg in legs], axis=1),
        foot_pitch=np.stack([leg[2] for leg in legs], axis=1),
        shoulder=np.stack([arm[0] for arm in arms], axis=1),
        elbow=np.stack([arm[1] for arm in arms], axis=1),
        wrist=_own_turns(body, "wrist"),
        collar=_own_turns(body, "clavicle"),
        ankle_y=np.stack([at[f"{s}_ankle"][:, 1] for s in SIDES], axis=1),
        hips=hips,
    )


def _world_turns(clip: Any, body: plain.Body) -> list[Rotation]:
    world: list[Rotation] = []
    for j, parent in enumerate(clip.skeleton.parents):
        own = Rotation.from_quat(body.turns[:, j, [1, 2, 3, 0]])
        world.append(own if parent < 0 else world[parent] * own)
    return world


def _level(vectors: Floats) -> Floats:
    flat = vectors * [1.0, 0.0, 1.0]
    return np.asarray(flat / np.linalg.norm(flat, axis=1, keepdims=True))


def _tilt(line: Floats, towards: Floats) -> Floats:
    return np.asarray(np.degrees(np.arctan2((line * towards).sum(1), line[:, 1])))


def _leg(body: plain.Body, side: str, trunk: Floats, ahead: Floats) -> tuple[Floats, ...]:
    """Hip, ankle and foot pitch of one leg."""
    at = body.at
    thigh = at[f"{side}_knee"] - at[f"{side}_hip"]
    shank = at[f"{side}_ankle"] - at[f"{side}_knee"]
    foot = at[f"{side}_toe"] - at[f"{side}_ankle"]
    forward = np.degrees(np.arctan2((thigh * ahead).sum(1), -thigh[:, 1]))
    hip = forward + _tilt(trunk, ahead)
    level = np.linalg.norm(foot * [1.0, 0.0, 1.0], axis=1) * np.sign((foot * ahead).sum(1))
    pitch = np.degrees(np.arctan2(foot[:, 1], level))
    # What the line from the ankle to the toes is like under a foot that stands flat.
    flat = float(np.percentile(pitch[at[f"{side}_ankle"][:, 1] < _low(body, side)], 50))
    lean = np.degrees(np.arctan2(-(shank * ahead).sum(1), -shank[:, 1]))
    return hip, (pitch - flat) + lean, pitch - flat


def _low(body: plain.Body, side: str) -> float:
    heights = body.at[f"{side}_ankle"][:, 1]
    return float(np.percentile(heights, 20)) + 0.01


def _arm(body: plain.Body, side: str, ahead: Floats) -> tuple[Floats, Floats]:
    at = body.at
    upper = at[f"{side}_elbow"] - at[f"{side}_shoulder"]
    lower = at[f"{side}_wrist"] - at[f"{side}_elbow"]
    swing = np.degrees(np.arctan2((upper * ahead).sum(1), -upper[:, 1]))
    return swing, plain.angle_deg(upper, lower)


def _own_turns(body: plain.Body, part: str) -> Floats:
    """(T, 2) how far joints are turned away from the clip's mean; nan where there is none."""
    found = []
    for side in SIDES:
        j = body.roles.get(f"{side}_{part}")
        if j is None:
            found.append(np.full(body.frames, np.nan))
            continue
        q = Rotation.from_quat(body.turns[:, j, [1, 2, 3, 0]])
        found.append(np.degrees((q.mean().inv() * q).magnitude()))
    return np.stack(found, axis=1)
