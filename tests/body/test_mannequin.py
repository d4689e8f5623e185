"""The mannequin: closed, outward, symmetric, on its soles and well bound, for any skeleton."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from footfall.body.feet import foot_points, sole_height
from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.mannequin import mannequin
from footfall.body.mesh import SkinnedMesh, skin_vertices
from footfall.body.roles import find_roles
from footfall.body.skeleton import Skeleton
from footfall.files.bvh import read
from footfall.files.intake.clip import clip_from_raw
from footfall.files.options import ReadOptions
from tests.body.skeletons import FAMILIES, family_skeleton
from tests.sweeps import examples

MIRROR = np.array([-1.0, 1.0, 1.0])
TRUNK = [
    ("hips", None, (0.0, 0.545, 0.0)),
    ("spine", "hips", (0.0, 0.05, 0.0)),
    ("middle", "spine", (0.0, 0.07, -0.005)),
    ("chest", "middle", (0.0, 0.08, -0.01)),
    ("neck", "chest", (0.0, 0.115, 0.0)),
    ("head", "neck", (0.0, 0.05, 0.012)),
]
SIDE = [
    ("clavicle", "chest", (0.015, 0.085, 0.01)),
    ("shoulder", "clavicle", (0.093, -0.01, -0.01)),
    ("elbow", "shoulder", (0.172, 0.0, 0.0)),
    ("wrist", "elbow", (0.145, 0.0, 0.0)),
    ("thumb1", "wrist", (0.02, -0.005, 0.02)),
    ("middle1", "wrist", (0.055, 0.0, 0.0)),
    ("middle2", "middle1", (0.025, 0.0, 0.0)),
    ("hip", "hips", (0.053, -0.015, 0.0)),
    ("knee", "hip", (0.0, -0.245, 0.0)),
    ("ankle", "knee", (0.0, -0.24, 0.0)),
    ("toe", "ankle", (0.0, -0.033, 0.073)),
]
NOT_ROLES = {"middle", "thumb1", "middle1", "middle2"}


def human(
    stature: float = 1.75, without: tuple[str, ...] = (), longer: dict[str, float] | None = None
) -> Skeleton:
    """A symmetric person; `without` some joints, bones that end in a joint `longer` by a factor."""
    rows = list(TRUNK)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for name, parent, offset in SIDE:
            above = parent if parent in ("hips", "chest") else f"{side}_{parent}"
            rows.append((f"{side}_{name}", above, (sign * offset[0], *offset[1:])))
    names: list[str] = []
    parents, offsets, places = [], [], {}
    for name, parent, offset in rows:
        plain = name.split("_")[-1]
        at = places[parent][1] if parent else np.zeros(3)
        at = at + stature * np.array(offset) * (longer or {}).get(plain, 1.0)
        if plain in without:
            places[name] = (places[parent][0], at)
            continue
        above = places[parent][0] if parent else -1
        parents.append(above)
        base = np.zeros(3) if above < 0 else places[names[above]][1]
        offsets.append(at - base)
        names.append(name)
        places[name] = (len(names) - 1, at)
    roles = {n: i for i, n in enumerate(names) if n.split("_")[-1] not in NOT_ROLES}
    roles |= {n: i for i, n in enumerate(names) if n == "neck"}
    ends = [(n, (0.0, 0.1, 0.0)) for n in names if n == "head"]
    ends += [(n, (0.0, 0.0, 0.04)) for n in names if n.endswith("toe")]
    return Skeleton(
        tuple(names),
        np.array(parents, np.int32),
        np.array(offsets),
        np.array([names.index(n) for n, _ in ends], np.int32),
        stature * np.array([o for _, o in ends]).reshape(-1, 3),
        roles,
    )


FIGURES = {
    "adult": human(),
    "child": human(1.0, longer={"knee": 0.8, "ankle": 0.8, "elbow": 0.85, "wrist": 0.85}),
    "giant": human(3.2, longer={"knee": 1.2, "ankle": 1.2}),
    "long arms": human(longer={"elbow": 1.7, "wrist": 1.7}),
    "bare": human(without=("toe", "clavicle", "thumb1", "middle1", "middle2", "middle", "spine")),
    "neck only": human(without=("head",)),
    "head only": human(without=("neck",)),
    "broad": human(longer={"shoulder": 1.7, "hip": 1.7}),
}
every_figure = pytest.mark.parametrize("name", FIGURES)


@cache
def body(name: str) -> SkinnedMesh:
    return mannequin(FIGURES[name])


def surfaces(skinned: SkinnedMesh, vertices: np.ndarray | None = None) -> list[trimesh.Trimesh]:
    mesh = skinned.mesh
    whole = trimesh.Trimesh(
        mesh.vertices if vertices is None else vertices, mesh.triangles, process=False
    )
    return list(whole.split(only_watertight=False))


def posed(skeleton: Skeleton, skinned: SkinnedMesh, turns: dict[str, tuple]) -> np.ndarray:
    """(V, 3) the body with some joints turned: name -> (axis, degrees)."""
    rotations = np.zeros((1, len(skeleton), 4))
    rotations[..., 0] = 1.0
    for joint, (axis, degrees) in turns.items():
        half = np.radians(degrees) / 2
        rotations[0, skeleton.roles[joint]] = [np.cos(half), *(np.sin(half) * np.array(axis))]
    poses = forward_kinematics(skeleton, skeleton.offsets[:1], rotations)
    return skin_vertices(skinned, poses, skeleton)[0][0]


@every_figure
def test_it_has_between_three_and_eight_thousand_triangles_in_two_materials(name):
    mesh = body(name).mesh
    assert 3000 <= len(mesh.triangles) <= 8000
    assert len(mesh.materials) == 2
    assert set(np.unique(mesh.face_materials)) == {0, 1}


@every_figure
def test_every_surface_is_closed_and_faces_outward(name):
    parts = surfaces(body(name))
    assert len(parts) > 20
    for part in parts:
        assert part.is_watertight
        assert part.is_winding_consistent
        assert part.volume > 0.0


@every_figure
def test_normals_are_unit_and_agree_with_the_triangles_around_them(name):
    mesh = body(name).mesh
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)
    a, b, c = (mesh.vertices[mesh.triangles[:, i]] for i in range(3))
    faces = np.cross(b - a, c - a)
    agree = np.einsum("fki,fi->fk", mesh.normals[mesh.triangles], faces) > 0.0
    assert agree.mean() > 0.99


@every_figure
def test_each_vertex_lies_near_the_joints_that_carry_it(name):
    skeleton, skinned = FIGURES[name], body(name)
    rest = skeleton.rest_positions
    stature = skinned.mesh.vertices[:, 1].max() - sole_height(skeleton)
    tips = rest.copy()  # the far end of each joint's longest bone
    for joint in range(1, len(skeleton)):
        parent = skeleton.parents[joint]
        if np.linalg.norm(rest[joint] - rest[parent]) > np.linalg.norm(tips[parent] - rest[parent]):
            tips[parent] = rest[joint]
    strong = np.where(skinned.weights > 0.25, skinned.joints, skinned.joints[:, :1])
    start, way = rest[strong], tips[strong] - rest[strong]
    offset = skinned.mesh.vertices[:, None] - start
    along = np.clip((offset * way).sum(-1) / np.maximum((way * way).sum(-1), 1e-12), 0.0, 1.0)
    distance = np.linalg.norm(offset - along[..., None] * way, axis=-1)
    assert distance.max() < 0.19 * stature


@every_figure
def test_left_and_right_are_mirror_images(name):
    skeleton, skinned = FIGURES[name], body(name)
    vertices = skinned.mesh.vertices
    distance, partner = cKDTree(vertices).query(vertices * MIRROR)
    assert distance.max() < 1e-12
    swap = {"left": "right", "right": "left"}
    other = np.array(
        [
            skeleton.index("_".join(swap.get(word, word) for word in joint.split("_")))
            for joint in skeleton.names
        ]
    )
    dense = np.zeros((len(vertices), len(skeleton)))
    for k in range(4):
        np.add.at(dense, (np.arange(len(vertices)), skinned.joints[:, k]), skinned.weights[:, k])
    assert np.abs(dense[partner][:, other] - dense).max() < 1e-9


@every_figure
def test_the_soles_are_flat_at_the_height_of_the_soles(name):
    skeleton, mesh = FIGURES[name], body(name).mesh
    height = sole_height(skeleton)
    assert mesh.vertices[:, 1].min() == pytest.approx(height, abs=1e-9)
    down = mesh.vertices[mesh.vertices[:, 1] < height + 1e-9]
    points = foot_points(skeleton)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        sole = down[down[:, 0] * sign > 0.0]
        assert len(sole) > 30
        heel, ball, tip = (skeleton.rest_positions[p.joint] + p.offset for p in points.side(side))
        assert sole[:, 2].min() < heel[2] + 0.01 * mesh.vertices[:, 1].max()
        assert sole[:, 2].max() > ball[2] + 0.5 * (tip[2] - ball[2])
        assert sole[:, 0].min() < ball[0] < sole[:, 0].max()


def test_toes_bend_at_the_ball_and_leave_the_heel():
    skeleton, skinned = FIGURES["adult"], body("adult")
    bent = posed(skeleton, skinned, {"left_toe": ((1, 0, 0), -40)})
    moved = np.linalg.norm(bent - skinned.mesh.vertices, axis=1) > 1e-6
    ball = skeleton.rest_positions[skeleton.role("left_toe")]
    ankle = skeleton.rest_positions[skeleton.role("left_ankle")]
    assert moved.any()
    assert skinned.mesh.vertices[moved, 2].min() > ankle[2] + 0.3 * (ball[2] - ankle[2])
    tip = skinned.mesh.vertices[:, 2] > ball[2] + 0.5 * 0.04 * 1.75
    assert moved[tip & (skinned.mesh.vertices[:, 0] > 0.0)].all()


@every_figure
def test_the_face_looks_ahead(name):
    skeleton, mesh = FIGURES[name], body(name).mesh
    chin = mesh.vertices[:, 1].max() - 0.1 * mesh.vertices[:, 1].max()
    head = mesh.vertices[mesh.vertices[:, 1] > chin]
    nose = head[np.argmax(head[:, 2])]
    assert abs(nose[0] - skeleton.rest_positions[0, 0]) < 1e-9
    beside = head[np.abs(head[:, 1] - nose[1]) < 1e-6]
    assert nose[2] > np.sort(beside[:, 2])[-2] + 1e-3


@every_figure
def test_a_dark_eye_on_each_side_looks_ahead_from_under_the_brow(name):
    mesh = body(name).mesh
    tall = mesh.vertices[:, 1].max() - mesh.vertices[:, 1].min()
    head = surfaces(body(name))[_part_with(mesh, np.argmax(mesh.vertices[:, 1]))]
    dark = mesh.face_materials == 1
    corners = mesh.vertices[mesh.triangles[dark]]
    inside = (corners[..., 1] > head.vertices[:, 1].min()).all(axis=1)
    ahead = inside & (corners.mean(axis=1)[:, 2] > head.vertices[:, 2].mean())
    eyes = corners[ahead & (corners.mean(axis=1)[:, 1] > head.vertices[:, 1].mean() - 0.02 * tall)]
    assert len(eyes) >= 8
    for sign in (1.0, -1.0):
        eye = eyes[(eyes.mean(axis=1)[:, 0] * sign) > 0.0].reshape(-1, 3)
        assert (eye[:, 0] * sign > 0.0).all()
        above = head.vertices[head.vertices[:, 1] > eye[:, 1].max() + 1e-6]
        brow = above[np.abs(above[:, 0] - eye[:, 0].mean()) < 0.02 * tall]
        assert brow[:, 2].max() > eye[:, 2].mean()


def _part_with(mesh, vertex):
    """The number of the surface that a vertex belongs to, as `surfaces` orders them."""
    whole = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    parts = whole.split(only_watertight=False)
    tops = [part.vertices[:, 1].max() for part in parts]
    return int(np.argmax(np.array(tops) >= mesh.vertices[vertex, 1] - 1e-9))


@every_figure
def test_shoes_are_blunt_and_stand_on_dark_soles(name):
    skeleton, mesh = FIGURES[name], body(name).mesh
    height = sole_height(skeleton)
    faces = mesh.vertices[mesh.triangles]
    flat = (faces[..., 1] < height + 1e-9).all(axis=1)
    assert flat.sum() > 30
    assert (mesh.face_materials[flat] == 1).all()
    sole = faces[flat].reshape(-1, 3)
    sole = sole[sole[:, 0] > 0.0]
    length = np.ptp(sole[:, 2])
    toes = sole[sole[:, 2] > sole[:, 2].max() - 0.08 * length]
    assert np.ptp(toes[:, 0]) > 0.6 * np.ptp(sole[:, 0])


def test_shoulders_go_along_with_the_collarbone():
    skeleton, skinned = FIGURES["adult"], body("adult")
    raised = posed(skeleton, skinned, {"left_clavicle": ((0, 0, 1), 20)})
    rise = raised[:, 1] - skinned.mesh.vertices[:, 1]
    shoulder = skeleton.rest_positions[skeleton.role("left_shoulder")]
    way = skinned.mesh.vertices - shoulder
    # The surface above the joint, and the ribs under the arm.
    over = (np.abs(way[:, 0]) < 0.03) & (np.abs(way[:, 2]) < 0.03) & (way[:, 1] > 0.03)
    ribs = (skinned.mesh.vertices[:, 0] > 0.0) & (np.abs(way[:, 1] + 0.25) < 0.05)
    ribs &= skinned.mesh.vertices[:, 0] < shoulder[0] - 0.04
    joint = 0.093 * 1.75 * np.sin(np.radians(20))
    assert over.any()
    assert rise[over].min() > 0.7 * joint
    assert np.abs(rise[ribs]).max() < 0.2 * joint


@pytest.mark.parametrize(("name", "least", "most"), [("bare", 0.35, 0.55), ("adult", 0.1, 0.3)])
def test_fingers_curl_to_the_palm_and_less_where_the_skeleton_has_its_own(name, least, most):
    """In the T-pose palms face down: how far tips are below the wrist, of how far hands reach."""
    skeleton, mesh = FIGURES[name], body(name).mesh
    wrist = skeleton.rest_positions[skeleton.role("left_wrist")]
    hand = mesh.vertices[mesh.vertices[:, 0] > wrist[0] + 0.02] - wrist
    assert least < -hand[:, 1].min() / hand[:, 0].max() < most


BENT = {
    "knees and hips": {
        "left_hip": ((1, 0, 0), -110), "left_knee": ((1, 0, 0), 140),
        "right_hip": ((1, 0, 0), 30), "right_knee": ((1, 0, 0), 90),
    },
    "arms down, elbows bent": {
        "left_shoulder": ((0, 0, 1), -85), "right_shoulder": ((0, 0, 1), 85),
        "left_elbow": ((0, 1, 0), -130), "right_elbow": ((0, 1, 0), 90),
    },
    "back bent and twisted": {
        "spine": ((1, 0, 0), 35), "chest": ((0, 1, 0), 40), "head": ((0, 1, 0), 60),
    },
    "feet": {"left_ankle": ((1, 0, 0), 45), "left_toe": ((1, 0, 0), -50)},
}  # fmt: skip


@pytest.mark.parametrize("bend", BENT)
def test_no_part_collapses_when_the_body_bends(bend):
    skeleton, skinned = FIGURES["adult"], body("adult")
    bent = surfaces(skinned, posed(skeleton, skinned, BENT[bend]))
    for before, after in zip(surfaces(skinned), bent, strict=True):
        assert after.volume == pytest.approx(before.volume, rel=0.22)


def test_balls_fill_the_gaps_of_elbows_and_knees_however_they_bend():
    """Seen from outside, the way from upper to lower shell is covered by the ball between."""
    skeleton, skinned = FIGURES["adult"], body("adult")
    for role in ("left_knee", "right_elbow"):
        joint = skeleton.role(role)
        centre = skeleton.rest_positions[joint]
        rigid = (skinned.joints[:, 0] == joint) & (skinned.weights[:, 0] > 0.999)
        dark = np.zeros(len(rigid), bool)
        dark[skinned.mesh.triangles[skinned.mesh.face_materials == 1]] = True
        radius = np.linalg.norm(skinned.mesh.vertices[rigid & dark] - centre, axis=1)
        assert np.ptp(radius) < 1e-9
        shells = skinned.mesh.vertices[~dark]
        assert np.linalg.norm(shells - centre, axis=1).min() < radius.mean()


@every_figure
def test_it_stands_about_as_tall_as_its_skeleton_says(name):
    skeleton, mesh = FIGURES[name], body(name).mesh
    top = skeleton.rest_positions[:, 1].max()
    height = np.ptp(mesh.vertices[:, 1])
    assert 1.0 < height / (top - sole_height(skeleton)) < 1.3


@examples(25)
@given(st.floats(0.05, 20.0))
def test_a_scaled_skeleton_has_the_scaled_body(factor):
    scaled = mannequin(FIGURES["adult"].scaled(factor))
    expected = factor * body("adult").mesh.vertices
    assert np.allclose(scaled.mesh.vertices, expected, rtol=1e-9, atol=1e-9 * factor)
    assert np.allclose(scaled.weights, body("adult").weights, atol=1e-6)


def test_a_skeleton_standing_elsewhere_has_the_same_body_there():
    skeleton, shift = FIGURES["adult"], np.array([3.0, -1.0, 7.0])
    offsets = skeleton.offsets.copy()
    offsets[0] += shift
    moved = mannequin(replace(skeleton, offsets=offsets))
    assert np.allclose(moved.mesh.vertices, body("adult").mesh.vertices + shift, atol=1e-12)


BONES = sorted({name for name, _, _ in TRUNK[1:] + SIDE})


@examples(40)
@given(st.dictionaries(st.sampled_from(BONES), st.sampled_from([0.0, 0.05, 0.4, 1.0, 2.5, 10.0])))
def test_odd_proportions_still_give_closed_finite_bodies(longer):
    skeleton = human(longer=longer)
    skinned = mannequin(skeleton)
    assert 3000 <= len(skinned.mesh.triangles) <= 8000
    for part in surfaces(skinned):
        assert part.is_watertight
        assert part.volume > 0.0
    reach = np.ptp(skeleton.rest_positions, axis=0).max()
    assert np.ptp(skinned.mesh.vertices, axis=0).max() < 3.0 * reach


def test_all_joints_on_one_spot_still_give_a_finite_body():
    skeleton = FIGURES["adult"].scaled(0.0)
    assert np.isfinite(mannequin(skeleton).mesh.vertices).all()


def test_joints_on_the_same_spot_change_nothing():
    """An extra zero-length joint before the elbow leaves the shape as it was."""
    skeleton = FIGURES["adult"]
    elbow = skeleton.index("left_elbow")
    names = [*skeleton.names[:elbow], "extra", *skeleton.names[elbow:]]
    parents = [p + (p >= elbow) for p in skeleton.parents.tolist()]
    parents = [*parents[:elbow], skeleton.parents[elbow], elbow, *parents[elbow + 1 :]]
    offsets = np.insert(skeleton.offsets, elbow + 1, np.zeros(3), axis=0)
    ends = skeleton.end_joints + (skeleton.end_joints >= elbow)
    roles = {r: j + (j >= elbow) for r, j in skeleton.roles.items()}
    doubled = Skeleton(tuple(names), parents, offsets, ends, skeleton.end_offsets, roles)
    assert np.allclose(mannequin(doubled).mesh.vertices, body("adult").mesh.vertices)


def test_the_thumb_is_where_the_skeleton_has_it():
    skeleton = FIGURES["adult"]
    offsets = skeleton.offsets.copy()
    for side in ("left", "right"):
        offsets[skeleton.index(f"{side}_thumb1"), 2] *= -1.0
    turned = mannequin(replace(skeleton, offsets=offsets))
    wrist = skeleton.rest_positions[skeleton.role("left_wrist")]
    for skinned, ahead in ((body("adult"), 1.0), (turned, -1.0)):
        out = skinned.mesh.vertices - wrist
        width = out[out[:, 0] > 0.0, 2] * ahead
        assert width.max() > 1.5 * -width.min()


@st.composite
def trees(draw):
    count = draw(st.integers(1, 12))
    parents = [-1] + [draw(st.integers(0, j - 1)) for j in range(1, count)]
    place = st.sampled_from([-0.5, 0.0, 0.0, 0.02, 1.0])
    offsets = [[draw(place) for _ in range(3)] for _ in range(count)]
    return Skeleton(tuple(f"joint{j}" for j in range(count)), parents, np.array(offsets))


@given(trees())
def test_a_skeleton_without_roles_gets_a_bone_for_every_bone(skeleton):
    skinned = mannequin(skeleton)
    rest = skeleton.rest_positions
    assert all(part.is_watertight and part.volume > 0.0 for part in surfaces(skinned))
    for joint in range(1, len(skeleton)):
        way = rest[joint] - rest[skeleton.parents[joint]]
        if np.linalg.norm(way) > 1e-6:
            middle = rest[joint] - 0.5 * way
            near = np.linalg.norm(skinned.mesh.vertices - middle, axis=1).min()
            assert near < 0.4 * np.linalg.norm(way)


def test_a_skeleton_with_a_role_missing_gets_bones_and_no_error():
    roles = {r: j for r, j in FIGURES["adult"].roles.items() if r != "left_knee"}
    skinned = mannequin(FIGURES["adult"].with_roles(roles))
    assert all(part.is_watertight for part in surfaces(skinned))


def test_a_rest_pose_that_lies_down_gets_bones_and_no_error():
    skeleton = FIGURES["adult"]
    lying = replace(skeleton, offsets=skeleton.offsets[:, [1, 2, 0]])
    skinned = mannequin(lying)
    assert all(part.is_watertight for part in surfaces(skinned))
    assert len(surfaces(skinned)) > len(skeleton)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_naming_family_gets_the_body_of_the_same_person(family):
    skeleton, _ = family_skeleton(family)
    skeleton = skeleton.with_roles(find_roles(skeleton))
    skinned = mannequin(skeleton)
    vertices = skinned.mesh.vertices
    assert 3000 <= len(skinned.mesh.triangles) <= 8000
    assert all(part.is_watertight and part.volume > 0.0 for part in surfaces(skinned))
    assert vertices[:, 1].min() == pytest.approx(sole_height(skeleton), abs=1e-9)
    assert np.ptp(vertices[:, 1]) == pytest.approx(1.75, abs=0.05)
    assert np.abs(vertices[:, 0]).max() == pytest.approx(0.87, abs=0.05)
    distance, _ = cKDTree(vertices).query(vertices * MIRROR)
    assert distance.max() < 1e-9


@pytest.mark.mocap
@pytest.mark.parametrize("file", ["cmu/16_35.bvh", "accad_male1/Male1_B24_WalkToCrouch.bvh"])
def test_real_people_keep_their_volume_and_their_soles_near_the_ground(mocap, file):
    clip = clip_from_raw(read(mocap / file, ReadOptions()))
    skinned = mannequin(clip.skeleton)
    rest = surfaces(skinned)
    poses = clip.world
    some = np.linspace(0, len(clip) - 1, 8).astype(int)
    few = WorldPoses(poses.positions[some], poses.rotations[some])
    frames, _ = skin_vertices(skinned, few, clip.skeleton)
    ground = np.median(frames[..., 1].min(axis=1))
    assert abs(ground) < 0.12
    for frame in frames:
        for before, after in zip(rest, surfaces(skinned, frame), strict=True):
            assert after.volume == pytest.approx(before.volume, rel=0.35)
