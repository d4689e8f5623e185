"""glTF: written files hold the motion, foreign files of every kind are read, damage is told."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.files.formats import load, save
from footfall.files.gltf import read, write_glb
from footfall.files.intake.raw import RawMotion
from footfall.files.options import ReadOptions
from footfall.maths.quaternions import (
    angle_between,
    from_axis_angle,
    from_rotation_vector,
    random_rotations,
    slerp,
    to_matrix,
)
from tests.files.binary_samples import GltfSketch, box, raw_positions, skinned_box, small_clip

TURN = np.sqrt(0.5)


def opened(path: Path, **options: object) -> RawMotion:
    return read(path, ReadOptions(**options))


def two_joints(**root: object) -> tuple[GltfSketch, int, int]:
    """A root and a child one unit above it, without animation."""
    sketch = GltfSketch()
    child = sketch.node(name="child", translation=[0, 1, 0])
    top = sketch.node(name="top", children=[child], **root)
    return sketch, top, child


# --- written and read back ----------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
@pytest.mark.parametrize("frames", [1, 2, 40])
def test_a_written_clip_reads_back(tmp_path, suffix, frames):
    clip = small_clip(frames, fps=119.88)
    path = tmp_path / f"clip{suffix}"
    write_glb(clip, path, skinned_box())
    raw = opened(path)
    assert raw.names == clip.skeleton.names
    assert raw.parents.tolist() == clip.skeleton.parents.tolist()
    assert raw.end_joints.tolist() == clip.skeleton.end_joints.tolist()
    assert np.abs(raw.end_offsets - clip.skeleton.end_offsets).max() < 1e-6
    assert (raw.fps, raw.name, raw.tags) == (clip.fps, clip.name, clip.tags)
    assert np.array_equal(raw.contacts, clip.contacts)
    assert (raw.unit_m, raw.up, raw.notes) == (1.0, "y", ())
    assert np.abs(raw_positions(raw) - clip.positions).max() < 1e-5
    assert np.abs(raw.rest_rotations - [1, 0, 0, 0]).max() < 1e-7


@given(frames=st.integers(1, 30), fps=st.floats(1.0, 1000.0), seed=st.integers(0, 1000))
def test_frame_rate_and_frames_are_kept_for_any_rate(tmp_path_factory, frames, fps, seed):
    path = tmp_path_factory.mktemp("any") / "clip.glb"
    clip = small_clip(frames, seed, fps)
    write_glb(clip, path)
    raw = opened(path)
    assert raw.fps == fps
    assert len(raw.rotations) == frames
    assert np.array_equal(raw.contacts, clip.contacts)


def test_pygltflib_sees_the_same_positions(tmp_path):
    """A second reader: pygltflib's objects, 4 × 4 matrices down the tree, nothing of ours."""
    pygltflib = pytest.importorskip("pygltflib")
    clip = small_clip(20)
    write_glb(clip, tmp_path / "clip.glb", skinned_box())
    gltf = pygltflib.GLTF2().load(str(tmp_path / "clip.glb"))
    blob = gltf.binary_blob()

    def array(index):
        accessor = gltf.accessors[index]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor.type]
        start = gltf.bufferViews[accessor.bufferView].byteOffset + (accessor.byteOffset or 0)
        return np.frombuffer(blob, "<f4", accessor.count * width, start).reshape(-1, width)

    animation = gltf.animations[0]
    tracks = {
        (c.target.node, c.target.path): array(animation.samplers[c.sampler].output)
        for c in animation.channels
    }
    expected = clip.positions
    for frame in (0, 7, 19):
        matrices = {}
        waiting = [(gltf.scenes[0].nodes[0], np.eye(4))]
        while waiting:
            index, above = waiting.pop()
            node = gltf.nodes[index]
            shift = tracks.get((index, "translation"), [node.translation] * 20)[frame]
            x, y, z, w = tracks.get((index, "rotation"), [[0, 0, 0, 1]] * 20)[frame]
            local = np.eye(4)
            local[:3, :3] = to_matrix([w, x, y, z])
            local[:3, 3] = shift
            matrices[node.name] = above @ local
            waiting += [(child, matrices[node.name]) for child in node.children]
        for joint, name in enumerate(clip.skeleton.names):
            assert np.abs(matrices[name][:3, 3] - expected[frame, joint]).max() < 1e-5


