"""Compiled parts of difference smoothing: footprints moved along a path. Import lazily: numba.

Footprints in the order of a path are its *stops*: of each move all but those that only stand
beside its first and last one, and where two moves meet one for both. A step leads from a stop to
the next; the clip has made it too, and how far the two differ is what is smoothed.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.edge_kernels import edge_memory, is_free_aside
from footfall.roadmap.lay_kernels import wrap
from footfall.roadmap.refine_kernels import (
    climbing,
    fit_move,
    footing,
    lay_between,
    turning_about,
)

YAW_M = 0.3
"""So far off is as bad as a radian turned."""
_GAIN = 1e-9


@inner_kernel
def list_stops(chosen, starts, moves, row, owner):  # type: ignore[no-untyped-def]
    """Write the rows of the stops and whose they are; how many. A shared one is its first row."""
    print_start, share = moves[5], moves[8]
    count = 0
    for n in range(len(chosen)):
        first = print_start[chosen[n]]
        many = print_start[chosen[n] + 1] - first
        for k in range(many):
            if k == 0 or (k < many - 1 and 0.0 < share[first + k] < 1.0):
                row[count], owner[count] = starts[n] + k, n
                count += 1
    row[count], owner[count] = starts[len(chosen)] - 1, len(chosen) - 1
    return count + 1


@inner_kernel
def own_steps(chosen, starts, moves, row, owner, count, step):  # type: ignore[no-untyped-def]
    """Write the steps of the clips: x, rise, z and turn, each seen from the stop it leaves."""
    print_start, places, turns = moves[5], moves[6], moves[7]
    for k in range(count - 1):
        n = owner[k]
        base = print_start[chosen[n]] - starts[n]
        i = base + row[k]
        last = print_start[chosen[n] + 1] - 1
        j = base + row[k + 1] if owner[k + 1] == n else last
        c, s = math.cos(turns[i]), math.sin(turns[i])
        x, z = places[j, 0] - places[i, 0], places[j, 2] - places[i, 2]
        step[k, 0], step[k, 2] = c * x - s * z, s * x + c * z
        step[k, 1] = places[j, 1] - places[i, 1]
        step[k, 3] = wrap(turns[j] - turns[i])


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
def differences_about(prints, row, j, there, count, step, short, trio, aim):  # type: ignore[no-untyped-def]
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
        turn = YAW_M * wrap(aim[3] - trio[1, 3])
        total += x * x + z * z + turn * turn
    return total


@inner_kernel
def _is_passable(n, at, there, feet, chosen, table, ground, memory, laid):  # type: ignore[no-untyped-def]
    """Whether the body of a move is still free if it is shifted as far as a footprint is."""
    moves, limits = table[0], table[5]
    a, m = feet[n], chosen[n]
    lay_between(a, feet[n + 1], m, moves, limits, laid)
    top = max(max(a[1], feet[n + 1, 1]), there[1])
    scene = (ground[1], ground[2], ground[3], ground[5], ground[6])
    dx, dz = there[0] - at[0], there[2] - at[2]
    return is_free_aside(a, laid, m, dx, dz, top, moves, limits, scene, memory)


@inner_kernel
def _share_foothold(j, there, path, table, ground, memory, laid):  # type: ignore[no-untyped-def]
    """Move a foothold that two moves share, if the path gets no worse and both stay valid."""
    feet, chosen, cost, change = path
    moves, costs, limits = table[0], table[1], table[5]
    turn_now, turn_new = turning_about(feet, j, len(chosen), there)
    if turn_new > turn_now + _GAIN:
        return False
    change1, price1 = fit_move(feet[j - 1], there, chosen[j - 1], moves, costs, limits, laid)
    change2, price2 = fit_move(there, feet[j + 1], chosen[j], moves, costs, limits, laid)
    if change1 + change2 > change[j - 1] + change[j] + _GAIN:
        return False
    price1 += climbing(feet[j - 1], there, chosen[j - 1], table, ground, memory, laid)
    price2 += climbing(there, feet[j + 1], chosen[j], table, ground, memory, laid)
    if not price1 + price2 <= cost[j - 1] + cost[j] + _GAIN:
        return False
    for k in range(4):
        feet[j, k] = there[k]
    change[j - 1], change[j], cost[j - 1], cost[j] = change1, change2, price1, price2
    return True


@inner_kernel
def _has_company(n, chosen, moves):  # type: ignore[no-untyped-def]
    """Whether the other foot stands too where a move begins."""
    first = moves[5][chosen[n]]
    last = moves[5][chosen[n - 1] + 1] - 1
    return moves[8][first + 1] <= 0.0 or moves[8][last - 1] >= 1.0


@inner_kernel
def _rises_well(a, b, step, most):  # type: ignore[no-untyped-def]
    """Whether a step leads no more than so much higher or lower than in the clip."""
    return abs(b[1] - a[1] - step[1]) <= most


@inner_kernel
def _draw_along(prints, row, k, s, step, short, out):  # type: ignore[no-untyped-def]
    """Where a stop goes to have the one beside it, the s-th, where its own two steps meet."""
    local_mapping(prints[row[s - 1]], prints[row[s + 1]], step[s - 1], step[s], short, out)
    for axis in (0, 2):
        out[axis] = prints[row[k], axis] + prints[row[s], axis] - out[axis]
    out[3] = prints[row[k], 3] + wrap(prints[row[s], 3] - out[3])


@inner_kernel
def _move_stop(  # type: ignore[no-untyped-def]
    prints, at, row, owner, k, count, aim, halvings, path, step, table, ground, memory, one, spare
):  # fmt: skip
    """Move a stop to its aim, or half as far, or a quarter, as far as that is worth it."""
    laid, trio, there, spot = spare
    limits = table[5]
    w = owner[k]
    shared = owner[k - 1] != w
    a, here, b = prints[row[k - 1]], prints[row[k]], prints[row[k + 1]]
    now = differences_about(prints, row, k, here, count, step, limits[5], trio, spot)
    share = 1.0
    for _ in range(halvings + 1):
        there[0] = here[0] + share * (aim[0] - here[0])
        there[2] = here[2] + share * (aim[2] - here[2])
        there[3] = wrap(here[3] + share * wrap(aim[3] - here[3]))
        share *= 0.5
        new = differences_about(prints, row, k, there, count, step, limits[5], trio, spot)
        if new > now - _GAIN:
            continue
        there[1] = footing(there, here[1], limits, ground, one)
        if not (
            _rises_well(a, there, step[k - 1], limits[2])
            and _rises_well(there, b, step[k], limits[2])
        ):
            continue
        if shared:
            fine = _share_foothold(w, there, path, table, ground, memory, laid)
        else:
            fine = _is_passable(w, at[row[k]], there, path[0], path[1], table, ground, memory, laid)
        if fine:
            for axis in range(4):
                prints[row[k], axis] = there[axis]
                if shared:
                    prints[row[k] - 1, axis] = there[axis]
            return True
    return False


@kernel
def smooth(prints, starts, feet, chosen, cost, change, rounds, halvings, table, ground):  # type: ignore[no-untyped-def]
    """Smooth differences along a path: footprints (P, 4) and shared footholds, in place.

    Every stop but the first and the last goes where the local mapping of its two steps takes it,
    or half as far, or a quarter; one that cannot makes room for the one beside it that two moves
    share. It does so as long as stops are nearer to where the clips would have them then, it
    stands well there, and the path stays valid and gets no worse.
    """
    moves, short = table[0], table[5][5]
    memory = edge_memory(ground[1][2].shape[0])
    one = (np.empty((1, 3)), np.empty(1), np.empty(1, np.int32), np.empty(1), np.empty((1, 3)))
    spare = (np.empty(6), np.empty((3, 4)), np.empty(4), np.empty(4))
    row, owner = np.empty(len(prints), np.int64), np.empty(len(prints), np.int64)
    count = list_stops(chosen, starts, moves, row, owner)
    step, aim, at = np.empty((count, 4)), np.empty(4), prints.copy()
    own_steps(chosen, starts, moves, row, owner, count, step)
    path = (feet, chosen, cost, change)
    for turn in range(2 * rounds):
        for n in range(1, count - 1):
            k = n if turn % 2 == 0 else count - 1 - n
            if owner[k - 1] != owner[k] and _has_company(owner[k], chosen, moves):
                continue
            a, b = prints[row[k - 1]], prints[row[k + 1]]
            local_mapping(a, b, step[k - 1], step[k], short, aim)
            if _move_stop(
                prints, at, row, owner, k, count, aim, halvings, path, step, table, ground, memory,
                one, spare,
            ) or owner[k - 1] != owner[k]:  # fmt: skip
                continue
            for s in (k - 1, k + 1):
                if 0 < s < count - 1 and owner[s - 1] != owner[s]:
                    _draw_along(prints, row, k, s, step, short, aim)
                    _move_stop(
                        prints, at, row, owner, k, count, aim, halvings, path, step, table, ground,
                        memory, one, spare,
                    )  # fmt: skip


@kernel
def measure_stops(prints, starts, chosen, moves, short, out):  # type: ignore[no-untyped-def]
    """Write how far stops are from where the clips would have them, metres; how many there are."""
    row, owner = np.empty(len(prints), np.int64), np.empty(len(prints), np.int64)
    count = list_stops(chosen, starts, moves, row, owner)
    step, aim = np.empty((count, 4)), np.empty(4)
    own_steps(chosen, starts, moves, row, owner, count, step)
    for k in range(1, count - 1):
        at = prints[row[k]]
        local_mapping(prints[row[k - 1]], prints[row[k + 1]], step[k - 1], step[k], short, aim)
        turn = YAW_M * wrap(aim[3] - at[3])
        out[k - 1] = math.sqrt((aim[0] - at[0]) ** 2 + (aim[2] - at[2]) ** 2 + turn * turn)
    return count - 2
