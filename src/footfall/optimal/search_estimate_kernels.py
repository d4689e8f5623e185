"""What the tables of estimates say of a state. Import lazily: it brings in numba."""

from __future__ import annotations

from math import floor, isnan, pi

import numpy as np

from footfall.maths.jit_kernels import spliced_kernel
from footfall.search.shortest_path import FAR

_ONE = np.uint64(1)
_PER_TURN = 1.0 / (2.0 * pi)


@spliced_kernel
def estimate_at(guide, met, node, x, z, yaw, c, s):  # type: ignore[no-untyped-def]
    """The cost that is left at least, from a node at a pose, once `met` constraints are met.

    c, s  cosine and sine of the yaw
    """
    if guide.table[met, node, 0] >= FAR:
        return FAR
    metres = metres_left(guide, met, x, z)
    step = min(int((metres - guide.later[met]) * guide.per_step), guide.table.shape[2] - 1)
    most = max(guide.rate * metres + guide.table[met, node, max(step, 0)], 0.0)
    for j in range(guide.level):
        most = max(most, guide.slopes[j, 0] * metres + guide.lines[met, node, j])
    if guide.guess.shape[3] > 0:
        most = max(most, _guess(guide, met, node, x, z, yaw, c, s))
    if guide.level < guide.lines.shape[2] and not isnan(guide.yaw[met]):
        most = max(most, _by_turns(guide, met, node, metres, yaw, most))
    if guide.guess.shape[3] > 0:
        most += _by_pose(guide.footing, guide.frame, x, z, yaw)
    return most


@spliced_kernel
def _guess(guide, met, node, x, z, yaw, c, s):  # type: ignore[no-untyped-def]
    """A guess of what is left: the cheapest path by node, and what makes up for where it leads.

    No less than what it costs to get to where things are begun, and to do what comes next there:
    the cheapest path by node knows nothing of what stands in its way.
    """
    done = guide.done
    mx, mz = done[met, node, 0], done[met, node, 1]
    to_x, to_z = x + mx * c + mz * s, z - mx * s + mz * c
    left = _by_pose(guide.guess[met], guide.frame, to_x, to_z, yaw + done[met, node, 2])
    first = _by_pose(guide.guess[met], guide.frame, x, z, yaw)
    return max(done[met, node, 3] + left, min(done[met, node, 3], guide.begun[met]) + first)


@spliced_kernel
def _by_pose(guess, frame, x, z, yaw):  # type: ignore[no-untyped-def]
    """What a table (I, K, Y) says at a pose, linear between corners and yaws."""
    yaws = guess.shape[2]
    u, v, w = (x - frame[0]) * frame[2], (z - frame[1]) * frame[2], yaw * _PER_TURN
    u = min(max(u, 0.0), guess.shape[0] - 1.001)
    v = min(max(v, 0.0), guess.shape[1] - 1.001)
    w = (w - floor(w)) * yaws
    whole_i, whole_k, whole_y = int(u), int(v), int(w)
    u, v, w = u - whole_i, v - whole_k, w - whole_y
    # Numbers without a sign are not asked whether they count from the end.
    i, k = np.uint64(whole_i), np.uint64(whole_k)
    after = np.uint64(whole_y + 1 if whole_y + 1 < yaws else 0)
    y = np.uint64(min(whole_y, yaws - 1))
    low = _between(guess[i, k, y], guess[i, k, after], w)
    low += u * (_between(guess[i + _ONE, k, y], guess[i + _ONE, k, after], w) - low)
    high = _between(guess[i, k + _ONE, y], guess[i, k + _ONE, after], w)
    there = _between(guess[i + _ONE, k + _ONE, y], guess[i + _ONE, k + _ONE, after], w)
    high += u * (there - high)
    return low + v * (high - low)


@spliced_kernel
def _between(a, b, share):  # type: ignore[no-untyped-def]
    return float(a) + share * (float(b) - float(a))


@spliced_kernel
def _by_turns(guide, met, node, metres, yaw, enough):  # type: ignore[no-untyped-def]
    """The same by lines with a slope for radians, the short way round or the long one.

    What they say together is convex in the radians, so it rises on both sides of the least. Once it
    is no more than `enough` it matters no longer how much less it is.
    """
    away = (guide.yaw[met] - yaw) * _PER_TURN
    away = (away - floor(away + 0.5)) * 2.0 * pi
    least = _by_turn(guide, met, node, metres, away)
    for side in range(2):
        turn = away
        while least > enough:
            turn += 2.0 * pi if side == 0 else -2.0 * pi
            other = _by_turn(guide, met, node, metres, turn)
            if not other < least:
                break
            least = other
    return least


@spliced_kernel
def _by_turn(guide, met, node, metres, turn):  # type: ignore[no-untyped-def]
    """What is left at least if so many radians are turned to the left."""
    most, within = -FAR, guide.within_rad[met]
    for j in range(guide.level, guide.lines.shape[2]):
        metre, radian = guide.slopes[j, 0], guide.slopes[j, 1]
        turned = radian * turn - abs(radian) * within
        most = max(most, metre * metres + turned + guide.lines[met, node, j])
    return most


@spliced_kernel
def metres_left(guide, met, x, z):  # type: ignore[no-untyped-def]
    """The metres that are left at least, linear between the corners of a square."""
    field, frame = guide.field, guide.frame
    u, v = (x - frame[0]) * frame[2], (z - frame[1]) * frame[2]
    i, k = int(u), int(v)
    if u < 0.0 or v < 0.0 or i >= field.shape[1] - 1 or k >= field.shape[2] - 1:
        return FAR
    u, v = u - i, v - k
    left, low, place = np.uint64(i), np.uint64(k), np.uint64(met)
    at = field[place, left, low] * (1.0 - u) + field[place, left + _ONE, low] * u
    high = field[place, left, low + _ONE] * (1.0 - u) + field[place, left + _ONE, low + _ONE] * u
    return at * (1.0 - v) + high * v
