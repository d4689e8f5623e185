"""Blender opens our files and sees every joint at every frame where our kinematics put it.

FOOTFALL_BPY_PYTHON names the Python of a virtual environment in which `bpy` is installed; it needs
some libraries of the system (see CONTRIBUTING.md). One run of Blender handles all files.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

from footfall.body.clip import Clip
from footfall.files.formats import load, save

pytestmark = [pytest.mark.blender, pytest.mark.mocap]

CLIPS = ("cmu/16_16.bvh", "accad_male1/Male1_B10_WalkTurnLeft45.bvh")
WRITTEN = {
    "bvh": ("{}.bvh", {}),
    "glb": ("{}.glb", {}),
    "glb without a body": ("{}-bare.glb", {"mesh": False}),
    "gltf": ("{}.gltf", {}),
    "usdc": ("{}.usdc", {}),
    "usda in centimetres, z up": ("{}-z.usda", {"unit_m": 0.01, "up": "z"}),
}
TOLERANCE_M = 1e-3
FRAMES = 60
"""As many of each clip: Blender takes its time for every frame."""


@dataclass
class Seen:
    """A clip and what Blender saw of it: bones (T, J, 3), its mesh at `frame`, its own exports."""

    clip: Clip
    positions: np.ndarray
    vertices: np.ndarray
    frame: int
    exported: dict[str, Path]


@pytest.fixture(scope="module")
def blender(mocap, tmp_path_factory) -> dict[tuple[str, str], Seen]:
    python = os.environ.get("FOOTFALL_BPY_PYTHON")
    if not python or not Path(python).is_file():
        pytest.skip("FOOTFALL_BPY_PYTHON names no Python with bpy")
    folder = tmp_path_factory.mktemp("blender")
    jobs, clips = [], {}
    for name in CLIPS:
        clip = load(mocap / name)[:FRAMES]
        for kind, (pattern, options) in WRITTEN.items():
            if kind.startswith("usd"):
                pytest.importorskip("pxr")
            path = save(clip, folder / pattern.format(clip.name), **options)
            again = {s: f"{path}.again.{s}" for s in ("glb", "usdc")} if kind == "glb" else {}
            job = {
                "file": str(path), "fps": clip.fps, "out": f"{path}.npz", "frame": len(clip) // 2,
                "export": again,
            }  # fmt: skip
            jobs.append(job)
            clips[name, kind] = (clip, job)
    (folder / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    script = Path(__file__).with_name("blender_positions.py")
    run = subprocess.run(
        [python, str(script), str(folder / "jobs.json")],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return {key: _seen(clip, job) for key, (clip, job) in clips.items()}


def _seen(clip: Clip, job: dict) -> Seen:
    with np.load(job["out"], allow_pickle=False) as found:
        bones = {name: column for column, name in enumerate(found["names"].tolist())}
        columns = [bones[name] for name in clip.skeleton.names]
        exported = {suffix: Path(path) for suffix, path in job["export"].items()}
        return Seen(clip, found["positions"][:, columns], found["vertices"], job["frame"], exported)


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("kind", WRITTEN)
def test_every_joint_is_where_we_put_it(blender, name, kind):
    seen = blender[name, kind]
    expected = seen.clip.positions
    assert seen.positions.shape == expected.shape
    assert np.linalg.norm(seen.positions - expected, axis=2).max() < TOLERANCE_M


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("kind", [k for k in WRITTEN if "without" not in k and k != "bvh"])
def test_the_body_is_skinned_as_we_skin_it(blender, name, kind):
    """Blender may reorder vertices, so each set must lie on the other."""
    from footfall.body.kinematics import WorldPoses
    from footfall.body.mannequin import mannequin
    from footfall.body.mesh import skin_vertices

    seen = blender[name, kind]
    poses = seen.clip.world
    one = slice(seen.frame, seen.frame + 1)
    here = WorldPoses(poses.positions[one], poses.rotations[one])
    body, _ = skin_vertices(mannequin(seen.clip.skeleton), here, seen.clip.skeleton)
    assert len(seen.vertices) >= len(body[0]) * 0.9
    assert cKDTree(seen.vertices).query(body[0])[0].max() < TOLERANCE_M
    assert cKDTree(body[0]).query(seen.vertices)[0].max() < TOLERANCE_M


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("suffix", ["glb", "usdc"])
def test_what_blender_exports_is_read(blender, name, suffix):
    """Blender turns joint frames along bones, adds nodes and drops keys: a foreign file."""
    seen = blender[name, "glb"]
    again = load(seen.exported[suffix])
    clip = seen.clip
    assert again.fps == clip.fps
    assert len(again) == len(clip)
    assert set(again.skeleton.roles) == set(clip.skeleton.roles)
    ours, theirs = clip.positions, again.positions
    for role, joint in clip.skeleton.roles.items():
        other = theirs[:, again.skeleton.roles[role]]
        assert np.linalg.norm(other - ours[:, joint], axis=1).max() < TOLERANCE_M, role
