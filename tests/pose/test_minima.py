"""Local minima over tiles against a search of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.body.skeleton import Skeleton
from footfall.pose.frames import Frames, frames_of
from footfall.pose.metrics import METRICS, TileMemory, make_metric
from footfall.pose.minima import find_minima
from tests.clips import steady


class Given:
    """A metric whose distances are stated."""

    def __init__(self, matrix: np.ndarray, lengths: list[int], window: int) -> None:
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        total = int(start[-1])
        stick = Skeleton(("stick",), np.array([-1]), np.zeros((1, 3)))
        self.frames = Frames(stick, 30.0, start, np.zeros((total, 3)), np.ones((total, 1, 4)))
        self.window = window
        there = self.frames.windows(window)
        self.matrix = np.where(there[:, None] & there, matrix, np.inf).astype(np.float32)

    def tile(self, rows: range, columns: range, room: TileMemory) -> np.ndarray:
        return np.ascontiguousarray(
            self.matrix[rows.start : rows.stop, columns.start : columns.stop]
        )

    def between(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return self.matrix[first, second].astype(np.float64)


def brute_force(matrix: np.ndarray, frames: Frames, window: int) -> dict[tuple[int, int], float]:
    """Below all eight neighbours; of equals the one that comes first, row by row."""
    found = {}
    count = len(matrix)
    for a in range(count):
        for b in range(a + 1, count):
            value = matrix[a, b]
            if not np.isfinite(value) or (frames.clip[a] == frames.clip[b] and b - a < window):
                continue
            around = [
                (matrix[r, c], (r, c))
                for r in range(max(a - 1, 0), min(a + 2, count))
                for c in range(max(b - 1, 0), min(b + 2, count))
                if (r, c) != (a, b)
            ]
            if all((value, (a, b)) < other for other in around):
                found[a, b] = float(value)
    return found


@st.composite
def metrics(draw: st.DrawFn) -> Given:
    lengths = draw(st.lists(st.integers(1, 14), min_size=1, max_size=4))
    values = draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    total = sum(lengths)
    matrix = rng.integers(0, values, (total, total)).astype(np.float32)
    return Given(np.minimum(matrix, matrix.T), lengths, draw(st.integers(1, 4)))


@given(metric=metrics(), tile=st.integers(2, 40))
def test_minima_are_those_of_the_whole_matrix_however_it_is_cut(metric: Given, tile: int) -> None:
    found = find_minima(metric, tile=tile)
    got = {
        (int(a), int(b)): float(d)
        for a, b, d in zip(found.first, found.second, found.distance, strict=True)
    }
    assert got == brute_force(metric.matrix, metric.frames, metric.window)
    assert np.all(np.diff(found.distance) >= 0.0)


def test_a_plateau_gives_one_minimum() -> None:
    matrix = np.full((30, 30), 5.0)
    matrix[4:7, 15:18] = matrix[15:18, 4:7] = 1.0
    found = find_minima(Given(matrix, [30], 2))
    assert (4, 15) in set(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert int((found.distance == 1.0).sum()) == 1


@given(metric=metrics(), cut=st.floats(0.5, 50.0))
def test_a_cut_leaves_what_is_nearer(metric: Given, cut: float) -> None:
    whole, part = find_minima(metric), find_minima(metric, cut)
    assert np.array_equal(part.distance, whole.distance[whole.distance <= np.float32(cut)])


def test_of_too_many_minima_the_nearest_are_kept(rng: np.random.Generator) -> None:
    matrix = rng.random((300, 300)).astype(np.float32)
    metric = Given(np.minimum(matrix, matrix.T), [300], 2)
    whole, part = find_minima(metric, tile=32), find_minima(metric, tile=32, most=100)
    assert whole.complete
    assert not part.complete
    assert np.array_equal(part.distance, whole.distance[:100])


def test_percentiles_are_those_of_all_pairs_that_are_compared(rng: np.random.Generator) -> None:
    matrix = rng.gamma(2.0, 0.01, (200, 200)).astype(np.float32)
    metric = Given(np.minimum(matrix, matrix.T), [120, 80], 10)
    found = find_minima(metric, tile=64)
    a, b = np.nonzero(np.isfinite(metric.matrix))
    clip = metric.frames.clip
    compared = (b > a) & ~((clip[a] == clip[b]) & (b - a < 10))
    values = metric.matrix[a, b][compared]
    assert found.pairs == compared.sum()
    for share in (0.5, 1.0, 2.0, 8.0, 32.0, 100.0):
        assert found.percentile(share) == pytest.approx(np.percentile(values, share), rel=8e-3)


@pytest.mark.parametrize("name", METRICS)
def test_real_metrics_have_the_minima_of_their_exact_distances(name: str) -> None:
    walks = [
        steady("walk", speed, turn, seconds=2.5, fps=30.0).named(f"{speed}")
        for speed, turn in ((1.1, 0.2), (1.3, -0.4))
    ]
    metric = make_metric(name, frames_of(walks), 10)
    count = len(metric.frames)
    there = np.flatnonzero(metric.frames.windows(10))
    first, second = (a.ravel() for a in np.meshgrid(there, there, indexing="ij"))
    matrix = np.full((count, count), np.inf)
    matrix[first, second] = metric.between(first, second)
    wanted = set(brute_force(matrix, metric.frames, 10))
    found = find_minima(metric, tile=50)
    got = set(zip(found.first.tolist(), found.second.tolist(), strict=True))
    # A flat minimum may lie one frame beside where 64 bits put it.
    for a, b in got ^ wanted:
        other = wanted if (a, b) in got else got
        assert any((a + i, b + j) in other for i in (-1, 0, 1) for j in (-1, 0, 1))
    assert len(got & wanted) >= 0.97 * len(wanted)


def test_progress_is_told_to_the_end() -> None:
    told: list[float] = []
    find_minima(Given(np.ones((100, 100)), [100], 2), tile=16, progress=told.append)
    assert max(told) == 1.0


def test_clips_shorter_than_the_window_have_no_minima() -> None:
    found = find_minima(Given(np.ones((6, 6)), [3, 3], 4))
    assert (len(found), found.pairs, found.percentile(50.0)) == (0, 0, 0.0)