def test_rotations_are_unit_and_continuous_in_float32(tmp_path):
    clip = small_clip(200)
    write_glb(clip, tmp_path / "clip.glb")
    data = (tmp_path / "clip.glb").read_bytes()
    length = struct.unpack("<I", data[12:16])[0]
    gltf, blob = json.loads(data[20 : 20 + length]), data[28 + length :]
    for sampler in gltf["animations"][0]["samplers"][1:]:
        accessor = gltf["accessors"][sampler["output"]]
        start = gltf["bufferViews"][accessor["bufferView"]]["byteOffset"]
        start += accessor.get("byteOffset", 0)
        turns = np.frombuffer(blob, "<f4", 4 * accessor["count"], start).reshape(-1, 4)
        assert np.abs(np.linalg.norm(turns.astype(float), axis=1) - 1).max() < 2e-7
        assert np.einsum("ti,ti->t", turns[1:], turns[:-1]).min() >= 0.0


def test_the_world_stands_in_the_same_file(tmp_path):
    import trimesh

    path = tmp_path / "world.glb"
    write_glb(small_clip(), path, None, [("stone", box()), ("table", box())])
    assert opened(path).names == small_clip().skeleton.names
    scene = trimesh.load(path)
    assert {"stone", "table"} <= set(scene.graph.nodes)
    write_glb(None, tmp_path / "alone.glb", None, [("stone", box())])
    assert np.allclose(trimesh.load(tmp_path / "alone.glb").extents, 0.6, atol=1e-6)


def test_nothing_to_write_is_said(tmp_path):
    with pytest.raises(InputError, match="nothing to write"):
        write_glb(None, tmp_path / "x.glb")
    assert not list(tmp_path.iterdir())


def test_a_skin_bound_to_missing_joints_is_refused(tmp_path):
    with pytest.raises(InputError, match="joint"):
        write_glb(small_clip(), tmp_path / "x.glb", skinned_box(joints=50))


def test_other_axes_and_units_are_refused_for_gltf(tmp_path):
    for wrong in ({"up": "z"}, {"unit_m": 0.01}):
        with pytest.raises(InputError, match="glTF is always"):
            save(small_clip(), tmp_path / "x.glb", mesh=False, **wrong)


@pytest.mark.mocap
@pytest.mark.parametrize(
    "name", ["cmu/16_16.bvh", "cmu/132_45.bvh", "accad_male1/Male1_B6_WalkBackwards.bvh"]
)
def test_real_clips_read_back(mocap, tmp_path, name):
    clip = load(mocap / name).tagged(["real"])
    save(clip, tmp_path / "clip.glb")
    again = load(tmp_path / "clip.glb")
    assert (again.skeleton.names, again.fps, again.tags) == (
        clip.skeleton.names,
        clip.fps,
        clip.tags,
    )
    assert again.skeleton.roles == clip.skeleton.roles
    assert np.abs(again.positions - clip.positions).max() < 1e-5
    assert np.abs(again.skeleton.offsets - clip.skeleton.offsets).max() < 1e-6


# --- foreign files ------------------------------------------------------------------------------


def test_step_keys_hold_and_linear_keys_turn_evenly(tmp_path):
    for kind in ("STEP", "LINEAR"):
        sketch, top, child = two_joints()
        quarter = [0, 0, TURN, TURN]
        sketch.animate(top, "rotation", [0, 0.2], [[0, 0, 0, 1], quarter], interpolation=kind)
        sketch.animate(child, "rotation", np.arange(5) / 20, [[0, 0, 0, 1]] * 5)
        raw = opened(sketch.save(tmp_path / "x.gltf"))
        assert raw.fps == 20.0
        turned = angle_between(raw.rotations[:, 0], [1, 0, 0, 0])
        expected = np.array([0, 0, 0, 0, 1]) if kind == "STEP" else np.arange(5) / 4
        assert np.abs(turned - expected * np.pi / 2).max() < 1e-6


