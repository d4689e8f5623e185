"""A clip on a scene's ground: where it starts, and where it is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from footfall import InputError, fit, render
from footfall.files.scene.read import load_scene
from footfall.generate.gait.steady import steady

WALK = steady("walk", 1.2, seconds=1.2, fps=30)


def test_a_start_without_ground_is_refused_with_the_scenes_extent() -> None:
    with pytest.raises(InputError, match=r"no ground at 1000,1000; start within x -20 to 20"):
        fit(WALK, "hills", at="1000,1000")


def test_a_short_clip_starts_where_the_stairs_begin() -> None:
    done = fit(WALK, "stairs")
    assert done.climb_m > 0.15
    assert done.off_ground == 0


def test_a_long_clip_starts_where_the_scenes_query_does() -> None:
    long = steady("walk", 1.2, seconds=10.0, fps=30)
    start = load_scene("stairs").queries[0].start
    done = fit(long, "stairs")
    assert np.allclose(done.clip.root[0, [0, 2]], [start.x, start.z], atol=0.15)
    assert done.climb_m > 0.5


def test_a_stated_start_is_kept() -> None:
    done = fit(WALK, "stairs", at=(-2.5, -6.5, 0.0))
    assert done.climb_m == 0.0


def test_pictures_of_a_fitted_clip_show_its_ground(tmp_path) -> None:
    done = fit(WALK, "hills")
    for name, width in (("hills.png", 320), ("hills.gif", 64)):
        bare, inside = tmp_path / f"bare_{name}", tmp_path / name
        render(done.clip, bare, width=width)
        render(done.clip, inside, width=width, scene=done.scene)
        with Image.open(bare) as one, Image.open(inside) as two:
            # Grass is green: far from the greys of the page.
            green = [np.ptp(np.asarray(i.convert("RGB")).astype(int), axis=2) for i in (one, two)]
        assert np.mean(green[0] > 25) < 0.05 < 0.2 < np.mean(green[1] > 25)


def test_stairs_that_hide_a_foot_stay_in_the_picture(tmp_path: Path) -> None:
    stairs = load_scene("stairs")
    bare = replace(stairs, obstacles=tuple(o for o in stairs.obstacles if o.name != "flight"))
    walk = fit(steady("walk", 1.2, seconds=4.0), stairs, at=(-2.5, -0.6, np.pi)).clip
    pictures = [
        np.asarray(Image.open(render(walk, tmp_path / f"{n}.png", scene=scene, views=["side"],
                                     width=480))).astype(int)
        for n, scene in enumerate((stairs, bare))
    ]  # fmt: skip
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) > 10).mean() > 0.02
