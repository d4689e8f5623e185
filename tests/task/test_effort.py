"""What going costs: people walk ahead at ease, and pay for everything else."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from footfall import Clip, open_library
from footfall.maths.constants import GRAVITY
from footfall.task.effort import LEAST_J_KG_M, LENGTHENS, SHORTENS, STANDING_W_KG, effort_of

WALK = "park_walk_1.4"


@cache
def clips() -> dict[str, Clip]:
    return {clip.name: clip for clip in open_library("default:choi")}


def effort(clip: Clip) -> float:
    """Return the effort of a whole clip, J/kg."""
    return float(sum(track[-1] for track in effort_of(clip)))


def per_metre(name: str) -> float:
    clip = clips()[name]
    return effort(clip) / float(np.hypot(*(clip.root[-1] - clip.root[0])[[0, 2]]))


def test_a_metre_walked_at_the_usual_speed_costs_about_the_least() -> None:
    assert per_metre(WALK) == pytest.approx(LEAST_J_KG_M, rel=0.15)


def test_a_second_of_standing_costs_what_it_says() -> None:
    still = clips()["stand_1"]
    assert effort(still) / still.seconds == pytest.approx(STANDING_W_KG, rel=0.1)


@pytest.mark.parametrize(
    "name", ["back_0.8", "sidestep_left_0.3", "hop_left", "jump_0.8", "stairs_up_left"]
)
def test_a_metre_of_anything_else_costs_more(name: str) -> None:
    assert per_metre(name) > 1.5 * per_metre(WALK)


def test_effort_never_falls_as_time_goes_on() -> None:
    for clip in clips().values():
        assert all((np.diff(track) >= 0.0).all() for track in effort_of(clip))


def test_a_flight_costs_its_take_off_and_its_landing() -> None:
    hop = clips()["hop_left"]
    assert hop.contacts is not None
    air = ~hop.contacts.any(axis=1)
    edges = np.flatnonzero(np.diff(air.astype(int)))
    flights_s = np.diff(edges)[::2] / hop.fps
    take_offs = (0.5 * (0.5 * GRAVITY * flights_s) ** 2).sum()
    priced = effort(hop) - effort(hop.with_contacts(None))
    assert priced == pytest.approx(take_offs * (1.0 / SHORTENS + 1.0 / LENGTHENS), rel=1e-3)
