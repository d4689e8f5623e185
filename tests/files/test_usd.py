"""USD: what UsdSkel itself computes from our files, what we read back, what is refused."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

from footfall.body.mesh import skin_vertices
from footfall.errors import InputError, MissingDependencyError
from footfall.files import usd
from footfall.files.formats import load, save
from footfall.files.options import ReadOptions, WriteOptions
from footfall.maths.quaternions import angle_between, random_rotations
from tests.files.binary_samples import raw_positions, skinned_box, small_clip

pxr = pytest.importorskip("pxr", reason="usd-core is not installed (the extra 'usd')")
from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt  # noqa: E402

from footfall.files.usd.writer import write_usd  # noqa: E402


def told(path) -> str:
    with pytest.raises(InputError) as error:
        load(path)
    said = str(error.value)
    assert said
    assert "\n" not in said
    assert len(said) < 400
    return said


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd"])
@pytest.mark.parametrize("frames", [1, 30])
def test_a_written_clip_reads_back(tmp_path, suffix, frames):
    clip = small_clip(frames, fps=59.94)
    path = tmp_path / f"clip{suffix}"
    write_usd(clip, path, skinned_box())
    raw = usd.read(path, ReadOptions())
    skeleton = clip.skeleton
    assert (raw.names, raw.fps, raw.name, raw.tags) == (
        skeleton.names, clip.fps, clip.name, clip.tags,
    )  # fmt: skip
    assert raw.parents.tolist() == skeleton.parents.tolist()
    assert raw.end_joints.tolist() == skeleton.end_joints.tolist()
    assert np.abs(raw.offsets - skeleton.offsets).max() < 1e-6
    assert np.abs(raw.end_offsets - skeleton.end_offsets).max() < 1e-6
    assert np.array_equal(raw.contacts, clip.contacts)
    assert (raw.unit_m, raw.up, raw.notes) == (1.0, "y", ())
    assert np.abs(raw_positions(raw) - clip.positions).max() < 1e-5


def test_a_second_file_of_the_same_name_is_not_the_first_one(tmp_path):
    for seed in (1, 2):
        clip = small_clip(5, seed)
        write_usd(clip, tmp_path / "clip.usda")
        raw = usd.read(tmp_path / "clip.usda", ReadOptions())
        assert np.abs(raw_positions(raw) - clip.positions).max() < 1e-5


@pytest.mark.parametrize(("up", "unit_m"), [("y", 1.0), ("z", 1.0), ("z", 0.01)])
def test_usdskel_sees_the_same_joints_and_skin(tmp_path, up, unit_m):
    """UsdSkel's own queries are the second reader: joints and skinned points at some frames."""
    clip, skin = small_clip(10), skinned_box()
    path = tmp_path / "clip.usdc"
    write_usd(clip, path, skin, up=up, unit_m=unit_m)
    stage = Usd.Stage.Open(str(path))
    assert str(UsdGeom.GetStageUpAxis(stage)) == up.upper()
    assert UsdGeom.GetStageMetersPerUnit(stage) == unit_m
    assert stage.GetTimeCodesPerSecond() == clip.fps
    root = UsdSkel.Root(stage.GetDefaultPrim())
    cache = UsdSkel.Cache()
    cache.Populate(root, Usd.PrimDefaultPredicate)
    skeleton = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/Character/Skeleton")))
    body = cache.GetSkinningQuery(stage.GetPrimAtPath("/Character/Body"))
    assert skeleton.HasBindPose()
    assert skeleton.HasRestPose()
    expected = clip.positions
    skinned, _ = skin_vertices(skin, clip.world, clip.skeleton)
    for frame in (0, 4, 9):
        matrices = np.array(skeleton.ComputeJointSkelTransforms(frame))
        assert np.abs(y_up(matrices[:6, 3, :3], up) * unit_m - expected[frame]).max() < 1e-5
        points = UsdGeom.Mesh(stage.GetPrimAtPath("/Character/Body")).GetPointsAttr().Get()
        body.ComputeSkinnedPoints(skeleton.ComputeSkinningTransforms(frame), points, frame)
        assert np.abs(y_up(np.array(points), up) * unit_m - skinned[frame]).max() < 1e-5


def y_up(points: np.ndarray, up: str) -> np.ndarray:
    return points if up == "y" else points[:, [0, 2, 1]] * [1, 1, -1]


@pytest.mark.mocap
@pytest.mark.parametrize("options", [{}, {"up": "z"}, {"unit_m": 0.01, "mesh": False}])
def test_real_clips_read_back(mocap, tmp_path, options):
    clip = load(mocap / "accad_male1" / "Male1_B6_WalkBackwards.bvh").tagged(["real"])
    save(clip, tmp_path / "clip.usdc", **options)
    again = load(tmp_path / "clip.usdc")
    assert (again.skeleton.names, again.fps, again.tags) == (
        clip.skeleton.names,
        clip.fps,
        clip.tags,
    )
    assert again.skeleton.roles == clip.skeleton.roles
    assert np.abs(again.positions - clip.positions).max() < 1e-5


