"""Acclaim ASF/AMC: bones to joints, motion in bone frames, and agreement with BVH of the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from footfall.body.kinematics import forward_kinematics
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files import bvh
from footfall.files.acclaim import motion as acclaim
from footfall.files.intake.raw import RawMotion
from footfall.files.options import ReadOptions

ASF = """# made for a test
:version 1.10
:name character
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
   root position length begin end
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name thigh
     direction 0 -2 0
     length 7.5
     axis 0 0 20 XYZ
     dof rx ry rz
     limits (-160.0 20.0)
            (-70.0 70.0)
            (-60.0 70.0)
  end
  begin
     id 2
     name shin
     direction 0 -1 0
     length 8
     axis 30 40 50 ZYX
     dof rz rx
  end
  begin
     id 3
     name spine
     direction 0 1 0
     length 5
     axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root thigh spine
    thigh shin
  end
"""
AMC = """#!OML:ASF character.asf
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 10 20 30
thigh 40 50 60
shin 15 25
2
root 2 3 4 11 21 31
shin 16 26
thigh 41 51 61
"""


def read_texts(folder: Path, asf: str = ASF, amc: str = AMC, **options: object) -> RawMotion:
    (folder / "fig.asf").write_text(asf, encoding="utf-8")
    (folder / "fig_01.amc").write_text(amc, encoding="utf-8")
    return acclaim.read(folder / "fig_01.amc", ReadOptions(**options))  # type: ignore[arg-type]


def same_rotation(wxyz: np.ndarray, expected: Rotation) -> None:
    turn = Rotation.from_quat(wxyz, scalar_first=True).inv() * expected
    assert turn.magnitude().max() < 1e-9


def test_bones_become_joints_at_their_starts(tmp_path: Path) -> None:
    raw = read_texts(tmp_path)
    assert raw.names == ("root", "thigh", "shin", "spine")
    assert_array_equal(raw.parents, [-1, 0, 1, 0])
    assert_allclose(raw.offsets, [[0, 0, 0], [0, 0, 0], [0, -7.5, 0], [0, 0, 0]])
    assert_array_equal(raw.end_joints, [2, 3])
    assert_allclose(raw.end_offsets, [[0, -8, 0], [0, 5, 0]])
    assert raw.unit_m == pytest.approx(0.0254 / 0.45)


def test_a_bones_motion_acts_in_the_frame_of_its_axis(tmp_path: Path) -> None:
    raw = read_texts(tmp_path)
    # scipy's small letters turn about fixed axes, the first one first: Acclaim's custom.
    frame = Rotation.from_euler("xyz", [0, 0, 20], degrees=True)
    motion = Rotation.from_euler("xyz", [[40, 50, 60], [41, 51, 61]], degrees=True)
    same_rotation(raw.rotations[:, 1], frame * motion * frame.inv())
    frame = Rotation.from_euler("zyx", [30, 40, 50], degrees=True)
    motion = Rotation.from_euler("zx", [[15, 25], [16, 26]], degrees=True)
    same_rotation(raw.rotations[:, 2], frame * motion * frame.inv())
    same_rotation(
        raw.rotations[:, 0], Rotation.from_euler("xyz", [[10, 20, 30], [11, 21, 31]], True)
    )
    assert_array_equal(raw.rotations[:, 3], [[1, 0, 0, 0]] * 2)
    assert_array_equal(raw.translations[0], [[1, 2, 3], [2, 3, 4]])


THREE = [[0, 0, 20], [30, 40, 50], [40, 50, 60]]


def test_radians_may_be_stated_for_each_file(tmp_path: Path) -> None:
    degrees = read_texts(tmp_path)
    thigh, shin, motion = (" ".join(map(str, np.radians(v))) for v in THREE)
    asf = ASF.replace("angle deg", "angle rad")
    asf = asf.replace("axis 0 0 20", f"axis {thigh}").replace("axis 30 40 50", f"axis {shin}")
    assert_allclose(read_texts(tmp_path, asf).rotations, degrees.rotations, atol=1e-12)
    amc = AMC.replace(":DEGREES", ":RADIANS").replace("40 50 60", motion)
    raw = read_texts(tmp_path, ASF, amc)
    assert_allclose(raw.rotations[0, 1], degrees.rotations[0, 1], atol=1e-12)


def test_bones_may_move_and_stretch(tmp_path: Path) -> None:
    asf = ASF.replace("dof rx ry rz", "dof l tx rz")
    raw = read_texts(tmp_path, asf)
    shift = Rotation.from_euler("z", 20, degrees=True).apply([[50, 0, 0], [51, 0, 0]])
    assert_allclose(raw.translations[1], shift, atol=1e-12)
    assert_allclose(raw.translations[2], [[0, -47.5, 0], [0, -48.5, 0]])


def test_the_frame_rate_is_assumed_and_said(tmp_path: Path) -> None:
    raw = read_texts(tmp_path)
    assert raw.fps == 120.0
    assert "120 per second is assumed" in raw.notes[-1]
    raw = read_texts(tmp_path, fps=60.0)
    assert (raw.fps, raw.notes) == (60.0, ())


def test_a_skeleton_alone_is_one_frame_at_rest(tmp_path: Path) -> None:
    read_texts(tmp_path)
    raw = acclaim.read(tmp_path / "fig.asf", ReadOptions())
    assert_allclose(raw.rotations, [[[1, 0, 0, 0]] * 4], atol=1e-15)
    assert "rest pose" in raw.notes[0]


def test_the_skeleton_is_found_beside_the_motion(tmp_path: Path) -> None:
    motion = tmp_path / "16_03.amc"
    motion.touch()
    with pytest.raises(InputError, match="needs its skeleton"):
        acclaim.find_skeleton(motion)
    (tmp_path / "other.ASF").touch()
    assert acclaim.find_skeleton(motion).name == "other.ASF"
    (tmp_path / "16.asf").touch()
    assert acclaim.find_skeleton(motion).name == "16.asf"
    (tmp_path / "16_03.asf").touch()
    assert acclaim.find_skeleton(motion).name == "16_03.asf"
    (tmp_path / "x.amc").touch()
    with pytest.raises(InputError, match="there are 3"):
        acclaim.find_skeleton(tmp_path / "x.amc")


def test_a_last_frame_cut_short_is_left_out(tmp_path: Path) -> None:
    raw = read_texts(tmp_path, amc=AMC.replace("thigh 41 51 61\n", ""))
    assert raw.rotations.shape == (1, 4, 4)
    assert "cut short" in raw.notes[0]


def test_bones_outside_the_hierarchy_are_left_out(tmp_path: Path) -> None:
    raw = read_texts(tmp_path, ASF.replace("root thigh spine", "root thigh"))
    assert raw.names == ("root", "thigh", "shin")
    assert "1 bones" in raw.notes[0]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (":hierarchy", ":hierarchies", "there is no :hierarchy section"),
        ("length 7.5", "", "line 17: bone thigh has no length"),
        ("length 7.5", "length nan", "line 20: the length of bone thigh is 'nan'"),
        ("direction 0 -2 0", "direction 0 -2", "the direction of bone thigh has 2 numbers"),
        ("name shin", "name thigh", "bone thigh occurs twice; names must differ"),
        ("axis 0 0 20 XYZ", "axis 0 0 20 XYX", "the axis order of bone thigh is 'XYX'"),
        ("dof rz rx", "dof rz rq", "bone shin has a degree of freedom 'rq'"),
        ("thigh shin", "thigh shim", "names 'shim', which is no bone; did you mean shin?"),
        ("thigh shin", "thigh shin thigh", "thigh has two parents or is its own ancestor"),
        ("thigh shin", "shin root", "root has two parents or is its own ancestor"),
        ("length 0.45", "length 0", "line 6: the unit of length is 0"),
        ("  begin\n    root", "    root", "'root' stands outside begin and end"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_skeleton_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in ASF
    with pytest.raises(InputError) as caught:
        read_texts(tmp_path, ASF.replace(old, new, 1))
    assert str(caught.value).startswith("fig.asf")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("shin 15 25\n", "", "line 7: frame 1 has no values for bone shin"),
        ("shin 15 25", "shin 15", "line 7: bone shin has 1 numbers in frame 1"),
        ("shin 15 25", "shim 15 25", "line 7: 'shim' is no bone of the skeleton"),
        ("shin 15 25", "shin 15 nan", "line 7: a value of bone shin in frame 1 is 'nan'"),
        ("shin 15 25", "shin 15 2_5", "line 7: a value of bone shin in frame 1 is '2_5'"),
        ("shin 15 25", "shin 15 2,5", "write decimals with a point"),
        ("shin 15 25", "shin 15 25\nshin 15 25", "line 8: bone shin is twice in frame 1"),
        ("\n2\n", "\n1\n", "line 8: frame 1 follows frame 1; frame numbers must increase"),
        ("\n1\n", "\n", "line 4: 'root' stands before the first frame number"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_motion_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in AMC
    with pytest.raises(InputError) as caught:
        read_texts(tmp_path, amc=AMC.replace(old, new, 1))
    assert str(caught.value).startswith("fig_01.amc")
    assert said in str(caught.value)


def test_a_skeleton_without_freedom_has_no_motion(tmp_path: Path) -> None:
    lines = [x for x in ASF.split("\n") if "dof" not in x and "order" not in x]
    with pytest.raises(InputError, match="degree of freedom"):
        read_texts(tmp_path, "\n".join(lines))


# ---------------------------------------------------------------------------------- real clips

SAME_JOINTS = {
    "root": "Hips", "lfemur": "LeftUpLeg", "rfemur": "RightUpLeg", "ltibia": "LeftLeg",
    "rtibia": "RightLeg", "lfoot": "LeftFoot", "rfoot": "RightFoot", "ltoes": "LeftToeBase",
    "rtoes": "RightToeBase", "lowerback": "LowerBack", "upperback": "Spine", "thorax": "Spine1",
}  # fmt: skip
ARMS = {"humerus": "Arm", "radius": "ForeArm", "wrist": "Hand"}


def positions_m(raw: RawMotion, unit_m: float) -> np.ndarray:
    skeleton = Skeleton(raw.names, raw.parents, raw.offsets)
    root = np.ascontiguousarray(raw.translations[0])
    return forward_kinematics(skeleton, root, raw.rotations).positions * unit_m


@pytest.mark.mocap
@pytest.mark.parametrize("trial", ["16_16", "16_18", "16_33", "16_35"])
def test_real_trials_agree_with_their_bvh_conversions(mocap: Path, trial: str) -> None:
    """Legs and back lie on each other, and the arms do from the shoulder on.

    The BVH conversion loses the offset of every bone that has siblings where a bone ends (neck,
    clavicles, fingers), so there the shoulders sit lower by the length of the thorax.
    """
    ours = acclaim.read(mocap / "cmu_asfamc" / f"{trial}.amc", ReadOptions())
    other = bvh.read(mocap / "cmu" / f"{trial}.bvh", ReadOptions())
    assert len(ours.rotations) == len(other.rotations) - 1  # the BVH has a T-pose put before it
    a, b = positions_m(ours, ours.unit_m), positions_m(other, ours.unit_m)[1:]
    for mine, theirs in SAME_JOINTS.items():
        apart = a[:, ours.names.index(mine)] - b[:, other.names.index(theirs)]
        assert np.abs(apart).max() < 1e-4
    for side, long in (("l", "Left"), ("r", "Right")):
        shoulder = a[:, ours.names.index(f"{side}humerus")]
        shoulder_b = b[:, other.names.index(f"{long}Arm")]
        for mine, theirs in ARMS.items():
            arm = a[:, ours.names.index(side + mine)] - shoulder
            arm_b = b[:, other.names.index(long + theirs)] - shoulder_b
            assert np.abs(arm - arm_b).max() < 1e-4
        thorax = ours.offsets[ours.names.index("lowerneck")] * ours.unit_m
        lost = np.linalg.norm(shoulder - shoulder_b, axis=-1)
        assert_allclose(lost, np.linalg.norm(thorax), atol=1e-4)
