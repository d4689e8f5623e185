"""What the tables of estimates say of a state. Import lazily: it brings in numba."""

from __future__ import annotations

from math import cos, floor, isnan, pi, sin

from footfall.maths.jit_kernels import inner_kernel
from footfall.optimal.search_arrays import FAR


@inner_kernel
def estimate_at(guide, met, node, x, z, yaw):  # type: ignore[no-untyped-def]
    """The cost that is left at least, from a node at a pose, once `met` constraints are met."""
    if guide.table[met, node, 0] >= FAR:
        return FAR
    metres = metres_left(guide, met, x, z)
    step = min(int((metres - guide.later[met]) * guide.per_step), guide.table.shape[2] - 1)
    most = max(guide.rate * metres + guide.table[met, node, max(step, 0)], 0.0)
    for j in range(guide.level):
        most = max(most, guide.slopes[j, 0] * metres + guide.lines[met, node, j])
    if guide.level < guide.lines.shape[2] and not isnan(guide.yaw[met]):
        most = max(most, _by_turns(guide, met, node, metres, yaw))
    if guide.guess.shape[3] > 0:
        most = max(most, _guess(guide, met, node, x, z, yaw))
        most += _by_pose(guide.footing, guide.frame, x, z, yaw)
    return most


@inner_kernel
def _guess(guide, met, node, x, z, yaw):  # type: ignore[no-untyped-def]
    """A guess of what is left: the cheapest path by node, and what makes up for where it leads.

    No less than what it costs to get to where things are begun, and to do what comes next there:
    the cheapest path by node knows nothing of what stands in its way.
    """
    done = guide.done
    c, s = cos(yaw), sin(yaw)
    mx, mz = done[met, node, 0], done[met, node, 1]
    to_x, to_z = x + mx * c + mz * s, z - mx * s + mz * c
    left = _by_pose(guide.guess[met], guide.frame, to_x, to_z, yaw + done[met, node, 2])
    first = _by_pose(guide.guess[met], guide.frame, x, z, yaw)
    return max(done[met, node, 3] + left, min(done[met, node, 3], guide.begun[met]) + first)


@inner_kernel
def _by_pose(guess, frame, x, z, yaw):  # type: ignore[no-untyped-def]
    """What a table (I, K, Y) says at a pose, linear between corners and yaws."""
    yaws = guess.shape[2]
    u, v, w = (x - frame[0]) * frame[2], (z - frame[1]) * frame[2], yaw * (yaws / (2.0 * pi))
    u = min(max(u, 0.0), guess.shape[0] - 1.001)
    v = min(max(v, 0.0), guess.shape[1] - 1.001)
    i, k, y = int(u), int(v), floor(w)
    u, v, w = u - i, v - k, w - y
    found = 0.0
    for side in range(2):
        at = (y + side) % yaws
        low = guess[i, k, at] * (1.0 - u) + guess[i + 1, k, at] * u
        high = guess[i, k + 1, at] * (1.0 - u) + guess[i + 1, k + 1, at] * u
        found += (low * (1.0 - v) + high * v) * (w if side == 1 else 1.0 - w)
    return found


@inner_kernel
def _by_turns(guide, met, node, metres, yaw):  # type: ignore[no-untyped-def]
    """The same by lines with a slope for radians, the short way round or the long one.

    What they say together is convex in the radians, so it rises on both sides of the least.
    """
    away = (guide.yaw[met] - yaw) / (2.0 * pi)
    away = (away - floor(away + 0.5)) * 2.0 * pi
    least = _by_turn(guide, met, node, metres, away)
    for side in range(2):
        turn = away
        while True:
            turn += 2.0 * pi if side == 0 else -2.0 * pi
            other = _by_turn(guide, met, node, metres, turn)
            if not other < least:
                break
            least = other
    return least


@inner_kernel
def _by_turn(guide, met, node, metres, turn):  # type: ignore[no-untyped-def]
    """What is left at least if so many radians are turned to the left."""
    most = -FAR
    for j in range(guide.level, guide.lines.shape[2]):
        metre, radian = guide.slopes[j, 0], guide.slopes[j, 1]
        turned = radian * turn - abs(radian) * guide.within_rad[met]
        most = max(most, metre * metres + turned + guide.lines[met, node, j])
    return most


@inner_kernel
def metres_left(guide, met, x, z):  # type: ignore[no-untyped-def]
    """The metres that are left at least, linear between the corners of a square."""
    field, frame = guide.field, guide.frame
    u, v = (x - frame[0]) * frame[2], (z - frame[1]) * frame[2]
    i, k = int(u), int(v)
    if u < 0.0 or v < 0.0 or i >= field.shape[1] - 1 or k >= field.shape[2] - 1:
        return FAR
    u, v = u - i, v - k
    low = field[met, i, k] * (1.0 - u) + field[met, i + 1, k] * u
    high = field[met, i, k + 1] * (1.0 - u) + field[met, i + 1, k + 1] * u
    return low * (1.0 - v) + high * v
