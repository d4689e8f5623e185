"""What segments between two edges cost, how far they go, what they sweep and how sound they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.body.capsules import Capsules, body_capsules
from footfall.body.dynamics import dynamic_body
from footfall.body.feet import foot_of
from footfall.body.roles import SIDES
from footfall.body.size import body_size
from footfall.body.skeleton import Skeleton
from footfall.gait.signatures import LEFT_FOOT, LEFT_HAND, RIGHT_FOOT, RIGHT_HAND
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.interpolate import SegmentRows, interpolated_seconds
from footfall.optimal.model import PhaseGraph
from footfall.processes import thread_pool

DISCS = 8
_MOST_FRAMES, _LEAST_FRAMES = 64, 5
_MOST_AT_ONCE, _PARTS = 512, 16


@dataclass(frozen=True, eq=False)
class Measured:
    """Of P segments: metres that the root goes, effort, checks (P, 7) and discs (P, 8, 5)."""

    length: Floats
    effort: Floats
    checks: Floats
    discs: Floats

    def only(self, keep: Bools) -> Measured:
        return Measured(self.length[keep], self.effort[keep], self.checks[keep], self.discs[keep])


def body_points(skeleton: Skeleton) -> tuple[Any, ...]:
    """What the kernels know of hands, hips and girth.

    joints (2,) and offsets (2, 3) of what the hands hold, the hip joints (2,), the pelvis (1,),
    how far the middle of each sole is ahead of its ball (2,), and balls about the body: joint,
    offset, radius and group (feet and hands by their bits, the trunk 16); how much of its shank a
    swinging foot takes along, and within how far of the root hands are where the trunk is (2,)
    """
    capsules, size = body_capsules(skeleton), body_size(skeleton)
    ends, joints = capsules.ends, capsules.joints
    wrists = [skeleton.role(f"{side}_wrist") for side in SIDES]
    middle = [ends[joints == wrist].mean(axis=(0, 1)) for wrist in wrists]
    feet = [foot_of(skeleton, side) for side in SIDES]
    groups = _ball_groups(capsules)
    used = np.flatnonzero(groups)
    return (
        np.array(wrists), np.array(middle), np.array([foot.hip for foot in feet]),
        np.array([skeleton.role("hips")]),
        np.array([0.5 * (foot.tip[2] + foot.heel[2]) - foot.ball[2] for foot in feet]),
        np.repeat(joints[used], 2).astype(np.int64), ends[used].reshape(-1, 3),
        np.repeat(capsules.radii[used], 2), np.repeat(groups[used], 2),
        np.array([size.shank_m, size.hand_m]),
    )  # fmt: skip


def _ball_groups(capsules: Capsules) -> Ints:
    """(B,) what each capsule belongs to: a foot, a forearm with its hand, the trunk; legs: none."""
    from footfall.optimal.product_kernels import TRUNK

    feet, hands = (LEFT_FOOT, RIGHT_FOOT), (LEFT_HAND, RIGHT_HAND)
    return np.array([TRUNK, 0, 0, *feet, *hands])[capsules.parts]


def measure(
    phases: PhaseGraph,
    known: SegmentRows,
    one: Ints,
    other: Ints,
    weight: float,
    tell: Callable[[float], None],
) -> Measured:
    from footfall.optimal.product_kernels import measure_segments

    count = len(one)
    seconds = interpolated_seconds(known.seconds[one], known.seconds[other], np.asarray(weight))
    frames = np.clip(
        np.rint(seconds * phases.fps).astype(np.int64) + 1, _LEAST_FRAMES, _MOST_FRAMES
    )
    steps = seconds / (frames - 1)
    ends = np.stack(
        [phases.state_before[phases.edge_from], phases.state_signature[phases.edge_to]], axis=1
    ).astype(np.int64)
    made = Measured(
        np.empty(count), np.empty(count), np.zeros((count, 7)), np.zeros((count, DISCS, 5))
    )
    points = body_points(phases.skeleton)

    def run(part: slice) -> int:
        measure_segments(
            known.rows, known.slopes, known.spans, known.signatures, ends, known.seconds,
            one[part], other[part], np.full(len(one[part]), weight), frames[part], steps[part],
            known.body, points, dynamic_body(phases.skeleton, _MOST_FRAMES),
            made.length[part], made.effort[part], made.checks[part], made.discs[part],
        )  # fmt: skip
        return len(one[part])

    done = 0
    for more in _in_threads(run, count):
        done += more
        tell(done / max(count, 1))
    return made


def _in_threads(run: Callable[[slice], int], count: int) -> Iterator[int]:
    size = min(max(count // _PARTS, 1), _MOST_AT_ONCE)
    parts = [slice(k, min(k + size, count)) for k in range(0, count, size)]
    with thread_pool() as pool:
        yield from pool.map(run, parts)
