"""Live characters: one on hills, a thousand at once, how both grow, and a pointer that is chased.

Seconds are those of the processor, the least of many, everybody taking turns. With
FOOTFALL_FORMER=FOLDER, an earlier version's plan from the shell is measured in the same run.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.harness import BenchRow, quick
from footfall.blending.control import Crowd
from footfall.blending.crowd import Walkers
from footfall.blending.model import BlendSpace
from footfall.blending.space import space_of
from footfall.body.skeleton import Skeleton
from footfall.files.scene.read import load_scene
from footfall.papers.park_runs import chase_pointer
from footfall.papers.park_times import MANY_EXAMPLES, time_characters, time_examples, time_in_turns
from footfall.papers.statistics import linear_fit
from footfall.world.scene import Scene

FRAMES = 20
PAPER = {"Park et al., 800 MHz": 1.2e-3}
SHELL = ("-m", "footfall.cli.main", "plan", "--method", "blending", "--from", "0,0", "--to", "0,6",
         "--quiet", "-o")  # fmt: skip


def rows() -> list[BenchRow]:
    """Frames of characters that blend 20 examples, with retargeting and ground.

    Park, Shin & Shin report 1.2 ms a frame with 20 examples on an 800 MHz machine.
    """
    space = space_of("default:park")
    return [*_frames(space), *_growth(space), _chase(space), _crowd(space), _plan()]


def _frames(space: BlendSpace) -> list[BenchRow]:
    """A frame of one, and of each of many, on flat ground and on hills, tall ones too."""
    hills, tall = load_scene("hills"), _taller(space.skeleton, 1.4)
    cases: list[tuple[int, Scene | None, Skeleton, str]] = [
        (1, None, space.skeleton, "≤ 40 µs"), (1, hills, space.skeleton, "≤ 40 µs"),
        (1, hills, tall, "≤ 40 µs"), (1000, None, space.skeleton, "≤ 15 µs each"),
        (1000, hills, space.skeleton, "≤ 15 µs each"), (1000, hills, tall, "≤ 15 µs each"),
    ]  # fmt: skip
    if quick():
        cases = [(min(count, 10), *rest) for count, *rest in cases]
    works = [_steps(space, who, count, scene) for count, scene, who, _ in cases]
    seconds = time_in_turns(works, 1 if quick() else 9) / FRAMES
    made = []
    for (count, scene, who, goal), took in zip(cases, seconds.tolist(), strict=True):
        many = "one character" if count == 1 else f"each of {count:,} characters"
        where = "flat ground" if scene is None else scene.name
        size = "" if who is space.skeleton else ", 1.4 times as tall"
        name = f"a frame of {many}, {len(space)} examples, {where}{size}"
        made.append(BenchRow(name, took / count, PAPER, goal))
    return made


def _steps(space: BlendSpace, who: Skeleton, count: int, scene: Scene | None) -> Callable[[], None]:
    crowd = Crowd(space, who, count, scene)
    places = np.zeros((count, 3))
    if scene is not None:
        places[:, :2] = scene.outline.mean(axis=0)
    places[:, 2] = np.linspace(0.0, 6.0, count)
    crowd.put(places)
    speeds = np.linspace(0.8, 3.0, count) if count > 1 else 1.3
    for _ in range(60):
        crowd.step(1 / 60, speeds, 0.3)

    def work() -> None:
        for n in range(FRAMES):
            crowd.step(1 / 60, speeds, 0.2 + 0.02 * n)

    return work


def _growth(space: BlendSpace) -> list[BenchRow]:
    """What one more example and one more character cost, and how straight the line is."""
    examples = time_examples(space if quick() else space_of("default:park", MANY_EXAMPLES))
    crowds = time_characters(space)
    more, straight = linear_fit([t.count for t in examples], [t.blend_us for t in examples])
    each, even = linear_fit([t.count for t in crowds], [t.frame_us for t in crowds])
    most = examples[-1].count
    return [
        BenchRow(f"each example more in a blend, up to {most} (R² {straight:.3f})", 1e-6 * more,
                 {}, "linear"),
        BenchRow(f"each character more, up to {crowds[-1].count:,} (R² {even:.4f})", 1e-6 * each,
                 {}, "linear"),
    ]  # fmt: skip


def _chase(space: BlendSpace) -> BenchRow:
    run = chase_pointer(space, 2.0 if quick() else 30.0, 0)
    return BenchRow(
        f"a frame of a pointer chase at 60 Hz with its driver, 99 % of them (all within "
        f"{run.most_ms:.2f} ms)", 1e-3 * run.p99_ms, {}, "≤ 2 ms",
    )  # fmt: skip


def _crowd(space: BlendSpace) -> BenchRow:
    count = 10 if quick() else 1000
    people = Walkers(Crowd(space, space.skeleton, count))
    side = int(np.ceil(np.sqrt(count)))
    at = np.column_stack([np.arange(count) % side, np.arange(count) // side]) * 2.0
    people.place(np.column_stack([at, np.zeros(count)]))
    people.send([np.stack([p, [2.0 * side - p[0], 2.0 * side - p[1]]]) for p in at], 1.3)

    def work() -> None:
        for _ in range(5):
            people.step(1 / 30)

    seconds = float(time_in_turns([work], 3)[0]) / 5
    return BenchRow(f"a frame of a crowd of {count:,} that avoids itself, 30 Hz", seconds, {}, "")


def _plan() -> BenchRow:
    here = _shell_seconds(Path(__file__).resolve().parents[1])
    former = os.environ.get("FOOTFALL_FORMER")
    beside = {} if former is None else {"former version": _shell_seconds(Path(former))}
    return BenchRow(
        "`footfall plan --method blending` of 6 m from the shell, all processes", here, beside, ""
    )


def _shell_seconds(checkout: Path) -> float:
    """Seconds of the processor that a plan from the shell takes, with all that it starts."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    best = np.inf
    with TemporaryDirectory() as folder:
        for _ in range(1 if quick() else 4):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            words = [sys.executable, *SHELL, f"{folder}/walk"]
            subprocess.run(words, env=environment, cwd=folder, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return float(best)


def _taller(skeleton: Skeleton, factor: float) -> Skeleton:
    return replace(
        skeleton, offsets=np.array(skeleton.offsets) * factor,
        end_offsets=np.array(skeleton.end_offsets) * factor,
    )  # fmt: skip
