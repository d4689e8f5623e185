"""Inverse dynamics beside Pinocchio: with the ground's force, and of segments."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.harness import BenchRow, best_of_each
from footfall.body.clip import Clip
from footfall.body.dynamics import inverse_dynamics, segment_efforts
from footfall.body.mass import segments
from footfall.body.touching import touching_bits
from footfall.generate.gait.steady import steady
from footfall.maths.constants import GRAVITY
from footfall.maths.quaternions import conjugate, multiply, rotate, to_rotation_vector

FRAMES = 1000
SEGMENT, MARGIN = 12, 2
Work = Callable[[], Any]


def _motion(clip: Clip) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Root acceleration, rates and their changes at each frame, by differences."""
    steps = multiply(conjugate(clip.rotations[:-1]), clip.rotations[1:])
    turns = to_rotation_vector(steps) * clip.fps
    drift, changes = np.diff(clip.root, 2, axis=0) * clip.fps**2, np.diff(turns, axis=0) * clip.fps
    inner = (drift, 0.5 * (turns[1:] + turns[:-1]), changes)
    drift, rates, changes = (np.concatenate([a[:1], a, a[-1:]]) for a in inner)
    return drift, rates, changes


def _pinocchio(clip: Clip, motion: tuple[np.ndarray, ...]) -> Work | None:
    """Pinocchio's rnea, called for one frame after the other, as its Python users do."""
    try:
        pin = importlib.import_module("pinocchio")
    except ImportError:
        return None
    skeleton = clip.skeleton
    model = pin.Model()
    model.gravity.linear = np.array([0.0, -GRAVITY, 0.0])
    for joint, name in enumerate(skeleton.names):
        kind = pin.JointModelSpherical() if joint else pin.JointModelFreeFlyer()
        offset = np.array(skeleton.offsets[joint]) if joint else np.zeros(3)
        place = pin.SE3(np.eye(3), offset)
        model.addJoint(int(skeleton.parents[joint]) + 1, kind, place, name)
    for part in segments(skeleton, 70.0):
        inertia = pin.Inertia(part.mass_kg, part.centre, part.inertia)
        model.appendBodyToJoint(part.joint + 1, inertia, pin.SE3.Identity())
    data = model.createData()
    drift, rates, changes = motion
    frames, still = len(clip), np.zeros((len(clip), 3))
    turns = clip.rotations[..., [1, 2, 3, 0]].reshape(frames, -1)
    fall = rotate(conjugate(clip.rotations[:, 0]), drift)
    q = np.hstack([still, turns])
    v, a = (
        np.hstack([still, rates.reshape(frames, -1)]),
        np.hstack([fall, changes.reshape(frames, -1)]),
    )

    def work() -> np.ndarray:
        return np.array([pin.rnea(model, data, q[t], v[t], a[t]) for t in range(frames)])

    return work


def rows() -> list[BenchRow]:
    """Microseconds are those of the frames below; two cores are never used."""
    clip = steady("walk", 1.3, seconds=(FRAMES - 1) / 30.0, fps=30.0)
    motion = _motion(clip)
    peers = {"pin": _pinocchio(clip, motion)}
    flight = np.zeros(len(clip), np.uint8)
    torques = inverse_dynamics(clip, flight, cutoff_hz=0.0).torques[1:-1, 1:]
    for name, peer in peers.items():
        if peer is not None:
            theirs = peer()[1:-1, 6:].reshape(torques.shape)
            off = np.abs(theirs - torques).max()
            assert off < 1e-6 * np.abs(torques).max(), f"{name} disagrees by {off} N m"
    ours = {"footfall": lambda: inverse_dynamics(clip, cutoff_hz=0.0)}
    seconds = best_of_each({**ours, **peers})
    whole = seconds.pop("footfall")
    parts = best_of_each({"footfall": _segments(clip)})["footfall"]
    count = f"{len(clip):,} frames"
    return [
        BenchRow(f"inverse dynamics on the ground, {count}", whole, seconds),
        BenchRow(f"effort of segments of {SEGMENT} frames, {count}", parts, goal="≤ 3 µs a frame"),
    ]


def _segments(clip: Clip) -> Work:
    """The clip in short segments, each with frames of margin."""
    assert clip.contacts is not None
    firsts = np.arange(MARGIN, len(clip) - SEGMENT - MARGIN, SEGMENT)
    rows = (firsts[:, None] + np.arange(-MARGIN, SEGMENT + MARGIN)).ravel()
    first = np.arange(len(firsts) + 1) * (SEGMENT + 2 * MARGIN)
    root, rotations = clip.root[rows], clip.rotations[rows]
    touching, steps = touching_bits(clip.contacts)[rows], np.full(len(firsts), 1.0 / clip.fps)
    return lambda: segment_efforts(
        clip.skeleton, root, rotations, touching, first, steps, before=MARGIN, after=MARGIN
    )
