"""Foot locking, retargeting and displacement mapping of whole clips, and on-line retargeting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.adapt.moved_footprints import follow_footprints, footprint_constraints

from bench.harness import BenchRow, best_of, quick
from footfall.adapt.edit.displace import displace
from footfall.adapt.feet.lock import lock_feet
from footfall.adapt.retarget.online import OnlineRetargeter
from footfall.adapt.retarget.retarget import retarget
from footfall.body.clip import Clip
from footfall.gait.contacts import find_contacts
from footfall.gait.footprints import footprints
from footfall.generate.gait.steady import steady
from footfall.generate.skeleton import default_skeleton
from footfall.world.ground import Ground, grid_ground

FRAMES = 10_000
CHARACTERS = 256
STEPS = 60


def rows() -> list[BenchRow]:
    """A 10,000-frame walk onto longer and raised steps, then characters on flat and rough ground.

    Choi reports 0.09 s for 197 frames of displacement mapping on an 800 MHz Pentium III, Park
    1.2 ms for a blended and retargeted frame on a machine of the same kind.
    """
    rough = grid_ground(np.random.default_rng(7).uniform(0.0, 0.3, (60, 60)), (-30, -30), (60, 60))
    return [
        *_locking(rough),
        *_displacement(),
        _online(1, None, "40 µs, live"),
        _online(CHARACTERS, None, "≤ 15 µs each"),
        _online(CHARACTERS, rough, "≤ 15 µs each"),
    ]


def _locking(rough: Ground) -> list[BenchRow]:
    clip = steady(seconds=(FRAMES if not quick() else 600) / 100.0, fps=100.0)
    goal = f"≥ 50,000 frames/s: {len(clip) / 50_000:.2f} s"
    other = default_skeleton(0.6)
    size = f"{len(clip):,} frames of 22 joints"
    return [
        BenchRow(f"foot locking, {size}", best_of(lambda: lock_feet(clip)), {}, goal),
        BenchRow(
            f"foot locking on rough ground, {size}",
            best_of(lambda: lock_feet(clip, rough)),
            {},
            goal,
        ),
        BenchRow(f"retargeting, {size}", best_of(lambda: retarget(clip, other)), {}, goal),
    ]


def _displacement() -> list[BenchRow]:
    clip = steady(seconds=(FRAMES if not quick() else 600) / 100.0, fps=100.0)
    prints = footprints(find_contacts(clip))
    raised = [
        replace(f, p=f.p * np.array([1.1, 1.0, 1.1]) + np.array([0.0, 0.1 * (n % 2), 0.0]))
        for n, f in enumerate(prints)
    ]
    start = follow_footprints(clip, prints, raised)
    constraints = footprint_constraints(clip, prints, raised)
    bent = displace(start, constraints)
    assert bent.missing.worst_m < 1e-3, f"{bent.missing.worst_m} m are missing"
    goal = f"≥ 50,000 frames/s: {len(clip) / 50_000:.2f} s"
    name = f"displacement mapping, {len(clip):,} frames of 22 joints, {len(bent.levels)} levels"
    paper = {"Choi 2003 (800 MHz)": 0.09 / 197 * len(clip)}
    return [
        BenchRow(name, best_of(lambda: displace(start, constraints)), paper, goal),
        BenchRow(
            f"body over moved footprints, {len(clip):,} frames",
            best_of(lambda: follow_footprints(clip, prints, raised)),
        ),
    ]


def _online(count: int, ground: Ground | None, goal: str) -> BenchRow:
    clip = steady(seconds=6.0, fps=60.0)
    live = OnlineRetargeter(clip.skeleton, default_skeleton(0.7), clip.fps, count, ground)
    at = np.arange(count) % 200
    frames = [
        (clip.root[at + t], clip.rotations[at + t], _contacts(clip)[at + t]) for t in range(STEPS)
    ]

    def work() -> None:
        live.reset()
        for root, rotations, contacts in frames:
            live.step(root, rotations, contacts)

    each = best_of(work) / (STEPS * count)
    where = "flat ground" if ground is None else "a grid of heights"
    whom = "one character" if count == 1 else f"each of {count} characters"
    paper = {"Park 2002 (800 MHz)": 1.2e-3}
    return BenchRow(f"on-line retargeting, a frame of {whom}, {where}", each, paper, goal)


def _contacts(clip: Clip) -> np.ndarray:
    assert clip.contacts is not None
    return clip.contacts
