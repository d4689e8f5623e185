"""Measure how far a motion deviates from its path.

van Basten & Egges (§4.2) lay both on each other by the distance travelled and integrate the
squared distance. Their table is in cm² where the integral would be cm³: it is the sum over frames,
at 30 a second, and so it is here. The root mean square says the same for motions of any length.
Where we differ: distances to the nearest point of the path are given beside, since a pelvis that
sways travels farther than the path is long and seems to lag behind when it does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.gait.path import path_abstraction
from footfall.maths.arrays import Floats
from footfall.measures.tracks import PAPER_HZ, evenly


@dataclass(frozen=True)
class PathDeviation:
    """Distances of a motion from a path, seen from above.

    sum_cm2           squared distances at equal distance travelled, summed over frames of 1/30 s
    rms_cm            root mean square of them
    max_cm            the greatest of them
    nearest_rms_cm    root mean square distance from the nearest point of the path
    nearest_max_cm    the greatest of these
    end_error_cm      from where the motion ends to where the path ends
    travelled_m       how far the motion goes
    path_m            how long the path is
    """

    sum_cm2: float
    rms_cm: float
    max_cm: float
    nearest_rms_cm: float
    nearest_max_cm: float
    end_error_cm: float
    travelled_m: float
    path_m: float


def path_deviation(clip: Clip, path: ArrayLike, abstraction: str = "pelvis") -> PathDeviation:
    """Return how far a clip strays from a path (N, 2), x and z in metres.

    abstraction  the path of the clip, one of `footfall.gait.path.METHODS`: the pelvis itself, as
                 the paper measures, or one of those without sway
    """
    return deviation_of(path_abstraction(clip, abstraction), clip.fps, path)


def deviation_of(points: ArrayLike, fps: float, path: ArrayLike) -> PathDeviation:
    """Return how far points (T, 2), `fps` of them a second, stray from a path (N, 2), metres."""
    walked = evenly(_check_points(points, "the way"), fps, PAPER_HZ)
    wanted = _check_points(path, "the path")
    matched = matched_distances(walked, wanted)
    nearest = nearest_distances(walked, wanted)
    return PathDeviation(
        sum_cm2=float(np.sum((100.0 * matched) ** 2)),
        rms_cm=100.0 * _rms(matched),
        max_cm=100.0 * float(matched.max()),
        nearest_rms_cm=100.0 * _rms(nearest),
        nearest_max_cm=100.0 * float(nearest.max()),
        end_error_cm=100.0 * float(np.linalg.norm(walked[-1] - wanted[-1])),
        travelled_m=float(_along(walked)[-1]),
        path_m=float(_along(wanted)[-1]),
    )


def matched_distances(points: Floats, path: Floats) -> Floats:
    """Return (T,) metres from points (T, 2) to the path (N, 2) at equal distance travelled.

    A motion that goes farther than the path is long is compared with the path's end.
    """
    here, there = _along(points), _along(path)
    goal = np.stack([np.interp(here, there, path[:, k]) for k in range(2)], axis=1)
    return np.asarray(np.linalg.norm(points - goal, axis=1))


def nearest_distances(points: Floats, path: Floats) -> Floats:
    """Return (T,) metres from each point (T, 2) to the nearest point of the path (N, 2)."""
    import shapely

    if len(path) == 1:
        return np.asarray(np.linalg.norm(points - path, axis=1))
    pieces = shapely.linestrings(np.stack([path[:-1], path[1:]], axis=1))
    tree = shapely.STRtree(np.atleast_1d(np.asarray(pieces)))
    (_, _), distances = tree.query_nearest(
        shapely.points(points), return_distance=True, all_matches=False
    )
    return np.asarray(distances)


def _along(points: Floats) -> Floats:
    """Return (N,) metres along points (N, 2)."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _check_points(points: ArrayLike, name: str) -> Floats:
    array = np.asarray(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2 or len(array) == 0 or not np.isfinite(array).all():
        raise InputError(
            f"{name} has shape {array.shape}" if array.ndim != 2 or array.shape[1:] != (2,)
            or len(array) == 0 else f"{name} is not made of finite numbers",
            remedy="it takes points x, z in metres, at least one",
        )  # fmt: skip
    return array
