"""BVH: what files in the world look like, what is refused, and what comes back after writing."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from footfall.errors import FileFormatError, InputError
from footfall.files import bvh
from footfall.files.bvh import numbers as bvh_numbers
from footfall.files.bvh import reader as bvh_read
from footfall.files.intake.frame_rate import snapped_rate
from footfall.files.intake.raw import RawMotion
from footfall.files.options import ReadOptions
from tests.sweeps import examples

SIMPLE = """HIERARCHY
ROOT Hips
{
  OFFSET 10 20 30
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Left Leg
  {
    OFFSET 0 -4 0
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 0 -3 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
1 2 3 10 20 30 40 50 60
4 5 6 -10 -20 -30 -40 -50 -60
"""


def read_text(folder: Path, text: str | bytes, **options: object) -> RawMotion:
    path = folder / "walk.bvh"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return bvh.read(path, ReadOptions(**options))  # type: ignore[arg-type]


def refusal(folder: Path, text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        read_text(folder, text)
    return str(caught.value)


def same_rotations(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-12) -> None:
    assert_allclose(np.abs(np.einsum("...i,...i->...", a, b)), 1.0, atol=tolerance)


# ------------------------------------------------------------------------------------- reading


def test_channels_are_read_in_the_order_written_for_each_joint(tmp_path: Path) -> None:
    raw = read_text(tmp_path, SIMPLE)
    assert raw.names == ("Hips", "Left Leg")
    assert_array_equal(raw.parents, [-1, 0])
    assert raw.fps == 30.0
    first = Rotation.from_euler("ZXY", [10, 20, 30], degrees=True).as_quat(scalar_first=True)
    second = Rotation.from_euler("YZX", [-40, -50, -60], degrees=True).as_quat(scalar_first=True)
    same_rotations(raw.rotations[0, 0], first)
    same_rotations(raw.rotations[1, 1], second)
    assert_array_equal(raw.end_joints, [1])
    assert_array_equal(raw.end_offsets, [[0, -3, 0]])
    assert raw.notes == ()


def test_position_channels_replace_the_offset(tmp_path: Path) -> None:
    raw = read_text(tmp_path, SIMPLE)
    assert_array_equal(raw.offsets[0], [10, 20, 30])
    assert_array_equal(raw.translations[0], [[1, 2, 3], [4, 5, 6]])
    assert list(raw.translations) == [0]


def test_an_axis_without_a_position_channel_keeps_the_offset(tmp_path: Path) -> None:
    text = SIMPLE.replace("6 Xposition Yposition Zposition Z", "4 Yposition Z")
    text = text.replace("1 2 3 10", "2 10").replace("4 5 6 -10", "5 -10")
    raw = read_text(tmp_path, text)
    assert_array_equal(raw.translations[0], [[10, 2, 30], [10, 5, 30]])


def test_positions_may_follow_rotations_on_any_joint(tmp_path: Path) -> None:
    text = SIMPLE.replace(
        "CHANNELS 3 Yrotation Zrotation Xrotation",
        "CHANNELS 6 Yrotation Zrotation Xrotation Zposition Yposition Xposition",
    )
    text = text.replace(" 40 50 60", " 40 50 60 7 8 9").replace(" -60\n", " -60 1 -4 0\n")
    raw = read_text(tmp_path, text)
    assert_array_equal(raw.translations[1], [[9, 8, 7], [0, -4, 1]])


def test_positions_that_only_repeat_the_offset_are_no_motion(tmp_path: Path) -> None:
    text = SIMPLE.replace(
        "CHANNELS 3 Yrotation", "CHANNELS 6 Xposition Yposition Zposition Yrotation"
    )
    text = text.replace(" 40 50 60", " 0 -4 0 40 50 60").replace(" -40", " 0 -4 0 -40")
    raw = read_text(tmp_path, text)
    assert list(raw.translations) == [0]
    assert raw.rotations.shape == (2, 2, 4)


def test_joints_may_have_no_or_few_channels(tmp_path: Path) -> None:
    text = SIMPLE.replace("CHANNELS 3 Yrotation Zrotation Xrotation", "CHANNELS 1 Xrotation")
    raw = read_text(tmp_path, text.replace(" 40 50 60", " 90").replace(" -40 -50 -60", " 0"))
    same_rotations(raw.rotations[:, 1], np.array([[0.5**0.5, 0.5**0.5, 0, 0], [1, 0, 0, 0]]))
    text = SIMPLE.replace("    CHANNELS 3 Yrotation Zrotation Xrotation\n", "")
    raw = read_text(tmp_path, text.replace(" 40 50 60", "").replace(" -40 -50 -60", ""))
    assert_array_equal(raw.rotations[:, 1], [[1, 0, 0, 0]] * 2)


def test_a_file_without_channels_is_one_frame_of_its_rest_pose(tmp_path: Path) -> None:
    text = "\n".join(line for line in SIMPLE.split("\n") if "CHANNELS" not in line)
    raw = read_text(tmp_path, text.replace("Frames: 2", "Frames: 999999999999"))
    assert raw.rotations.shape == (1, 2, 4)
    assert "rest pose" in raw.notes[-1]


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "ZXZ"])
def test_every_euler_order_agrees_with_scipy(tmp_path: Path, order: str) -> None:
    channels = " ".join(f"{axis}rotation" for axis in order)
    raw = read_text(tmp_path, SIMPLE.replace("Yrotation Zrotation Xrotation", channels))
    expected = Rotation.from_euler(order, [[40, 50, 60], [-40, -50, -60]], degrees=True)
    same_rotations(raw.rotations[:, 1], expected.as_quat(scalar_first=True))


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.lower(),
        lambda t: t.upper(),
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: t.replace(" ", "\t"),
        lambda t: t.replace("\n", "\n\n"),
        lambda t: t.replace("\n", " \n"),
        lambda t: t.replace("\n{", " {").replace("\n  {", " {").replace("\n    {", "{"),
        lambda t: t.replace("Frames: 2", "Frames:2").replace("Time: ", "Time:"),
        lambda t: t.replace("Frames: 2", "Frames :\t2").replace("Frame Time:", "  FrameTime :"),
        lambda t: t.replace("Frames: 2\nFrame Time: 0.0333333", "Frame Time: 0.0333333\nFrames: 2"),
        lambda t: t.rstrip("\n"),
        lambda t: t.replace("20 30 40", "20\n30 40").replace("-20 -30", "-20\n-30"),
        lambda t: t.replace("10 20 30 40", "+1e1 2.E+1 .3e2 40."),
    ],
)
def test_spelling_does_not_matter(tmp_path: Path, change) -> None:  # type: ignore[no-untyped-def]
    expected, raw = read_text(tmp_path, SIMPLE), read_text(tmp_path, change(SIMPLE))
    assert_array_equal(raw.rotations, expected.rotations)
    assert_array_equal(raw.translations[0], expected.translations[0])
    assert_array_equal(raw.end_offsets, expected.end_offsets)
    assert [n.lower().split() for n in raw.names] == [n.lower().split() for n in expected.names]
    assert (raw.fps, raw.notes) == (30.0, ())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_encodings_are_detected(tmp_path: Path, encoding: str) -> None:
    raw = read_text(tmp_path, SIMPLE.replace("Hips", "Hüfte").encode(encoding))
    assert raw.names[0] == "Hüfte"
    assert raw.rotations.shape == (2, 2, 4)


def test_names_may_be_odd_missing_or_doubled(tmp_path: Path) -> None:
    raw = read_text(tmp_path, SIMPLE.replace("Left Leg", "mixamorig:Left.Leg"))
    assert raw.names[1] == "mixamorig:Left.Leg"
    raw = read_text(tmp_path, SIMPLE.replace("JOINT Left Leg", "JOINT"))
    assert raw.names == ("Hips", "joint_1")
    assert "without a name" in raw.notes[0]
    raw = read_text(tmp_path, SIMPLE.replace("Left Leg", "Hips"))
    assert raw.names == ("Hips", "Hips.2")
    assert "more than once" in raw.notes[0]


def test_of_several_roots_the_largest_is_read(tmp_path: Path) -> None:
    prop = "ROOT Prop\n{\n  OFFSET 0 0 0\n  CHANNELS 1 Xrotation\n}\n"
    text = SIMPLE.replace("HIERARCHY\n", "HIERARCHY\n" + prop)
    raw = read_text(tmp_path, text.replace("1 2 3", "77 1 2 3").replace("4 5 6", "77 4 5 6"))
    expected = read_text(tmp_path, SIMPLE)
    assert raw.names == expected.names
    assert_array_equal(raw.rotations, expected.rotations)
    assert_array_equal(raw.translations[0], expected.translations[0])
    assert "2 roots" in raw.notes[0]


def test_scale_channels_are_passed_over(tmp_path: Path) -> None:
    text = SIMPLE.replace("CHANNELS 3 Yrotation", "CHANNELS 4 Xscale Yrotation")
    raw = read_text(tmp_path, text.replace(" 40", " 1 40").replace(" -40", " 1 -40"))
    assert_array_equal(raw.rotations, read_text(tmp_path, SIMPLE).rotations)


def test_the_numbers_decide_how_many_frames_there_are(tmp_path: Path) -> None:
    for stated in ("1", "3", "0", "999999999999"):
        raw = read_text(tmp_path, SIMPLE.replace("Frames: 2", f"Frames: {stated}"))
        assert raw.rotations.shape == (2, 2, 4)
        assert raw.notes == (
            f"the header says {stated} frames but the file holds 2; those are used.",
        )


def test_a_last_frame_cut_short_is_left_out(tmp_path: Path) -> None:
    cut = read_text(tmp_path, SIMPLE.replace(" -50 -60\n", ""))
    assert cut.rotations.shape[0] == 1
    assert "7 of 9 numbers" in cut.notes[0]
    assert read_text(tmp_path, SIMPLE.replace(" -50 -60\n", " -")).rotations.shape[0] == 1


def test_blocks_and_threads_do_not_change_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = np.random.default_rng(3).normal(size=(500, 9))
    body = "\n".join(" ".join(f"{v:.5f}" for v in row) for row in numbers)
    text = SIMPLE.split("0.0333333\n")[0] + "0.0333333\n" + body
    whole = read_text(tmp_path, text.replace("Frames: 2", "Frames: 500"))
    original = bvh_read.text_blocks
    for size in (64, 1000, 4097):
        monkeypatch.setattr(bvh_read, "text_blocks", lambda p, size=size: original(p, size))
        monkeypatch.setattr(bvh_numbers, "_TWO_THREADS_FROM", 0 if size == 1000 else 1 << 40)
        for stated in ("500", "7"):
            raw = read_text(tmp_path, text.replace("Frames: 2", f"Frames: {stated}"))
            assert_array_equal(raw.rotations, whole.rotations)
            assert_array_equal(raw.translations[0], whole.translations[0])
        message = refusal(tmp_path, text + " x")
        assert "line 518" in message
        for end in ("\r", "\r\n"):
            raw = read_text(tmp_path, text.replace("\n", end).replace("Frames: 2", "Frames: 500"))
            assert_array_equal(raw.rotations, whole.rotations)
            assert raw.notes == ()
        assert "line 219: the line holds 8 numbers" in refusal(
            tmp_path, text.replace(" ".join(f"{v:.5f}" for v in numbers[200]), "1 2 3 4 5 6 7 8")
        )


@given(
    st.lists(
        st.one_of(
            st.floats(-1e9, 1e9).map(repr),
            st.floats(-1e9, 1e9, width=32).map(lambda v: f"{v:.9f}"),
            st.from_regex(r"\A[+-]?[0-9]{1,25}(\.[0-9]{0,25})?(e-?[0-9]{1,3})?\Z"),
            st.from_regex(r"\A[+-]?[0-9]{0,3}\.[0-9]{1,8}([eE][+-]?[0-9])?\Z"),
        ).filter(lambda word: abs(float(word)) <= 1e9),
        min_size=1,
        max_size=40,
    )
)
@examples(60)
def test_numbers_are_read_as_python_reads_them(tmp_path_factory, words: list[str]) -> None:  # type: ignore[no-untyped-def]
    header = SIMPLE.split("  JOINT")[0].replace("6 Xposition Yposition Zposition Zrotation", "1 ")
    header = header.replace("1  Xrotation Yrotation", "1 Xposition")
    path = tmp_path_factory.getbasetemp() / "numbers.bvh"
    path.write_text(header + "}\nMOTION\nFrames: 1\nFrame Time: 1\n" + "\n".join(words) + "\n")
    values = bvh.read(path, ReadOptions()).translations[0][:, 0]
    expected = np.array([float(word) for word in words])
    assert values.tobytes() == expected.tobytes()


# ------------------------------------------------------------------------------------ refusing


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("HIERARCHY", "", "line 2: the file does not begin with HIERARCHY"),
        ("OFFSET 0 -4 0", "OFFSET 0 -4", "line 9: the OFFSET of joint Left Leg is 'CHANNELS'"),
        ("OFFSET 0 -4 0", "", "line 6: joint Left Leg has no OFFSET"),
        ("OFFSET 0 -4 0", "OFFSET 0 nan 0", "line 8: the OFFSET of joint Left Leg is 'nan'"),
        ("CHANNELS 3", "CHANNELS 4", "line 10: joint Left Leg has a channel 'End'"),
        ("CHANNELS 3", "CHANNELS 2", "line 9: 'Xrotation' in joint Left Leg"),
        ("CHANNELS 3", "CHANNELS 99999999", "line 9: the number of channels of joint Left Leg"),
        ("CHANNELS 3 Y", "CHANNELS 3 W", "line 9: joint Left Leg has a channel 'Wrotation'"),
        ("Yposition", "Xposition", "line 5: joint Hips has Xposition twice"),
        ("  }\n}\nMOTION", "  }\nMOTION", "line 2: joint Hips is not closed"),
        ("  }\n}\nMOTION", "  }\n}\n}\nMOTION", "line 16: '}' stands outside the joints"),
        ("JOINT Left Leg", "ROOT Left Leg", "line 6: ROOT Left Leg stands inside a joint"),
        ("MOTION", "", "line 17: 'Frames:' stands outside the joints"),
        ("Frames: 2", "Frames: two", "line 17: the number of frames is 'two'"),
        ("Frames: 2", "Frames: -2", "line 17: the number of frames is '-2'"),
        ("Frame Time: 0.0333333\n", "", "there is no Frame Time"),
        ("0.0333333", "0", "line 18: the Frame Time is '0'"),
        ("0.0333333", "-0.01", "line 18: the Frame Time is '-0.01'"),
        ("0.0333333", "nan", "line 18: the Frame Time is 'nan'"),
        ("0.0333333", "0,0333", "line 18: the Frame Time is '0,0333'; write decimals with a point"),
        ("0.0333333", "30", "line 18: the Frame Time is '30'; it must be the seconds"),
        ("-50", "nan", "line 20: Zrotation of joint Left Leg in frame 1 is 'nan'"),
        ("-50", "1.#QNAN", "line 20: Zrotation of joint Left Leg in frame 1 is '1.#QNAN'"),
        ("-50", "-1.#IND", "in frame 1 is '-1.#IND'; it must be a finite number"),
        ("-50", "1e999", "in frame 1 is '1e999'; that is too large"),
        ("-50", "-50,5", "in frame 1 is '-50,5'; write decimals with a point"),
        ("-50", "5_0", "in frame 1 is '5_0'; it must be a number"),
        ("-50", "٣", "in frame 1 is '٣'; it must be a number"),
        ("50 60\n4", "50\n4", "line 19: the line holds 8 numbers; a frame has 9"),
        ("50 60\n4", "50 60 70\n4", "line 19: the line holds 10 numbers; a frame has 9"),
        ("1 2 3 10 20 30 40 50 60\n4 5 6 -10 -20 -30 -40 -50 -60\n", "", "no whole frame"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SIMPLE
    message = refusal(tmp_path, SIMPLE.replace(old, new, 1))
    assert message.startswith("walk.bvh")
    assert said in message


def test_a_given_frame_rate_stands_in_for_a_bad_frame_time(tmp_path: Path) -> None:
    assert read_text(tmp_path, SIMPLE.replace("0.0333333", "0"), fps=60.0).fps == 60.0


def test_files_that_are_no_text_or_not_there_are_refused(tmp_path: Path) -> None:
    assert "empty" in refusal(tmp_path, b"")
    assert "not a text file" in refusal(tmp_path, b"HIERARCHY\n" + bytes(100))
    with pytest.raises(InputError, match="folder"):
        bvh.read(tmp_path, ReadOptions())
    with pytest.raises(InputError, match="no such file"):
        bvh.read(tmp_path / "none.bvh", ReadOptions())


def test_a_very_deep_hierarchy_is_read_without_recursion(tmp_path: Path) -> None:
    depth = 5000
    opening = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\n" for i in range(depth))
    text = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" + opening + "}" * depth
    raw = read_text(tmp_path, text + "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0\n")
    assert len(raw.names) == depth + 1
    assert "more than" in refusal(tmp_path, text.replace(opening, opening * 5))


def test_few_numbers_cannot_ask_for_much_memory(tmp_path: Path) -> None:
    joints = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\n}}\n" for i in range(19_000))
    text = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" + joints
    message = refusal(tmp_path, text + "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n" + "0\n" * 100_000)
    assert "GB" in message


# -------------------------------------------------------------------------------- frame rates


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("0.0333333", 30), ("0.033333", 30), (".0083333", 120), ("0.0083333", 120), ("0.033", 30),
        ("0.016667", 60), ("0.016666", 60), ("0.017", 60), ("0.0417", 24), ("0.04", 25),
        ("0.033367", 30000 / 1001), ("0.0333667", 30000 / 1001), ("0.041708", 24000 / 1001),
        ("0.03333333507180214", 30), ("3.33333e-2", 30), ("0.03", 1 / 0.03), ("0.0361", 1 / 0.0361),
        ("1.0", 1), ("0.00833333333", 120), ("0.01", 100),
    ],
)  # fmt: skip
def test_rounded_frame_times_give_the_rate_that_was_meant(text: str, rate: float) -> None:
    assert snapped_rate(float(text), text) == pytest.approx(rate, rel=1e-12)


# ---------------------------------------------------------------------------------- real clips


@pytest.mark.mocap
def test_real_clips_agree_with_a_plain_reading(mocap: Path) -> None:
    files = sorted([*(mocap / "cmu").glob("*.bvh"), *(mocap / "accad_male1").glob("*.bvh")])
    assert len(files) == 78
    for path in random.Random(5).sample(files, 12):
        lines = path.read_text(encoding="latin-1").splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith("Frame Time"))
        rows = np.array(
            [[float(w) for w in line.split()] for line in lines[start + 1 :] if line.strip()]
        )
        order = next(line for line in lines if "CHANNELS 3" in line).split()[2:]
        expected = Rotation.from_euler(
            "".join(word[0] for word in order), rows[:, 3:].reshape(-1, 3), degrees=True
        )
        raw = bvh.read(path, ReadOptions())
        assert_array_equal(raw.translations[0], rows[:, :3])
        same_rotations(raw.rotations.reshape(-1, 4), expected.as_quat(scalar_first=True))
        assert raw.notes == ()


@pytest.mark.mocap
def test_all_real_clips_are_read_whole(mocap: Path) -> None:
    for path in (mocap / "cmu").glob("*.bvh"):
        raw = bvh.read(path, ReadOptions())
        assert (len(raw.names), len(raw.end_joints)) == (31, 7)
        assert raw.fps in (60.0, 120.0)
    for path in (mocap / "accad_male1").glob("*.bvh"):
        raw = bvh.read(path, ReadOptions())
        assert (len(raw.names), raw.fps) == (22, 30.0)


def test_errors_are_of_the_kind_that_names_the_format(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError):
        read_text(tmp_path, "nothing of the sort")
