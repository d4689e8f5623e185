"""From raw motion to clip: nothing moves, everything is understood."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.body.axes import AXES, to_y_up
from footfall.body.clip import Clip
from footfall.body.feet import foot_points, leg_length
from footfall.body.skeleton import Skeleton
from footfall.errors import FileFormatError, InputError, MissingJointError
from footfall.files import bvh
from footfall.files.intake.clip import clip_from_raw
from footfall.files.intake.raw import RawMotion
from footfall.files.options import ReadOptions
from footfall.maths.quaternions import conjugate, from_rotation_vector, multiply, random_rotations
from tests.body.skeletons import FAMILIES, family_skeleton, raw_motion
from tests.sweeps import examples


def copied(raw: RawMotion) -> RawMotion:
    """Intake uses its input up, so tests that look at it again hand over a copy."""
    tracks = {joint: track.copy() for joint, track in raw.translations.items()}
    return replace(raw, rotations=raw.rotations.copy(), translations=tracks)


def raw_positions(raw: RawMotion) -> np.ndarray:
    """(T, J, 3) world positions in file units and axes, by scipy's rotations."""
    frames, joints = raw.rotations.shape[:2]
    places = np.zeros((frames, joints, 3))
    turns: list[Rotation] = []
    for joint in range(joints):
        local = Rotation.from_quat(raw.rotations[:, joint], scalar_first=True)
        shift = raw.translations.get(joint, np.tile(raw.offsets[joint], (frames, 1)))
        parent = int(raw.parents[joint])
        if parent < 0:
            places[:, joint] = shift
            turns.append(local)
        else:
            places[:, joint] = places[:, parent] + turns[parent].apply(shift)
            turns.append(turns[parent] * local)
    return places


def assert_same_motion(clip: Clip, raw: RawMotion, unit: float, up: str, skip: int = 0) -> None:
    """Every joint the clip has is where the file has it, to a billionth of a metre."""
    columns = [raw.names.index(name) for name in clip.skeleton.names]
    wanted = raw_positions(raw)[skip:, columns] * unit @ to_y_up(up).T
    np.testing.assert_allclose(clip.positions, wanted, atol=2e-9)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("unit", "up"), [(1.0, "y"), (0.01, "z"), (0.0254, "-x")])
def test_every_family_keeps_every_joint_in_its_place(
    family: str, unit: float, up: str, rng: np.random.Generator
) -> None:
    skeleton, wanted = family_skeleton(family)
    raw = raw_motion(skeleton, rng, unit_m=unit, up=up, swing=0.2)
    clip = clip_from_raw(copied(raw))
    assert clip.source is not None
    assert (clip.source.unit_m, clip.source.up) == (pytest.approx(unit), up)
    assert {r: clip.skeleton.names[j] for r, j in clip.skeleton.roles.items()} == wanted
    assert_same_motion(clip, raw, unit, up)
    assert clip.skeleton.names[0] == wanted["hips"]


def reframed(raw: RawMotion, rng: np.random.Generator) -> RawMotion:
    """The same motion in a file whose joint frames are turned at random: a garbage zero pose."""
    joints = len(raw.names)
    frames = random_rotations(rng, joints)
    above = np.where(raw.parents[:, None] >= 0, frames[raw.parents], [[1.0, 0.0, 0.0, 0.0]])
    rotations = multiply(multiply(above, raw.rotations), conjugate(frames))
    turn = Rotation.from_quat(frames[raw.end_joints].reshape(-1, 4), scalar_first=True)
    before = Rotation.from_quat(above, scalar_first=True)
    return replace(
        raw, rotations=rotations, offsets=before.apply(raw.offsets),
        end_offsets=turn.apply(raw.end_offsets) if len(raw.end_joints) else raw.end_offsets,
    )  # fmt: skip


