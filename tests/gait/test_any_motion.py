"""Whatever a clip holds, looking at it never breaks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.gait.path import METHODS, path_abstraction
from footfall.gait.tags import find_tags, look_at
from footfall.generate.skeleton import default_skeleton
from footfall.maths.quaternions import random_rotations
from tests.sweeps import examples

FIGURE = default_skeleton()


@examples(60)
@given(
    frames=st.integers(1, 120),
    fps=st.sampled_from([0.5, 2.0, 10.0, 24.0, 30.0, 120.0, 1000.0, 50_000.0]),
    wild=st.booleans(),
    size=st.sampled_from([0.0, 1e-4, 0.05, 1.0, 1e6]),
    drifts=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_any_motion_gives_a_result_or_a_reason(
    frames: int, fps: float, wild: bool, size: float, drifts: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rotations = np.zeros((frames, len(FIGURE), 4))
    rotations[..., 0] = 1.0
    if wild:
        rotations = random_rotations(rng, (frames, len(FIGURE)))
    jumps = rng.normal(size=(frames, 3)) * size
    root = FIGURE.rest_positions[0] + (np.cumsum(jumps, axis=0) if drifts else jumps)
    clip = Clip(FIGURE, fps, root, rotations)
    sight = look_at(clip)
    contacts = sight.contacts
    assert contacts.points.shape == (frames, 4)
    assert contacts.problem or contacts.stances
    assert bool(contacts.problem) != contacts.points.any()
    for stance in contacts.stances:
        assert 0.0 <= stance.begin_s <= stance.end_s <= clip.seconds + 1e-9
        assert 0 <= stance.first < stance.stop <= frames
    assert len(sight.prints) == len(contacts.stances)
    for tag in find_tags(clip, sight):
        assert tag.begin_s <= tag.end_s
    for method in METHODS:
        assert np.isfinite(path_abstraction(clip, method)).all()


def test_a_clip_that_holds_one_nan_is_refused() -> None:
    root = np.zeros((10, 3))
    root[4, 1] = np.nan
    rotations = np.zeros((10, len(FIGURE), 4))
    rotations[..., 0] = 1.0
    with pytest.raises(InputError, match="nan"):
        Clip(FIGURE, 30.0, root, rotations)
