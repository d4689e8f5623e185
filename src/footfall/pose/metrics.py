"""Distances between windows of poses: three metrics, all pairs in tiles.

A window is `window` frames of one clip and is named by its first. The metrics, as van Basten &
Egges (§5.1) compare them:

point_cloud           Kovar et al. 2002, §3.1: joints as points over the whole window, one laid
                      on the other as well as a turn and a move on the ground allow; the weighted
                      mean of squared distances that is left, m²
joint_angles          Lee et al. 2002 with the weights of Wang & Bodenheimer 2003: squared half
                      angles, rad², plus 1e-4 times squared velocities, (rad/s)²; no root position
principal_components  rotations as rotation vectors about each joint's mean, without the root's
                      yaw; principal components weighted by their eigenvalues (which sum to 1);
                      the root of the squared distance of each frame, rad

Where we differ: distances are means over the window (and over the weights of a cloud), so that
they compare across skeletons, frame rates and lengths of windows; the papers sum them up. None
of them depends on where a clip was recorded, nor on its heading.

Tiles are computed in 32 bits, single pairs (`between`) in 64.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from footfall.errors import InputError, choices
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.rounding import exact_factors, round_to_grid
from footfall.pose.frames import Frames
from footfall.pose.weights import angle_weights, body_joints, point_weights
from footfall.processes import share_out

METRICS = ("point_cloud", "joint_angles", "principal_components")
UNITS = {"point_cloud": "m²", "joint_angles": "rad²", "principal_components": "rad"}
VELOCITY_SHARE = 1e-4
"""van Basten & Egges' ν, for velocities in rad/s."""

Singles = NDArray[np.float32]

ALIGNMENT, COMPONENT = 2.0**-24, 2.0**-20
"""The steps that alignments (metres and radians) and principal components are rounded to."""
_CHUNK = 1 << 11
# In 32 bits what is nearer than this is rounding (ten times what was measured), and counts as
# nothing: m²; squared distance of frames against the spread of all.
_CLOUD_FLOOR = 3e-7
_COMPONENT_FLOOR = 1e-6


class TileMemory:
    """Memory that one thread computes tiles in; the next tile overwrites the last."""

    def __init__(self) -> None:
        self._held: dict[str, Singles] = {}

    def array(self, name: str, rows: int, columns: int) -> Singles:
        held = self._held.get(name)
        if held is None or held.size < rows * columns:
            held = self._held[name] = np.empty(rows * columns, dtype=np.float32)
        return held[: rows * columns].reshape(rows, columns)

    def product(self, name: str, a: Floats, b: Floats) -> Singles:
        """Return the scalar products (R, C) of rows `a` (R, K) and `b` (C, K), `exact_factors`."""
        from footfall.pose.kernels import product_tile

        out = self.array(name, len(a), len(b))
        product_tile(a, b, out)
        return out


class Metric(Protocol):
    """What a search over pairs of windows needs."""

    frames: Frames
    window: int

    def tile(self, rows: range, columns: range, room: TileMemory) -> Singles:
        """Return (R, C) distances of windows, in `room`; infinite where a clip ends."""

    def between(self, first: Ints, second: Ints) -> Floats:
        """Return (N,) 64-bit distances between windows `first` (N,) and `second` (N,)."""


def make_metric(name: str, frames: Frames, window: int) -> Metric:
    """Return the metric called `name` over these frames, for windows of `window` frames."""
    kinds: dict[str, Callable[[Frames, int], Metric]] = {
        "point_cloud": PointCloud,
        "joint_angles": JointAngles,
        "principal_components": PrincipalComponents,
    }
    if name not in kinds:
        raise InputError(f"there is no metric {name!r}", remedy=choices(METRICS, name))
    if window < 1:
        raise InputError(f"the window has {window} frames", remedy="it takes at least 1")
    return kinds[name](frames, window)