@examples(25)
@given(st.integers(0, 10_000), st.sampled_from(["lafan1", "smpl", "unreal", "cmu_bvh"]))
def test_a_garbage_zero_pose_becomes_a_t_pose_without_moving_anything(
    seed: int, family: str
) -> None:
    rng = np.random.default_rng(seed)
    skeleton, _ = family_skeleton(family)
    raw = reframed(raw_motion(skeleton, rng, swing=0.1), rng)
    clip = clip_from_raw(copied(raw))
    assert_same_motion(clip, raw, 1.0, "y")
    place, roles = clip.skeleton.rest_positions, clip.skeleton.roles
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hip, ankle, shoulder, wrist, toe = (
            place[roles[f"{side}_{r}"]] for r in ("hip", "ankle", "shoulder", "wrist", "toe")
        )
        assert np.hypot(*(ankle - hip)[[0, 2]]) < 2e-3
        assert abs((wrist - shoulder)[1]) + abs((wrist - shoulder)[2]) < 2e-3
        assert sign * (wrist - shoulder)[0] > 0.4
        assert abs((toe - ankle)[0]) < 1e-3 < (toe - ankle)[2]
    assert place[roles["head"], 1] > place[roles["chest"], 1] + 0.15


@pytest.mark.parametrize("family", ["cmu_bvh", "unreal", "smpl"])
def test_a_canonical_clip_comes_back_to_the_bit(family: str, rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton(family)
    once = clip_from_raw(reframed(raw_motion(skeleton, rng, swing=0.1), rng))
    again = clip_from_raw(
        RawMotion(
            "test", once.skeleton.names, once.skeleton.parents, once.skeleton.offsets,
            once.skeleton.end_joints, once.skeleton.end_offsets, once.rotations.copy(),
            {0: once.root.copy()}, once.fps,
        )
    )  # fmt: skip
    assert again.skeleton == once.skeleton
    np.testing.assert_array_equal(again.rotations, once.rotations)
    np.testing.assert_array_equal(again.root, once.root)


def test_the_canonical_rest_stands_on_the_floor(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("vrm")
    clip = clip_from_raw(raw_motion(skeleton, rng))
    assert foot_points(clip.skeleton).sole_height == pytest.approx(0.0, abs=1e-12)


def test_the_files_own_rest_is_kept_when_asked(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("smpl")
    raw = reframed(raw_motion(skeleton, rng), rng)
    clip = clip_from_raw(copied(raw), ReadOptions(rest="file"))
    np.testing.assert_allclose(clip.skeleton.offsets[1:], raw.offsets[1:], atol=1e-12)
    assert clip.skeleton.roles
    assert_same_motion(clip, raw, 1.0, "y")


def test_a_bind_pose_is_the_reference_when_the_file_has_one(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("vroid")
    raw = raw_motion(skeleton, rng, swing=0.8)
    turned = reframed(raw, rng)
    bind = reframed(replace(raw, rotations=np.tile([1.0, 0, 0, 0], (1, len(skeleton), 1))),
                    np.random.default_rng(0))  # fmt: skip
    same = np.random.default_rng(0)
    turned = reframed(raw, same)
    clip = clip_from_raw(copied(replace(turned, rest_rotations=bind.rotations[0])))
    assert clip.source is not None
    assert not any("mean posture" in note for note in clip.source.notes)
    hips = skeleton.names.index("J_Bip_C_Hips")
    kept = [skeleton.names.index(name) for name in clip.skeleton.names]
    wanted = skeleton.rest_positions[kept] - skeleton.rest_positions[hips]
    np.testing.assert_allclose(
        clip.skeleton.rest_positions - clip.skeleton.rest_positions[0], wanted, atol=1e-3
    )
    assert_same_motion(clip, turned, 1.0, "y")


def test_moving_ancestors_are_folded_into_the_hips(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("unreal")
    raw = raw_motion(skeleton, rng, swing=0.1)
    pelvis = skeleton.names.index("pelvis")
    walk = np.cumsum(rng.normal(0.0, 0.02, (40, 3)), axis=0)
    raw.translations[pelvis] = raw.offsets[pelvis] + walk
    raw.rotations[:, 0] = from_rotation_vector(np.linspace(0, 2, 40)[:, None] * [0.0, 1.0, 0.0])
    clip = clip_from_raw(copied(raw))
    assert clip.skeleton.names[0] == "pelvis"
    assert_same_motion(clip, raw, 1.0, "y")
    assert clip.source is not None
    notes = " ".join(clip.source.notes)
    assert "root was folded into pelvis" in notes
    assert "beside the body" in notes
    assert not any(name.startswith("ik_") for name in clip.skeleton.names)


def test_constant_translations_on_every_joint_are_offsets(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("lafan1")
    raw = raw_motion(skeleton, rng)
    for joint in range(1, len(skeleton)):
        raw.translations[joint] = np.tile(raw.offsets[joint], (40, 1))
    raw = replace(raw, offsets=np.zeros_like(raw.offsets))
    clip = clip_from_raw(copied(raw))
    assert_same_motion(clip, raw, 1.0, "y")
    assert clip.source is not None
    assert clip.source.notes == ()


def test_a_stretching_bone_is_told_in_millimetres(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("lafan1")
    raw = raw_motion(skeleton, rng, unit_m=0.01)
    knee = skeleton.names.index("LeftLeg")
    raw.translations[knee] = np.tile(raw.offsets[knee], (40, 1))
    raw.translations[knee][7, 1] += 1.25
    clip = clip_from_raw(raw)
    assert clip.source is not None
    assert any("LeftLeg, by up to 12.5 mm" in note for note in clip.source.notes)


def test_what_is_no_humanoid_still_loads(rng: np.random.Generator) -> None:
    names = tuple(f"link{k}" for k in range(6))
    raw = RawMotion(
        "test", names, np.arange(-1, 5), rng.normal(size=(6, 3)), np.array([5]),
        np.ones((1, 3)), random_rotations(rng, (9, 6)), {0: rng.normal(size=(9, 3))}, 25.0,
    )  # fmt: skip
    clip = clip_from_raw(copied(raw))
    assert dict(clip.skeleton.roles) == {}
    assert_same_motion(clip, raw, 1.0, "y")
    assert clip.source is not None
    assert "left_hip" in clip.source.notes[0]
    with pytest.raises(MissingJointError, match=r"left hip.*link"):
        clip.skeleton.role("left_hip")


def test_one_hemisphere_and_unit_length(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("bandai")
    raw = raw_motion(skeleton, rng)
    signs = rng.choice([-1.0, 1.0], (40, len(skeleton), 1))
    clip = clip_from_raw(replace(raw, rotations=raw.rotations * signs * 1.0000001))
    assert np.all(np.einsum("tji,tji->tj", clip.rotations[1:], clip.rotations[:-1]) > 0.0)
    np.testing.assert_allclose(np.linalg.norm(clip.rotations, axis=2), 1.0, atol=1e-12)


def test_a_mirrored_file_gets_its_sides_exchanged(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("lafan1")
    mirror = np.array([-1.0, 1.0, 1.0])
    flipped = Skeleton(skeleton.names, skeleton.parents, skeleton.offsets * mirror,
                       skeleton.end_joints, skeleton.end_offsets * mirror)  # fmt: skip
    clip = clip_from_raw(raw_motion(flipped, rng, swing=0.1))
    assert clip.source is not None
    assert any("exchanged" in note for note in clip.source.notes)
    assert clip.skeleton.names[clip.skeleton.roles["left_knee"]] == "RightLeg"
    by_hand = ReadOptions(roles={"left_knee": "LeftLeg"})
    clip = clip_from_raw(raw_motion(flipped, rng, swing=0.1), by_hand)
    assert clip.skeleton.names[clip.skeleton.roles["left_knee"]] == "LeftLeg"
    assert any("backwards" in note for note in clip.source.notes) if clip.source else False


@pytest.mark.parametrize("first_frame", ["auto", "keep", "drop"])
def test_an_inserted_t_pose_is_dropped_unless_told(
    first_frame: str, rng: np.random.Generator
) -> None:
    skeleton, _ = family_skeleton("cmu_bvh")
    raw = raw_motion(skeleton, rng, swing=0.3)
    hang = from_rotation_vector([[0.0, 0.0, -1.3], [0.0, 0.0, 1.3]])
    for name, turn in zip(("LeftArm", "RightArm"), hang, strict=True):
        raw.rotations[:, skeleton.names.index(name)] = turn
    raw.rotations[0] = [1.0, 0.0, 0.0, 0.0]
    clip = clip_from_raw(copied(raw), ReadOptions(first_frame=first_frame))
    assert len(clip) == (40 if first_frame == "keep" else 39)
    assert clip.source is not None
    assert any("inserted T-pose" in n for n in clip.source.notes) == (first_frame == "auto")
    assert_same_motion(clip, raw, 1.0, "y", skip=40 - len(clip))


def test_a_motion_that_starts_in_a_t_pose_keeps_its_first_frame(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("cmu_bvh")
    raw = raw_motion(skeleton, rng, frames=400, swing=0.3)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(skeleton), 1))
    blend = np.linspace(0.0, 1.0, 400)[:, None, None]
    mixed = (1.0 - blend) * still + blend * raw.rotations
    mixed /= np.linalg.norm(mixed, axis=2, keepdims=True)
    assert len(clip_from_raw(replace(raw, rotations=mixed))) == 400


def test_options_win_over_what_is_found(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("smpl")
    raw = raw_motion(skeleton, rng)
    clip = clip_from_raw(raw, ReadOptions(unit_m=0.5, up="z", fps=24.0))
    assert clip.source is not None
    assert (clip.source.unit_m, clip.source.up, clip.fps) == (0.5, "z", 24.0)
    assert clip.source.stated_fps == 60.0
    assert leg_length(clip.skeleton, "left") == pytest.approx(0.83 * 0.5)


@pytest.mark.parametrize(
    "options",
    [
        ReadOptions(rest="a-pose"), ReadOptions(first_frame="maybe"), ReadOptions(up="up"),
        ReadOptions(unit_m=-1.0), ReadOptions(fps=float("nan")), ReadOptions(unit_m=0.0),
        ReadOptions(roles={"left_ankel": "x"}), ReadOptions(roles={"left_ankle": "x"}),
    ],
)  # fmt: skip
def test_wrong_options_are_told(options: ReadOptions, rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("smpl")
    with pytest.raises(InputError):
        clip_from_raw(raw_motion(skeleton, rng), options)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300])
@pytest.mark.parametrize("where", ["rotations", "offsets", "root"])
def test_numbers_that_are_none_are_told(value: float, where: str, rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("smpl")
    raw = raw_motion(skeleton, rng)
    offsets = np.array(raw.offsets)
    if where == "rotations":
        raw.rotations[3, 4, 1] = value
    elif where == "root":
        raw.translations[0][5, 2] = value
    else:
        offsets[6, 1] = value
    with pytest.raises(FileFormatError, match="number"):
        clip_from_raw(replace(raw, offsets=offsets))


def test_no_frames_is_told(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("smpl")
    raw = raw_motion(skeleton, rng)
    empty = replace(raw, rotations=raw.rotations[:0], translations={0: raw.translations[0][:0]})
    with pytest.raises(FileFormatError, match="no frames"):
        clip_from_raw(empty)


def test_a_single_frame_is_a_clip(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("lafan1")
    raw = reframed(raw_motion(skeleton, rng, frames=1), rng)
    assert_same_motion(clip_from_raw(copied(raw)), raw, 1.0, "y")


def test_intake_works_in_the_memory_it_is_given(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("unreal")
    raw = raw_motion(skeleton, rng)
    clip = clip_from_raw(raw)
    assert np.shares_memory(clip.rotations, raw.rotations)


def jump(fps: float, frames: int, rng: np.random.Generator) -> RawMotion:
    """A body that stands, flies for half a second under gravity, and stands, at a true rate."""
    skeleton, _ = family_skeleton("lafan1")
    time = (np.arange(frames) - frames / 2) / fps
    height = np.maximum(0.0, 0.5 * 9.81 * (0.25**2 - time**2))
    root = np.stack([np.zeros(frames), height + skeleton.offsets[0, 1], 1.5 * time], axis=1)
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (frames, len(skeleton), 1))
    hang = from_rotation_vector([[0.0, 0.0, -1.3], [0.0, 0.0, 1.3]])
    for name, turn in zip(("LeftArm", "RightArm"), hang, strict=True):
        rotations[:, skeleton.names.index(name)] = turn
    return RawMotion(
        "test", skeleton.names, skeleton.parents, skeleton.offsets,
        skeleton.end_joints, skeleton.end_offsets, rotations, {0: root}, fps,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("factor", "says"), [(1.0, ""), (2.0, "twice the true rate (60 fps)"), (0.5, "half")]
)
def test_free_fall_tells_a_wrong_frame_rate(
    factor: float, says: str, rng: np.random.Generator
) -> None:
    raw = jump(60.0, 180, rng)
    clip = clip_from_raw(raw, ReadOptions(fps=60.0 * factor))
    assert clip.source is not None
    falls = [note for note in clip.source.notes if "free fall" in note]
    assert clip.fps == 60.0 * factor, "said, never changed"
    assert len(falls) == (1 if says else 0)
    assert not says or says in falls[0]


def real_clips(folder: Path) -> list[dict[str, str]]:
    with (folder / "INDEX.csv").open() as table:
        return list(csv.DictReader(table))


@pytest.mark.mocap
def test_all_real_clips_are_understood(mocap: Path) -> None:
    rows = real_clips(mocap)
    assert len(rows) == 78
    for row in rows:
        clip = clip_from_raw(bvh.read(mocap / row["file"], ReadOptions()))
        assert clip.source is not None
        name, notes = row["file"], " ".join(clip.source.notes)
        assert len(clip.skeleton.roles) == 21, name
        cmu = row["dataset"] == "cmu"
        assert clip.source.unit_m == pytest.approx(0.0254 / 0.45 if cmu else 0.01), name
        assert (clip.source.up, clip.fps) == ("y", float(row["fps"])), name
        legs = [leg_length(clip.skeleton, side) for side in ("left", "right")]
        assert min(legs) - 0.002 <= float(row["leg_m"]) <= max(legs) + 0.002, name
        assert ("inserted T-pose" in notes) == cmu, name
        assert len(clip) == int(row["frames"]) - cmu, name
        assert ("mean posture" in notes) != cmu, name
        assert "free fall" not in notes, name


@pytest.mark.mocap
@pytest.mark.parametrize(
    "file",
    [
        "cmu/16_35.bvh",
        "cmu/118_20.bvh",
        "cmu/16_09.bvh",
        "accad_male1/Male1_B18_Walk2Leap2Walk.bvh",
    ],
)
def test_a_doubled_rate_is_suspected_on_real_jumps_and_runs(mocap: Path, file: str) -> None:
    raw = bvh.read(mocap / file, ReadOptions())
    clip = clip_from_raw(raw, ReadOptions(fps=2.0 * raw.fps))
    assert clip.source is not None
    assert any("twice the true rate" in note for note in clip.source.notes)


@pytest.mark.mocap
@pytest.mark.parametrize("file", ["cmu/16_16.bvh", "accad_male1/Male1_B15_WalkTurnAround.bvh"])
def test_real_joints_stay_where_the_file_has_them(mocap: Path, file: str) -> None:
    raw = bvh.read(mocap / file, ReadOptions())
    clip = clip_from_raw(copied(raw))
    assert clip.source is not None
    assert_same_motion(clip, raw, clip.source.unit_m, "y", skip=len(raw.rotations) - len(clip))


@pytest.mark.parametrize("up", AXES)
def test_every_up_axis_is_found(up: str, rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("mixamo")
    clip = clip_from_raw(raw_motion(skeleton, rng, up=up, swing=0.15))
    assert clip.source is not None
    assert clip.source.up == up
    assert clip.positions[:, clip.skeleton.roles["head"], 1].min() > 1.3


def test_a_stated_scale_that_makes_giants_is_kept_but_told(rng: np.random.Generator) -> None:
    skeleton, _ = family_skeleton("mixamo")
    clip = clip_from_raw(replace(raw_motion(skeleton, rng, unit_m=0.01), unit_m=1.0))
    assert clip.source is not None
    assert clip.source.unit_m == 1.0
    assert any("83 m long; a scale of 0.01" in note for note in clip.source.notes)


@examples(150)
@given(st.integers(0, 1_000_000), st.sampled_from(list(FAMILIES)))
def test_no_tree_however_odd_breaks_the_intake(seed: int, family: str) -> None:
    rng = np.random.default_rng(seed)
    skeleton, _ = family_skeleton(family)
    joints, frames = len(skeleton), int(rng.integers(1, 40))
    names, offsets, parents = list(skeleton.names), np.array(skeleton.offsets), skeleton.parents
    if rng.random() < 0.3:
        rng.shuffle(names)
    if rng.random() < 0.3:
        offsets[rng.random(joints) < 0.4] = 0.0
    if rng.random() < 0.2:
        parents = np.array([-1, *(int(rng.integers(0, j)) for j in range(1, joints))])
    if rng.random() < 0.3:
        offsets = (offsets + rng.normal(0.0, 0.3, offsets.shape)) * 10.0 ** rng.uniform(-7, 7)
    rotations = random_rotations(rng, (frames, joints))
    moving = [0] if rng.random() < 0.5 else [0, *rng.integers(0, joints, 3)]
    tracks = {int(j): rng.normal(size=(frames, 3)) for j in moving}
    rest = random_rotations(rng, joints) if rng.random() < 0.3 else None
    raw = RawMotion(
        "test", tuple(names), parents, offsets, skeleton.end_joints, skeleton.end_offsets,
        rotations, tracks, 30.0, rest_rotations=rest,
    )  # fmt: skip
    clip = clip_from_raw(copied(raw), ReadOptions(first_frame="keep"))
    assert clip.source is not None
    if len(moving) == 1 and np.abs(offsets).max() * clip.source.unit_m < 100.0:
        assert_same_motion(clip, raw, clip.source.unit_m, clip.source.up)
    assert np.isfinite(clip.positions).all()


@pytest.mark.mocap
@pytest.mark.parametrize("take", ["16_16", "16_35"])
def test_two_formats_of_one_take_agree_on_every_step(mocap: Path, take: str) -> None:
    from footfall.files.acclaim import motion as acclaim

    one = clip_from_raw(bvh.read(mocap / "cmu" / f"{take}.bvh", ReadOptions()))
    other = clip_from_raw(acclaim.read(mocap / "cmu_asfamc" / f"{take}.amc", ReadOptions()))
    places, others = one.positions, other.positions
    # The trunk is left out: the BVH conversion lacks the thorax bone.
    for role in ("hips", "left_hip", "left_knee", "right_ankle", "right_toe"):
        ours, theirs = places[:, one.skeleton.roles[role]], others[:, other.skeleton.roles[role]]
        np.testing.assert_allclose(ours, theirs[: len(ours)], atol=2e-4, err_msg=role)
    for part in ("hip", "knee", "ankle", "toe"):
        ours, theirs = (c.skeleton.offsets[c.skeleton.roles[f"left_{part}"]] for c in (one, other))
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
