"""Measure the time of a frame against the number of examples (Figure 8) and characters.

Times are those of the processor in this thread, the least of many, with everybody taking turns:
what else a machine does then hardly counts. Where memory happens to lie changes times by a third,
so that arrays are put elsewhere now and then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.blending.build import SpaceSettings, assemble_space
from footfall.blending.control import Crowd
from footfall.blending.model import BlendSpace
from footfall.maths.arrays import Floats

MANY_EXAMPLES = SpaceSettings(most=80, near=0.0, mirrored=True)
"""Strides that are alike too, and their mirror images: enough to see how times grow."""
_SHARES = (0.06, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0)
_FRAMES = 96
_CHARACTERS = (1, 50, 100, 200, 400, 600, 800, 1000)
_PLACES, _TURNS = 12, 12
"""How often arrays are put elsewhere, and how often each is timed there."""
_WHOLE_FRAMES = 4
"""In how many of those places whole frames are timed too."""


@dataclass(frozen=True)
class Timing:
    """Microseconds of a frame.

    count     of examples or of characters
    blend_us  of blending that many examples, all with weight as in the paper; NaN if not timed
    frame_us  of everything: steering, weights, blending, retargeting and ground
    """

    count: int
    blend_us: float
    frame_us: float


def time_examples(space: BlendSpace, batch: int = 32) -> list[Timing]:
    """Return a frame of one character with more and more examples."""
    counts = sorted({max(2, round(share * len(space))) for share in _SHARES})
    blends, frames = np.full(len(counts), np.inf), np.full(len(counts), np.inf)
    rng = np.random.default_rng(0)
    spaces = [_fewer(space, count) for count in counts]
    for place in range(_PLACES):
        works = [_blend_all(some, rng) for some in spaces]
        blends = np.minimum(blends, time_in_turns(works) / _FRAMES)
        if place >= _WHOLE_FRAMES:
            continue
        works = [_step_all(some, batch, rng) for some in spaces]
        frames = np.minimum(frames, time_in_turns(works) / batch)
    rows = zip(counts, (1e6 * blends).tolist(), (1e6 * frames).tolist(), strict=True)
    return [Timing(*row) for row in rows]


def time_characters(space: BlendSpace) -> list[Timing]:
    """Return a frame of more and more characters at once."""
    rng = np.random.default_rng(0)
    best = np.full(len(_CHARACTERS), np.inf)
    for _ in range(2):
        works = [_step_all(space, count, rng) for count in _CHARACTERS]
        best = np.minimum(best, time_in_turns(works, 6))
    return [Timing(n, np.nan, 1e6 * t) for n, t in zip(_CHARACTERS, best.tolist(), strict=True)]


def time_in_turns(works: Sequence[Callable[[], None]], turns: int = _TURNS) -> Floats:
    """Return (N,) the least CPU seconds of each; a first run does not count."""
    best = np.full(len(works), np.inf)
    for turn in range(turns + 1):
        for n, work in enumerate(works):
            began = time.thread_time()
            work()
            if turn:
                best[n] = min(best[n], time.thread_time() - began)
    return best


def _blend_all(space: BlendSpace, rng: np.random.Generator) -> Callable[[], None]:
    """Return work that blends a stride of all examples, none without weight."""
    from footfall.blending.kernels import blend_pose

    times = np.linspace(0.0, 0.999, _FRAMES)
    weights = rng.dirichlet(np.full(len(space), 20.0), _FRAMES)
    reference, vectors = space.reference.copy(), space.vectors.copy()
    memory, turns = np.empty(vectors.shape[2]), np.empty((len(space.skeleton), 4))

    def work() -> None:
        for t, own in zip(times, weights, strict=True):
            blend_pose(t, own, space.middle, reference, vectors, memory, turns)

    return work


def _step_all(space: BlendSpace, count: int, rng: np.random.Generator) -> Callable[[], None]:
    """Steps characters that go at speeds and turns all over the hull."""
    moved = replace(space, vectors=space.vectors.copy(), reference=space.reference.copy())
    crowd = Crowd(moved, space.skeleton, count)
    crowd.put(np.zeros((count, 3)))
    asked = rng.dirichlet(np.full(len(space), 0.5), count) @ space.basis.values
    for _ in range(30):
        crowd.step(1.0 / 60.0, *asked.T[:3])

    def work() -> None:
        crowd.step(1.0 / 60.0, *asked.T[:3])

    return work


def _fewer(space: BlendSpace, count: int) -> BlendSpace:
    """Return the space with some of its examples, all over it."""
    rows = np.unique(np.linspace(0, len(space) - 1, count).round().astype(int))
    some = tuple(space.examples[n] for n in rows)
    return assemble_space(some, space.basis.names, space.stand_turns, space.stand_place)
