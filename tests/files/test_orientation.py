"""Up and left of every real clip, however its file is turned."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from footfall.body.axes import AXES
from footfall.body.clip import Clip
from footfall.files import bvh
from footfall.files.intake.clip import clip_from_raw
from footfall.files.intake.raw import RawMotion
from footfall.files.options import ReadOptions
from tests.conftest import mocap_folder, mocap_hard_folder
from tests.files.turned import in_world, leaning, mirrored, nameless, own, with_up
from tests.sweeps import cover, sample

pytestmark = pytest.mark.mocap

LIES_STILL = "Male1_A9_LieDown.bvh"
"""Nobody can tell from this file alone which of two axes is up."""


def files() -> list[Path]:
    found = []
    for folder in (mocap_folder(), mocap_hard_folder()):
        if folder is not None:
            with (folder / "INDEX.csv").open() as table:
                found += [folder / row["file"] for row in csv.DictReader(table)]
    return found


@cache
def raw_of(file: Path) -> RawMotion:
    return bvh.read(file, ReadOptions())


@cache
def plain_of(file: Path) -> Clip:
    return clip_from_raw(own(raw_of(file)))


def up_of(clip: Clip) -> tuple[str, bool]:
    assert clip.source is not None
    return clip.source.up, clip.source.up_sure


def notes_of(clip: Clip) -> str:
    assert clip.source is not None
    return " ".join(clip.source.notes)


def assert_same_body(one: Clip, other: Clip) -> None:
    """Roles, rest pose, and at every frame all heights and all distances from the root."""
    assert one.skeleton.roles == other.skeleton.roles
    np.testing.assert_allclose(one.skeleton.offsets, other.skeleton.offsets, atol=1e-6)
    a, b = one.positions, other.positions
    np.testing.assert_allclose(a[..., 1], b[..., 1], atol=1e-6)
    away = [np.linalg.norm(p - p[:, :1], axis=2) for p in (a, b)]
    np.testing.assert_allclose(away[0], away[1], atol=1e-6)


def some_files() -> list[Path]:
    """Return a fifth of the clips, some of each folder, and the one whose up axis is in doubt."""
    return sample(
        files(), 0.2, name=lambda file: file.stem,
        kind=lambda file: LIES_STILL if file.name == LIES_STILL else file.parent.name,
    )  # fmt: skip


@pytest.mark.parametrize("file", some_files(), ids=lambda f: f.stem)
def test_a_clip_reads_the_same_whatever_axis_is_up_in_its_file(file: Path) -> None:
    raw, plain = raw_of(file), plain_of(file)
    assert up_of(plain) == ("y", file.name != LIES_STILL)
    for up in ("z", "-x", "-y", "x"):
        found = clip_from_raw(with_up(raw, up))
        if file.name == LIES_STILL and up != "z":
            assert "--source-up" in notes_of(found)
            found = clip_from_raw(with_up(raw, up), ReadOptions(up=up))
        assert up_of(found)[0] == up
        assert_same_body(plain, found)


@pytest.mark.parametrize("file", files()[::3], ids=lambda f: f.stem)
def test_a_world_that_is_turned_against_the_rest_pose_is_seen_or_doubted(file: Path) -> None:
    for up in ("z", "-y", "x"):
        found, sure = up_of(clip_from_raw(in_world(raw_of(file), up)))
        assert found == up or not sure


@pytest.mark.parametrize("file", some_files(), ids=lambda f: f.stem)
def test_stating_the_up_axis_never_exchanges_sides(file: Path) -> None:
    raw = raw_of(file)
    roles = plain_of(file).skeleton.roles
    for up in AXES:
        found = clip_from_raw(own(raw), ReadOptions(up=up))
        assert found.skeleton.roles == roles
        assert up_of(found) == (up, True)


@pytest.mark.parametrize(
    "file", [f for f in files() if "run" in f.name.lower() or "/16_" in str(f)],
    ids=lambda f: f.stem,
)  # fmt: skip
def test_strongly_leaning_people_keep_their_up_and_their_sides(file: Path) -> None:
    for degrees in (30.0, 45.0):
        found = clip_from_raw(leaning(raw_of(file), degrees))
        assert up_of(found)[0] == "y", degrees
        assert found.skeleton.roles == plain_of(file).skeleton.roles, degrees
        assert "exchanged" not in notes_of(found), degrees


@pytest.mark.parametrize(("file", "up"), cover(files()[::4], ["y", "z", "-x"]))
def test_joints_without_names_are_told_apart_by_feet_and_knees(file: Path, up: str) -> None:
    raw = with_up(raw_of(file), up)
    named, found = (clip_from_raw(r, ReadOptions(up=up)) for r in (own(raw), nameless(raw)))
    limbs = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
    for role, joint in named.skeleton.roles.items():
        if role.endswith(limbs):
            assert found.skeleton.roles[role] == joint, role


@pytest.mark.parametrize("file", files()[::6], ids=lambda f: f.stem)
def test_a_real_clip_built_as_in_a_mirror_gets_its_sides_exchanged(file: Path) -> None:
    plain, found = plain_of(file), clip_from_raw(mirrored(raw_of(file)))
    assert "exchanged" in notes_of(found)
    assert found.skeleton.roles["left_knee"] == plain.skeleton.roles["right_knee"]


def test_crawling_and_lying_are_read_with_y_up(mocap_hard: Path) -> None:
    crawling, lying = (plain_of(mocap_hard / n) for n in ("Male1_A11_CrawlForward.bvh", LIES_STILL))
    for clip in (crawling, lying):
        assert up_of(clip)[0] == "y"
        heights = clip.positions[:, clip.skeleton.roles["head"], 1]
        assert np.median(heights) < 0.8
    assert "doubtful" in notes_of(lying)
    assert "doubtful" not in notes_of(crawling)
