"""What the default clips can do between their examples: ranges without holes at 2.5 cm."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from footfall import open_library
from footfall.maths.arrays import Bools, Floats
from footfall.optimal.goals import node_tops
from footfall.optimal.model import InterpolatedGraph
from footfall.optimal.store import make_graph

WITHIN_M = 0.025
LEFT, RIGHT, SEAT = 4, 8, 16


@cache
def graph() -> InterpolatedGraph:
    return make_graph(open_library("default:safonova"))


def hand_heights(side: int) -> tuple[Floats, Bools]:
    made = graph()
    nodes = np.flatnonzero(made.node_signature & (LEFT << side))
    return made.node_hands[nodes, side, 1], made.node_a[nodes] == made.node_b[nodes]


def seat_heights() -> tuple[Floats, Bools]:
    made = graph()
    nodes = np.flatnonzero((made.node_signature & SEAT > 0) & made.node_rest)
    return made.node_seat[nodes, 1], made.node_a[nodes] == made.node_b[nodes]


def leaps() -> tuple[Floats, Bools]:
    """How far bodies fly."""
    made = graph()
    flights = np.flatnonzero(np.repeat(made.node_signature == 0, np.diff(made.edge_start)))
    far = np.hypot(*made.edge_move[flights, :2].T)
    return far, made.edge_a[flights] == made.edge_b[flights]


def steps_up() -> tuple[Floats, Bools]:
    made = graph()
    return made.edge_rise, made.edge_a == made.edge_b


def tops() -> tuple[Floats, Bools]:
    """How high bodies are that walk on their feet."""
    made = graph()
    upright = (made.node_signature & (LEFT | RIGHT | SEAT)) == 0
    return node_tops(made)[upright], (made.node_a == made.node_b)[upright]


def farthest(values: Floats, low: float, high: float) -> float:
    """The largest distance of anything between two ends to the nearest value."""
    asked = np.linspace(low, high, 400)
    order = np.sort(values)
    after = np.clip(np.searchsorted(order, asked), 1, len(order) - 1)
    return float(np.minimum(np.abs(asked - order[after]), np.abs(asked - order[after - 1])).max())


@pytest.mark.parametrize(
    ("values", "low", "high", "within"),
    [
        pytest.param(lambda: hand_heights(1), 0.12, 1.28, WITHIN_M, id="right hand"),
        # Only three clips take with the left hand, half a metre apart.
        pytest.param(lambda: hand_heights(0), 0.12, 1.0, 0.035, id="left hand"),
        pytest.param(seat_heights, 0.39, 0.69, WITHIN_M, id="seat"),
        pytest.param(leaps, 0.05, 0.7, WITHIN_M, id="leap"),
        pytest.param(steps_up, 0.15, 0.45, WITHIN_M, id="step up"),
        pytest.param(steps_up, -0.3, -0.15, WITHIN_M, id="step down"),
        pytest.param(tops, 0.95, 1.65, WITHIN_M, id="duck"),
    ],
)
def test_what_lies_between_two_examples_can_be_done(
    values: Callable[[], tuple[Floats, Bools]], low: float, high: float, within: float
) -> None:
    found, single = values()
    assert farthest(found, low, high) <= within
    assert farthest(found[single], low, high) > within


def test_hands_get_to_most_heights_at_most_reaches() -> None:
    """Where to stand for a pick can be chosen, too: height and distance from the root."""
    made = graph()
    nodes = np.flatnonzero(made.node_signature & RIGHT)
    hand = made.node_hands[nodes, 1]
    have = np.column_stack([hand[:, 1], np.hypot(hand[:, 0], hand[:, 2])])
    single = made.node_a[nodes] == made.node_b[nodes]
    asked = np.stack(
        np.meshgrid(np.linspace(0.12, 1.28, 60), np.linspace(0.32, 0.5, 10)), axis=-1
    ).reshape(-1, 2)

    def share(points: Floats) -> float:
        off = np.linalg.norm(asked[:, None] - points, axis=2).min(axis=1)
        return float((off <= WITHIN_M).mean())

    assert share(have) >= 0.9
    assert share(have[single]) < 0.4
