"""Made steps from one way of standing to another: what joins clips that stand differently.

Who picks something up from the floor stands wider than who walks; on both feet there is no way
from the one stance to the other. A step or two does it, made without a recording. So do small steps
back and aside, which walks do not have: who turned round before a chair backs up to it.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from footfall.adapt.steps.stepping import make_steps
from footfall.body.clip import Clip
from footfall.body.edit import move
from footfall.body.feet import mean_leg
from footfall.errors import InputError
from footfall.gait.signatures import FEET, SEAT
from footfall.maths.arrays import Floats, Ints
from footfall.optimal.footing import Footing
from footfall.optimal.made import STEPS, made_name
from footfall.optimal.merge import farthest_apart, state_clouds
from footfall.optimal.phases import Phases
from footfall.optimal.poses import StatePoses, state_poses
from footfall.optimal.transitions import clip_peaks

MOST_STANCES = 24
_APART_M = 0.15
"""Feet of which one is further ahead of the other than this stand in stride."""
NEAR = ((0.0, -0.15), (0.0, -0.4), (0.2, 0.0), (-0.2, 0.0), (0.0, 0.25))
"""Where small steps lead to: left and ahead, in lengths of a leg."""
TO_SEAT = (
    (0.0, -0.12, 0.0), (0.0, -0.35, 0.0), (0.2, -0.12, 0.0), (-0.2, -0.12, 0.0),
    (0.0, -0.15, 0.4), (0.0, -0.15, -0.4),
)  # fmt: skip
"""Where else one steps to from the commonest stance to sit down: left and ahead, in lengths of a
leg, and how far one turns to the left, radians."""


def make_shifts(phases: Phases, footing: Footing) -> list[Clip]:
    """Clips that go from the commonest stance at rest to every other, and back; and small steps
    from it to itself elsewhere, and back to where one sits down."""
    resting = np.flatnonzero(phases.rest & (phases.signature[phases.states] == FEET))
    resting = resting.astype(np.int32)
    stance = footing.stance[phases.phase[phases.states[resting]]]
    kinds, counts = np.unique(stance[stance >= 0], return_counts=True)
    kinds = kinds[np.argsort(-counts, kind="stable")][:MOST_STANCES]
    if not len(kinds) or len(phases.names) < 2:  # steps join clips, and serve for none
        return []
    chosen = np.array([_typical(phases, resting[stance == kind]) for kind in kinds], np.int32)
    poses = state_poses(phases, footing, chosen)
    stands = [_stand(phases, poses, n) for n in range(len(kinds))]
    ways: list[tuple[int, Clip, Clip]] = []
    leg_m, home = mean_leg(phases.frames.skeleton), stands[0]
    for aside, ahead in NEAR:
        ways.append((int(chosen[0]), home, move(home, aside * leg_m, ahead * leg_m)))
    for n in range(1, len(kinds)):
        x, z, yaw = _beside(poses, n)
        there = move(stands[n], x, z, yaw)
        ways += [(int(chosen[0]), home, there), (int(chosen[n]), there, home)]
        if _sits_down(phases, resting[stance == kinds[n]]):
            ways += [
                (int(chosen[0]), home, move(there, aside * leg_m, ahead * leg_m, turn))
                for aside, ahead, turn in TO_SEAT
            ]
    return _step_clips(phases, ways)


def _step_clips(phases: Phases, ways: list[tuple[int, Clip, Clip]]) -> list[Clip]:
    """Steps from stand to stand, each with the state whose posture it begins in."""
    peaks = clip_peaks(phases).max(axis=0)
    made: list[Clip] = []
    for number, (state, begin, end) in enumerate(ways):
        frame = int(phases.states[state])
        clip = int(phases.frames.clip[frame])
        first = frame - int(phases.frames.clip_start[clip])
        name = made_name(phases.names[clip], first, STEPS, number)
        with suppress(InputError):  # nobody can step there
            made.append(make_steps(begin, end, name=name, most_speeds=peaks).tagged(["step"]))
    return made


def _sits_down(phases: Phases, states: Ints) -> bool:
    """Whether a clip sits down from one of some states."""
    starts = phases.frames.clip_start
    frames = phases.states[states]
    ends = starts[phases.frames.clip[frames] + 1]
    spans = zip(frames.tolist(), ends.tolist(), strict=True)
    return any(bool((phases.signature[first:end] & SEAT).any()) for first, end in spans)


def _typical(phases: Phases, states: Ints) -> int:
    """Of states (N,) the one that is nearest to all others."""
    clouds = state_clouds(phases, states)
    return int(states[farthest_apart(clouds, clouds).max(axis=1).argmin()])


def _stand(phases: Phases, poses: StatePoses, state: int) -> Clip:
    frames = phases.frames
    return Clip(
        frames.skeleton, frames.fps, poses.root[state : state + 1],
        poses.rotations[state : state + 1], contacts=np.ones((1, 4), np.bool_),
    )  # fmt: skip


def _beside(poses: StatePoses, state: int) -> tuple[float, float, float]:
    """Where to stand in another stance: bodies in one place, or the foot that is behind stays."""
    here, there = poses.feet[0][:, [0, 2]], poses.feet[state][:, [0, 2]]
    if abs(there[0, 1] - there[1, 1]) < _APART_M:
        shift: Floats = here.mean(axis=0) - there.mean(axis=0)
    else:
        behind = int(there[0, 1] > there[1, 1])
        shift = here[behind] - there[behind]
    return float(shift[0]), float(shift[1]), 0.0