def test_cubic_keys_follow_the_hermite_curve(tmp_path):
    """A cubic polynomial is reproduced exactly from its values and derivatives at the keys."""
    sketch, top, child = two_joints()
    times = np.array([0.0, 0.5, 1.0])
    curve = np.polynomial.Polynomial([1.0, -2.0, 0.5, 3.0])
    keys = []
    for t in times:
        slope, value = curve.deriv()(t), curve(t)
        keys += [[slope, 0, 0], [value, 0, 0], [slope, 0, 0]]
    sketch.animate(top, "translation", times, keys, interpolation="CUBICSPLINE")
    sketch.animate(child, "rotation", np.arange(21) / 20, [[0, 0, 0, 1]] * 21)
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert np.abs(raw.translations[0][:, 0] - curve(np.arange(21) / 20)).max() < 1e-5


@pytest.mark.parametrize(("dtype", "largest"), [("<i1", 127), ("<i2", 32767)])
def test_rotations_in_whole_numbers_are_scaled(tmp_path, dtype, largest):
    sketch, top, _ = two_joints()
    turns = random_rotations(np.random.default_rng(0), 8)
    whole = np.round(turns[:, [1, 2, 3, 0]] * largest)
    output = sketch.accessor(whole, dtype, normalized=True)
    sketch.animate(top, "rotation", np.arange(8) / 30, None, output=output)
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert np.max(angle_between(raw.rotations[:, 0], turns)) < 3.0 / largest


def test_sparse_and_interleaved_accessors_are_read(tmp_path):
    sketch, top, child = two_joints()
    places = np.zeros((4, 3), "<f4")
    rows = sketch.view(np.array([1, 3], "<u2").tobytes())
    values = sketch.view(np.array([[1, 2, 3], [4, 5, 6]], "<f4").tobytes())
    sparse = {
        "count": 2, "indices": {"bufferView": rows, "componentType": 5123},
        "values": {"bufferView": values},
    }  # fmt: skip
    output = sketch.accessor(places, bufferView=None, sparse=sparse)
    sketch.animate(top, "translation", np.arange(4) / 30, None, output=output)
    table = np.zeros((4, 7), "<f4")
    table[:, 2:5] = np.arange(12).reshape(4, 3)
    view = sketch.view(table.tobytes(), byteStride=28)
    output = sketch.accessor(places, bufferView=view, byteOffset=8)
    sketch.animate(child, "translation", np.arange(4) / 30, None, output=output)
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert raw.translations[0].tolist() == [[0, 0, 0], [1, 2, 3], [0, 0, 0], [4, 5, 6]]
    assert raw.translations[1].tolist() == np.arange(12).reshape(4, 3).tolist()


def test_a_scaled_and_turned_armature_is_folded_in(tmp_path):
    """Centimetres below a node of scale 0.01, Z up below a quarter turn, as exporters write it."""
    sketch = GltfSketch()
    child = sketch.node(name="child", translation=[0, 0, 50])
    top = sketch.node(name="top", children=[child], translation=[0, 0, 100])
    sketch.node(
        name="Armature", children=[top], scale=[0.01] * 3, rotation=[-TURN, 0, 0, TURN],
        translation=[5, 0, 0],
    )  # fmt: skip
    sketch.animate(top, "translation", [0, 0.5], [[0, 0, 100], [100, 0, 100]])
    sketch.skin([top, child])
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert raw.names == ("top", "child")
    expected = [[[5, 1, 0], [5, 1.5, 0]], [[6, 1, 0], [6, 1.5, 0]]]
    assert np.abs(raw_positions(raw)[[0, -1]] - expected).max() < 1e-6


