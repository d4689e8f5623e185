"""What segments between two edges cost, how far they go, what they sweep and how sound they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.body.dynamics import dynamic_body
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.interpolate import MIX, SegmentRows, blend_work, interpolated_seconds
from footfall.optimal.model import PhaseGraph
from footfall.processes import share_out

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
        """Return some of the segments."""
        return Measured(self.length[keep], self.effort[keep], self.checks[keep], self.discs[keep])


def measure(
    phases: PhaseGraph, known: SegmentRows, one: Ints, other: Ints, weight: float,
    tell: Callable[[float], None],
) -> Measured:  # fmt: skip
    """Measure the segments between edges (P,) and (P,), `weight` the share of the first."""
    from footfall.optimal.product_kernels import measure_segments

    jobs = np.zeros(len(one), MIX)
    jobs["one"], jobs["other"], jobs["weight"] = one, other, weight
    seconds = interpolated_seconds(known.seconds[one], known.seconds[other], np.asarray(weight))
    frames = np.clip(np.rint(seconds * phases.fps).astype(int) + 1, _LEAST_FRAMES, _MOST_FRAMES)
    jobs["frames"], jobs["step"] = frames, seconds / (frames - 1)
    values, discs = np.zeros((len(one), 9)), np.zeros((len(one), DISCS, 5))

    size = min(max(len(one) // _PARTS, 1), _MOST_AT_ONCE)
    done: list[slice] = []

    def run(part: slice) -> None:
        measure_segments(
            known, jobs[part], dynamic_body(phases.skeleton, _MOST_FRAMES),
            blend_work(known, _MOST_FRAMES), values[part], discs[part],
        )  # fmt: skip
        done.append(part)
        tell(min(len(done) * size / len(one), 1.0))

    share_out(run, [slice(k, k + size) for k in range(0, len(one), size)])
    return Measured(values[:, 0], values[:, 1], values[:, 2:], discs)
