"""What the Khronos glTF validator says to our files: no errors, no warnings.

It is the npm package gltf-validator; FOOTFALL_GLTF_VALIDATOR names the node_modules folder that
holds it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from footfall.body.mesh import Mesh
from footfall.files.formats import load, save
from footfall.files.gltf.writer import write_characters, write_glb
from tests.files.binary_samples import box, skinned_box, small_clip

pytestmark = pytest.mark.validator

SCRIPT = """
const [folder, ...files] = process.argv.slice(1);
const validator = require(folder + '/gltf-validator');
const fs = require('fs');
(async () => {
  const reports = [];
  for (const file of files) {
    const bytes = new Uint8Array(fs.readFileSync(file));
    reports.push((await validator.validateBytes(bytes, {maxIssues: 20})).issues);
  }
  console.log(JSON.stringify(reports));
})();
"""


def issues(files: list[Path]) -> list[dict[str, object]]:
    """The validator's findings for each file, from one run of Node."""
    folder, node = os.environ.get("FOOTFALL_GLTF_VALIDATOR"), shutil.which("node")
    if not node or not folder or not (Path(folder) / "gltf-validator").is_dir():
        pytest.skip("no Node, or FOOTFALL_GLTF_VALIDATOR names no folder with gltf-validator")
    run = subprocess.run(
        [node, "-e", SCRIPT, folder, *map(str, files)], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr[-500:]
    return json.loads(run.stdout)


def assert_clean(files: list[Path], infos: int = 0) -> None:
    for file, found in zip(files, issues(files), strict=True):
        counts = [found[f"num{kind}"] for kind in ("Errors", "Warnings", "Infos", "Hints")]
        assert counts == [0, 0, infos, 0], (file.name, found["messages"])


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_figures_bodies_and_worlds_are_clean(tmp_path, suffix):
    files = []
    for frames in (1, 2, 50):
        for number, static in enumerate(([], [("stone", box()), ("table", box())])):
            files.append(tmp_path / f"{frames}-{number}{suffix}")
            write_glb(small_clip(frames, fps=59.94), files[-1], skinned_box(), static)
    files.append(tmp_path / f"world{suffix}")
    write_glb(None, files[-1], None, [("stone", box())])
    files.append(tmp_path / f"together{suffix}")
    both = [(small_clip(n, fps=30.0).named(f"number {n}"), skinned_box()) for n in (5, 9)]
    write_characters(both, files[-1], [("stone", box())])
    assert_clean(files)


def test_a_skeleton_alone_is_clean_but_for_its_unused_skin(tmp_path):
    """The skin stays, because it makes an armature of the nodes when Blender opens the file."""
    path = tmp_path / "bare.glb"
    write_glb(small_clip(), path)
    (found,) = issues([path])
    assert (found["numErrors"], found["numWarnings"], found["numHints"]) == (0, 0, 0)
    assert [m["code"] for m in found["messages"]] == ["UNUSED_OBJECT"]


def test_awkward_meshes_are_clean(tmp_path):
    """Zero normals and more vertices than 16-bit indices can name."""
    import numpy as np

    plain = box()
    zero = Mesh(
        plain.vertices, np.zeros_like(plain.normals), plain.triangles, plain.face_materials,
        plain.materials,
    )  # fmt: skip
    copies = 3000
    shift = np.repeat(np.arange(copies), len(plain.vertices))[:, None] * [1.0, 0.0, 0.0]
    steps = np.repeat(np.arange(copies) * len(plain.vertices), len(plain.triangles))[:, None]
    large = Mesh(
        np.tile(plain.vertices, (copies, 1)) + shift,
        np.tile(plain.normals, (copies, 1)),
        np.tile(plain.triangles, (copies, 1)) + steps,
        np.zeros(copies * len(plain.triangles), int),
        plain.materials,
    )
    write_glb(None, tmp_path / "x.glb", None, [("zero", zero), ("large", large)])
    assert_clean([tmp_path / "x.glb"])


@pytest.mark.mocap
def test_real_clips_with_the_mannequin_are_clean(mocap, tmp_path):
    clips = [*sorted((mocap / "cmu").glob("*.bvh"))[::15], *sorted(mocap.glob("accad*/*.bvh"))[:2]]
    files = [save(load(clip), tmp_path / f"{clip.stem}.glb") for clip in clips]
    assert_clean(files)
