"""Recursive filters, held to scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from footfall.maths.butterworth import filter_both_ways, low_pass_sections


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("share", [0.002, 0.05, 0.4, 0.95])
@pytest.mark.parametrize("shape", [(1,), (2,), (63, 2), (64, 3), (65,), (300, 11, 3)])
def test_filtered_values_are_those_of_scipy(
    order: int, share: float, shape: tuple[int, ...]
) -> None:
    values = np.random.default_rng(0).normal(size=shape).cumsum(axis=0)
    sections = low_pass_sections(math.tan(0.5 * math.pi * share), order)
    expected = sosfiltfilt(butter(order, share, output="sos"), values, axis=0, padlen=0)
    np.testing.assert_allclose(filter_both_ways(sections, values), expected, atol=1e-7)


def test_a_constant_stays_what_it_is() -> None:
    sections = low_pass_sections(0.1, 2)
    np.testing.assert_allclose(filter_both_ways(sections, np.full((200, 2), 3.0)), 3.0)
