"""Compiled parts of refining: footholds moved along a path. Import lazily: numba.

A path is footholds (W + 1, 4) and `STEP` records (W,) of the moves between them. What refining may
not make worse is kept in three sums: how much the line through the footholds turns, how much the
moves are changed (Eq. 5), and what they cost (Eq. 6). `sums` (3, 3) holds what they are now, what
they may be at most, and what each weighs.

`table` is the `TableArrays` of a `MoveTable`, `terrain` the `Terrain` of `ground`.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.edge_kernels import ground_cost, stand_at
from footfall.roadmap.lay_kernels import bin_of, fit_move, heading, lay, wrap

STILL_M = 0.05
"""Shorter steps have no direction, when it is measured how much a path turns."""
TURNING, CHANGE, COST = range(3)
NOW, MOST, WEIGHT = range(3)
"""Columns and rows of the sums that may not grow."""
_SLACK, _GAIN = 1e-9, 1e-6
"""What sums may grow by for want of digits, and what a step has to gain at least."""
_TRIES = 3
"""Pairs of moves that are tried at one place."""


@inner_kernel
def _list_best(a, b, begin, end, by_end, table, sums, best):  # type: ignore[no-untyped-def]
    """Write, for every posture, the best move from a to b that ends (or begins) in it.

    begin, end  postures it must begin and end in; -1 for any
    best        (postures,) records: merit, infinite for none; move; change; cost
    """
    bins, limits = table.bins, table.limits
    for p in range(len(best)):
        best[p].merit = math.inf
    cell, far, bearing = bin_of(a, b, limits)
    if cell < 0:
        return
    for r in range(bins[cell], bins[cell + 1]):
        move = table.moves[bins[r]]
        if (begin >= 0 and move.begins != begin) or (end >= 0 and move.ends != end):
            continue
        change, price = fit_move(a, b, far, bearing, move, limits, 0.0, 0.0)
        if not change < math.inf:
            continue
        merit = sums[WEIGHT, CHANGE] * change + sums[WEIGHT, COST] * price
        found = best[move.ends if by_end else move.begins]
        if merit < found.merit:
            found.merit, found.move, found.change, found.cost = merit, bins[r], change, price


@inner_kernel
def turning(feet, j, there, first, last):  # type: ignore[no-untyped-def]
    """Return how much the line through footholds turns from `first` to `last`, the j-th `there`."""
    total, before, known = 0.0, 0.0, False
    x, z = 0.0, 0.0
    for n in range(first, last + 1):
        u, w = (there[0], there[2]) if n == j else (feet[n, 0], feet[n, 2])
        dx, dz = u - x, w - z
        x, z = u, w
        if n == first or dx * dx + dz * dz <= STILL_M * STILL_M:
            continue
        now = math.atan2(dx, dz)
        if known:
            total += abs(wrap(now - before))
        before, known = now, True
    return total


@inner_kernel
def turning_about(feet, j, count, there):  # type: ignore[no-untyped-def]
    """Return how much the line turns about the j-th foothold, and if that were `there`."""
    first, last = max(j - 2, 0), min(j + 2, count)
    while first > 0 and math.hypot(
        feet[first + 1, 0] - feet[first, 0], feet[first + 1, 2] - feet[first, 2]
    ) <= STILL_M:  # fmt: skip
        first -= 1
    while last < count and math.hypot(
        feet[last, 0] - feet[last - 1, 0], feet[last, 2] - feet[last - 1, 2]
    ) <= STILL_M:  # fmt: skip
        last += 1
    return turning(feet, j, feet[j], first, last), turning(feet, j, there, first, last)


@inner_kernel
def filter_foothold(feet, j, count):  # type: ignore[no-untyped-def]
    """Return x, z, yaw where the binomial filter takes a foothold (Eq. 8).

    Beside the ends its mask is (1, 2, 1).
    """
    w1, w2 = wrap(feet[j, 3] - feet[j - 1, 3]), wrap(feet[j + 1, 3] - feet[j, 3])
    if 2 <= j <= count - 2:
        w0 = wrap(feet[j - 1, 3] - feet[j - 2, 3])
        w3 = wrap(feet[j + 2, 3] - feet[j + 1, 3])
        x, z = feet[j - 2, 0] + 4.0 * feet[j - 1, 0], feet[j - 2, 2] + 4.0 * feet[j - 1, 2]
        x = (x + 6.0 * feet[j, 0] + 4.0 * feet[j + 1, 0] + feet[j + 2, 0]) / 16.0
        z = (z + 6.0 * feet[j, 2] + 4.0 * feet[j + 1, 2] + feet[j + 2, 2]) / 16.0
        return x, z, feet[j, 3] + (-w0 - 5.0 * w1 + 5.0 * w2 + w3) / 16.0
    x = 0.25 * (feet[j - 1, 0] + 2.0 * feet[j, 0] + feet[j + 1, 0])
    z = 0.25 * (feet[j - 1, 2] + 2.0 * feet[j, 2] + feet[j + 1, 2])
    return x, z, feet[j, 3] + (w2 - w1) / 4.0


@inner_kernel
def _meeting_place(a, b, one, two):  # type: ignore[no-untyped-def]
    """Return x, z, yaw where two moves meet that are joined as they are and laid from a to b.

    The second begins on the last footprint of the first. What is left to turn at the ends is
    shared out along them (Eq. 3). It is NaN where the two lead nowhere.
    """
    second = one.turn_last - two.turn_first
    c, s = math.cos(second), math.sin(second)
    x = one.end_x + c * two.end_x + s * two.end_z
    z = one.end_z + c * two.end_z - s * two.end_x
    whole = math.sqrt(x * x + z * z)
    if whole < 0.2:
        return math.nan, math.nan, math.nan
    far, bearing = heading(a, b)
    scale, bearing = far / whole, bearing - math.atan2(x, z)
    c, s = math.cos(bearing), math.sin(bearing)
    x = a[0] + scale * (c * one.end_x + s * one.end_z)
    z = a[2] + scale * (c * one.end_z - s * one.end_x)
    long1, long2 = math.hypot(one.end_x, one.end_z), math.hypot(two.end_x, two.end_z)
    u = long1 / (long1 + long2)
    first = wrap(a[3] - bearing - one.turn_first)
    last = wrap(b[3] - bearing - second - two.turn_last)
    return x, z, bearing + one.turn_last + (1.0 - u) * first + u * last


@inner_kernel
def _aim(kind, feet, steps, j, count, size, pivots, table):  # type: ignore[no-untyped-def]
    """Return x, z, yaw of a place to try for a foothold; NaN for none.

    Where the filter takes it, where its moves meet, or beside it: ahead, back, left, right of the
    line, or turned either way. An end that may be turned is, by how far its foot is off.
    """
    if kind >= 8:
        w, end = max(j - 1, 0), kind - 8
        far, bearing = heading(feet[w], feet[w + 1])
        laid = lay(feet[w], feet[w + 1], far, bearing, table.moves[steps[w].move], table.limits)
        return pivots[end, 0], 0.0, laid.first_off if end == 0 else laid.last_off
    if kind == 0:
        return filter_foothold(feet, j, count)
    a, here, b = feet[j - 1], feet[j], feet[j + 1]
    if kind == 1:
        return _meeting_place(a, b, table.moves[steps[j - 1].move], table.moves[steps[j].move])
    sign = 1.0 - 2.0 * (kind % 2)
    dx, dz = b[0] - a[0], b[2] - a[2]
    far = size * sign / (math.sqrt(dx * dx + dz * dz) + 1e-9)
    if kind < 4:
        return here[0] + far * dx, here[2] + far * dz, here[3]
    if kind < 6:
        return here[0] + far * dz, here[2] - far * dx, here[3]
    return here[0], here[2], here[3] + 2.0 * size * sign


@inner_kernel
def _move_foothold(feet, steps, j, count, there, sums, any_posture, best, table, terrain):  # type: ignore[no-untyped-def]
    """Put a foothold elsewhere, with the best moves to and from there, if that is worth it.

    It is not if no foot stands there, no move leads there or away, or a sum becomes more than it
    may be at most.
    """
    moves, before, after = table.moves, best[0], best[1]
    turn_now, turn_new = turning_about(feet, j, count, there)
    turned = sums[NOW, TURNING] + turn_new - turn_now
    if turned > sums[MOST, TURNING] + _SLACK:
        return False
    price_now = change_now = 0.0
    middle = moves[steps[j].move].begins if j < count else moves[steps[j - 1].move].ends
    fixed = -1 if any_posture and 0 < j < count else middle
    for p in range(len(before)):  # beyond an end of the path nothing costs anything
        merit = 0.0 if p == middle else math.inf
        before[p].merit, before[p].change, before[p].cost = merit, 0.0, 0.0
        after[p].merit, after[p].change, after[p].cost = merit, 0.0, 0.0
    if j > 0:
        begin = moves[steps[j - 1].move].begins
        _list_best(feet[j - 1], there, begin, fixed, True, table, sums, before)
        price_now, change_now = steps[j - 1].cost, steps[j - 1].change
    if j < count:
        end = moves[steps[j].move].ends
        _list_best(there, feet[j + 1], fixed, end, False, table, sums, after)
        price_now, change_now = price_now + steps[j].cost, change_now + steps[j].change
    gain = (
        sums[WEIGHT, TURNING] * (turn_now - turn_new) + sums[WEIGHT, CHANGE] * change_now
        + sums[WEIGHT, COST] * price_now - _GAIN
    )  # fmt: skip
    known = False
    for _ in range(_TRIES):
        p, least = -1, math.inf
        for k in range(len(before)):
            if before[k].merit + after[k].merit < least:
                p, least = k, before[k].merit + after[k].merit
        if p < 0 or least > gain:
            return False
        one, two = before[p], after[p]
        one.merit = math.inf
        changed = sums[NOW, CHANGE] + one.change + two.change - change_now
        paid = sums[NOW, COST] + one.cost + two.cost - price_now
        if changed > sums[MOST, CHANGE] + _SLACK or paid > sums[MOST, COST] + _SLACK:
            continue
        if not known:
            there[1] = stand_near(there, feet[j, 1], table.limits, terrain)
            if there[1] != there[1]:
                return False
            known = True
        up1 = up2 = 0.0
        if j > 0:
            up1 = ground_cost(feet[j - 1], there, one.move, table, terrain)
        if j < count and paid + up1 <= sums[MOST, COST] + _SLACK:
            up2 = ground_cost(there, feet[j + 1], two.move, table, terrain)
        paid += up1 + up2
        if (
            paid > sums[MOST, COST] + _SLACK
            or least + sums[WEIGHT, COST] * (up1 + up2) > gain
        ):  # fmt: skip
            continue
        for k in range(4):
            feet[j, k] = there[k]
        if j > 0:
            step = steps[j - 1]
            step.move, step.change, step.cost = one.move, one.change, one.cost + up1
        if j < count:
            step = steps[j]
            step.move, step.change, step.cost = two.move, two.change, two.cost + up2
        sums[NOW, TURNING], sums[NOW, CHANGE], sums[NOW, COST] = turned, changed, paid
        return True
    return False


@inner_kernel
def stand_near(foothold, base, limits, terrain):  # type: ignore[no-untyped-def]
    """Return the height at a foothold where a foot stands well near `base`; else NaN."""
    y = stand_at(foothold[0], foothold[2], foothold[3], base + limits.rise, terrain)
    return y if abs(y - base) <= limits.rise else math.nan


@inner_kernel
def _leave_out(feet, steps, count, sums, best, table, terrain):  # type: ignore[no-untyped-def]
    """Leave out footholds where one move leads all the way and the path gets no worse.

    The mean change of the moves may not grow, nor may what they cost. Returns how many moves are
    left; `steps.kept` tells which of the first moves each still is.
    """
    moves, j = table.moves, 1
    while j < count:
        a, b, one, two = feet[j - 1], feet[j + 1], steps[j - 1], steps[j]
        p = moves[two.move].ends
        _list_best(a, b, moves[one.move].begins, p, True, table, sums, best)
        found, share = best[p], (count - 1) / count
        changed = sums[NOW, CHANGE] + found.change - one.change - two.change
        price = sums[NOW, COST] + found.cost - one.cost - two.cost
        if (
            found.merit < math.inf
            and changed <= share * sums[NOW, CHANGE] + _SLACK
            and price <= sums[NOW, COST] - _GAIN
        ):
            up = ground_cost(a, b, found.move, table, terrain)
            if price + up <= sums[NOW, COST] - _GAIN:
                one.move, one.change, one.cost = found.move, found.change, found.cost + up
                count -= 1
                for n in range(j, count + 1):
                    for k in range(4):
                        feet[n, k] = feet[n + 1, k]
                for n in range(j, count):
                    steps[n] = steps[n + 1]
                sums[NOW, CHANGE], sums[NOW, COST] = changed, price + up
                sums[NOW, TURNING] = turning(feet, -1, feet[0], 0, count)
                sums[MOST, CHANGE] *= share
                continue
        j += 1
    return count


@inner_kernel
def _go_towards(kind, here, x, z, yaw, share, pivots, there):  # type: ignore[no-untyped-def]
    """Write where a foothold is after a share of the way to its aim.

    An end goes about the middle of the body there, by a share of `yaw`.
    """
    there[0], there[2] = here[0] + share * (x - here[0]), here[2] + share * (z - here[2])
    there[3] = wrap(here[3] + share * wrap(yaw - here[3]))
    if kind >= 8:
        off, middle = share * yaw, pivots[kind - 8]
        c, s = math.cos(-off), math.sin(-off)
        x, z = here[0] - middle[0], here[2] - middle[1]
        there[0], there[2] = middle[0] + c * x + s * z, middle[1] + c * z - s * x
        there[3] = here[3] - off


@kernel
def straighten(feet, steps, pivots, options, sums, best, table, terrain):  # type: ignore[no-untyped-def]
    """Straighten a path in place; how many moves it has then.

    feet, steps   the path, with what its moves cost
    pivots    (2, 2) about what the ends may be turned, NaN for ends that stay as they are
    options   a record of `refine`: how often, how often halved, how far beside, and two choices
    sums      (3, 3) written; what turning, changes and costs weigh, each against what it is at
              first, is in the last row
    best      (2, postures) memory

    In each sweep a foothold goes where the binomial filter takes it (Eq. 8), where its two moves
    would meet by themselves, then to the sides, each as far as it stands well there, moves lead
    to it and from it, and no sum is more at the end of the sweep than at its beginning.
    """
    count, there = len(steps), np.empty(4)
    sums[NOW, TURNING] = turning(feet, -1, feet[0], 0, count)
    sums[NOW, CHANGE] = sums[NOW, COST] = 0.0
    for w in range(count):
        far, bearing = heading(feet[w], feet[w + 1])
        move = table.moves[steps[w].move]
        steps[w].change, _ = fit_move(
            feet[w], feet[w + 1], far, bearing, move, table.limits, 0.0, 0.0
        )
        sums[NOW, CHANGE] += steps[w].change
        sums[NOW, COST] += steps[w].cost
    sums[WEIGHT, TURNING] /= sums[NOW, TURNING] + 0.2
    sums[WEIGHT, CHANGE] /= sums[NOW, CHANGE] + 0.05
    sums[WEIGHT, COST] /= sums[NOW, COST] + 1.0
    # Where nothing near has changed in the last two sweeps nothing more will.
    stirred = np.zeros(count + 1, np.int64)
    for sweep in range(options.sweeps):
        for k in range(3):
            sums[MOST, k] = sums[NOW, k]
        before = count
        if options.merge:
            count = _leave_out(feet, steps, count, sums, best[0], table, terrain)
        if count < before:
            stirred[:] = sweep
        for kind in range(10):
            turns_end = kind >= 8  # after all others, first the start and then the goal
            for n in range(0 if turns_end else 1, 1 if turns_end else count):
                j, latest, share = n if (sweep + kind) % 2 == 0 else count - n, 0, 1.0
                if turns_end:
                    j = 0 if kind == 8 else count
                for k in range(max(j - 2, 0), min(j + 3, count + 1)):
                    latest = max(latest, stirred[k])
                if latest < sweep - 1 and not turns_end:
                    continue
                size = options.beside_m / (1 + sweep)
                x, z, yaw = _aim(kind, feet, steps, j, count, size, pivots, table)
                tries = options.halvings + 1 if kind < 2 or turns_end else 1
                # To its aim, or half as far, or a quarter, as far as that is worth it.
                for _ in range(tries if x == x else 0):
                    _go_towards(kind, feet[j], x, z, yaw, share, pivots, there)
                    share *= 0.5
                    if _move_foothold(
                        feet, steps, j, count, there, sums, options.any_posture, best, table,
                        terrain,
                    ):  # fmt: skip
                        if not turns_end:
                            stirred[j] = sweep
                        break
    return count
