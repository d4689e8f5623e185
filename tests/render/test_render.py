"""Sheets and animations: readable, right, and bounded for any clip."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from footfall.body.clip import Clip
from footfall.body.edit import join, resample
from footfall.body.mannequin import mannequin
from footfall.errors import InputError
from footfall.library.library import open_library
from footfall.render.instants import bodies_at, floor_of, leaves_out, root_path, spaced_instants
from footfall.render.panels import PanelLook, clock, lineup, plan_view, strip
from footfall.verbs.render import render
from tests.clips import real_clip
from tests.render.clips import frames, moved, snake, standing, walk
from tests.sweeps import sample

STEADY = walk(2.0)
BODY = mannequin(STEADY.skeleton)


def opened(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        image.load()
        return np.asarray(image.convert("RGB")).astype(int)


def drawn(clip: Clip, tmp_path: Path, name: str = "out.png", **how) -> np.ndarray:
    return opened(render(clip, tmp_path / name, **{"width": 600, **how}))


def ink(picture: np.ndarray) -> float:
    """The share of pixels that differ clearly from the paper."""
    return float((np.abs(picture - picture[0, 0]).max(axis=-1) > 25).mean())


def look_of(clip: Clip) -> PanelLook:
    way = root_path(clip)
    right = np.array([way.direction[0], 0.0, way.direction[1]])
    return PanelLook(0.5, floor_of(clip, BODY), way.points[0], right)


def test_a_sheet_is_a_readable_picture_of_the_asked_width(tmp_path: Path) -> None:
    picture = drawn(STEADY, tmp_path)
    assert picture.shape[1] == 600
    assert 300 < picture.shape[0] < 900
    assert 0.03 < ink(picture) < 0.6


@pytest.mark.parametrize(("action", "acts"), [("pick_0.50_0.35", True), ("stand_1", False)])
def test_what_a_body_does_after_its_walk_is_not_left_out(action: str, acts: bool) -> None:
    after = open_library("default:safonova").only([action])
    walked = resample(walk(2.0), 30.0)
    clip = join([walked, *after], align=True)
    shown = np.arange(0, len(walked), 10, dtype=np.int32)
    assert leaves_out(clip, shown) == acts


def test_the_same_clip_gives_the_same_bytes(tmp_path: Path) -> None:
    one = render(STEADY, tmp_path / "one.png", width=500)
    two = render(STEADY, tmp_path / "two.png", width=500)
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("yaw", [0.0, 2.4])
def test_every_joint_of_the_last_figure_is_covered_in_the_side_view(yaw: float) -> None:
    clip = moved(STEADY, (30.0, 0.0, -70.0), yaw)
    way, look = root_path(clip), look_of(clip)
    chosen = spaced_instants(clip, way, 0.68, 14)
    figures = bodies_at(clip, BODY, chosen)
    panel = strip(figures, look, 900, 120.0, way)
    picture = panel.drawn().astype(int)
    spots = panel.camera.project(figures.poses.positions[-1], panel.size)
    background = picture[0, 0]
    covered = [np.abs(picture[int(y), int(x)] - background).max() > 12 for x, y, _ in spots]
    assert np.mean(covered) > 0.9
    # The motion runs from left to right.
    roots = panel.camera.project(figures.poses.positions[:, 0], panel.size)[:, 0]
    assert (np.diff(roots) > 0).all()


def test_the_plan_lies_exactly_under_the_side_view() -> None:
    way, look = root_path(STEADY), look_of(STEADY)
    figures = bodies_at(STEADY, BODY, spaced_instants(STEADY, way, 0.68, 14))
    side = strip(figures, look, 900, 120.0, way)
    middle = look.right * float(side.camera.eye @ look.right)
    plan = plan_view(STEADY, figures, look, (900, 150), way, scale=120.0, middle=middle)
    places = figures.poses.positions[:, 0]
    above = side.camera.project(places, side.size)[:, 0]
    assert plan.camera.project(places, plan.size)[:, 0] == pytest.approx(above, abs=1e-6)


def test_figures_seen_from_the_front_face_the_viewer() -> None:
    clip = moved(walk(2.0, turn=0.7), yaw=1.0)
    look = look_of(clip)
    figures = bodies_at(clip, BODY, np.array([0, 60, 119], dtype=np.int32))
    panel = lineup(figures, look, 600, 120.0, front=True)
    # The same vertices are left and right of the rest pose's middle, which faces +z; facing the
    # viewer, the figure's left is on the right of the picture.
    side = BODY.mesh.vertices[:, 0] - np.median(BODY.mesh.vertices[:, 0])
    for item in panel.items:
        across = item.vertices @ look.right
        assert np.corrcoef(side, across)[0, 1] > 0.8


def test_labels_under_figures_side_by_side_do_not_touch() -> None:
    look = look_of(STEADY)
    figures = bodies_at(STEADY, BODY, np.arange(0, 120, 15, dtype=np.int32))
    panel = lineup(figures, look, 900, 120.0, front=False)
    assert (np.diff([label.x for label in panel.labels]) > 60).all()
    assert [label.words for label in panel.labels][:2] == ["0.0 s", "0.25 s"]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0.0"), (1.25, "1.25"), (1.5, "1.5"), (99.9, "99.9"), (125, "2:05")]
)
def test_times_read_well(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_views_can_be_chosen(tmp_path: Path) -> None:
    whole = len(drawn(STEADY, tmp_path))
    for views in (("side",), ("front",), ("top",), ("side", "top"), "front"):
        chosen = drawn(STEADY, tmp_path, views=views)
        assert 0.01 < ink(chosen) < 0.7, views
        assert len(chosen) < whole, views


STRANGE = {
    "one frame": lambda: frames(STEADY, [0]),
    "two frames": lambda: frames(STEADY, [0, 1]),
    "standing": standing,
    "no roles": snake,
    "no name": lambda: replace(STEADY, name=""),
    "long name": lambda: replace(STEADY, name="überlanger Name " * 40),
    "far away": lambda: moved(STEADY, (20_000.0, 0.0, -30_000.0)),
    "high up": lambda: moved(STEADY, (0.0, 12.0, 0.0)),
    "tiny": lambda: replace(
        snake(), skeleton=snake().skeleton.scaled(0.01), root=snake().root * 0.01
    ),
    "a single joint": lambda: Clip(
        type(snake().skeleton)(("dot",), [-1], [[0.0, 0.0, 0.0]]), 30.0,
        np.zeros((5, 3)), np.tile([1.0, 0, 0, 0], (5, 1, 1)),
    ),
    "a curve": lambda: walk(4.0, turn=0.6),
    "a long way": lambda: frames(walk(40.0), slice(None, None, 4)),
}  # fmt: skip


@pytest.mark.parametrize("kind", STRANGE)
def test_any_clip_can_be_drawn(kind: str, tmp_path: Path) -> None:
    picture = drawn(STRANGE[kind](), tmp_path, width=480)
    assert ink(picture) > 0.005


def test_far_from_the_origin_the_picture_is_the_same(tmp_path: Path) -> None:
    here = drawn(STEADY, tmp_path, "here.png")
    there = drawn(moved(STEADY, (4096.0, 0.0, -2048.0)), tmp_path, "there.png")
    assert here.shape == there.shape
    assert (np.abs(here - there).max(axis=-1) > 40).mean() < 0.002


def test_a_million_frames_take_little_more_memory_than_the_picture(tmp_path: Path) -> None:
    few = snake(100)
    count = 1_000_000
    again = np.arange(count) % len(few)
    clip = few[again]
    drawn(few, tmp_path)  # kernels are loaded before memory is watched
    tracemalloc.start()
    drawn(clip, tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_an_animation_lasts_as_long_as_the_clip_and_loops(suffix: str, tmp_path: Path) -> None:
    clip = frames(STEADY, np.arange(49))  # 0.8 s
    path = render(clip, tmp_path / f"walk{suffix}", width=120)
    with Image.open(path) as image:
        assert image.size == (120, 90)
        assert image.n_frames == 21
        assert image.info["loop"] == 0
        total, pictures = 0.0, []
        for n in range(image.n_frames):
            image.seek(n)
            image.load()
            total += image.info["duration"] / 1000.0
            pictures.append(np.asarray(image.convert("RGB")).astype(int))
    assert total == pytest.approx(clip.seconds + 0.04, abs=0.041)
    assert all(ink(p) > 0.02 for p in pictures)
    assert np.abs(pictures[0] - pictures[10]).max() > 60


def test_the_camera_keeps_the_figure_in_the_middle(tmp_path: Path) -> None:
    path = render(walk(2.0), tmp_path / "walk.gif", width=160, views=("side",))
    with Image.open(path) as image:
        for n in (0, 20, 40):
            image.seek(n)
            picture = np.asarray(image.convert("RGB")).astype(int)
            dark = np.abs(picture - picture[0, 0]).max(axis=-1) > 60
            assert np.flatnonzero(dark.any(axis=0)).mean() == pytest.approx(80, abs=16)


def test_views_of_an_animation_stand_side_by_side(tmp_path: Path) -> None:
    path = render(
        frames(STEADY, np.arange(9)), tmp_path / "w.gif", width=80, height=90,
        views=("side", "front", "top"),
    )  # fmt: skip
    with Image.open(path) as image:
        assert image.size == (240, 90)


@pytest.mark.parametrize("kind", ["one frame", "no roles", "standing", "a single joint"])
def test_any_clip_can_be_animated(kind: str, tmp_path: Path) -> None:
    clip = STRANGE[kind]()
    path = render(frames(clip, slice(0, 6)), tmp_path / "x.gif", width=64)
    assert opened(path).shape == (48, 64, 3)


def test_a_very_long_clip_is_animated_for_its_first_half_minute(tmp_path: Path) -> None:
    from footfall.render.film import _shown_frames

    few = snake(100)
    again = np.arange(200_000) % len(few)
    clip = few[again]
    shown = _shown_frames(clip)
    assert len(shown) == 751
    assert shown[-1] == 900


def test_animations_use_few_colours_without_banding_the_paper(tmp_path: Path) -> None:
    path = render(frames(STEADY, [0, 1, 2]), tmp_path / "w.gif", width=320)
    whole = opened(path)
    assert len(np.unique(whole.reshape(-1, 3), axis=0)) <= 96
    # The paper's colour is exact and flat.
    assert (whole[:8] == (247, 246, 243)).all()


def test_progress_rises_to_one(tmp_path: Path) -> None:
    for name in ("a.png", "a.gif"):
        seen: list[float] = []
        render(frames(STEADY, np.arange(20)), tmp_path / name, width=320, progress=seen.append)
        assert seen == sorted(seen)
        assert seen[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["walk.mov", "walk", "walk.png.txt"])
def test_an_unknown_suffix_names_the_valid_ones(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.png, \.gif, \.webp"):
        render(STEADY, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"views": ("back",)}, "side, front, top"),
        ({"views": ()}, "no view"),
        ({"instants": 0}, "1 to 40"),
        ({"instants": 500}, "1 to 40"),
        ({"width": 10}, "320 to 8000"),
        ({"width": 10**9}, "320 to 8000"),
    ],
)
def test_wrong_options_say_what_would_be_right(how, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        render(STEADY, tmp_path / "x.png", **how)
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        render(STEADY, tmp_path / "file" / "x.png", width=320)
    (tmp_path / "x.png").mkdir()
    with pytest.raises(InputError, match="folder"):
        render(STEADY, tmp_path / "x.png", width=320)


@pytest.mark.mocap
@pytest.mark.parametrize(
    "name",
    sample(["cmu/16_58.bvh", "cmu/16_09.bvh", "cmu/69_17.bvh", "cmu/113_15.bvh",
            "accad_male1/Male1_B15_WalkTurnAround.bvh"], 0.0, kind=lambda name: name[:3]),
)  # fmt: skip
def test_real_clips_are_drawn(name: str, mocap: Path, tmp_path: Path) -> None:

    picture = drawn(real_clip(mocap / name), tmp_path, width=500)
    assert 0.03 < ink(picture) < 0.6


def test_footprints_of_both_feet_are_seen_from_above_also_under_bodies(tmp_path):
    file = render(walk(), tmp_path / "walk.png", views=("top",), width=900)
    picture = np.asarray(Image.open(file).convert("RGB"), dtype=int)
    red, green, blue = (picture[..., n] for n in range(3))
    left = (blue - red > 40) & (blue > green)
    right = (red - blue > 60) & (green - blue > 20)
    without = replace(walk(), contacts=None)
    bare = np.asarray(Image.open(render(without, tmp_path / "bare.png", views=("top",), width=900)))
    plain = bare[..., :3].astype(int)
    assert left.sum() > 100 > ((plain[..., 2] - plain[..., 0]) > 40).sum()
    assert right.sum() > 100
