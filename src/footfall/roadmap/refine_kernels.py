"""Compiled parts of refining: footholds moved along a path. Import lazily: numba.

A path is footholds (W + 1, 4), the moves between them (W,), what these cost (W,) and how much
they are changed (W,). What refining may not make worse is kept in three sums: how much the line
through the footholds turns, how much the moves are changed (Eq. 5), and what they cost (Eq. 6).

`table` is what `MoveTable.arrays` gives; `ground` and `memory` are those of `roadmap.ground`.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel
from footfall.roadmap.edge_kernels import ground_cost, stand_at
from footfall.roadmap.lay_kernels import (
    FIRST_OFF,
    LAST_OFF,
    RISE,
    SHORT,
    bin_of,
    fit_move,
    lay,
    wrap,
)

STILL_M = 0.05
"""Shorter steps have no direction, when it is measured how much a path turns."""
TURNING, CHANGE, COST = range(3)
"""The sums that may not grow."""
_SLACK, _GAIN = 1e-9, 1e-6
"""What sums may grow by for want of digits, and what a step has to gain at least."""
_TRIES = 3
"""Pairs of moves that are tried at one place."""


@inner_kernel
def footing(foothold, base, limits, ground, memory):  # type: ignore[no-untyped-def]
    """The height of the ground at a foothold where a foot stands well near `base`; else NaN."""
    x, z, yaw = foothold[0], foothold[2], foothold[3]
    y = stand_at(0, x, z, yaw, base + limits[RISE], limits, ground, memory)
    return y if abs(y - base) <= limits[RISE] else math.nan


@kernel
def fit_moves(feet, chosen, table, change):  # type: ignore[no-untyped-def]
    """Write how much each move between footholds (W + 1, 4) is changed (Eq. 5)."""
    laid = np.empty(6)
    for w in range(len(chosen)):
        change[w], _ = fit_move(feet[w], feet[w + 1], chosen[w], table, laid)


@inner_kernel
def _list_best(a, b, begin, end, by_end, table, weights, best, laid):  # type: ignore[no-untyped-def]
    """For every posture, the best move from a to b that ends (or begins) in it.

    begin, end  postures it must begin and end in; -1 for any
    best        (postures,) each: merit, infinite for none; move; change; cost
    """
    bins, begins, ends = table.bins, table.moves.begins, table.moves.ends
    merit, which, changes, prices = best
    merit[:] = math.inf
    cell = bin_of(a, b, bins, laid)
    if cell < 0:
        return
    for r in range(bins.starts[cell], bins.starts[cell + 1]):
        m = bins.items[r]
        if (begin >= 0 and begins[m] != begin) or (end >= 0 and ends[m] != end):
            continue
        change, price = fit_move(a, b, m, table, laid)
        if not change < math.inf:
            continue
        value = weights[CHANGE] * change + weights[COST] * price
        p = ends[m] if by_end else begins[m]
        if value < merit[p]:
            merit[p], which[p], changes[p], prices[p] = value, m, change, price


@inner_kernel
def _list_nothing(posture, best):  # type: ignore[no-untyped-def]
    """As if a move that costs nothing led to (or from) a posture: beyond an end of a path."""
    merit, which, changes, prices = best
    merit[:] = math.inf
    merit[posture], which[posture], changes[posture], prices[posture] = 0.0, -1, 0.0, 0.0


@inner_kernel
def turning(feet, j, there, first, last):  # type: ignore[no-untyped-def]
    """How much the line through footholds turns from `first` to `last`, with the j-th `there`."""
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
    """How much the line turns about the j-th foothold where it is, and if it were `there`."""
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
def filter_foothold(feet, j, count, out):  # type: ignore[no-untyped-def]
    """Where the binomial filter takes a foothold (Eq. 8); beside the ends its mask is (1, 2, 1)."""
    here = feet[j]
    w1, w2 = wrap(here[3] - feet[j - 1, 3]), wrap(feet[j + 1, 3] - here[3])
    if 2 <= j <= count - 2:
        w0 = wrap(feet[j - 1, 3] - feet[j - 2, 3])
        w3 = wrap(feet[j + 2, 3] - feet[j + 1, 3])
        turn = (-w0 - 5.0 * w1 + 5.0 * w2 + w3) / 16.0
        for k in (0, 2):
            out[k] = (
                feet[j - 2, k] + 4.0 * feet[j - 1, k] + 6.0 * here[k] + 4.0 * feet[j + 1, k]
                + feet[j + 2, k]
            ) / 16.0  # fmt: skip
    else:
        turn = (w2 - w1) / 4.0
        for k in (0, 2):
            out[k] = 0.25 * (feet[j - 1, k] + 2.0 * here[k] + feet[j + 1, k])
    out[3] = here[3] + turn


@inner_kernel
def _meeting_place(a, b, m1, m2, moves, out):  # type: ignore[no-untyped-def]
    """Where two moves meet that are joined as they are and laid together from a to b.

    The second begins on the last footprint of the first. What is left to turn at the ends is
    shared out along them (Eq. 3). False where the two lead nowhere.
    """
    turn_first, turn_last, end_x, end_z = (
        moves.turn_first, moves.turn_last, moves.end_x, moves.end_z,
    )  # fmt: skip
    second = turn_last[m1] - turn_first[m2]
    c, s = math.cos(second), math.sin(second)
    x, z = end_x[m1] + c * end_x[m2] + s * end_z[m2], end_z[m1] + c * end_z[m2] - s * end_x[m2]
    whole = math.sqrt(x * x + z * z)
    if whole < 0.2:
        return False
    dx, dz = b[0] - a[0], b[2] - a[2]
    scale, bearing = math.sqrt(dx * dx + dz * dz) / whole, math.atan2(dx, dz) - math.atan2(x, z)
    c, s = math.cos(bearing), math.sin(bearing)
    out[0] = a[0] + scale * (c * end_x[m1] + s * end_z[m1])
    out[2] = a[2] + scale * (c * end_z[m1] - s * end_x[m1])
    one, other = math.hypot(end_x[m1], end_z[m1]), math.hypot(end_x[m2], end_z[m2])
    u = one / (one + other)
    first = wrap(a[3] - bearing - turn_first[m1])
    last = wrap(b[3] - bearing - second - turn_last[m2])
    out[3] = bearing + turn_last[m1] + (1.0 - u) * first + u * last
    return True


@inner_kernel
def _beside(feet, j, n, size, out):  # type: ignore[no-untyped-def]
    """A place beside a foothold: ahead, back, left, right of the line, or turned either way."""
    a, here, b = feet[j - 1], feet[j], feet[j + 1]
    dx, dz = b[0] - a[0], b[2] - a[2]
    far = size * (1.0 - 2.0 * (n % 2)) / (math.sqrt(dx * dx + dz * dz) + 1e-9)
    for k in range(4):
        out[k] = here[k]
    if n < 2:
        out[0], out[2] = here[0] + far * dx, here[2] + far * dz
    elif n < 4:
        out[0], out[2] = here[0] + far * dz, here[2] - far * dx
    else:
        out[3] = here[3] + 2.0 * size * (1.0 - 2.0 * (n % 2))


@inner_kernel
def _move_foothold(  # type: ignore[no-untyped-def]
    path, j, there, sums, most, weights, any_posture, table, ground, memory, best, laid
):  # fmt: skip
    """Put a foothold elsewhere, with the best moves to and from there, if that is worth it.

    It is not if no foot stands there, no move leads there or away, or a sum becomes more than it
    may be at most.
    """
    feet, chosen, cost, change, counts = path
    begins, ends = table.moves.begins, table.moves.ends
    count = counts[0]
    turn_now, turn_new = turning_about(feet, j, count, there)
    turned = sums[TURNING] + turn_new - turn_now
    if turned > most[TURNING] + _SLACK:
        return False
    before, after = best
    middle = -1 if any_posture and 0 < j < count else begins[chosen[j]] if j < count else -1
    price_now = change_now = 0.0
    if j > 0:
        middle = middle if j < count else ends[chosen[j - 1]]
        _list_best(feet[j - 1], there, begins[chosen[j - 1]], middle, True, table, weights, before,
                   laid)  # fmt: skip
        price_now, change_now = cost[j - 1], change[j - 1]
    else:
        _list_nothing(middle, before)
    if j < count:
        _list_best(there, feet[j + 1], middle, ends[chosen[j]], False, table, weights, after, laid)
        price_now, change_now = price_now + cost[j], change_now + change[j]
    else:
        _list_nothing(middle, after)
    gain = (
        weights[TURNING] * (turn_now - turn_new) + weights[CHANGE] * change_now
        + weights[COST] * price_now - _GAIN
    )  # fmt: skip
    known = False
    for _ in range(_TRIES):
        p, least = -1, math.inf
        for k in range(len(before[0])):
            if before[0][k] + after[0][k] < least:
                p, least = k, before[0][k] + after[0][k]
        if p < 0 or least > gain:
            return False
        before[0][p] = math.inf
        changed = sums[CHANGE] + before[2][p] + after[2][p] - change_now
        paid = sums[COST] + before[3][p] + after[3][p] - price_now
        if changed > most[CHANGE] + _SLACK or paid > most[COST] + _SLACK:
            continue
        if not known:
            there[1] = footing(there, feet[j, 1], table.limits, ground, memory)
            if there[1] != there[1]:
                return False
            known = True
        m1, m2 = before[1][p], after[1][p]
        up1 = up2 = 0.0
        if j > 0:
            up1 = ground_cost(feet[j - 1], there, m1, table, ground, memory, laid)
        if j < count and paid + up1 <= most[COST] + _SLACK:
            up2 = ground_cost(there, feet[j + 1], m2, table, ground, memory, laid)
        paid += up1 + up2
        if paid > most[COST] + _SLACK or least + weights[COST] * (up1 + up2) > gain:
            continue
        for k in range(4):
            feet[j, k] = there[k]
        if j > 0:
            chosen[j - 1], change[j - 1], cost[j - 1] = m1, before[2][p], before[3][p] + up1
        if j < count:
            chosen[j], change[j], cost[j] = m2, after[2][p], after[3][p] + up2
        sums[TURNING], sums[CHANGE], sums[COST] = turned, changed, paid
        return True
    return False


@inner_kernel
def _leave_out(path, kept, sums, most, weights, table, ground, memory, best, laid):  # type: ignore[no-untyped-def]
    """Leave out footholds where one move leads all the way and the path gets no worse.

    The mean change of the moves may not grow, nor may what they cost. `kept` (W,) tells which of
    the first moves each still is.
    """
    feet, chosen, cost, change, counts = path
    begins, ends = table.moves.begins, table.moves.ends
    found = best[0]
    j = 1
    while j < counts[0]:
        count = counts[0]
        p = ends[chosen[j]]
        _list_best(feet[j - 1], feet[j + 1], begins[chosen[j - 1]], p, True, table, weights, found,
                   laid)  # fmt: skip
        changed = sums[CHANGE] + found[2][p] - change[j - 1] - change[j]
        price = sums[COST] + found[3][p] - cost[j - 1] - cost[j]
        share = (count - 1) / count
        if (
            found[0][p] < math.inf
            and changed <= share * sums[CHANGE] + _SLACK
            and price <= sums[COST] - _GAIN
        ):
            up = ground_cost(feet[j - 1], feet[j + 1], found[1][p], table, ground, memory, laid)
            if price + up <= sums[COST] - _GAIN:
                chosen[j - 1], change[j - 1] = found[1][p], found[2][p]
                cost[j - 1] = found[3][p] + up
                for n in range(j, count):
                    for k in range(4):
                        feet[n, k] = feet[n + 1, k]
                for n in range(j, count - 1):
                    chosen[n], change[n], cost[n] = chosen[n + 1], change[n + 1], cost[n + 1]
                    kept[n] = kept[n + 1]
                counts[0] = count - 1
                sums[CHANGE], sums[COST] = changed, price + up
                sums[TURNING] = turning(feet, -1, feet[0], 0, count - 1)
                most[CHANGE] *= share
                continue
        j += 1


@kernel
def straighten(path, kept, pivots, options, shares, any_posture, merge, table, ground, memory):  # type: ignore[no-untyped-def]
    """Straighten a path in place; how many moves it has then.

    path      footholds, moves, costs, changes and how many moves there are (1,)
    pivots    (2, 2) about what the ends may be turned, NaN for ends that stay as they are
    options   how many sweeps and halvings, and how far footholds are tried beside where they are
    shares    what turning, changes and costs weigh, each against what it is at first

    In each sweep a foothold goes where the binomial filter takes it (Eq. 8), where its two moves
    would meet by themselves, then to the sides, each as far as it stands well there, moves lead
    to it and from it, and no sum is more at the end of the sweep than at its beginning.
    """
    feet, chosen, cost, change, counts = path
    sweeps, halvings, size = options
    moves, postures = table.moves, table.costs.postures
    best = (
        (np.empty(postures), np.empty(postures, np.int64), np.zeros(postures), np.zeros(postures)),
        (np.empty(postures), np.empty(postures, np.int64), np.zeros(postures), np.zeros(postures)),
    )
    laid, there, aim = np.empty(6), np.empty(4), np.empty(4)
    for w in range(len(chosen)):
        change[w], _ = fit_move(feet[w], feet[w + 1], chosen[w], table, laid)
    sums = np.array([turning(feet, -1, feet[0], 0, len(chosen)), change.sum(), cost.sum()])
    weights = shares / (sums + np.array([0.2, 0.05, 1.0]))
    # Where nothing near has changed in the last two sweeps nothing more will.
    stirred = np.zeros(len(feet), np.int64)
    for sweep in range(sweeps):
        most = sums.copy()
        before = counts[0]
        if merge:
            _leave_out(path, kept, sums, most, weights, table, ground, memory, best, laid)
        if counts[0] < before:
            stirred[:] = sweep
        for kind in range(8):
            for n in range(1, counts[0]):
                j = n if (sweep + kind) % 2 == 0 else counts[0] - n
                if stirred[max(j - 2, 0) : min(j + 3, counts[0] + 1)].max() < sweep - 1:
                    continue
                tries = halvings + 1
                if kind == 0:
                    filter_foothold(feet, j, counts[0], aim)
                elif kind == 1:
                    a, b = feet[j - 1], feet[j + 1]
                    if not _meeting_place(a, b, chosen[j - 1], chosen[j], moves, aim):
                        continue
                else:
                    _beside(feet, j, kind - 2, size / (1 + sweep), aim)
                    tries = 1
                # To its aim, or half as far, or a quarter, as far as that is worth it.
                here, share = feet[j], 1.0
                for _ in range(tries):
                    there[0] = here[0] + share * (aim[0] - here[0])
                    there[2] = here[2] + share * (aim[2] - here[2])
                    there[3] = wrap(here[3] + share * wrap(aim[3] - here[3]))
                    share *= 0.5
                    if _move_foothold(
                        path, j, there, sums, most, weights, any_posture, table, ground, memory,
                        best, laid,
                    ):  # fmt: skip
                        stirred[j] = sweep
                        break
        for end in range(2):
            if pivots[end, 0] == pivots[end, 0]:
                w = 0 if end == 0 else counts[0] - 1
                lay(feet[w], feet[w + 1], chosen[w], moves, table.limits[SHORT], laid)
                off = laid[FIRST_OFF] if end == 0 else laid[LAST_OFF]
                for _ in range(halvings + 1):
                    # Where an end's foothold is once the body has turned so far about its middle.
                    c, s = math.cos(-off), math.sin(-off)
                    x, z = feet[w + end, 0] - pivots[end, 0], feet[w + end, 2] - pivots[end, 1]
                    there[0] = pivots[end, 0] + c * x + s * z
                    there[2] = pivots[end, 1] + c * z - s * x
                    there[3] = feet[w + end, 3] - off
                    if _move_foothold(
                        path, w + end, there, sums, most, weights, any_posture, table, ground,
                        memory, best, laid,
                    ):  # fmt: skip
                        break
                    off *= 0.5
    return counts[0]
