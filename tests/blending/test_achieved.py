"""What is asked for is achieved: speed and turn of the motion itself, all over the hull."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from footfall.blending.control import Crowd
from footfall.blending.space import space_of
from footfall.gait.arc import fit_arcs
from footfall.library.library import open_library
from tests.sweeps import THOROUGH

FPS, SETTLE_S, MEASURE_S = 60, 4.0, 8.0
WITHIN, LEAST_M_S, LEAST_RAD_S = 0.05, 0.3, 0.4
"""Five percent; below these, as much as five percent of these: on the spot a share says little."""


def is_inside(points, asked):
    """Whether a point is in the convex hull of others, by linear programming."""
    rows = np.vstack([points.T, np.ones(len(points))])
    return linprog(np.zeros(len(points)), A_eq=rows, b_eq=np.append(asked, 1.0)).status == 0


def grid_of(space, many=(13, 11, 5) if THOROUGH else (7, 6, 3)):
    """Speeds, turns and styles, walking, running and between, inside the hull of the examples."""
    values = space.basis.values
    low, high = values.min(axis=0), values.max(axis=0)
    low[0] = 0.2
    axes = [np.linspace(a, b, n) for a, b, n in zip(low, high, many, strict=True)]
    corners = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3)
    size = np.maximum(np.ptp(values, axis=0), 1e-9)
    return np.array([p for p in corners if is_inside(values / size, p / size)])


def walk_all(space, asked):
    """(T, N, 2) where the hips go, and (T, N) generic times, when all has settled."""
    crowd = Crowd(space, space.skeleton, len(asked))
    crowd.put(np.zeros((len(asked), 3)))
    hips, times = [], []
    for n in range(round((SETTLE_S + MEASURE_S) * FPS)):
        crowd.step(1.0 / FPS, *asked.T)
        if n >= SETTLE_S * FPS:
            hips.append(crowd.root[:, [0, 2]].copy())
            times.append(crowd.state.walkers["time"].copy())
    return np.array(hips), np.array(times)


def circle_of(points):
    """Speed and turn by a plain least-squares circle and how fast the angle about it grows."""
    x, z = points.T
    rows = np.column_stack([2.0 * x, 2.0 * z, np.ones(len(x))])
    a, b, c = np.linalg.lstsq(rows, x * x + z * z, rcond=None)[0]
    angle = np.unwrap(np.arctan2(x - a, z - b))
    turn = np.polyfit(np.arange(len(x)) / FPS, angle, 1)[0]
    return abs(turn) * np.sqrt(c + a * a + b * b), turn


def check_grid(space, least):
    asked = grid_of(space)
    assert len(asked) >= (least if THOROUGH else least // 6)
    hips, times = walk_all(space, asked)
    for n, (speed, turn, _) in enumerate(asked):
        begins = np.flatnonzero(np.diff(times[:, n]) < -0.5)  # whole strides, so that sway is even
        part = hips[begins[0] : begins[-1], n]
        arc = fit_arcs(np.arange(len(part))[None] / FPS, part[None])
        found = [(float(arc.speed[0]), float(arc.turn[0]))]
        if abs(turn) > 0.1:
            found.append(circle_of(part))
        for got_speed, got_turn in found:
            assert abs(got_speed - speed) < WITHIN * max(speed, LEAST_M_S), asked[n]
            assert abs(got_turn - turn) < WITHIN * max(abs(turn), LEAST_RAD_S), asked[n]


def test_speed_and_turn_are_achieved_all_over_the_hull(space):
    check_grid(space, 120)


@pytest.mark.mocap
@pytest.mark.parametrize(
    ("people", "least"),
    [
        pytest.param(("accad_male1/*Walk*", "accad_male1/*Run*"), 30, id="accad"),
        pytest.param(("cmu/16_*",), 80, id="cmu 16", marks=pytest.mark.thorough),
    ],
)
def test_people_too_achieve_what_is_asked_for(mocap, tmp_path, people, least):
    for pattern in people:
        for file in mocap.glob(f"{pattern}.bvh"):
            link = Path(tmp_path / file.name)
            if not link.exists():
                link.symlink_to(file)
    check_grid(space_of(open_library(tmp_path)), least)
