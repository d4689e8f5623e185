"""Flat clips on hills, stairs and an island: feet stay, bodies move like the source's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.feet.fit import fit, with_strides
from footfall.adapt.feet.lock import holds_of, lock_feet
from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.world.ground import flat_ground
from footfall.world.scene import Scene
from tests.adapt.measures import TRIALS, quality
from tests.clips import real_clip, steady
from tests.sweeps import cover

PLACES = {"hills": None, "island": None, "stairs": (-2.5, -5.5, 0.0)}


def start_of(scene: Scene) -> tuple[float, float, float]:
    place = PLACES[scene.name]
    start = scene.queries[0].start
    return place or (start.x, start.z, start.yaw)


@pytest.mark.mocap
@pytest.mark.parametrize(("trial", "name"), cover(TRIALS, list(PLACES)))
def test_a_real_clip_keeps_to_the_ground(trial: str, name: str, mocap: Path) -> None:
    source, scene = real_clip(mocap / trial), load_scene(name)
    fitted = fit(source, scene, at=start_of(scene))
    found = quality(fitted.clip, source, scene)
    assert fitted.off_ground == 0
    assert found.drift_m < 1e-3
    assert found.off_ground_m < 3e-3
    assert found.step_ratio < 1.5
    assert found.acceleration_ratio < 1.5
    assert found.least_knee_rad > -np.radians(15.0)


@pytest.mark.parametrize(
    ("gait", "speed"),
    [("walk", 0.7), ("walk", 1.3), ("walk", 1.7), ("run", 2.4), ("run", 3.6), ("back", 0.7)],
)
def test_a_clip_with_exact_contacts_stays_itself(gait: str, speed: float) -> None:
    clip = steady(gait, speed, seconds=3.0)
    for again in (lock_feet(clip, flat_ground()), lock_feet(clip)):
        assert again.positions == pytest.approx(clip.positions, abs=0.01)


def test_a_clip_without_ground_under_it_says_how_often() -> None:
    scene = load_scene("room")
    far = (scene.bounds.bounds[2] + 50.0, 0.0, 0.0)
    fitted = fit(steady("walk", 1.3, seconds=1.5), scene, at=far)
    assert fitted.off_ground > 0


def test_raised_flat_ground_raises_the_whole_walk() -> None:
    walk = steady("walk", 1.3, seconds=2.0)
    raised = fit(walk, flat_ground(1.25)).clip
    level = fit(walk, flat_ground(0.0)).clip
    lifted = raised.positions - level.positions
    assert lifted[..., 1] == pytest.approx(1.25, abs=1e-6)
    assert np.abs(lifted[..., [0, 2]]).max() < 1e-9


def test_shorter_strides_keep_the_width_of_the_walk() -> None:
    walk = steady("walk", 1.3, seconds=4.0)
    _, holds = holds_of(walk)
    shift, short = with_strides(walk.root, walk.fps, holds, 0.5)
    for before, after in zip(holds, short, strict=True):
        wide = list(before.spots[:, 0])
        assert list(after.spots[:, 0]) == pytest.approx(wide, abs=0.02)
        steps = np.diff(before.spots[:, 2])[1:-1]
        assert np.diff(after.spots[:, 2])[1:-1] == pytest.approx(0.5 * steps, abs=0.08)
    travel = (walk.root[-1, 2] + shift[-1, 1]) - (walk.root[0, 2] + shift[0, 1])
    assert travel == pytest.approx(0.5 * (walk.root[-1, 2] - walk.root[0, 2]), rel=0.03)


@pytest.mark.parametrize(
    ("words", "said"),
    [({"at": (0.0, np.nan, 0.0)}, "finite"), ({"strides": 0.0}, "between 0.05 and 2")],
)
def test_nonsense_is_refused(words: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        fit(steady(seconds=0.5), flat_ground(), **words)  # type: ignore[arg-type]


def test_options_change_how_much_the_body_is_smoothed() -> None:
    scene = load_scene("hills")
    walk = steady("walk", 1.3, seconds=4.0)
    at = start_of(scene)
    rough = fit(walk, scene, at=at, options=FeetConstants(body_smoothing_s=0.02)).clip
    smooth = fit(walk, scene, at=at, options=FeetConstants(body_smoothing_s=0.3)).clip
    jolts = [np.abs(np.diff(c.root[:, 1], 2)).max() for c in (rough, smooth)]
    assert jolts[1] < jolts[0]


def test_wet_feet_are_counted() -> None:
    from footfall import fit as fit_to_scene

    walk = steady("walk", 1.3, seconds=4.0)
    assert fit_to_scene(walk, "island").in_water > 0
    assert fit_to_scene(walk, "hills").in_water == 0
