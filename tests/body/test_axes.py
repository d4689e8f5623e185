"""Up axes and units from bodies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.body.axes import (
    AXES,
    CMU_UNIT_M,
    axis_vector,
    detect_unit,
    nearest_axis,
    other_unit,
    to_y_up,
)
from footfall.errors import InputError


@pytest.mark.parametrize("axis", AXES)
def test_every_up_axis_is_turned_to_y_by_a_proper_rotation(axis: str) -> None:
    turn = to_y_up(axis)
    np.testing.assert_array_equal(turn @ axis_vector(axis), [0.0, 1.0, 0.0])
    assert np.linalg.det(turn) == pytest.approx(1.0)


def test_z_up_becomes_y_up_the_usual_way() -> None:
    np.testing.assert_array_equal(to_y_up("z") @ [1.0, 2.0, 3.0], [1.0, 3.0, -2.0])


def test_an_unknown_axis_names_the_choices() -> None:
    for function in (to_y_up, axis_vector):
        with pytest.raises(InputError, match="choose one of x, y, z"):
            function("up")


@pytest.mark.parametrize("unit", [1.0, 0.01, 0.001])
@given(leg=st.floats(0.43, 1.39))
def test_metres_centimetres_and_millimetres_are_found_for_any_human(
    unit: float, leg: float
) -> None:
    assert detect_unit(leg / unit) == (unit, True)


@pytest.mark.parametrize(
    ("leg", "unit"), [(0.836 / CMU_UNIT_M, CMU_UNIT_M), (33.0, 0.0254), (8.3, 0.1), (2.75, 0.3048)]
)
def test_rarer_units_are_found_for_a_usual_leg(leg: float, unit: float) -> None:
    assert detect_unit(leg) == (unit, True)


@given(leg=st.floats(0.6, 1.07))
def test_inches_are_found_for_any_grown_person(leg: float) -> None:
    assert detect_unit(leg / 0.0254) == (0.0254, True)
    # A leg of 42 units may be one of 1.07 m in inches or one of 0.42 m in centimetres.
    assert other_unit(leg / 0.0254, 0.0254) == (0.01 if leg / 0.0254 >= 35.0 else None)


@pytest.mark.parametrize("leg", [1e-9, 1e9])
def test_a_leg_no_unit_fits_is_not_sure(leg: float) -> None:
    unit, sure = detect_unit(leg)
    assert unit > 0.0
    assert not sure


@pytest.mark.parametrize("leg", [0.0, -1.0, float("nan"), float("inf")])
def test_a_leg_without_length_gives_metres_unsure(leg: float) -> None:
    assert detect_unit(leg) == (1.0, False)


def test_the_nearest_axis_has_its_sign() -> None:
    assert nearest_axis(np.array([0.1, -0.9, 0.3])) == "-y"