def test_without_usd_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    (tmp_path / "x.usda").write_text("#usda 1.0\n")
    for call in (
        lambda: usd.read(tmp_path / "x.usda", ReadOptions()),
        lambda: usd.write(small_clip(), tmp_path / "y.usda", WriteOptions()),
    ):
        with pytest.raises(MissingDependencyError, match=r"pip install 'footfall\[usd\]'"):
            call()


# --- files of others ----------------------------------------------------------------------------


def foreign_stage(path, samples=(0, 1, 2), rate=24.0):
    """Two joints under a moved, scaled and turned SkelRoot; bind pose other than rest pose."""
    stage = Usd.Stage.CreateNew(str(path))
    stage.SetTimeCodesPerSecond(rate)
    root = UsdSkel.Root.Define(stage, "/World/Rig")
    op = root.AddTransformOp()
    turn = Gf.Matrix4d(Gf.Rotation(Gf.Vec3d(1, 0, 0), -90), Gf.Vec3d(1, 2, 3))
    op.Set(Gf.Matrix4d().SetScale(0.01) * turn)
    skeleton = UsdSkel.Skeleton.Define(stage, "/World/Rig/Skel")
    skeleton.CreateJointsAttr(["Root", "Root/Arm"])
    rest = [Gf.Matrix4d(1), Gf.Matrix4d().SetTranslate(Gf.Vec3d(0, 0, 50))]
    bent = Gf.Matrix4d().SetRotate(Gf.Rotation(Gf.Vec3d(0, 1, 0), 30))
    skeleton.CreateRestTransformsAttr(rest)
    skeleton.CreateBindTransformsAttr([Gf.Matrix4d(1), bent * rest[1]])
    motion = UsdSkel.Animation.Define(stage, "/World/Rig/Anim")
    motion.CreateJointsAttr(["Root/Arm", "Root"])
    motion.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1)] * 2))
    motion.CreateTranslationsAttr(Vt.Vec3fArray([Gf.Vec3f(0, 0, 50), Gf.Vec3f(0, 0, 100)]))
    turns = motion.CreateRotationsAttr()
    for code in samples:
        half = np.radians(10.0 * code) / 2
        moving = Gf.Quatf(float(np.cos(half)), 0, 0, float(np.sin(half)))
        turns.Set(Vt.QuatfArray([Gf.Quatf(1), moving]), code)
    binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([motion.GetPath()])
    return stage, root


def test_a_moved_and_scaled_rig_in_another_joint_order_is_read(tmp_path):
    stage, _ = foreign_stage(tmp_path / "x.usda")
    stage.Save()
    raw = usd.read(tmp_path / "x.usda", ReadOptions())
    assert (raw.names, raw.fps, len(raw.rotations)) == (("Root", "Arm"), 24.0, 3)
    assert raw.unit_m is None
    places = raw_positions(raw)
    assert np.abs(places[0] - [[1, 3, 3], [1, 3.5, 3]]).max() < 1e-6
    half = np.radians(15)
    assert angle_between(raw.rest_rotations[1], [np.cos(half), 0, np.sin(half), 0]) < 1e-6


def test_a_way_on_the_rig_itself_is_part_of_the_motion(tmp_path):
    stage, root = foreign_stage(tmp_path / "x.usda")
    shift = root.AddTranslateOp(opSuffix="way")
    for code in range(3):
        shift.Set(Gf.Vec3d(0, 0, 100.0 * code), code)
    stage.Save()
    way = usd.read(tmp_path / "x.usda", ReadOptions()).translations[0]
    assert np.abs(way - [[1, 3, 3], [1, 4, 3], [1, 5, 3]]).max() < 1e-6


def test_time_samples_are_resampled_to_frames(tmp_path):
    stage, _ = foreign_stage(tmp_path / "x.usda", samples=(0, 2, 3), rate=60.0)
    stage.Save()
    raw = usd.read(tmp_path / "x.usda", ReadOptions())
    assert (raw.fps, len(raw.rotations)) == (60.0, 4)
    turned = np.degrees(angle_between(raw.rotations[:, 0], raw.rotations[0, 0]))
    assert np.abs(turned - [0, 10, 20, 30]).max() < 1e-4


def test_a_skeleton_without_animation_gives_its_rest_pose(tmp_path):
    stage, _ = foreign_stage(tmp_path / "x.usda")
    stage.RemovePrim("/World/Rig/Anim")
    stage.Save()
    raw = usd.read(tmp_path / "x.usda", ReadOptions())
    assert len(raw.rotations) == 1
    assert "no animation" in raw.notes[0]