def test_scale_inside_the_skeleton_moves_what_hangs_below(tmp_path):
    sketch = GltfSketch()
    tip = sketch.node(name="tip", translation=[0, 1, 0], scale=[1, 5, 2])
    child = sketch.node(name="child", children=[tip], translation=[0, 1, 0], scale=[2, 2, 2])
    top = sketch.node(name="top", children=[child], scale=[3, 3, 3])
    sketch.animate(top, "rotation", [0], [[0, 0, 0, 1]])
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert raw_positions(raw)[0].tolist() == [[0, 0, 0], [0, 3, 0], [0, 9, 0]]


def test_matrix_nodes_are_taken_apart(tmp_path):
    turn = random_rotations(np.random.default_rng(4))
    matrix = np.eye(4)
    matrix[:3, :3] = 2.0 * to_matrix(turn)
    matrix[:3, 3] = [1, 2, 3]
    sketch = GltfSketch()
    child = sketch.node(name="child", translation=[0, 1, 0])
    top = sketch.node(name="top", children=[child], matrix=matrix.T.reshape(-1).tolist())
    sketch.skin([top, child])
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    expected = matrix @ [0, 1, 0, 1]
    assert np.abs(raw_positions(raw)[0, 1] - expected[:3]).max() < 1e-9
    assert "no animation" in raw.notes[0]


