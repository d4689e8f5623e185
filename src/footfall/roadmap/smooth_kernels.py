"""Compiled parts of difference smoothing: footprints moved along a path. Import lazily: numba.

Footprints in the order of a path are its *stops*: of each move all but those that only stand
beside its first and last one, and where two moves meet one for both. A step leads from a stop to
the next; the clip has made it too, and how far the two differ is what is smoothed.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel
from footfall.roadmap.edge_kernels import find_near, ground_cost
from footfall.roadmap.lay_kernels import fit_move, heading, lay, lay_edge, wrap
from footfall.roadmap.refine_kernels import stand_near, turning_about
from footfall.roadmap.sweep_kernels import is_swept_free

_GAIN = 1e-9


@inner_kernel
def local_mapping(a, b, before, after, short):  # type: ignore[no-untyped-def]
    """Return x, z, yaw of a stop if its steps, as the clip makes them, lead from a to b (Fig. 6).

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
        x = a[0] + scale * (c * before[0] + s * before[2])
        z = a[2] + scale * (c * before[2] - s * before[0])
        one, other = math.hypot(before[0], before[2]), math.hypot(after[0], after[2])
        u = one / (one + other)
        first, last = wrap(a[3] - turn), wrap(b[3] - turn - before[3] - after[3])
        return x, z, turn + before[3] + (1.0 - u) * first + u * last
    c, s = math.cos(a[3]), math.sin(a[3])
    x, z = a[0] + c * before[0] + s * before[2], a[2] + c * before[2] - s * before[0]
    first, back = a[3] + before[3], b[3] - after[3]
    c, s = math.cos(back), math.sin(back)
    x = 0.5 * (x + b[0] - (c * after[0] + s * after[2]))
    z = 0.5 * (z + b[2] - (c * after[2] - s * after[0]))
    return x, z, first + 0.5 * wrap(back - first)


@inner_kernel
def _differences_about(prints, stops, j, there, clip_steps, short, yaw_m):  # type: ignore[no-untyped-def]
    """Return the squares of how far stops are from where the clips would have them, about the j-th.

    A stop is where the clips would have it if its two steps, laid between its neighbours, meet
    there. Those that the j-th has to do with are summed, with it `there`.
    """
    total = 0.0
    for k in range(max(j - 1, 1), min(j + 1, len(stops) - 2) + 1):
        a = there if k - 1 == j else prints[stops[k - 1].row]
        own = there if k == j else prints[stops[k].row]
        b = there if k + 1 == j else prints[stops[k + 1].row]
        x, z, yaw = local_mapping(a, b, clip_steps[k - 1], clip_steps[k], short)
        x, z, turn = x - own[0], z - own[2], yaw_m * wrap(yaw - own[3])
        total += x * x + z * z + turn * turn
    return total


@inner_kernel
def _share_foothold(j, there, feet, steps, table, terrain):  # type: ignore[no-untyped-def]
    """Move a foothold that two moves share, if the path gets no worse and both stay valid."""
    turn_now, turn_new = turning_about(feet, j, len(steps), there)
    if turn_new > turn_now + _GAIN:
        return False
    change1 = change2 = price1 = price2 = price = 0.0
    for side in range(2):
        a, b, step = feet[j - 1], there, steps[j - 1 + side]
        if side == 1:
            a, b, change1, price1 = there, feet[j + 1], change2, price2
        far, bearing = heading(a, b)
        move = table.moves[step.move]
        change2, price2 = fit_move(a, b, far, bearing, move, table.limits, 0.0, 0.0)
        price += step.cost
        if change1 + change2 > steps[j - 1].change + steps[j].change + _GAIN:
            return False
        price2 += ground_cost(a, b, step.move, table, terrain)
    if not price1 + price2 <= price + _GAIN:
        return False
    for k in range(4):
        feet[j, k] = there[k]
    one, two = steps[j - 1], steps[j]
    one.change, two.change, one.cost, two.cost = change1, change2, price1, price2
    return True


@inner_kernel
def _is_free_aside(a, b, m, dx, dz, top, table, terrain):  # type: ignore[no-untyped-def]
    """Return whether the body of a move touches nothing if all of it is put aside in the plane."""
    memory, limits, move = terrain.memory, table.limits, table.moves[m]
    far, bearing = heading(a, b)
    laid, aside = lay(a, b, far, bearing, move, limits), memory.aside[:]
    aside[0], aside[1], aside[2], aside[3] = a[0] + dx, a[1], a[2] + dz, a[3]
    for n in range(len(memory.rise)):
        memory.rise[n] = 0.0
    lay_edge(aside, laid, move, table.prints, memory.prints[:])
    near = find_near(aside, limits, terrain)
    return is_swept_free(aside, laid, move, top + limits.lift, near, table, terrain)


