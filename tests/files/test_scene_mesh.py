"""Levels and scans as scenes; meshes beside a scene file; hostile files."""

# The rows of bad files are easier to compare unwrapped.
# ruff: noqa: E501
from __future__ import annotations

import json
import os
import struct

import numpy as np
import pytest
import trimesh

from footfall.errors import FootfallError, InputError
from footfall.files.scene.read import import_level, load_scene, parse_scene
from footfall.world.collision.queries import body_clearance, foot_placements


def level() -> trimesh.Trimesh:
    """A floor of 10 x 10 m with a block of 1 m, a kerb of 0.15 m and a ramp of 20 degrees."""
    floor = trimesh.creation.box(
        [10.0, 0.2, 10.0], trimesh.transformations.translation_matrix([0, -0.1, 0])
    )
    block = trimesh.creation.box(
        [1.0, 1.0, 1.0], trimesh.transformations.translation_matrix([2, 0.5, 2])
    )
    kerb = trimesh.creation.box(
        [2.0, 0.15, 2.0], trimesh.transformations.translation_matrix([-2, 0.075, 2])
    )
    turn = trimesh.transformations.rotation_matrix(np.radians(20), [1, 0, 0], [0, 0, -3])
    ramp = trimesh.creation.box(
        [1.0, 0.05, 2.0], trimesh.transformations.translation_matrix([0, 0.35, -3])
    )
    ramp.apply_transform(turn)
    return trimesh.util.concatenate([floor, block, kerb, ramp])


@pytest.mark.parametrize("kind", ["glb", "obj"])
def test_a_level_becomes_ground_and_obstacles(tmp_path, kind):
    file = tmp_path / f"level.{kind}"
    level().export(file)
    scene = load_scene(file)
    heights = scene.height([[-4, -4], [2, 2], [-2, 2], [0, -3], [6, 0]])
    assert heights[:3] == pytest.approx([0.0, 1.0, 0.15], abs=1e-6)
    assert 0.3 < heights[3] < 0.45
    assert np.isnan(heights[4])
    clear, _ = body_clearance(scene, [[2.0, 0.9], [-2.0, 0.7], [-4, -4]])
    assert clear[0] == pytest.approx(0.6, abs=1e-6)
    assert clear[1] > 1.0
    assert foot_placements(scene, [[-4, -4, 0], [2, 2, 0], [0, -3, 0]]).valid.all()


def test_slope_and_step_height_decide_what_is_floor(tmp_path):
    level().export(tmp_path / "level.obj")
    strict = import_level(tmp_path / "level.obj", max_slope_deg=10.0, step_height=0.1)
    assert strict.height([[0.0, -3.0]])[0] == pytest.approx(0.0, abs=1e-6)
    clear, _ = body_clearance(strict, [[-2.0, 0.9]], step_height=0.05)
    assert clear[0] == pytest.approx(0.1, abs=1e-6)


def test_up_axis_and_unit_are_turned_to_metres_and_y(tmp_path):
    mesh = level()
    turned = mesh.vertices @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]) * 100.0
    trimesh.Trimesh(turned, mesh.faces).export(tmp_path / "z.obj")
    scene = import_level(tmp_path / "z.obj", up="z", unit=0.01)
    mesh.export(tmp_path / "y.obj")
    points = np.random.default_rng(1).uniform(-4.9, 4.9, (200, 2))
    assert scene.height(points) == pytest.approx(
        load_scene(tmp_path / "y.obj").height(points), abs=1e-5
    )


def test_a_scene_file_imports_a_level_and_adds_to_it(tmp_path):
    level().export(tmp_path / "level.glb")
    text = '[import]\nfile = "level.glb"\n[[obstacle]]\nkind = "box"\nname = "new"\nat = [2, 2]\nsize = [0.5, 1, 0.5]'
    scene = parse_scene(text, folder=tmp_path)
    assert scene.obstacle("new").position[1] == pytest.approx(1.0)


