"""Stretches of true values."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.maths.runs import runs


@given(st.lists(st.booleans(), max_size=60))
def test_runs_are_the_groups_of_true_values(values: list[bool]) -> None:
    wanted, at = [], 0
    for value, group in groupby(values):
        length = len(list(group))
        if value:
            wanted.append([at, at + length])
        at += length
    found = runs(np.array(values, dtype=bool))
    assert found.shape == (len(wanted), 2)
    assert found.tolist() == wanted
