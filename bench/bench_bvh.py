"""Reading BVH beside pybvh 0.9.0 and upc-pymotion 0.3.4, on a generated file of 3,378 × 31."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from bench.harness import BenchRow, best_of, best_of_each

FRAMES, JOINTS = 3378, 31


def generated_text(frames: int = FRAMES, joints: int = JOINTS, seed: int = 1) -> str:
    """A BVH like those of the CMU database: limbs as chains, four decimals, smooth motion."""
    lines = ["HIERARCHY"]
    depth = 0
    chain = 6
    for joint in range(joints):
        while depth > (0 if joint == 0 else 1 + (joint - 1) % chain):
            depth -= 1
            lines.append("  " * depth + "}")
        indent = "  " * depth
        kind = "JOINT" if joint else "ROOT"
        places = "" if joint else "Xposition Yposition Zposition "
        lines += [
            f"{indent}{kind} Joint{joint}", indent + "{", f"{indent}  OFFSET 0.5 -6.5 0.25",
            f"{indent}  CHANNELS {3 if joint else 6} {places}Zrotation Yrotation Xrotation",
        ]  # fmt: skip
        depth += 1
        if joint and ((joint - 1) % chain == chain - 1 or joint == joints - 1):
            indent = "  " * depth
            lines += [f"{indent}End Site", indent + "{", f"{indent}  OFFSET 0 -1.5 0", indent + "}"]
    while depth:
        depth -= 1
        lines.append("  " * depth + "}")
    lines += ["MOTION", f"Frames: {frames}", "Frame Time: .0083333"]
    rng = np.random.default_rng(seed)
    size = 3 + 3 * joints
    swing, rate, phase = rng.normal(0, 25, size), rng.uniform(2, 9, size), rng.uniform(0, 6, size)
    for start in range(0, frames, 4096):
        times = np.arange(start, min(start + 4096, frames))[:, None] / 120.0
        values = swing * np.sin(rate * times + phase)
        pattern = " ".join(["%.4f"] * size)
        lines += [pattern % tuple(row) for row in values.tolist()]
    return "\n".join(lines) + "\n"


def rows() -> list[BenchRow]:
    """Times from file to local rotations, and of writing."""
    from footfall.body.clip import Clip
    from footfall.body.skeleton import Skeleton
    from footfall.files import bvh
    from footfall.files.options import ReadOptions, WriteOptions

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.bvh"
        path.write_text(generated_text(), encoding="utf-8")
        readers = {
            "rotations": lambda: bvh.read(path, ReadOptions()),
            "pybvh": _pybvh(path),
            "pymotion": _pymotion(path),
        }
        best = best_of_each(readers, repeats=15)
        raw = bvh.read(path, ReadOptions())
        skeleton = Skeleton(raw.names, raw.parents, raw.offsets, raw.end_joints, raw.end_offsets)
        clip = Clip(skeleton, raw.fps, raw.translations[0], raw.rotations)
        writing = best_of(lambda: bvh.write(clip, Path(folder) / "out.bvh", WriteOptions()))
    peers = {"pybvh 0.9.0": best["pybvh"], "upc-pymotion 0.3.4": best["pymotion"]}
    size = f"{FRAMES:,} × {JOINTS}"
    return [
        BenchRow(f"BVH {size}: file to unit quaternions", best["rotations"], peers, ">= 3x"),
        BenchRow(f"BVH {size}: write", writing, {}, "<= 0.5 s"),
    ]


def _pybvh(path: Path):  # type: ignore[no-untyped-def]
    try:
        from pybvh.io import read_bvh_file
    except ImportError:
        return None
    return lambda: read_bvh_file(path, world_up="+y")


def _pymotion(path: Path):  # type: ignore[no-untyped-def]
    try:
        from pymotion.io.bvh import BVH
    except ImportError:
        return None
    return lambda: BVH().load(str(path))
