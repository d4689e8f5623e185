"""Range checks name the value, what it stands for and what would be right."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.errors import InputError, check_range, check_whole


@pytest.mark.parametrize("value", [0.5, 1, np.float32(0.25), np.array(0.75)])
def test_numbers_within_their_range_are_returned_as_floats(value: object) -> None:
    assert check_range("share", value, 0.0, 1.0) == float(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value", [-0.1, 1.1, float("nan"), float("inf"), True, "0.5", None, [0.5], 10**400, np.ones(3)]
)
def test_anything_else_is_refused_by_name(value: object) -> None:
    with pytest.raises(InputError, match=r"share is .*a number from 0 to 1"):
        check_range("share", value, 0.0, 1.0)


def test_open_ends_and_units_are_said() -> None:
    with pytest.raises(InputError, match=r"scale is 0; it takes a number above 0 below 1000 m$"):
        check_range("scale", 0, above=0, below=1000, unit="m")


@pytest.mark.parametrize("value", [1.5, 0, 10, "3", True, None])
def test_whole_numbers_are_whole(value: object) -> None:
    assert check_whole("runs", 4.0, 1, 9) == 4
    with pytest.raises(InputError, match="a whole number from 1 to 9"):
        check_whole("runs", value, 1, 9)
