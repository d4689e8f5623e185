"""Compiled parts of difference smoothing: footprints moved along a path. Import lazily: numba.

Footprints in the order of a path are its *stops*: of each move all but those that only stand
beside its first and last one, and where two moves meet one for both. A step leads from a stop to
the next; the clip has made it too, and how far the two differ is what is smoothed.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.edge_kernels import ground_cost, is_free_aside
from footfall.roadmap.lay_kernels import RISE, SHORT, fit_move, lay, wrap
from footfall.roadmap.refine_kernels import footing, turning_about

_GAIN = 1e-9


@inner_kernel
def local_mapping(a, b, before, after, short, out):  # type: ignore[no-untyped-def]
    """Where a stop is if its two steps, as the clip makes them, are laid from a to b (Fig. 6).

    Steps that lead to hardly anywhere cannot be laid along a line; then it is halfway between
    where the one would lead and the other would come from.
    """
    c, s = math.cos(before[3]), math.sin(before[3])
    x, z = before[0] + c * after[0] + s * after[2], before[2] + c * after[2] - s * after[0]
    whole = math.sqrt(x * x + z * z)
    if whole >= short:
        dx, dz = b[0] - a[0], b[2] - a[2]
        scale, turn = math.sqrt(dx * dx + dz * dz) / whole, math.atan2(dx, dz) - math.atan2(x, z)
        c, s = math.cos(turn), math.sin(turn)
        out[0] = a[0] + scale * (c * before[0] + s * before[2])
        out[2] = a[2] + scale * (c * before[2] - s * before[0])
        one, other = math.hypot(before[0], before[2]), math.hypot(after[0], after[2])
        u = one / (one + other)
        first, last = wrap(a[3] - turn), wrap(b[3] - turn - before[3] - after[3])
        out[3] = turn + before[3] + (1.0 - u) * first + u * last
        return
    c, s = math.cos(a[3]), math.sin(a[3])
    x, z = a[0] + c * before[0] + s * before[2], a[2] + c * before[2] - s * before[0]
    first, back = a[3] + before[3], b[3] - after[3]
    c, s = math.cos(back), math.sin(back)
    out[0] = 0.5 * (x + b[0] - (c * after[0] + s * after[2]))
    out[2] = 0.5 * (z + b[2] - (c * after[2] - s * after[0]))
    out[3] = first + 0.5 * wrap(back - first)


@inner_kernel
def _differences_about(prints, row, j, there, count, step, short, yaw_m, trio, aim):  # type: ignore[no-untyped-def]
    """The squares of how far stops are from where the clips would have them, about the j-th.

    A stop is where the clips would have it if its two steps, laid between its neighbours, meet
    there. Those that the j-th has to do with are summed, with it `there`.
    """
    total = 0.0
    for k in range(max(j - 1, 1), min(j + 1, count - 2) + 1):
        for n in range(3):
            for axis in range(4):
                i = k - 1 + n
                trio[n, axis] = there[axis] if i == j else prints[row[i], axis]
        local_mapping(trio[0], trio[2], step[k - 1], step[k], short, aim)
        x, z = aim[0] - trio[1, 0], aim[2] - trio[1, 2]
        turn = yaw_m * wrap(aim[3] - trio[1, 3])
        total += x * x + z * z + turn * turn
    return total


@inner_kernel
def _share_foothold(j, there, path, table, ground, memory, laid):  # type: ignore[no-untyped-def]
    """Move a foothold that two moves share, if the path gets no worse and both stay valid."""
    feet, chosen, cost, change = path
    turn_now, turn_new = turning_about(feet, j, len(chosen), there)
    if turn_new > turn_now + _GAIN:
        return False
    change1, price1 = fit_move(feet[j - 1], there, chosen[j - 1], table, laid)
    change2, price2 = fit_move(there, feet[j + 1], chosen[j], table, laid)
    if change1 + change2 > change[j - 1] + change[j] + _GAIN:
        return False
    price1 += ground_cost(feet[j - 1], there, chosen[j - 1], table, ground, memory, laid)
    price2 += ground_cost(there, feet[j + 1], chosen[j], table, ground, memory, laid)
    if not price1 + price2 <= cost[j - 1] + cost[j] + _GAIN:
        return False
    for k in range(4):
        feet[j, k] = there[k]
    change[j - 1], change[j], cost[j - 1], cost[j] = change1, change2, price1, price2
    return True


@inner_kernel
def _move_stop(prints, stops, k, aim, halvings, path, table, ground, memory, spare):  # type: ignore[no-untyped-def]
    """Move a stop to its aim, or half as far, or a quarter, as far as that is worth it."""
    row, owner, step, at, yaw_m = stops
    laid, trio, there, spot = spare
    feet, chosen = path[0], path[1]
    limits, count = table.limits, len(row)
    w = owner[k]
    shared = owner[k - 1] != w
    a, here, b = prints[row[k - 1]], prints[row[k]], prints[row[k + 1]]
    short = limits[SHORT]
    now = _differences_about(prints, row, k, here, count, step, short, yaw_m, trio, spot)
    share = 1.0
    for _ in range(halvings + 1):
        there[0] = here[0] + share * (aim[0] - here[0])
        there[2] = here[2] + share * (aim[2] - here[2])
        there[3] = wrap(here[3] + share * wrap(aim[3] - here[3]))
        share *= 0.5
        new = _differences_about(prints, row, k, there, count, step, short, yaw_m, trio, spot)
        if new > now - _GAIN:
            continue
        there[1] = footing(there, here[1], limits, ground, memory)
        # Neither step may lead much higher or lower than in the clip.
        if not (
            abs(there[1] - a[1] - step[k - 1, 1]) <= limits[RISE]
            and abs(b[1] - there[1] - step[k, 1]) <= limits[RISE]
        ):
            continue
        if shared:
            fine = _share_foothold(w, there, path, table, ground, memory, laid)
        else:  # the body must be free if it is shifted as far as the footprint is
            lay(feet[w], feet[w + 1], chosen[w], table.moves, short, laid)
            top = max(max(feet[w, 1], feet[w + 1, 1]), there[1])
            dx, dz = there[0] - at[row[k], 0], there[2] - at[row[k], 2]
            fine = is_free_aside(feet[w], laid, chosen[w], dx, dz, top, table, ground, memory)
        if fine:
            for axis in range(4):
                prints[row[k], axis] = there[axis]
                if shared:
                    prints[row[k] - 1, axis] = there[axis]
            return True
    return False


@kernel
def smooth(prints, stops, path, rounds, halvings, table, ground, memory):  # type: ignore[no-untyped-def]
    """Smooth differences along a path: footprints (P, 4) and shared footholds, in place.

    stops   rows of the stops (K,), whose they are (K,), the clips' steps between them (K, 4), the
            footprints as they were, and how many metres off are as bad as a radian turned
    path    footholds, moves, costs and changes

    Every stop but the first and the last goes where the local mapping of its two steps takes it,
    or half as far, or a quarter; one that cannot makes room for the one beside it that two moves
    share. It does so as long as stops are nearer to where the clips would have them then, it
    stands well there, and the path stays valid and gets no worse.
    """
    row, owner, step = stops[0], stops[1], stops[2]
    print_start, share, chosen = table.moves.print_start, table.moves.share, path[1]
    short, count, aim = table.limits[SHORT], len(row), np.empty(4)
    spare = (np.empty(6), np.empty((3, 4)), np.empty(4), np.empty(4))
    for turn in range(2 * rounds):
        for n in range(1, count - 1):
            k = n if turn % 2 == 0 else count - 1 - n
            shared = owner[k - 1] != owner[k]
            if shared:  # where the other foot stands too, both stay
                w = owner[k]
                last = print_start[chosen[w - 1] + 1] - 1
                if share[print_start[chosen[w]] + 1] <= 0.0 or share[last - 1] >= 1.0:
                    continue
            local_mapping(prints[row[k - 1]], prints[row[k + 1]], step[k - 1], step[k], short, aim)
            moved = _move_stop(prints, stops, k, aim, halvings, path, table, ground, memory, spare)
            if moved or shared:
                continue
            for s in (k - 1, k + 1):
                if 0 < s < count - 1 and owner[s - 1] != owner[s]:
                    # To have the one beside it where its own two steps meet.
                    a, b = prints[row[s - 1]], prints[row[s + 1]]
                    local_mapping(a, b, step[s - 1], step[s], short, aim)
                    for axis in (0, 2):
                        aim[axis] = prints[row[k], axis] + prints[row[s], axis] - aim[axis]
                    aim[3] = prints[row[k], 3] + wrap(prints[row[s], 3] - aim[3])
                    _move_stop(prints, stops, k, aim, halvings, path, table, ground, memory, spare)
