"""Merging of states that show nearly the same: most similar first, never by chains.

Two states may be one if the same parts touch before and after, and every joint is near in a short
time around them. Clusters are grown by complete linkage, so that no two states of one are further
apart than the limit; one of them stands for all.
"""

from __future__ import annotations

import numpy as np

from footfall.maths import planar
from footfall.maths.arrays import Floats, Ints
from footfall.optimal.phases import Phases
from footfall.pose.weights import body_joints

AROUND_S = 0.07
"""States are compared over this time before and after them: speeds count as well."""


def merge_states(phases: Phases, kinds: Ints, limit_m: float) -> Ints:
    """(S,) the state, by its number, that stands for each: itself, or one that is much like it.

    kinds    (S,) only states of one kind may be one
    limit_m  how far any joint of two states that become one may be apart, metres
    """
    clouds = state_clouds(phases, phases.states)
    stands_for = np.arange(len(kinds), dtype=np.int32)
    for kind in np.unique(kinds):
        members = np.flatnonzero(kinds == kind).astype(np.int32)
        if len(members) > 1:
            stands_for[members] = members[_cluster(clouds[members], limit_m)]
    return stands_for


def state_clouds(phases: Phases, states: Ints) -> Floats:
    """(S, P, 3) joints around frames, seen from the ground below the root at each of them."""
    frames = phases.frames
    clip = frames.clip[states]
    low, high = frames.clip_start[clip], frames.clip_start[clip + 1] - 1
    step = max(round(AROUND_S * frames.fps), 1)
    at = np.stack([np.clip(states + k * step, low, high) for k in (-1, 0, 1)], axis=1)
    points = frames.positions[:, body_joints(frames.skeleton)][at]
    pose = planar.pose_of(frames.root[states], frames.rotations[states, 0])
    cloud = planar.apply_to_points(planar.inverse(pose)[:, None, None], points)
    cloud[..., 1] -= phases.ground[states][:, None, None]
    return cloud.reshape(len(states), -1, 3)


def farthest_apart(a: Floats, b: Floats) -> Floats:
    """(A, B) the largest distance of any point of clouds (A, P, 3) and (B, P, 3), metres."""
    out = np.empty((len(a), len(b)))
    for n, cloud in enumerate(a):
        gap = b - cloud
        out[n] = np.sqrt(np.einsum("npi,npi->np", gap, gap).max(axis=1))
    return out


def _cluster(clouds: Floats, limit_m: float) -> Ints:
    """(N,) which of the clouds stands for each: the one nearest to all of its cluster."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    apart = farthest_apart(clouds, clouds)
    apart = 0.5 * (apart + apart.T)
    np.fill_diagonal(apart, 0.0)
    label = fcluster(linkage(squareform(apart), "complete"), limit_m, "distance")
    out = np.empty(len(clouds), np.int32)
    for cluster in np.unique(label):
        members = np.flatnonzero(label == cluster)
        worst = apart[np.ix_(members, members)].max(axis=1)
        out[members] = members[int(worst.argmin())]
    return out
