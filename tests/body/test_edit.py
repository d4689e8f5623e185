"""Operations on clips: what they keep, what they undo, what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.body import edit
from footfall.body.clip import Clip
from footfall.body.mirror import mirrored_names, partners
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths import quaternions as qs
from tests.clips import real_clip

seeds = st.integers(0, 2**32 - 1)
MIRROR = np.array([-1.0, 1.0, 1.0])

# name, parent, offset; the left hand has fingers whose names say nothing of a side
JOINTS = [
    ("Hips", None, (0, 0.95, 0)),
    ("LHipJoint", "Hips", (0.02, 0, 0)),
    ("LeftUpLeg", "LHipJoint", (0.08, -0.05, 0.01)),
    ("LeftLeg", "LeftUpLeg", (0, -0.43, 0)),
    ("LeftFoot", "LeftLeg", (0, -0.42, 0)),
    ("joint17", "Hips", (-0.02, 0, 0)),
    ("RightUpLeg", "joint17", (-0.081, -0.05, 0.01)),
    ("RightLeg", "RightUpLeg", (0, -0.431, 0)),
    ("RightFoot", "RightLeg", (0, -0.42, 0.01)),
    ("Chest", "Hips", (0, 0.3, -0.02)),
    ("Head", "Chest", (0.001, 0.3, 0)),
    ("LeftArm", "Chest", (0.18, 0.2, 0)),
    ("LeftForeArm", "LeftArm", (0.28, 0, 0)),
    ("LeftHand", "LeftForeArm", (0.25, 0, 0)),
    ("finger_a", "LeftHand", (0.08, 0, 0.03)),
    ("finger_b", "LeftHand", (0.08, 0, -0.03)),
    ("finger_b2", "finger_b", (0.03, 0, 0)),
    ("RightArm", "Chest", (-0.18, 0.2, 0)),
    ("RightForeArm", "RightArm", (-0.281, 0, 0)),
    ("RightHand", "RightForeArm", (-0.25, 0, 0)),
    ("finger_c", "RightHand", (-0.08, 0, -0.03)),
    ("finger_c2", "finger_c", (-0.03, 0, 0)),
    ("finger_d", "RightHand", (-0.08, 0, 0.03)),
    ("arm_twist.L", "LeftArm", (0.1, 0, 0)),
    ("arm_twist.R", "RightArm", (-0.1, 0, 0)),
]
NAMES = tuple(name for name, _, _ in JOINTS)
SIDES = {"shoulder": "Arm", "elbow": "ForeArm", "wrist": "Hand", "hip": "UpLeg", "knee": "Leg",
         "ankle": "Foot"}  # fmt: skip
ROLES = {"hips": "Hips", "chest": "Chest", "head": "Head"} | {
    f"{side}_{role}": side.capitalize() + name
    for side in ("left", "right")
    for role, name in SIDES.items()
}
PAIRS = [
    ("LHipJoint", "joint17"), ("LeftFoot", "RightFoot"), ("LeftHand", "RightHand"),
    ("finger_a", "finger_d"), ("finger_b", "finger_c"), ("finger_b2", "finger_c2"),
    ("arm_twist.L", "arm_twist.R"), ("Hips", "Hips"), ("Head", "Head"),
]  # fmt: skip


def character(joints=JOINTS) -> Skeleton:
    names = tuple(name for name, _, _ in joints)
    ends = [names.index(n) for n in ("LeftFoot", "RightFoot", "Head", "finger_a", "finger_d")]
    return Skeleton(
        names,
        np.array([-1 if parent is None else names.index(parent) for _, parent, _ in joints]),
        np.array([offset for _, _, offset in joints], dtype=float),
        end_joints=np.array(ends),
        end_offsets=np.array(
            [[0, -0.05, 0.2], [0.01, -0.05, 0.2], [0.003, 0.2, 0], [0.04, 0, 0], [-0.05, 0, 0]]
        ),
        roles={role: names.index(name) for role, name in ROLES.items()},
    )


def wandering(seed: int = 1, frames: int = 40, fps: float = 30.0, skeleton=None) -> Clip:
    """A smooth random motion with contacts and tags."""
    rng = np.random.default_rng(seed)
    skeleton = skeleton or character()
    times = np.arange(frames)[:, None, None] / fps
    size, rate = rng.uniform(0, 0.8, (len(skeleton), 3)), rng.uniform(0.5, 3, (len(skeleton), 3))
    rotations = qs.from_rotation_vector(size * np.sin(rate * times + size))
    root = np.array([0.1, 0.95, 0.2]) + times[:, 0] * rng.uniform(-1, 1, 3)
    contacts = rng.integers(0, 2, (frames, 4)).astype(bool)
    touches = rng.integers(0, 2, (frames, 3)).astype(bool)
    return Clip(skeleton, fps, root, qs.continuous(rotations), "wander", contacts,
                ("walk", "turn_left"), touches=touches)  # fmt: skip


def same_motion(a: Clip, b: Clip, tolerance: float = 1e-12) -> None:
    assert a.skeleton.names == b.skeleton.names
    assert a.fps == b.fps
    np.testing.assert_allclose(a.skeleton.offsets, b.skeleton.offsets, atol=tolerance)
    np.testing.assert_allclose(a.root, b.root, atol=tolerance)
    assert qs.angle_between(a.rotations, b.rotations).max() < tolerance
    np.testing.assert_array_equal(a.contacts, b.contacts)
    np.testing.assert_array_equal(a.touches, b.touches)
    assert a.tags == b.tags


# --------------------------------------------------------------------------- slicing and joining


def test_a_slice_holds_the_frames_between_its_times_both_included():
    clip = wandering()
    part = edit.slice_clip(clip, 0.2, 0.5)
    np.testing.assert_array_equal(part.root, clip.root[6:16])
    np.testing.assert_array_equal(part.contacts, clip.contacts[6:16])
    np.testing.assert_array_equal(part.touches, clip.touches[6:16])
    assert part.seconds == pytest.approx(0.3)
    same_motion(edit.slice_clip(clip), clip)
    assert len(edit.slice_clip(clip, 0.5, 0.5)) == 1


@pytest.mark.parametrize(("start", "end"), [(-1, 0.5), (0.5, 0.2), (0.0, 9.0), (np.nan, 1.0)])
def test_a_slice_outside_the_clip_is_refused(start, end):
    with pytest.raises(InputError, match=r"0 to 1\.3 s"):
        edit.slice_clip(wandering(), start, end)
    with pytest.raises(InputError, match="no frames"):
        wandering()[50:60]


@given(st.integers(1, 38), seeds)
def test_pieces_joined_give_back_the_whole(cut, seed):
    clip = wandering(seed)
    joined = edit.join([clip[:cut], clip[cut:40]])
    same_motion(joined, clip, 1e-15)


@given(st.integers(1, 38), seeds, st.floats(-9, 9), st.floats(-9, 9), st.floats(-3, 3))
def test_pieces_that_share_a_frame_and_moved_away_align_to_the_whole(cut, seed, x, z, yaw):
    clip = wandering(seed)
    first, second = clip[: cut + 1], clip[cut:40]
    flipped = replace(
        edit.move(second, x, z, yaw), rotations=-edit.move(second, x, z, yaw).rotations
    )
    joined = edit.join([first, flipped], align=True)
    same_motion(joined, clip, 1e-11)
    assert np.all(qs.dot(joined.rotations[1:], joined.rotations[:-1]) > 0.0)


def test_joining_keeps_every_tag_once_and_contacts_only_if_all_have_them():
    a, b = wandering(1).tagged(["walk", "slow"]), wandering(2).tagged(["slow", "stop"])
    assert edit.join([a, b]).tags == ("walk", "slow", "stop")
    assert edit.join([a, b]).contacts.shape == (80, 4)
    assert edit.join([a, replace(b, contacts=None)]).contacts is None
    assert edit.join([a, replace(b, contacts=None)]).touches.shape == (80, 3)
    assert edit.join([a, replace(b, touches=None)]).touches is None


def test_clips_that_do_not_go_together_are_refused():
    clip = wandering()
    with pytest.raises(InputError, match=r"clip 2.*another skeleton"):
        edit.join([clip, replace(clip, skeleton=clip.skeleton.scaled(1.1))])
    with pytest.raises(InputError, match=r"clip 3.*60 frames per second"):
        edit.join([clip, clip, replace(clip, fps=60.0)])
    with pytest.raises(InputError, match="nothing to join"):
        edit.join([])


# ----------------------------------------------------------------------------------------- time


@pytest.mark.parametrize("smooth", [True, False])
def test_resampling_up_and_down_again_gives_back_the_clip(smooth):
    clip = wandering(frames=31)
    up = edit.resample(clip, 120.0, smooth)
    assert (len(up), up.fps) == (121, 120.0)
    same_motion(edit.resample(up, 30.0, smooth), clip, 1e-14)


def test_resampled_frames_lie_on_the_motion():
    fine = wandering(frames=241, fps=240.0)
    coarse = edit.resample(fine, 30.0)
    np.testing.assert_array_equal(coarse.root, fine.root[::8])
    again = edit.resample(coarse, 240.0)
    assert np.abs(again.positions - fine.positions).max() < 2e-3


def test_labels_of_other_frames_are_refused():
    clip = wandering()
    other = {"root": clip.root[:9], "rotations": clip.rotations[:9]}
    for make in (clip.derive, lambda **fields: replace(clip, **fields)):
        with pytest.raises(InputError, match="contacts"):
            make(**other, touches=None)
        with pytest.raises(InputError, match="touches"):
            make(**other, contacts=None)
        with pytest.raises(InputError, match="touches"):
            make(touches=np.ones((7, 3), bool))
        assert make(**other, contacts=None, touches=None).touches is None


def test_contacts_are_resampled_by_the_nearest_frame():
    clip = wandering(frames=5)
    times = np.array([0.0, 0.016, 0.018, 0.1, 0.12])
    np.testing.assert_array_equal(edit.retime(clip, times).contacts, clip.contacts[[0, 0, 1, 3, 4]])
    np.testing.assert_array_equal(edit.retime(clip, times).touches, clip.touches[[0, 0, 1, 3, 4]])


def test_reversed_twice_is_the_clip():
    clip = wandering()
    back = edit.reverse(clip)
    np.testing.assert_array_equal(back.root[0], clip.root[-1])
    same_motion(edit.reverse(back), clip, 1e-15)


def test_a_single_frame_can_be_resampled_retimed_reversed_and_mirrored():
    clip = wandering(frames=1)
    for one in (
        edit.resample(clip, 60.0), edit.retime(clip, [0.0]), edit.reverse(clip),
        edit.mirror(edit.mirror(clip)),
    ):  # fmt: skip
        assert len(one) == 1
        np.testing.assert_allclose(one.root, clip.root)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, 1e15])
def test_frame_rates_that_cannot_be_are_refused(bad):
    with pytest.raises(InputError, match="frame rate"):
        edit.resample(wandering(), bad)


@pytest.mark.parametrize("times", [[], [np.nan], [-0.1], [0.0, 2.0], [[0.0]]])
def test_times_outside_the_clip_are_refused(times):
    with pytest.raises(InputError, match="times to show"):
        edit.retime(wandering(), times)


# ------------------------------------------------------------------------------------ on the floor


@given(seeds, st.floats(-9, 9), st.floats(-9, 9), st.floats(-3, 3), st.sampled_from([0, 7, -1]))
def test_a_placed_clip_is_where_it_was_put(seed, x, z, yaw, frame):
    placed = edit.place(wandering(seed), [x, z, yaw], frame)
    np.testing.assert_allclose(edit.planar_pose(placed, frame), [x, z, yaw], atol=1e-11)


def test_moving_there_and_back_is_the_clip():
    clip = wandering()
    there = edit.move(clip, 1.0, 2.0, 0.7)
    back = edit.move(edit.move(there, -1.0, -2.0), yaw=-0.7)
    same_motion(back, clip)


# ----------------------------------------------------------------------------------------- mirror


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_partners_are_found_by_roles_names_and_shape(left, right):
    partner = partners(character())
    assert NAMES[partner[NAMES.index(left)]] == right
    assert NAMES[partner[NAMES.index(right)]] == left


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("LeftArm", "RightArm"), ("left_hip", "right_hip"),
        ("mixamorig:LeftToeBase", "mixamorig:RightToeBase"),
        ("thigh_l", "thigh_r"), ("upper_arm.L", "upper_arm.R"), ("L_Hand", "R_Hand"),
        ("LThumb", "RThumb"),
        ("J_Bip_L_Foot", "J_Bip_R_Foot"), ("lfemur", "rfemur"), ("lShldr", "rShldr"),
        ("ThumbL", "ThumbR"),
        ("DEF-thigh.L.001", "DEF-thigh.R.001"), ("Bip01 L Calf", "Bip01 R Calf"),
        ("LEFT_KNEE", "RIGHT_KNEE"),
    ],
)  # fmt: skip
def test_names_of_the_other_side_are_known(left, right):
    assert right in mirrored_names(left)
    assert left in mirrored_names(right)


@given(seeds)
def test_mirrored_twice_is_the_clip(seed):
    clip = wandering(seed)
    twice = edit.mirror(edit.mirror(clip))
    same_motion(twice, clip)
    assert twice.skeleton == clip.skeleton


@given(seeds)
def test_every_joint_and_end_is_where_its_partner_is_reflected(seed):
    clip = wandering(seed)
    mirrored = edit.mirror(clip)
    partner = partners(clip.skeleton)
    before, after = clip.world, mirrored.world
    np.testing.assert_allclose(after.positions, before.positions[:, partner] * MIRROR, atol=1e-13)
    ends = [1, 0, 2, 4, 3]
    np.testing.assert_allclose(
        mirrored.end_positions, clip.end_positions[:, ends] * MIRROR, atol=1e-13
    )
    assert mirrored.skeleton.roles == clip.skeleton.roles
    np.testing.assert_array_equal(mirrored.skeleton.parents, clip.skeleton.parents)


def test_mirrored_contacts_and_tags_change_sides():
    clip = wandering()
    mirrored = edit.mirror(clip)
    np.testing.assert_array_equal(mirrored.contacts, clip.contacts[:, [2, 3, 0, 1]])
    np.testing.assert_array_equal(mirrored.touches, clip.touches[:, [1, 0, 2]])
    assert mirrored.tags == ("walk", "turn_right")


def test_a_symmetric_skeleton_is_its_own_mirror_image():
    skeleton = character()
    partner = partners(skeleton)
    offsets = 0.5 * (skeleton.offsets + skeleton.offsets[partner] * MIRROR)
    ends = 0.5 * (skeleton.end_offsets + skeleton.end_offsets[[1, 0, 2, 4, 3]] * MIRROR)
    skeleton = replace(skeleton, offsets=offsets, end_offsets=ends)
    clip = wandering(skeleton=skeleton)
    assert edit.mirror(clip).skeleton == skeleton
    kept = edit.mirror(clip, keep_skeleton=True)
    same_motion(kept, edit.mirror(clip), 1e-15)


def test_keeping_the_skeleton_keeps_it():
    clip = wandering()
    assert edit.mirror(clip).skeleton != clip.skeleton
    kept = edit.mirror(clip, keep_skeleton=True)
    assert kept.skeleton is clip.skeleton
    assert np.abs(kept.positions - edit.mirror(clip).positions).max() < 0.03


@pytest.mark.parametrize("hand", ["LeftHand", "RightHand"])
def test_what_one_hand_holds_is_in_the_other_hand_in_the_mirror(hand):
    at = NAMES.index(hand) + 1
    prop = ("LeftProp" if hand == "LeftHand" else "RightProp", hand, (0.0, 0.1, 0.4))
    clip = wandering(skeleton=character([*JOINTS[:at], prop, *JOINTS[at:]]))
    mirrored = edit.mirror(clip)
    other = "RightProp" if hand == "LeftHand" else "LeftProp"
    found, was = mirrored.skeleton.index(other), clip.skeleton.index(prop[0])
    holder = mirrored.skeleton.names[mirrored.skeleton.parents[found]]
    assert holder == ("RightHand" if hand == "LeftHand" else "LeftHand")
    np.testing.assert_allclose(
        mirrored.positions[:, found], clip.positions[:, was] * MIRROR, atol=1e-13
    )
    for name in ("LeftFoot", "Head", "finger_a"):
        image = NAMES[partners(character())[NAMES.index(name)]]
        np.testing.assert_allclose(
            mirrored.positions[:, mirrored.skeleton.index(name)],
            clip.positions[:, clip.skeleton.index(image)] * MIRROR,
            atol=1e-13,
        )


@given(seeds)
def test_a_skeleton_without_roles_or_sides_is_reflected_as_it_is(seed):
    rng = np.random.default_rng(seed)
    skeleton = Skeleton(tuple("abcd"), np.array([-1, 0, 1, 0]), rng.normal(size=(4, 3)))
    clip = Clip(skeleton, 30.0, rng.normal(size=(3, 3)), qs.random_rotations(rng, (3, 4)))
    mirrored = edit.mirror(clip).positions
    np.testing.assert_allclose(mirrored, clip.positions * MIRROR, atol=1e-13)


@pytest.mark.mocap
@pytest.mark.parametrize("folder", ["cmu", "accad_male1"])
def test_real_skeletons_pair_all_joints_off_the_middle(mocap, folder):

    clip = real_clip(sorted((mocap / folder).glob("*.bvh"))[0])
    partner = partners(clip.skeleton)
    off_middle = np.abs(clip.skeleton.rest_positions[:, 0] - clip.skeleton.rest_positions[0, 0])
    alone = [j for j in range(len(partner)) if partner[j] == j and off_middle[j] > 0.03]
    assert alone == []
    twice = edit.mirror(edit.mirror(clip))
    assert qs.angle_between(twice.rotations, clip.rotations).max() < 1e-12
