"""Quaternions against scipy's Rotation and the laws they must keep."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from footfall.errors import InputError
from footfall.maths import quaternions as qs

finite = st.floats(-10.0, 10.0)
vectors = st.tuples(finite, finite, finite).map(np.array)
unit = (
    st.tuples(*[st.floats(-1.0, 1.0)] * 4)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 1e-3)
    .map(qs.normalise)
)
directions = vectors.filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: v / np.linalg.norm(v))


def scipy_rotation(q):
    return Rotation.from_quat(q, scalar_first=True)


def same(a, b, tolerance=1e-12):
    assert np.max(qs.angle_between(a, b), initial=0.0) < tolerance


@given(unit, unit, unit)
def test_products_are_associative_and_inverses_undo(a, b, c):
    left = qs.multiply(qs.multiply(a, b), c)
    np.testing.assert_allclose(left, qs.multiply(a, qs.multiply(b, c)), atol=1e-14)
    np.testing.assert_allclose(qs.multiply(a, qs.conjugate(a)), qs.IDENTITY, atol=1e-14)
    np.testing.assert_allclose(qs.multiply(a, qs.IDENTITY), a)


@pytest.mark.parametrize(
    ("a", "b"),
    [((9,), (9,)), ((), (9,)), ((9,), ()), ((9, 1), (9, 5)), ((9, 5), (5,)), ((0, 5), (5,))],
)
def test_shapes_of_factors_broadcast_as_those_of_numpy(a, b):
    rng = np.random.default_rng(0)
    p, q, v = (rng.standard_normal((*shape, n)) for shape, n in ((a, 4), (b, 4), (b, 3)))
    shape = np.broadcast_shapes(a, b)
    for found, factor, one in (
        (qs.multiply(p, q), q, qs.multiply),
        (qs.rotate(p, v), v, qs.rotate),
    ):
        assert found.shape == (*shape, factor.shape[-1])
        left, right = np.broadcast_to(p, (*shape, 4)), np.broadcast_to(factor, found.shape)
        for at in np.ndindex(shape):
            assert np.array_equal(found[at], one(left[at], right[at]))


@given(unit, unit, vectors)
def test_product_and_rotate_agree_with_scipy(a, b, v):
    same(qs.multiply(a, b), (scipy_rotation(a) * scipy_rotation(b)).as_quat(scalar_first=True))
    np.testing.assert_allclose(qs.rotate(a, v), scipy_rotation(a).apply(v), atol=1e-13)
    np.testing.assert_allclose(
        qs.rotate(qs.multiply(a, b), v), qs.rotate(a, qs.rotate(b, v)), atol=1e-13
    )


def test_leading_dimensions_broadcast(rng):
    a, b = qs.random_rotations(rng, (4, 1)), qs.random_rotations(rng, (3,))
    product = qs.multiply(a, b)
    assert product.shape == (4, 3, 4)
    np.testing.assert_allclose(product[2, 1], qs.multiply(a[2, 0], b[1]))
    assert qs.slerp(a, b, np.zeros((5, 1, 1))).shape == (5, 4, 3, 4)
    assert qs.rotate(a, np.ones(3)).shape == (4, 1, 3)


def test_a_zero_quaternion_becomes_the_identity():
    np.testing.assert_array_equal(qs.normalise(np.zeros((2, 4))), np.tile(qs.IDENTITY, (2, 1)))


# ------------------------------------------------------------------ exponentials and logarithms


@given(directions, st.floats(-300.0, 0.0), st.booleans())
def test_exp_and_log_undo_each_other_near_zero_and_near_a_half_turn(axis, exponent, near_pi):
    exponent = max(exponent, -14.0) if near_pi else exponent
    angle = np.pi - 10.0**exponent if near_pi else 10.0**exponent
    vector = axis * angle
    np.testing.assert_allclose(
        qs.to_rotation_vector(qs.from_rotation_vector(vector)), vector, rtol=1e-13, atol=1e-14
    )
    np.testing.assert_allclose(
        qs.log_half_angle(qs.exp_half_angle(vector)),
        vector,
        rtol=1e-7 if near_pi else 1e-13,
        atol=1e-300,
    )


@given(vectors)
def test_rotation_vector_agrees_with_scipy(v):
    q = qs.from_rotation_vector(v)
    same(q, Rotation.from_rotvec(v).as_quat(scalar_first=True))
    assert abs(np.linalg.norm(q) - 1.0) < 1e-14
    turned = qs.to_rotation_vector(q)
    assert np.linalg.norm(turned) <= np.pi + 1e-15
    same(qs.from_rotation_vector(turned), q)


@given(vectors)
def test_half_angle_is_half_the_rotation_vector(v):
    np.testing.assert_array_equal(qs.exp_half_angle(v / 2.0), qs.from_rotation_vector(v))


@given(unit)
def test_log_keeps_the_sign_of_its_input(q):
    back = qs.exp_half_angle(qs.log_half_angle(q))
    np.testing.assert_allclose(back, q, atol=1e-13)
    np.testing.assert_allclose(qs.exp_half_angle(qs.log_half_angle(-q)), -q, atol=1e-13)


def test_log_of_minus_one_is_defined():
    vector = qs.log_half_angle(-qs.IDENTITY)
    assert np.linalg.norm(vector) == pytest.approx(np.pi)
    np.testing.assert_array_equal(qs.to_rotation_vector(-qs.IDENTITY), np.zeros(3))


@given(unit, st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_powers_of_one_rotation_add(q, s, t):
    same(qs.multiply(qs.power(q, s), qs.power(q, t)), qs.power(q, s + t))
    same(qs.power(q, 1.0), q)


@given(directions, finite)
def test_axis_angle_ignores_the_length_of_the_axis(axis, angle):
    same(qs.from_axis_angle(7.0 * axis, angle), qs.from_rotation_vector(axis * angle))
    np.testing.assert_array_equal(qs.from_axis_angle(np.zeros(3), angle), qs.IDENTITY)
    for k in range(3):
        same(qs.about_axis(k, angle), qs.from_axis_angle(np.eye(3)[k], angle))


# ---------------------------------------------------------------------------------------- slerp


@given(unit, unit, st.floats(0.0, 1.0))
def test_slerp_agrees_with_scipy(a, b, t):
    if abs(qs.dot(a, b)) < 1e-6:
        return  # half a turn apart both ways are short and either may be taken
    both = Rotation.from_quat(np.stack([a, b]), scalar_first=True)
    same(qs.slerp(a, b, t), Slerp([0.0, 1.0], both)(t).as_quat(scalar_first=True), 1e-9)


@given(unit, unit, st.floats(-1.0, 2.0), st.floats(-1.0, 2.0))
def test_slerp_is_constant_speed(a, b, s, t):
    whole = qs.angle_between(a, b)
    part = qs.angle_between(qs.slerp(a, b, s), qs.slerp(a, b, t))
    expected = abs(s - t) * whole
    expected = min(expected, abs(2.0 * np.pi - expected))
    assert part == pytest.approx(expected, abs=1e-12)


@given(unit, directions, st.floats(-18.0, 0.0), st.floats(0.0, 1.0), st.sampled_from([1.0, -1.0]))
def test_slerp_is_exact_for_near_equal_and_antipodal_input(a, axis, exponent, t, sign):
    step = axis * 10.0**exponent
    b = sign * qs.multiply(a, qs.from_rotation_vector(step))
    between = qs.slerp(a, b, t)
    same(between, qs.multiply(a, qs.from_rotation_vector(t * step)), 8e-16 + 1e-12 * 10.0**exponent)
    assert qs.dot(between, a) > 0.0
    np.testing.assert_allclose(qs.slerp(a, b, 0.0), a, atol=1e-15)


# ------------------------------------------------------------------------------------- measures


@given(unit, unit)
def test_angle_between_agrees_with_scipy_and_ignores_signs(a, b):
    expected = (scipy_rotation(a).inv() * scipy_rotation(b)).magnitude()
    assert qs.angle_between(a, b) == pytest.approx(expected, abs=1e-12)
    assert qs.angle_between(-a, b) == pytest.approx(expected, abs=1e-12)


@given(directions, directions)
def test_between_turns_one_direction_to_the_other_and_no_further(u, v):
    q = qs.between(3.0 * u, 0.1 * v)
    np.testing.assert_allclose(qs.rotate(q, u), v, atol=1e-14)
    angle = np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v)
    assert qs.angle_between(q, qs.IDENTITY) == pytest.approx(angle, abs=1e-12)


@given(directions, directions, st.floats(-20.0, -1.0))
def test_between_holds_for_nearly_opposite_directions(u, off, exponent):
    v = -u + off * 10.0**exponent
    v /= np.linalg.norm(v)
    q = qs.between(u, v)
    np.testing.assert_allclose(qs.rotate(q, u), v, atol=1e-14)
    np.testing.assert_array_equal(q, qs.between(u, v))


def test_between_a_zero_vector_and_anything_is_no_turn():
    pairs = [(np.zeros(3), np.ones(3)), (np.ones(3), np.zeros(3)), (np.zeros(3), np.zeros(3))]
    for u, v in pairs:
        np.testing.assert_array_equal(qs.between(u, v), qs.IDENTITY)


@given(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5), st.floats(-3.0, 3.0))
def test_yaw_is_the_heading_whatever_pitch_and_roll(yaw, pitch, roll):
    q = qs.from_euler([yaw, pitch, roll], "YXZ")
    assert qs.yaw_of(q) == pytest.approx(yaw, abs=1e-9)
    assert qs.yaw_of(qs.from_yaw(yaw)) == pytest.approx(yaw, abs=1e-14)


def test_positive_yaw_turns_forward_to_the_left():
    np.testing.assert_allclose(qs.rotate(qs.from_yaw(np.pi / 2), [0, 0, 1]), [1, 0, 0], atol=1e-15)
    bow = qs.from_euler([0.7, np.pi / 2, 0.0], "YXZ")
    assert qs.yaw_of(bow) == pytest.approx(0.7, abs=1e-6)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.sampled_from([0, 1, -2]))
def test_continuous_keeps_the_rotations_and_one_hemisphere(frames, seed, axis):
    rng = np.random.default_rng(seed)
    walk = qs.random_rotations(rng, (frames, 3)) * rng.choice([-1.0, 1.0], (frames, 3, 1))
    q = walk if axis == 0 else np.swapaxes(walk, 0, 1)
    out = np.moveaxis(qs.continuous(q, axis), axis, 0)
    given_ = np.moveaxis(q, axis, 0)
    assert np.all(qs.dot(out[1:], out[:-1]) >= 0.0)
    assert np.all(np.abs(qs.dot(out, given_)) > 1.0 - 1e-12)
    np.testing.assert_array_equal(out[0], given_[0])


# ------------------------------------------------------------------------------------- averages


def spread(rng, count=6, angle=1.0):
    around = qs.from_rotation_vector(rng.uniform(-angle, angle, (count, 3)))
    signs = rng.choice([-1.0, 1.0], (count, 1))
    return signs * qs.multiply(qs.random_rotations(rng), around)


@given(st.integers(0, 2**32 - 1))
def test_reference_orientation_is_scipys_mean_and_ignores_signs(seed):
    rng = np.random.default_rng(seed)
    q, weights = spread(rng), rng.uniform(0.1, 1.0, 6)
    expected = scipy_rotation(q).mean(weights).as_quat(scalar_first=True)
    same(qs.reference_orientation(q, weights), expected, 1e-9)
    same(qs.reference_orientation(-q, weights), expected, 1e-9)


@given(st.integers(0, 2**32 - 1))
def test_weighted_mean_has_logarithms_that_cancel(seed):
    rng = np.random.default_rng(seed)
    q, weights = spread(rng), rng.uniform(0.1, 1.0, 6)
    mean = qs.weighted_mean(q, weights)
    logs = qs.to_rotation_vector(qs.multiply(qs.conjugate(mean), q))
    np.testing.assert_allclose(weights @ logs, 0.0, atol=1e-12)
    turn = qs.random_rotations(rng)
    same(qs.weighted_mean(qs.multiply(turn, -q), weights), qs.multiply(turn, mean), 1e-9)
    two = qs.weighted_mean(q[:2], [0.75, 0.25])
    same(two, qs.slerp(q[0], q[1], 0.25), 1e-9)


def test_means_are_batched_and_refuse_negative_weights(rng):
    q = np.stack([spread(rng) for _ in range(5)])
    same(qs.weighted_mean(q)[3], qs.weighted_mean(q[3]))
    with pytest.raises(InputError, match="weight"):
        qs.weighted_mean(q, [-1.0, 1, 1, 1, 1, 1])
    with pytest.raises(InputError, match="weight"):
        qs.reference_orientation(np.zeros((0, 4)))


def test_random_rotations_turn_a_vector_evenly(rng):
    turned = qs.rotate(qs.random_rotations(rng, 20_000), [0.0, 0.0, 1.0])
    np.testing.assert_allclose(turned.mean(axis=0), 0.0, atol=0.02)
    np.testing.assert_allclose(turned.T @ turned / 20_000, np.eye(3) / 3.0, atol=0.02)


# ------------------------------------------------------------------------ matrices, Euler angles


@given(unit)
def test_matrices_agree_with_scipy_and_come_back(q):
    matrix = qs.to_matrix(q)
    np.testing.assert_allclose(matrix, scipy_rotation(q).as_matrix(), atol=1e-14)
    back = qs.from_matrix(matrix)
    same(back, q, 1e-14)
    assert back[0] >= 0.0


@given(directions, st.floats(-16.0, -1.0))
def test_matrices_near_a_half_turn_come_back(axis, exponent):
    q = qs.from_rotation_vector(axis * (np.pi - 10.0**exponent))
    same(qs.from_matrix(qs.to_matrix(q)), q, 1e-14)


@pytest.mark.parametrize("order", qs.EULER_ORDERS)
def test_euler_angles_agree_with_scipys_intrinsic_ones(order, rng):
    angles = rng.uniform(-np.pi, np.pi, (500, 3))
    q = qs.from_euler(angles, order)
    same(q, Rotation.from_euler(order, angles).as_quat(scalar_first=True))
    np.testing.assert_allclose(qs.to_euler(q, order), scipy_rotation(q).as_euler(order), atol=1e-9)
    same(qs.from_euler(qs.to_euler(q, order), order), q)


@pytest.mark.parametrize("order", qs.EULER_ORDERS)
def test_euler_round_trip_keeps_the_rotation_in_gimbal_lock(order, rng):
    locks = (0.0, np.pi) if order[0] == order[2] else (np.pi / 2, -np.pi / 2)
    for lock, off in itertools.product(locks, (0.0, 1e-15, 1e-12, 1e-10, 1e-8, -1e-6)):
        angles = rng.uniform(-np.pi, np.pi, (50, 3))
        angles[:, 1] = lock + off
        q = qs.from_euler(angles, order)
        found = qs.to_euler(q, order)
        same(qs.from_euler(found, order), q, 1e-9)
        assert np.all(np.abs(found) <= np.pi + 1e-12)
        if off == 0.0:
            np.testing.assert_array_equal(found[:, 2], 0.0)


def test_an_unknown_euler_order_is_told_with_the_valid_ones():
    with pytest.raises(InputError, match=r"XXY.*ZXY"):
        qs.from_euler(np.zeros(3), "XXY")
    np.testing.assert_array_equal(qs.from_euler([0.1, 0.2, 0.3], "zxy"),
                                  qs.from_euler([0.1, 0.2, 0.3], "ZXY"))  # fmt: skip
