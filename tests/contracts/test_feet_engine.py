"""One table of constants moves all feet: a change of it is seen wherever feet are put down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from footfall import GoTo, Place, Query, clean, controller, load_scene
from footfall.adapt.feet import constants
from footfall.adapt.feet.fit import fit
from footfall.adapt.retarget.retarget import retarget
from footfall.body.clip import Clip
from footfall.generate.gait.steady import steady
from footfall.generate.skeleton import default_skeleton
from footfall.library.library import Library
from footfall.task.method import method_names
from tests.contracts.quick import quick_planner

AHEAD = Query(Place(0.0, 0.0), GoTo(0.0, 6.0))


def drifting_walk() -> Clip:
    """Return a walk whose floor rises and falls by a centimetre, without contacts."""
    walk = steady("walk", 1.3, seconds=4.0, fps=60.0)
    drift = 0.01 * np.sin(2.0 * walk.times)[:, None] * [0.0, 1.0, 0.0]
    return walk.derive(root=walk.root + drift, contacts=None)


def changes(monkeypatch: pytest.MonkeyPatch, make: Callable[[], np.ndarray]) -> bool:
    """Whether a body that follows its feet more slowly makes another motion."""
    before = np.array(make())
    slower = replace(constants.FEET, body_smoothing_s=2.0 * constants.FEET.body_smoothing_s)
    assert np.array_equal(before, make())
    monkeypatch.setattr(constants, "FEET", slower)
    return not np.array_equal(before, make())


def test_a_constant_is_seen_in_a_clean_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = drifting_walk()
    assert changes(monkeypatch, lambda: clean(walk).clip.root)


def test_a_constant_is_seen_in_a_clip_on_hills(monkeypatch: pytest.MonkeyPatch) -> None:
    walk, hills = drifting_walk(), load_scene("hills")
    assert changes(monkeypatch, lambda: fit(walk, hills).clip.root)


def test_a_constant_is_seen_on_another_character(monkeypatch: pytest.MonkeyPatch) -> None:
    walk, other = drifting_walk(), default_skeleton(0.7)
    assert changes(monkeypatch, lambda: retarget(walk, other).root)


@pytest.mark.parametrize("method", method_names())
def test_a_constant_is_seen_in_plans(
    method: str, walks: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = quick_planner(method, library=walks)
    assert changes(monkeypatch, lambda: asked.plan(AHEAD).clip.root)


def test_a_constant_is_seen_in_a_live_character(monkeypatch: pytest.MonkeyPatch) -> None:
    def walk() -> np.ndarray:
        live = controller(scene="hills")
        return np.array([live.step(1.0 / 60.0, speed=1.2, turn=0.1)[0].copy() for _ in range(90)])

    assert changes(monkeypatch, walk)