@inner_kernel
def _move_stop(prints, stops, clip_steps, k, aim, options, feet, steps, table, terrain):  # type: ignore[no-untyped-def]
    """Move a stop to its aim (x, z, yaw), or a part of the way, as far as that is worth it."""
    limits, there, yaw_m = table.limits, options.there[:], options.yaw_m
    stop = stops[k]
    w, row, shared = stop.owner, stop.row, stops[k - 1].owner != stop.owner
    a, here, b = prints[stops[k - 1].row], prints[row], prints[stops[k + 1].row]
    now = _differences_about(prints, stops, k, here, clip_steps, limits.short, yaw_m)
    share = 1.0
    for _ in range(options.halvings + 1):
        there[0] = here[0] + share * (aim[0] - here[0])
        there[2] = here[2] + share * (aim[1] - here[2])
        there[3] = wrap(here[3] + share * wrap(aim[2] - here[3]))
        share *= 0.5
        new = _differences_about(prints, stops, k, there, clip_steps, limits.short, yaw_m)
        if new > now - _GAIN:
            continue
        there[1] = stand_near(there, here[1], limits, terrain)
        # Neither step may lead much higher or lower than in the clip.
        if not (
            abs(there[1] - a[1] - clip_steps[k - 1, 1]) <= limits.rise
            and abs(b[1] - there[1] - clip_steps[k, 1]) <= limits.rise
        ):
            continue
        if shared:
            fine = _share_foothold(w, there, feet, steps, table, terrain)
        else:  # the body must be free if it is shifted as far as the footprint is
            top = max(max(feet[w, 1], feet[w + 1, 1]), there[1])
            dx, dz = there[0] - stop.x, there[2] - stop.z
            fine = _is_free_aside(feet[w], feet[w + 1], steps[w].move, dx, dz, top, table, terrain)
        if fine:
            for axis in range(4):
                prints[row, axis] = there[axis]
                if shared:
                    prints[row - 1, axis] = there[axis]
            return True
    return False


@lean_kernel
def smooth(prints, stops, clip_steps, options, feet, steps, table, terrain):  # type: ignore[no-untyped-def]
    """Smooth differences along a path: footprints (P, 4) and shared footholds, in place.

    stops       (K,) their rows, whose they are, and where they were
    clip_steps  (K, 4) the clips' steps between them     options  a record of `refine`
    feet, steps the path

    Every stop but the first and the last goes where the local mapping of its two steps takes it,
    or half as far, or a quarter; one that cannot makes room for the one beside it that two moves
    share. It does so as long as stops are nearer to where the clips would have them then, it
    stands well there, and the path stays valid and gets no worse.
    """
    short, count, table_prints = table.limits.short, len(stops), table.prints
    for turn in range(2 * options.rounds):
        for n in range(1, count - 1):
            k = n if turn % 2 == 0 else count - 1 - n
            w, here = stops[k].owner, prints[stops[k].row]
            shared = stops[k - 1].owner != w
            if shared:  # where the other foot stands too, both stay
                last = table.moves[steps[w - 1].move].print_stop - 1
                first = table.moves[steps[w].move].print_first
                if table_prints[first + 1].share <= 0.0 or table_prints[last - 1].share >= 1.0:
                    continue
            for s in (k, k - 1, k + 1):
                if s != k and not (0 < s < count - 1 and stops[s - 1].owner != stops[s].owner):
                    continue
                a, b = prints[stops[s - 1].row], prints[stops[s + 1].row]
                aim = local_mapping(a, b, clip_steps[s - 1], clip_steps[s], short)
                if s != k:  # to have the one beside it where its own two steps meet
                    that = prints[stops[s].row]
                    turned = here[3] + wrap(that[3] - aim[2])
                    aim = here[0] + that[0] - aim[0], here[2] + that[2] - aim[1], turned
                moved = _move_stop(
                    prints, stops, clip_steps, k, aim, options, feet, steps, table, terrain
                )
                if s == k and (moved or shared):
                    break
