"""Live characters: one on hills, a thousand at once, and how both grow."""

from __future__ import annotations

import numpy as np

from bench.harness import BenchRow, best_of, quick
from footfall.adapt.standing import stand_like
from footfall.blending.build import build_space
from footfall.blending.control import Crowd
from footfall.blending.crowd import Walkers
from footfall.files.scene.read import load_scene
from footfall.library.library import open_library
from footfall.world.scene import Scene

FRAMES = 30


def rows() -> list[BenchRow]:
    """Frames of characters that blend 20 examples, with retargeting and ground.

    Park, Shin & Shin report 1.2 ms a frame with 20 examples on an 800 MHz machine.
    """
    clips = tuple(open_library("default:park"))
    space = build_space(clips, stand_like(clips[0]))
    hills = load_scene("hills")
    many = (1, 10) if quick() else (1, 10, 100, 1000)
    made = [_frames(space, 1, None, "≤ 40 µs"), _frames(space, 1, hills, "≤ 40 µs")]
    made += [_frames(space, n, hills, "≤ 15 µs each") for n in many[1:]]
    made.append(_crowd(space, many[-1]))
    return made


def _frames(space, count: int, scene: Scene | None, goal: str) -> BenchRow:  # type: ignore[no-untyped-def]
    crowd = Crowd(space, space.skeleton, count, scene)
    places = np.zeros((count, 3))
    if scene is not None:
        start = scene.queries[0].start
        places[:, 0] = start.x + 0.5 * np.sin(np.arange(count))
        places[:, 1] = start.z + 0.5 * np.cos(np.arange(count))
    crowd.put(places)
    crowd.step(1 / 60, 1.2, 0.1)

    def work() -> None:
        for n in range(FRAMES):
            crowd.step(1 / 60, 1.2 + 0.1 * (n % 3), 0.1)

    seconds = best_of(work) / (FRAMES * count)
    where = "flat ground" if scene is None else scene.name
    who = "one character" if count == 1 else f"each of {count:,} characters"
    return BenchRow(
        f"a frame of {who}, {len(space)} examples, {where}", seconds,
        {"Park et al., 800 MHz": 1.2e-3}, goal,
    )  # fmt: skip


def _crowd(space, count: int) -> BenchRow:  # type: ignore[no-untyped-def]
    people = Walkers(Crowd(space, space.skeleton, count))
    side = int(np.ceil(np.sqrt(count)))
    at = np.column_stack([np.arange(count) % side, np.arange(count) // side]) * 2.0
    people.place(np.column_stack([at, np.zeros(count)]))
    people.send([np.stack([p, [2.0 * side - p[0], 2.0 * side - p[1]]]) for p in at], 1.3)

    def work() -> None:
        for _ in range(FRAMES):
            people.step(1 / 30)

    seconds = best_of(work, repeats=3) / FRAMES
    return BenchRow(f"a frame of a crowd of {count:,} that avoids itself, 30 Hz", seconds, {}, "")