def test_a_mesh_obstacle_is_solid(tmp_path):
    trimesh.creation.icosphere(radius=0.5).export(tmp_path / "ball.obj")
    text = 'size = [9, 9]\n[[obstacle]]\nkind = "mesh"\nfile = "ball.obj"\nat = [0, 1, 0]'
    scene = parse_scene(text, folder=tmp_path)
    from footfall.world.collision.queries import point_clearance

    distance, _ = point_clearance(scene, [[0, 1, 0], [2, 1, 0]])
    assert distance == pytest.approx([-0.49, 1.5], abs=0.02)


def lying_glb(count: int) -> bytes:
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "count": count, "type": "VEC3"}],
    }  # fmt: skip
    body = json.dumps(document).encode()
    body += b" " * (-len(body) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(body), len(body), 0x4E4F534A) + body


HOSTILE = {
    "empty.glb": b"",
    "short.glb": b"glTF\x02\x00\x00\x00",
    "lying.glb": lying_glb(10**12),
    "negative.glb": lying_glb(-5),
    "nothing.glb": lying_glb(0),
    "text.glb": b"hello, I am no mesh at all, really not",
    "empty.obj": b"",
    "letters.obj": b"v a b c\nf 1 2 3\n",
    "dangling.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
    "nan.obj": b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "far.obj": b"v 1e30 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "points.obj": b"v 0 0 0\nv 1 0 0\n",
    "walls.obj": b"v 0 0 0\nv 0 0 1\nv 0 1 0\nf 1 2 3\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_damaged_mesh_is_one_sentence(tmp_path, name):
    (tmp_path / name).write_bytes(HOSTILE[name])
    with pytest.raises(InputError) as caught:
        load_scene(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_huge_mesh_is_refused_before_it_is_read(tmp_path):
    huge = tmp_path / "huge.obj"
    with huge.open("wb") as file:
        os.truncate(file.fileno(), 300 * 1024 * 1024)
    with pytest.raises(InputError, match="315 MB; at most 268 MB"):
        load_scene(huge)


@pytest.mark.parametrize("name", ["../secret.obj", "/etc/passwd.obj", "a/../../secret.obj"])
def test_a_scene_reads_nothing_outside_its_folder(tmp_path, name):
    (tmp_path / "scenes").mkdir()
    level().export(tmp_path / "secret.obj")
    for table in (
        "[import]",
        '[ground]\nkind = "mesh"',
        '[[obstacle]]\nkind = "mesh"\nat = [0, 0]',
    ):
        with pytest.raises(InputError, match="outside the scene's folder"):
            parse_scene(f'size = [9, 9]\n{table}\nfile = "{name}"', folder=tmp_path / "scenes")
    with pytest.raises(InputError, match="outside the scene's folder"):
        parse_scene(
            f'size = [9, 9]\n[ground]\nkind = "grid"\nfile = "{name[:-3]}npy"',
            folder=tmp_path / "scenes",
        )


def test_missing_meshes_and_foreign_kinds_are_named(tmp_path):
    with pytest.raises(InputError, match=r"import: the file 'no\.glb' is missing"):
        parse_scene('[import]\nfile = "no.glb"', folder=tmp_path)
    with pytest.raises(InputError, match=r"choose one of \.glb, \.obj"):
        parse_scene('[import]\nfile = "level.fbx"', folder=tmp_path)


def test_a_pickle_in_a_height_file_is_not_opened(tmp_path):
    np.save(tmp_path / "evil.npy", np.array([{"a": 1}], dtype=object))
    with pytest.raises(FootfallError, match="cannot be read"):
        parse_scene('size = [9, 9]\n[ground]\nkind = "grid"\nfile = "evil.npy"', folder=tmp_path)


def test_a_scene_survives_export_to_glb(tmp_path):
    from footfall.files.scene.glb import write_scene

    scene = load_scene("course")
    write_scene(scene, tmp_path / "course.glb")
    back = trimesh.load(tmp_path / "course.glb")
    assert {"beam", "bar", "chair", "pit", "ground"} <= {
        n for n in back.graph.nodes if isinstance(n, str)
    }
    chair = back.graph.get("chair")
    mesh = back.geometry[chair[1]].copy().apply_transform(chair[0])
    assert mesh.bounds[:, 1] == pytest.approx([0.0, 0.9], abs=1e-5)
    assert mesh.centroid[[0, 2]] == pytest.approx([0.0, 7.45], abs=0.12)
