"""Example strides: what they are at their own parameters, and that time only runs forward."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.adapt.steps.standing import stand_like
from footfall.blending import kernels
from footfall.blending.build import SpaceSettings, build_space
from footfall.blending.examples import SAMPLES, cut_examples, key_moments
from footfall.body.edit import mirror, retime
from footfall.errors import InputError
from footfall.gait.contacts import find_contacts
from footfall.gait.strides import find_strides
from footfall.maths import quaternions as quat
from tests.clips import steady
from tests.sweeps import examples


def played(space, times, weights):
    count = len(times)
    joints = len(space.skeleton)
    places, turns = np.empty((count, 3)), np.empty((count, joints, 4))
    memory = np.empty(space.vectors.shape[2])
    for n, t in enumerate(times):
        kernels.blend_pose(
            t, weights[n], space.middle, space.reference, space.vectors, memory, turns[n]
        )
        places[n] = memory[-3:]
    return places, turns


def test_a_space_has_the_speeds_and_turns_of_its_clips(space):
    found = {e.name: (e.speed_m_s, e.turn_rad_s) for e in space.examples if "spot" not in e.name}
    assert len(found) == 20
    for name, (speed, turn) in found.items():
        parts = name.split("_")
        asked = float(parts[2])
        bend = 0.0 if len(parts) < 5 else float(parts[4]) * (1.0 if parts[3] == "left" else -1.0)
        assert speed == pytest.approx(asked, rel=0.02)
        assert turn == pytest.approx(bend, abs=0.04)


def test_at_its_own_parameters_a_blend_is_the_example(space):
    times = np.arange(SAMPLES) / SAMPLES
    for n, example in enumerate(space.examples):
        places, turns = played(space, times, np.tile(np.eye(len(space))[n], (SAMPLES, 1)))
        assert places == pytest.approx(example.place, abs=1e-6)
        assert quat.angle_between(turns, example.rotations).max() < 1e-6


def test_an_example_is_its_clip_as_far_as_that_repeats(space):
    example = next(e for e in space.examples if e.name == "park_walk_1.4")
    lefts = {s.begin_s for s in find_strides(find_contacts(example.clip), first="left")}
    # A stride that begins with the left foot is told from its second step.
    turned = example.begin_s in lefts
    steps = example.seconds[::-1] if turned else example.seconds
    moments = key_moments(
        example.begin_s, example.begin_s + steps[0], example.begin_s + float(steps.sum())
    )
    clip = retime(example.clip, moments)
    rotations = np.roll(example.rotations, SAMPLES // 2, axis=0) if turned else example.rotations
    off = quat.angle_between(clip.rotations[:, 1:], rotations[:, 1:])
    assert off.max() <= 0.5 * example.gap + 1e-9


def test_signs_of_quaternions_do_not_matter(space, park, rng):
    flipped = []
    for clip in park[:4]:
        signs = np.where(rng.random(clip.rotations.shape[:2]) < 0.5, -1.0, 1.0)
        flipped.append(replace(clip, rotations=clip.rotations * signs[..., None]))
    settings_ = SpaceSettings(in_place=False)
    stand = stand_like(park[0])
    one, other = build_space(park[:4], stand, settings_), build_space(flipped, stand, settings_)
    times = np.linspace(0.0, 0.99, 50)
    weights = np.tile(rng.dirichlet(np.ones(len(one))), (50, 1))
    turns = [played(s, times, weights)[1] for s in (one, other)]
    assert quat.angle_between(*turns).max() < 1e-6


@examples(100)
@given(seed=st.integers(0, 100_000))
def test_time_never_runs_backwards_however_weights_change(seed):
    rng = np.random.default_rng(seed)
    seconds = rng.uniform(0.2, 1.2, (8, 2))
    t, gone = float(rng.random()), 0.0
    for _ in range(50):
        weights, dt = rng.dirichlet(np.full(8, 0.2)), float(rng.uniform(0.0, 0.2))
        after = kernels.advance_time(t, dt, weights @ seconds)
        ahead = (after - t) % 1.0
        longest = 2.0 * float((weights @ seconds).max())
        assert 0.0 <= after < 1.0
        assert ahead >= dt / longest - 1e-12 or dt > 0.5 * longest
        gone += ahead
        t = after
    assert gone > 0.0


def naive_time(t, weights, seconds):
    """Where in its clip the paper's plain blend of times is."""
    first, second = weights @ seconds
    return 2.0 * t * first if t < 0.5 else first + (2.0 * t - 1.0) * second


