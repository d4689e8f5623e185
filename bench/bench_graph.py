"""Motion graphs: all pairs of windows by three metrics, 1,000 to 30,000 frames, on all cores.

The peer is fairmotion's motion graph on the same 266 frames. It is installed from PyPI without
what it pins (an old torch among others) into an environment of its own in the user's cache folder.
Its row is left empty, with the reason, where that cannot be done.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import venv
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.harness import BenchRow, best_of, quick
from footfall.body.clip import Clip
from footfall.cache_paths import cache_root
from footfall.files.formats import save
from footfall.graph.build import build_graph
from footfall.graph.store import load_graph, save_graph
from footfall.library.library import open_library
from footfall.maths import quaternions as quat
from footfall.pose.metrics import METRICS

FAIRMOTION = "fairmotion==0.0.4"
NEEDED = ("numpy<2", "scipy", "matplotlib", "networkx", "tqdm", FAIRMOTION)
FRAMES = 266

PEER = """
import json, sys, time
from fairmotion.core import motion as core, velocity
from fairmotion.data import bvh
from fairmotion.tasks.motion_graph.motion_graph import MotionGraph
core.Joint.child_joint = property(lambda joint: joint.child_joints)  # misspelt in 0.0.4
motion = velocity.MotionWithVelocity.from_motion(bvh.load(sys.argv[1]))
graph = MotionGraph([motion], [sys.argv[1]], motion.skel, fps=30, base_length=1 / 30,
                    stride_length=1 / 30, blend_length=0.01, compare_length=1 / 3)
start = time.perf_counter()
graph.construct(num_workers=2, diff_threshold=0.5, num_comparison=3)
print(json.dumps({"seconds": time.perf_counter() - start, "nodes": len(graph.graph.nodes),
                  "edges": len(graph.graph.edges)}))
"""


def rows() -> list[BenchRow]:
    """Each metric at each size, a file there and back, and the peer."""
    walks = list(open_library("default:basten"))
    build_graph(walks)
    out = [_against_fairmotion(walks)]
    for frames in (1000, 2000) if quick() else (1000, 3000, 10_000, 15_000, 30_000):
        clips = varied(walks, frames)
        total = sum(len(clip) for clip in clips)
        for metric in METRICS:
            seconds = best_of(
                lambda c=clips, m=metric: build_graph(c, metric=m, percentile=0.5),  # type: ignore[misc]
                repeats=3 if frames <= 10_000 else 1, warm_up=int(frames <= 3000),
            )  # fmt: skip
            pair = 1e9 * seconds / total**2
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
            name = f"{metric}, {total:,} frames ({pair:.1f} ns a pair; peak {peak:.2f} GB so far)"
            goal = {15_000: "<= 2 s", 30_000: "< 2 GB"}.get(frames, "")
            out.append(BenchRow(name, seconds, goal=goal))
    out.append(_kept(walks))
    return out


def varied(walks: list[Clip], frames: int) -> list[Clip]:
    """Clips of `frames` frames in all: the walks again and again, each with its own slow drift."""
    rng = np.random.default_rng(5)
    out: list[Clip] = []
    left = frames
    while left > 0:
        walk = walks[len(out) % len(walks)]
        part = walk[: min(len(walk), max(left, 12))]
        left -= len(part)
        drift = np.cumsum(rng.normal(0.0, 0.002, (len(part), len(part.skeleton), 3)), axis=0)
        turns = quat.multiply(part.rotations, quat.from_rotation_vector(drift - drift.mean(axis=0)))
        out.append(replace(part, rotations=turns, name=f"{walk.name} {len(out)}"))
    return out


def _kept(walks: list[Clip]) -> BenchRow:
    graph = build_graph(walks, edges=1264)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "walks.graph"
        seconds = best_of(lambda: load_graph(save_graph(graph, path)))
    return BenchRow("save and load, 832 frames and 1,264 edges", seconds)


def _against_fairmotion(walks: list[Clip]) -> BenchRow:
    """One walk of 266 frames, every frame a node, windows of a third of a second."""
    from footfall.body.edit import join

    walk = join(walks[:2], align=True)[:FRAMES]
    ours = best_of(lambda: build_graph([walk], metric="joint_angles", percentile=8.0))
    seconds, reason = math.nan, "smoke run"
    if not quick():
        seconds, reason = _fairmotion(walk)
    if reason:
        print(f"fairmotion is not measured: {reason}")
    name = f"motion graph from {FRAMES} frames, every frame a node"
    return BenchRow(name, ours, {"fairmotion": seconds})


def _fairmotion(walk: Clip) -> tuple[float, str]:
    """Seconds that fairmotion takes, or why it was not measured."""
    home = cache_root() / "bench" / FAIRMOTION.replace("==", "-")
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    try:
        if not (home / "ready").is_file():
            venv.create(home, clear=True, with_pip=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, *NEEDED[:-1]], check=True, capture_output=True, timeout=900)
            subprocess.run(
                [*pip, "--no-deps", NEEDED[-1]], check=True, capture_output=True, timeout=300
            )
            (home / "ready").touch()
        with TemporaryDirectory() as folder:
            path = save(walk, Path(folder) / "walk.bvh")
            done = subprocess.run(
                [str(python), "-c", PEER, str(path)],
                check=True, capture_output=True, text=True, timeout=1800,
            )  # fmt: skip
        told = json.loads(done.stdout.strip().splitlines()[-1])
        return float(told["seconds"]), ""
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, IndexError) as error:
        said = getattr(error, "stderr", "") or str(error)
        text = said.decode(errors="replace") if isinstance(said, bytes) else said
        return math.nan, (text.strip().splitlines() or ["no reason given"])[-1]


if __name__ == "__main__":
    from bench.harness import table

    print(table(rows()))
