"""What is known of moves: where they lead, what postures they have, what their bodies sweep."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.body.capsules import body_capsules
from footfall.roadmap.moves import Moves
from footfall.roadmap.sweep_columns import FIRST_ROW, HALF, MIDDLE, PART, STOP_ROW
from tests.roadmap.small_world import small_table


@pytest.fixture(scope="module")
def moves() -> Moves:
    return small_table().moves


def _seen_from_move(moves: Moves, m: int, points: np.ndarray) -> np.ndarray:
    """Points of a clip, seen from a move's first footprint with +Z along its bearing."""
    one = moves.prints[moves.clip[m]][moves.first_print[m]]
    other = moves.prints[moves.clip[m]][moves.last_print[m]]
    step = other.p - one.p
    bearing = np.arctan2(step[0], step[2]) if moves.chord[m] >= moves.size.short_m else one.yaw
    c, s = np.cos(bearing), np.sin(bearing)
    d = points - one.p
    return np.stack([c * d[..., 0] - s * d[..., 2], d[..., 1], s * d[..., 0] + c * d[..., 2]], -1)


def test_every_move_begins_at_its_origin_and_long_ones_lead_straight_ahead(moves: Moves) -> None:
    first, last = moves.print_start[:-1], moves.print_start[1:] - 1
    np.testing.assert_allclose(moves.places[first], 0.0, atol=1e-12)
    long = moves.chord >= moves.size.short_m
    np.testing.assert_allclose(moves.places[last][long, 0], 0.0, atol=1e-5)
    np.testing.assert_allclose(moves.places[last][long, 2], moves.chord[long], atol=1e-5)


def test_footprints_get_further_from_the_first_in_long_moves(moves: Moves) -> None:
    for m in np.flatnonzero(moves.chord >= moves.size.short_m).tolist():
        places = moves.places[moves.print_start[m] : moves.print_start[m + 1]]
        share = moves.share[moves.print_start[m] : moves.print_start[m + 1]]
        between = (share > 0.0) & (share < 1.0)
        assert (np.hypot(*places[between][:, [0, 2]].T) <= moves.chord[m] + 0.05).all()


def test_moves_that_are_joined_have_the_same_foot_there(moves: Moves) -> None:
    feet: dict[int, set[int]] = {}
    for m in range(len(moves)):
        feet.setdefault(int(moves.begins[m]), set()).add(int(moves.foot[moves.print_start[m]]))
        feet.setdefault(int(moves.ends[m]), set()).add(
            int(moves.foot[moves.print_start[m + 1] - 1])
        )
    assert all(len(own) == 1 for own in feet.values())


def test_boxes_hold_the_whole_body_at_every_frame_of_their_moves(moves: Moves) -> None:
    capsules = body_capsules(moves.clips[0].skeleton)
    radii = np.asarray(capsules.radii)[None, :, None, None]
    for m in np.linspace(0, len(moves) - 1, 25).astype(int).tolist():
        clip = moves.clips[moves.clip[m]]
        ends = capsules.placed(clip.world)[moves.first[m] : moves.last[m] + 1]
        seen = _seen_from_move(moves, m, ends)
        whole = moves.boxes[moves.box_start[m]]
        low, high = whole[MIDDLE : MIDDLE + 3] - whole[HALF : HALF + 3], whole[:3] + whole[3:6]
        assert (seen - radii >= low - 1e-5).all()
        assert (seen + radii <= high + 1e-5).all()


def test_the_boxes_of_a_part_hold_it_over_all_rows_between_them(moves: Moves) -> None:
    for m in (0, len(moves) // 2, len(moves) - 1):
        rows = moves.sweep.rows_of[m], moves.sweep.rows_of[m + 1]
        own = moves.boxes[moves.box_start[m] + 1 : moves.box_start[m + 1]]
        for part in range(3):
            spans = own[own[:, PART] == part][:, [FIRST_ROW, STOP_ROW]].astype(int)
            covered = np.unique(np.concatenate([np.arange(a, b) for a, b in spans]))
            np.testing.assert_array_equal(covered, np.arange(*rows))