def distance_matrix(metric: Metric, step: int = 1) -> Singles:
    """Return (M, M) distances of every `step`-th window to every one; infinite where a clip ends.

    The caller sees to it that it fits into memory: 4 bytes a pair.
    """
    picked = np.arange(0, len(metric.frames), step)
    out = np.empty((len(picked), len(picked)), dtype=np.float32)
    size, room = max(256 // step, 1) * step, TileMemory()
    for top in range(0, len(metric.frames), size):
        rows = range(top, min(top + size, len(metric.frames)))
        for side in range(0, len(metric.frames), size):
            columns = range(side, min(side + size, len(metric.frames)))
            part = metric.tile(rows, columns, room)[::step, ::step]
            r, c = top // step, side // step
            out[r : r + len(part), c : c + part.shape[1]] = part
    return out


class PointCloud:
    """Kovar's closed form. Clouds are centred frame by frame, and the path of their centres
    window by window, so that nothing is lost to rounding far from the origin."""

    def __init__(self, frames: Frames, window: int) -> None:
        self.frames, self.window = frames, window
        weights = point_weights(frames.skeleton)
        chosen = np.flatnonzero(weights)
        self.points = np.ascontiguousarray(frames.positions[:, chosen])
        self.weights = weights[chosen]
        share = self.weights / self.weights.sum()
        x, y, z = (self.points[..., n] for n in range(3))
        middle_x, middle_z = x @ share, z @ share
        root = np.sqrt(share / window)
        x, z = (x - middle_x[:, None]) * root, (z - middle_z[:, None]) * root
        y = (y - y.mean(axis=0)) * root
        centres = [_centred_windows(m, window) / np.sqrt(window) for m in (middle_x, middle_z)]
        whole = frames.windows(window)
        paths = np.where(whole[:, None], np.hstack(centres), 0.0)
        spread = _window_sums((x * x + y * y + z * z).sum(axis=1), window)
        spread += (paths * paths).sum(axis=1)
        self._own = np.where(whole, spread, np.inf).astype(np.float32)
        points = len(self.weights)
        self._rows = _pad(exact_factors(np.hstack([x, z])), window)
        self._columns = np.hstack([self._rows[:, points:], -self._rows[:, :points]])
        self._heights = _pad(exact_factors(y), window)
        self._paths = exact_factors(paths)
        self._turned_paths = np.hstack([self._paths[:, window:], -self._paths[:, :window]])

    def tile(self, rows: range, columns: range, room: TileMemory) -> Singles:
        from footfall.pose.kernels import cloud_tile

        more = self.window - 1
        r, c = slice(rows.start, rows.stop + more), slice(columns.start, columns.stop + more)
        product = room.product
        real = product("real", self._rows[r], self._rows[c])
        imaginary = product("imaginary", self._rows[r], self._columns[c])
        heights = product("heights", self._heights[r], self._heights[c])
        r, c = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
        way = product("way", self._paths[r], self._paths[c])
        turned = product("turned way", self._paths[r], self._turned_paths[c])
        out = room.array("out", len(rows), len(columns))
        own_rows, own_columns = self._own[r], self._own[c]
        floor = np.float32(_CLOUD_FLOOR)
        cloud_tile(
            real, imaginary, heights, way, turned, own_rows, own_columns, self.window, floor, out
        )
        return out

    def gather(self, at: Ints, whole: Bools) -> PointCloud:
        """Return a metric whose tiles compare the frames `at` (N,), as if they were in a row.

        whole  (N,) whether the window that starts there is one of this metric's
        """
        some = copy(self)
        some._own = np.where(whole, self._own[at], np.float32(np.inf))
        for name in ("_rows", "_columns", "_heights"):
            setattr(some, name, _pad(getattr(self, name)[at], self.window))
        some._paths, some._turned_paths = self._paths[at], self._turned_paths[at]
        return some

    def between(self, first: Ints, second: Ints) -> Floats:
        return self.aligned(first, second)[1]

    def aligned(self, first: Ints, second: Ints) -> tuple[Floats, Floats]:
        """Return (N, 3) the planar poses that lay `second` on `first`, and (N,) distances, m²."""
        from footfall.pose.kernels import align_windows

        poses, distances = np.empty((len(first), 3)), np.empty(len(first))
        first, second = _places(first, second)

        def work(part: slice) -> None:
            align_windows(
                self.points, self.weights, first[part], second[part], self.window,
                poses[part], distances[part],
            )  # fmt: skip

        share_out(work, _chunks(len(first)))
        return round_to_grid(poses, ALIGNMENT), round_to_grid(distances)


class JointAngles:
    """Lee's form: squared logarithms of the few joints that have a weight, and their speeds."""

    def __init__(self, frames: Frames, window: int) -> None:
        self.frames, self.window = frames, window
        weights = angle_weights(frames.skeleton)
        chosen = np.flatnonzero(weights)
        self.weights = weights[chosen]
        self.turns = np.ascontiguousarray(frames.rotations[:, chosen])
        self.rates = _velocities(frames, self.turns)
        scaled = self.rates * np.sqrt(VELOCITY_SHARE * self.weights)[:, None]
        self._turns, self._rates = (
            np.ascontiguousarray(_pad(a, window).astype(np.float32).transpose(1, 2, 0))
            for a in (self.turns, scaled)
        )
        self._pad = np.where(frames.windows(window), 0.0, np.inf).astype(np.float32)
        self._series = squared_angle_series().astype(np.float32)

    def tile(self, rows: range, columns: range, room: TileMemory) -> Singles:
        from footfall.pose.kernels import angle_tile

        more = self.window - 1
        frames = room.array("frames", len(rows) + more, len(columns) + more)
        weights = self.weights.astype(np.float32)
        angle_tile(
            self._turns, self._rates, rows.start, columns.start, weights, self._series, frames
        )
        return _sum_windows(room, frames, self._pad, self.window, rows, columns)

    def between(self, first: Ints, second: Ints) -> Floats:
        from footfall.pose.kernels import angle_windows

        first, second = _places(first, second)
        out = np.empty(len(first))

        def work(part: slice) -> None:
            angle_windows(
                self.turns, self.rates, self.weights, VELOCITY_SHARE, first[part], second[part],
                self.window, out[part],
            )  # fmt: skip

        share_out(work, _chunks(len(first)))
        return round_to_grid(out)


class PrincipalComponents:
    """Components of all rotation vectors, each weighted by its eigenvalue.

    basis   (D, D) the eigenvectors, one a column      weights  (D,) eigenvalues, sum 1
    values  (F, D) the components of each frame
    joints  (K,) the joints they are made of, three numbers each
    """

    def __init__(self, frames: Frames, window: int) -> None:
        self.frames, self.window = frames, window
        self.joints = np.flatnonzero(body_joints(frames.skeleton))
        vectors = rotation_vectors(frames, self.joints)
        vectors -= vectors.mean(axis=0)
        spread, self.basis = np.linalg.eigh(vectors.T @ vectors / max(len(frames), 1))
        spread = np.maximum(spread, 0.0)
        total = float(spread.sum())
        # Clips without any motion have no components; then all distances are 0 anyway.
        weights = spread / total if total > 0.0 else np.full(len(spread), 1.0 / len(spread))
        self.weights = round_to_grid(weights)
        self.values = round_to_grid(vectors @ self.basis, COMPONENT)
        self._values = _pad(exact_factors(self.values * np.sqrt(self.weights)), window)
        self._own = (self._values * self._values).sum(axis=1).astype(np.float32)
        self._floor = np.float32(_COMPONENT_FLOOR * 2.0 * float(self._own.mean()))
        self._pad = np.where(frames.windows(window), 0.0, np.inf).astype(np.float32)

    def tile(self, rows: range, columns: range, room: TileMemory) -> Singles:
        from footfall.pose.kernels import root_tile

        more = self.window - 1
        r, c = slice(rows.start, rows.stop + more), slice(columns.start, columns.stop + more)
        frames = room.product("frames", self._values[r], self._values[c])
        own_rows, own_columns = self._own[r], self._own[c]
        root_tile(frames, own_rows, own_columns, self._floor)
        return _sum_windows(room, frames, self._pad, self.window, rows, columns)

    def between(self, first: Ints, second: Ints) -> Floats:
        from footfall.pose.kernels import component_windows

        first, second = _places(first, second)
        out = np.empty(len(first))

        def work(part: slice) -> None:
            component_windows(
                self.values, self.weights, first[part], second[part], self.window, out[part]
            )

        share_out(work, _chunks(len(first)))
        return round_to_grid(out)


def rotation_vectors(frames: Frames, joints: NDArray[Any]) -> Floats:
    """Return (F, 3K) rotation vectors of `joints` (K,) about each joint's mean, radians.

    The root's yaw is taken out first. About the mean and not about the rest pose, because arms
    that hang are half a turn from no rest, but may be from a T-pose.
    """
    turns = np.array(frames.rotations[:, joints])
    root = np.flatnonzero(joints == 0)
    if root.size:
        level = quat.from_yaw(-quat.yaw_of(frames.rotations[:, 0]))
        turns[:, root[0]] = quat.multiply(level, frames.rotations[:, 0])
    mean = quat.reference_orientation(np.swapaxes(turns, 0, 1))
    vectors = quat.to_rotation_vector(quat.multiply(quat.conjugate(mean), turns))
    return vectors.reshape(len(frames), -1)


def squared_angle_series() -> Floats:
    """Return (10,) series coefficients of acos(1 - t)² for t in 0 to 1, within 1e-8."""
    from numpy.polynomial import Chebyshev, Polynomial

    def function(t: Floats) -> Floats:
        # 2 asin(√(t/2)) is the same angle, and exact near 0
        return np.asarray((2.0 * np.arcsin(np.sqrt(0.5 * t))) ** 2 / t)

    fitted = Chebyshev.interpolate(function, 9, domain=[0.0, 1.0])
    return np.asarray(fitted.convert(kind=Polynomial).coef, dtype=np.float64)


def _sum_windows(
    room: TileMemory, frames: Singles, pad: Singles, window: int, rows: range, columns: range
) -> Singles:
    from footfall.pose.kernels import sum_windows

    out = room.array("out", len(rows), len(columns))
    pad_rows, pad_columns = pad[rows.start : rows.stop], pad[columns.start : columns.stop]
    sum_windows(frames, pad_rows, pad_columns, window, out)
    return out


def _velocities(frames: Frames, turns: Floats) -> Floats:
    """Return (F, K, 3) angular velocity to the next frame, rad/s; the last repeats."""
    rates = np.zeros((*turns.shape[:2], 3))
    step = quat.multiply(quat.conjugate(turns[:-1]), turns[1:])
    rates[:-1] = quat.to_rotation_vector(step) * frames.fps
    starts, stops = frames.clip_start[:-1], frames.clip_start[1:]
    rates[stops - 1] = rates[np.maximum(stops - 2, starts)]
    rates[stops[stops - starts == 1] - 1] = 0.0
    return rates


def _places(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return both in 64 bits: kernels are compiled for one width."""
    return np.asarray(first, np.int64), np.asarray(second, np.int64)


def _chunks(count: int) -> list[slice]:
    return [slice(n, n + _CHUNK) for n in range(0, count, _CHUNK)]


def _centred_windows(values: Floats, window: int) -> Floats:
    """Return (F, window) the numbers from each frame on, less their mean; the last is repeated."""
    steps = np.minimum(np.arange(len(values))[:, None] + np.arange(window), len(values) - 1)
    stacked = values[steps]
    return np.asarray(stacked - stacked.mean(axis=1, keepdims=True))


def _window_sums(values: Floats, window: int) -> Floats:
    """Return (F,) sums over windows; those that reach beyond the end are not to be used."""
    longer = np.concatenate([values, np.zeros(window - 1)])
    return np.asarray(np.lib.stride_tricks.sliding_window_view(longer, window).sum(axis=-1))


def _pad(values: Floats, window: int) -> Floats:
    """Return the values with as many rows of zeros below as a window may extend."""
    return np.pad(values, [(0, window - 1)] + [(0, 0)] * (values.ndim - 1))