@pytest.mark.parametrize(
    ("scale", "matrix", "said"),
    [
        ([1, 2, 1], None, "uneven"),
        ([-1, -1, -1], None, "mirrors"),
        (None, [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "sheared"),
        (None, [0] * 16, "flat"),
    ],
)
def test_uneven_scale_and_shear_are_refused(tmp_path, scale, matrix, said):
    fields = {"scale": scale} if scale else {"matrix": matrix}
    sketch, top, child = two_joints(**fields)
    sketch.animate(child, "rotation", [0], [[0, 0, 0, 1]])
    sketch.skin([top, child])
    with pytest.raises(InputError, match=said):
        opened(sketch.save(tmp_path / "x.gltf"))


def test_the_bind_pose_is_the_rest_pose(tmp_path):
    """Nodes stand in frame 0 of the motion; the inverse bind matrices know the T-pose."""
    rng = np.random.default_rng(5)
    bind = random_rotations(rng, 2)
    world = [np.eye(4), np.eye(4)]
    world[0][:3, :3] = to_matrix(bind[0])
    local = np.eye(4)
    local[:3, :3], local[:3, 3] = to_matrix(bind[1]), [0, 1, 0]
    world[1] = world[0] @ local
    sketch, top, child = two_joints(rotation=bind[0][[1, 2, 3, 0]].tolist())
    sketch.json["nodes"][child]["rotation"] = [TURN, 0, 0, TURN]
    sketch.skin([top, child], np.linalg.inv(world))
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert np.max(angle_between(raw.rest_rotations, bind)) < 1e-6
    assert angle_between(raw.rotations[0, 1], [TURN, TURN, 0, 0]) < 1e-6


def test_an_animated_armature_above_the_skin_is_kept(tmp_path):
    sketch, top, child = two_joints()
    armature = sketch.node(name="Armature", children=[top])
    sketch.skin([top, child])
    sketch.animate(top, "rotation", [0, 1 / 30], [[0, 0, 0, 1]] * 2)
    sketch.animate(armature, "translation", [0, 1 / 30], [[0, 0, 0], [0, 0, 1]])
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert raw.names[0] == "Armature"
    assert raw_positions(raw)[1, 2].tolist() == [0, 1, 1]


def test_joints_in_any_order_come_out_parents_first(tmp_path):
    sketch = GltfSketch()
    for name, children in (("c", []), ("b", [0]), ("a", [1, 3]), ("d", [])):
        sketch.node(name=name, children=children, translation=[0, 1, 0])
    sketch.skin([0, 1, 2, 3])
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert raw.names == ("a", "b", "c", "d")
    assert raw.parents.tolist() == [-1, 0, 1, 0]


def test_the_skin_that_moves_is_taken_with_the_skins_that_share_its_joints(tmp_path):
    sketch = GltfSketch()
    prop = [sketch.node(name=f"prop{i}") for i in range(9)]
    coat = sketch.node(name="coat")
    body = sketch.node(name="body", children=[coat])
    sketch.skin(prop)
    sketch.skin([body])
    sketch.skin([body, coat])
    sketch.animate(body, "rotation", [0], [[0, 0, 0, 1]])
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert raw.names == ("body", "coat")
    assert "1 more figures" in raw.notes[0]


def test_animations_are_chosen_by_name(tmp_path):
    sketch, top, _ = two_joints()
    sketch.json["animations"][0]["name"] = "idle"
    sketch.json["animations"].append({"channels": [], "samplers": [], "name": "run"})
    sketch.animate(top, "translation", [0], [[1, 0, 0]])
    sketch.animate(top, "translation", [0], [[2, 0, 0]], animation=1)
    path = sketch.save(tmp_path / "x.gltf")
    first = opened(path)
    assert first.translations[0][0, 0] == 1.0
    assert "run" in first.notes[0]
    assert opened(path, animation="run").translations[0][0, 0] == 2.0
    with pytest.raises(InputError, match="idle, run"):
        opened(path, animation="ran")


def test_irregular_keys_are_sampled_at_thirty(tmp_path):
    sketch, top, _ = two_joints()
    times = np.array([0.0, 0.013, 0.31, 1.0])
    sketch.animate(top, "translation", times, np.outer(times, [1, 2, 3]))
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert raw.fps == 30.0
    assert "no frame rate" in raw.notes[0]
    assert np.abs(raw.translations[0] - np.outer(np.arange(31) / 30, [1, 2, 3])).max() < 1e-6


def test_a_few_poses_keyed_by_hand_are_not_taken_for_frames(tmp_path):
    for times, fps in (([0, 0.5, 2.0], 30.0), ([0, 1 / 8, 1.0], 24.0), ([0, 1 / 7], 28.0)):
        sketch, top, _ = two_joints()
        sketch.animate(top, "translation", times, np.outer(times, [1, 0, 0]))
        raw = opened(sketch.save(tmp_path / "x.gltf"))
        assert raw.fps == pytest.approx(fps, rel=1e-5)
        way = raw.translations[0][:, 0]
        assert np.abs(way - np.arange(len(way)) / fps).max() < 1e-5


def test_dropped_keys_do_not_hide_the_frame_rate(tmp_path):
    sketch, top, child = two_joints()
    turns = from_axis_angle([0, 0, 1], np.array([0.0, 0.3, 1.0]))
    sketch.animate(top, "rotation", np.array([1, 4, 11]) / 24, turns[:, [1, 2, 3, 0]])
    sketch.animate(child, "rotation", np.array([1, 2, 11]) / 24, turns[:, [1, 2, 3, 0]])
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert (raw.fps, len(raw.rotations)) == (24.0, 11)
    middle = slerp(turns[1], turns[2], 3 / 7)
    assert angle_between(raw.rotations[6, 0], middle) < 1e-6


def test_named_ends_become_end_sites_and_others_stay_joints(tmp_path):
    sketch = GltfSketch()
    ends = [sketch.node(name=n, translation=[0, 1, 0]) for n in ("top_end", "HeadTop_End", "nub")]
    top = sketch.node(name="top", children=ends)
    sketch.skin([top, ends[0], ends[1]])
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert raw.names == ("top", "HeadTop_End")
    assert raw.end_offsets.tolist() == [[0, 1, 0], [0, 1, 0]]


def test_equal_names_are_told_apart(tmp_path):
    sketch = GltfSketch()
    children = [sketch.node(name="arm"), sketch.node(name="arm"), sketch.node()]
    top = sketch.node(name="arm", children=children)
    sketch.skin([top, *children])
    raw = opened(sketch.save(tmp_path / "x.gltf"))
    assert len(set(raw.names)) == 4


def test_node_motion_without_a_skin_leaves_carried_meshes_out(tmp_path):
    sketch, top, _ = two_joints()
    mesh = sketch.node(name="shirt", mesh=0)
    sketch.json["nodes"][top]["children"].append(mesh)
    sketch.node(name="lamp")
    sketch.animate(top, "rotation", [0], [[0, 0, 0, 1]])
    assert set(opened(sketch.save(tmp_path / "x.gltf")).names) == {"top", "child"}


# --- buffers beside the file --------------------------------------------------------------------


def test_buffers_beside_the_file_are_read(tmp_path):
    sketch, top, _ = two_joints()
    sketch.animate(top, "translation", [0], [[1, 2, 3]])
    folder = tmp_path / "my files"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "a b.bin").write_bytes(sketch.data)
    raw = opened(sketch.save(folder / "x.gltf", uri="data/a%20b.bin"))
    assert raw.translations[0].tolist() == [[1, 2, 3]]