def test_the_naive_warp_runs_backwards_where_ours_does_not():
    seconds = np.array([[0.6, 0.6], [0.3, 0.3]])
    slow, fast = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    t = 0.5
    after = kernels.advance_time(t, 0.02, fast @ seconds)
    assert naive_time(after, fast, seconds) < naive_time(t, slow, seconds)
    assert after > t


def test_strides_of_a_mirrored_clip_turn_the_other_way(park):
    clip = next(c for c in park if c.name == "park_walk_1.1_left_0.75")
    both = cut_examples([clip], mirrored=True)
    turns = np.array([e.turn_rad_s for e in both])
    assert turns.max() == pytest.approx(0.75, abs=0.03)
    assert turns.min() == pytest.approx(-0.75, abs=0.03)
    assert mirror(clip, keep_skeleton=True).skeleton == clip.skeleton


def test_parameters_of_ones_own_become_dimensions(park):
    own = {clip.name: {"load": float(n % 3)} for n, clip in enumerate(park)}
    made = build_space(park, stand_like(park[0]), own=own)
    assert made.basis.names == ("speed", "turn", "style", "load")
    del own[park[3].name]
    with pytest.raises(InputError, match="no value for 'load'"):
        build_space(park, stand_like(park[0]), own=own)


def test_at_an_examples_parameters_the_whole_weight_is_its_own(space):
    for n, row in enumerate(space.basis.values):
        weights, reached = space.basis.weights(row)
        assert weights == pytest.approx(np.eye(len(space))[n], abs=1e-6)
        assert reached == pytest.approx(row, abs=1e-6)


def test_a_stride_from_left_to_left_is_the_same_example():
    """A walk whose strides are all alike repeats, so a cycle is the same wherever it is cut."""
    clip = steady("walk", 1.4, seconds=4.5)
    found = [e for e in cut_examples([clip]) if abs(e.turn_rad_s) < 0.05]
    contacts = find_contacts(clip)
    begins = {f: {s.begin_s for s in find_strides(contacts, first=f)} for f in ("left", "right")}
    lefts, rights = (
        [e for e in found if min(abs(e.begin_s - b) for b in begins[foot]) < 1e-6]
        for foot in ("left", "right")
    )
    assert lefts
    assert rights
    for left in lefts:
        off = quat.angle_between(left.rotations[:, 1:], rights[0].rotations[:, 1:])
        assert off.max() < np.radians(6.0)
        assert np.abs(left.place - rights[0].place).max() < 0.02
        assert left.seconds == pytest.approx(rights[0].seconds, abs=0.02)
        assert left.contacts == pytest.approx(rights[0].contacts, abs=0.06)


def test_strides_that_limp_or_do_not_come_back_are_no_examples(park):
    clip = next(c for c in park if c.name == "park_walk_1.1")
    assert cut_examples([clip])
    slow = np.concatenate([[0.0], np.cumsum(1.0 + 0.8 * np.sin(np.pi * clip.times[1:] / 0.59))])
    limps = retime(clip, slow[slow < len(clip) - 1] / clip.fps)
    assert not cut_examples([replace(limps, contacts=None)])
    raised = np.array(clip.rotations)
    arm = clip.skeleton.role("left_shoulder")
    lift = quat.about_axis(2, np.linspace(0.0, 3.0, len(clip)))
    raised[:, arm] = quat.multiply(lift, raised[:, arm])
    assert not cut_examples([replace(clip, rotations=raised)])


def test_one_clip_is_a_space_and_none_is_refused():
    walk = steady("walk", 1.2, seconds=4.0, fps=30).named("walk")
    made = build_space([walk], stand_like(walk), SpaceSettings(in_place=False))
    assert len(made) == 1
    with pytest.raises(InputError, match="has a stride to blend"):
        build_space([stand_like(walk)], stand_like(walk))