# --- damage and hostility -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "reference",
    ["references = @../x.usda@", "references = @/etc/hostname@", "payload = @../x.usda@</A>",
     "references = @http://x.org/a.usda@"],
)  # fmt: skip
def test_files_elsewhere_are_not_followed(tmp_path, reference):
    folder = tmp_path / "in"
    folder.mkdir()
    write_usd(small_clip(), tmp_path / "x.usda")
    (folder / "y.usda").write_text(f'#usda 1.0\ndef SkelRoot "A" (\n {reference}\n)\n{{\n}}\n')
    assert "outside its own folder" in told(folder / "y.usda")
    (folder / "z.usda").write_text("#usda 1.0\n(\n subLayers = [@../x.usda@]\n)\n")
    assert "outside its own folder" in told(folder / "z.usda")


def test_files_beside_it_are_followed(tmp_path):
    clip = small_clip()
    write_usd(clip, tmp_path / "x.usda")
    (tmp_path / "y.usda").write_text(
        '#usda 1.0\ndef SkelRoot "A" (\n references = @x.usda@\n)\n{}\n'
    )
    raw = usd.read(tmp_path / "y.usda", ReadOptions())
    assert raw.names == clip.skeleton.names


def test_references_that_multiply_are_refused(tmp_path):
    """Every level holds the next one three times: 3^20 prims, were they composed."""
    levels = []
    for level in range(20):
        below = [f'def "{c}" (\n references = </L{level + 1}>\n)\n{{\n}}\n' for c in "abc"]
        levels.append(f'def "L{level}"\n{{\n{"".join(below)}}}\n')
    text = "#usda 1.0\n" + "".join(levels) + 'def "L20"\n{\n}\n'
    (tmp_path / "x.usda").write_text(text)
    assert "references" in told(tmp_path / "x.usda")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("timeCodesPerSecond = 30", "timeCodesPerSecond = 0", "timeCodesPerSecond"),
        ("metersPerUnit = 1", "metersPerUnit = -1", "metersPerUnit"),
        ('"hips/head"', '"hips"', "twice"),
        ('joints = ["hips", "hips/spine"', 'joints = ["hips/spine", "hips"', "before its parent"),
        ("translations.timeSamples = {", "translations.timeSamples = { 9: [],", "time 9 holds 0"),
        ("3: [", "9e8: [", "unfolds to"),
        ("3: [", "1e300: [", "beyond 1e9"),
        ("uniform token[] joints", "unform token[] joints", "line"),
        ("def Skeleton", "def Xform", "no UsdSkel skeleton"),
    ],
)
def test_wrong_contents_are_told(tmp_path, old, new, said):
    write_usd(small_clip(4), tmp_path / "x.usda")
    text = (tmp_path / "x.usda").read_text(encoding="utf-8")
    text = text.replace("mixamorig_Spine/head", "head").replace("mixamorig_Spine", "spine")
    text = text.replace("hips/head/head_end", "hips/head_end")
    assert old in text
    (tmp_path / "x.usda").write_text(text.replace(old, new), encoding="utf-8")
    assert re.search(said, told(tmp_path / "x.usda"))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30, 0.0])
def test_numbers_that_are_no_motion_are_told(tmp_path, value):
    stage, _ = foreign_stage(tmp_path / "x.usdc")
    motion = UsdSkel.Animation(stage.GetPrimAtPath("/World/Rig/Anim"))
    wrong = Gf.Quatf(value, value, value, value)
    motion.GetRotationsAttr().Set(Vt.QuatfArray([Gf.Quatf(1), wrong]), 1)
    stage.Save()
    assert re.search("not finite|zero rotation", told(tmp_path / "x.usdc"))


def test_value_clips_are_not_followed(tmp_path):
    stage, root = foreign_stage(tmp_path / "x.usda")
    Usd.ClipsAPI(root).SetClipAssetPaths(["../far.usda"])
    stage.Save()
    assert "value clips" in told(tmp_path / "x.usda")


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_a_file_cut_anywhere_is_told_in_one_sentence(tmp_path, suffix):
    write_usd(small_clip(3), tmp_path / f"whole{suffix}")
    data = (tmp_path / f"whole{suffix}").read_bytes()
    for length in [1, 5, 20, *range(50, len(data) - 60, 397)]:
        (tmp_path / f"cut{suffix}").write_bytes(data[:length])
        told(tmp_path / f"cut{suffix}")


def test_any_joint_names_come_back(tmp_path, rng):
    clip = small_clip(2)
    names = ("a b", "a_b", "a.b", "ü", "1", "a/b")
    skeleton = type(clip.skeleton)(names, [-1, 0, 0, 0, 0, 0], clip.skeleton.offsets)
    again = type(clip)(skeleton, 30.0, clip.root, random_rotations(rng, (2, 6)))
    write_usd(again, tmp_path / "x.usda")
    assert usd.read(tmp_path / "x.usda", ReadOptions()).names == names