@pytest.mark.parametrize(
    "uri",
    ["../out.bin", "a/../../out.bin", "%2e%2e/out.bin", "..\\out.bin", "http://x.org/a.bin",
     "file:///etc/passwd", "/etc/passwd", "C:/out.bin", "link.bin", "none.bin", ".", "a\0b"],
)  # fmt: skip
def test_buffers_elsewhere_are_refused(tmp_path, uri):
    sketch, top, _ = two_joints()
    sketch.animate(top, "translation", [0], [[1, 2, 3]])
    (tmp_path / "out.bin").write_bytes(sketch.data)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "link.bin").symlink_to(tmp_path / "out.bin")
    with pytest.raises(InputError) as error:
        opened(sketch.save(folder / "x.gltf", uri=uri))
    assert "buffers[0]" in str(error.value)


# --- damage -------------------------------------------------------------------------------------


def assert_one_sentence(path: Path) -> str:
    with pytest.raises(InputError) as error:
        load(path)
    said = str(error.value)
    assert said
    assert "\n" not in said
    assert len(said) < 400
    return said


def test_a_file_cut_anywhere_is_told_in_one_sentence(tmp_path):
    write_glb(small_clip(3), tmp_path / "whole.glb")
    data = (tmp_path / "whole.glb").read_bytes()
    for length in [*range(1, 40), *range(40, len(data), 97), len(data) - 1]:
        (tmp_path / "cut.glb").write_bytes(data[:length])
        assert_one_sentence(tmp_path / "cut.glb")


def test_an_empty_file_and_a_folder_are_told(tmp_path):
    (tmp_path / "empty.glb").touch()
    (tmp_path / "folder.glb").mkdir()
    assert_one_sentence(tmp_path / "empty.glb")
    assert_one_sentence(tmp_path / "folder.glb")


def _set(sketch: GltfSketch, *steps: object) -> None:
    *way, last, value = steps
    holder = sketch.json
    for step in way:
        holder = holder[step]
    holder[last] = value


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (("asset", "version", "1.0"), "version"),
        (("nodes", 0, "children", [1]), "own ancestor"),
        (("nodes", 1, "children", [0, 0]), "two parents"),
        (("nodes", 1, "children", [7]), r"nodes\[7\]"),
        (("nodes", 0, "rotation", [0, 0, 0, 0]), "rotation is zero"),
        (("nodes", 0, "translation", [0, 1]), r"nodes\[0\].translation"),
        (("nodes", 0, "translation", [0, "x", 1]), r"nodes\[0\].translation"),
        (("nodes", 0, "translation", [0, 1e300, 1]), "beyond"),
        (("nodes", []), "no nodes"),
        (("accessors", 0, "count", 10**12), "bytes"),
        (("accessors", 0, "count", -1), r"accessors\[0\].count"),
        (("accessors", 1, "type", "VEC3"), "VEC3"),
        (("accessors", 1, "componentType", 7), "componentType"),
        (("accessors", 0, "bufferView", 99), r"bufferViews\[99\]"),
        (("bufferViews", 0, "byteLength", 2**39), "ends at byte"),
        (("bufferViews", 0, "byteOffset", 2**39), "ends at byte"),
        (("animations", 0, "samplers", 0, "input", 50), r"accessors\[50\]"),
        (("animations", 0, "samplers", 0, "interpolation", "WAVY"), "interpolation"),
        (("animations", 0, "channels", 0, "sampler", 9), "samplers"),
        (("animations", 0, "channels", 0, "target", "node", 9), r"nodes\[9\]"),
    ],
)
def test_wrong_fields_are_told_with_their_place(tmp_path, steps, said):
    sketch, top, _ = two_joints()
    sketch.animate(top, "rotation", [0, 1], [[0, 0, 0, 1]] * 2)
    _set(sketch, *steps)
    assert re.search(said, assert_one_sentence(sketch.save(tmp_path / "x.gltf")))


@pytest.mark.parametrize(
    ("times", "values", "said"),
    [
        ([0, np.nan], [[0, 0, 0, 1]] * 2, "nan"),
        ([1, 0], [[0, 0, 0, 1]] * 2, "do not rise"),
        ([0, 1], [[0, 0, 0, 1]] * 3, "3 values for 2 keys"),
        ([0, 1], [[0, 0, 0, 0]] * 2, "is zero"),
        ([0, 1], [[0, 0, np.inf, 1]] * 2, "inf"),
        ([0, 1e30], [[0, 0, 0, 1]] * 2, "1e7"),
        ([0, 9e6], [[0, 0, 0, 1]] * 2, "unfold"),
    ],
)
def test_wrong_keys_are_told(tmp_path, times, values, said):
    sketch, top, _ = two_joints()
    sketch.animate(top, "rotation", times, values)
    assert said in assert_one_sentence(sketch.save(tmp_path / "x.gltf"))


def test_hostile_sizes_are_refused_before_memory_is_asked_for(tmp_path):
    deep = GltfSketch()
    for index in range(20_000):
        deep.node(children=[index + 1] if index < 19_999 else [])
    deep.skin([0, 19_999])
    assert "deep" in assert_one_sentence(deep.save(tmp_path / "deep.gltf"))
    many = GltfSketch()
    joints = [many.node() for _ in range(5000)]
    many.skin(joints)
    assert "5000 joints" in assert_one_sentence(many.save(tmp_path / "many.gltf"))
    zeros, top, _ = two_joints()
    output = zeros.accessor(np.zeros((1, 3)), bufferView=None, count=10**9)
    zeros.animate(top, "translation", [0], None, output=output)
    assert "no data" in assert_one_sentence(zeros.save(tmp_path / "zeros.gltf"))
    (tmp_path / "objects.gltf").write_bytes(b'{"nodes":[' + b"{}," * 600_000 + b"{}]}")
    assert "objects" in assert_one_sentence(tmp_path / "objects.gltf")


def test_accessors_over_the_same_bytes_do_not_unfold_without_end(tmp_path):
    sketch = GltfSketch()
    nodes = [sketch.node() for _ in range(600)]
    sketch.node(children=list(nodes))
    output = sketch.accessor(np.zeros((60_000, 3)))
    times = sketch.accessor(np.arange(60_000) / 30)
    animation = sketch.json["animations"][0]
    animation["samplers"].append({"input": times, "output": output})
    for node in nodes:
        animation["channels"].append(
            {"sampler": 0, "target": {"node": node, "path": "translation"}}
        )
    said = assert_one_sentence(sketch.save(tmp_path / "x.gltf"))
    assert "unfold" in said or "over and over" in said


def test_compressed_data_is_told(tmp_path):
    sketch, top, _ = two_joints()
    sketch.animate(top, "rotation", [0], [[0, 0, 0, 1]])
    for view in sketch.json["bufferViews"]:
        view["extensions"] = {"EXT_meshopt_compression": {}}
    assert "meshopt" in assert_one_sentence(sketch.save(tmp_path / "x.gltf"))


def test_rotation_vectors_survive_the_way_through_a_file(tmp_path, rng):
    """Small turns, where float32 loses most, are kept to better than a ten-thousandth degree."""
    clip = small_clip(50)
    tiny = from_rotation_vector(1e-3 * rng.normal(size=(50, 6, 3)))
    clip = type(clip)(clip.skeleton, 30.0, clip.root, tiny)
    write_glb(clip, tmp_path / "x.glb")
    assert np.max(angle_between(opened(tmp_path / "x.glb").rotations, tiny)) < 2e-7
