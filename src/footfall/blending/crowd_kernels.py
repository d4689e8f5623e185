"""Compiled steps of crowds: where to go, for whom to give way, what to ask for (numba)."""

from __future__ import annotations

import math

from footfall.blending.avoidance_kernels import choose_velocity
from footfall.blending.room_kernels import (
    clearance,
    find_neighbours,
    free_along,
    is_safe,
    seek_gap,
)
from footfall.maths.jit_kernels import inner_kernel, lean_kernel

_LEVELS = 6
_LEAST_M_S = 0.15
"""Who is to go slower than this stands."""
_GAIN_M_S = 0.2
"""Who comes nearer to where it wants to go by less than this waits."""
_BACK_S, _BACK_M, _BACK_M_S, _FACE_M = 1.2, 2.5, 0.8, 1.4
"""How long somebody gives way at least, how near the other is for whom it does, how fast it goes,
and how near those are who stand in each other's way."""


@inner_kernel
def _next_wish(n, places, routes, floor, habits, out):  # type: ignore[no-untyped-def]
    """Write the velocity that leads along a route, and how far its end is.

    It goes for the furthest point of the route, within limits, that lies in the open.
    """
    x, z = places[n, 0], places[n, 1]
    first, last = routes.starts[n], routes.starts[n + 1] - 1
    points = routes.points
    out[0] = out[1] = 0.0
    routes.ends[n] = 0.0
    if last <= first:
        return
    best, where, share, walked = math.inf, routes.legs[n], 0.0, 0.0
    for k in range(routes.legs[n], last - first):
        ax, az = points[first + k, 0], points[first + k, 1]
        dx, dz = points[first + k + 1, 0] - ax, points[first + k + 1, 1] - az
        square = dx * dx + dz * dz
        u = 0.0
        if square > 0.0:
            u = min(max(((x - ax) * dx + (z - az) * dz) / square, 0.0), 1.0)
        off = (ax + u * dx - x) ** 2 + (az + u * dz - z) ** 2
        if off < best:
            best, where, share = off, k, u
        walked += math.sqrt(square)
        if walked > 3.0:
            break
    routes.legs[n] = where
    end = math.sqrt((points[last, 0] - x) ** 2 + (points[last, 1] - z) ** 2)
    routes.ends[n] = end
    if end < habits.arrived_m:
        routes.arrived[n] = 1
    if routes.arrived[n] == 1:
        return
    tx, tz, size = points[last, 0], points[last, 1], end
    look = habits.ahead_m
    while True:
        rest = look
        tx, tz = points[last, 0], points[last, 1]
        for k in range(where, last - first):
            ax, az = points[first + k, 0], points[first + k, 1]
            dx, dz = points[first + k + 1, 0] - ax, points[first + k + 1, 1] - az
            size = math.sqrt(dx * dx + dz * dz)
            begin = share * size if k == where else 0.0
            if size - begin >= rest and size > 0.0:
                u = (begin + rest) / size
                tx, tz = ax + u * dx, az + u * dz
                break
            rest -= size - begin
        size = math.sqrt((tx - x) ** 2 + (tz - z) ** 2)
        if look < 0.6 or size < 1e-6:
            break
        if free_along(floor, x, z, (tx - x) / size, (tz - z) / size, size, habits.wall_m) >= size:
            break
        look *= 0.6
    if size < 1e-6:
        return
    speed = min(routes.speeds[n], max(end - 0.5 * habits.arrived_m, 0.0) / habits.slow_s)
    out[0], out[1] = speed * (tx - x) / size, speed * (tz - z) / size


@inner_kernel
def _points_at(people, m, n, share):  # type: ignore[no-untyped-def]
    """Whether one wants to go where another is: the cosine between is above `share`."""
    dx, dz = people.places[n, 0] - people.places[m, 0], people.places[n, 1] - people.places[m, 1]
    x, z = people.aims[m, 0], people.aims[m, 1]
    fast = math.sqrt(x * x + z * z)
    return fast > _LEAST_M_S and x * dx + z * dz > share * fast * math.sqrt(dx * dx + dz * dz)


@inner_kernel
def _find_whom_to_yield(n, people, habits, wants):  # type: ignore[no-untyped-def]
    """Who of those near should go first: -1 if nobody.

    Of two who wait face to face, that of the higher rank; whoever waits for one who only stands.
    """
    long_s, places = 0.9 * habits.patience_s, people.places
    for q in range(people.counts[n]):
        m = people.near[n, q]
        dx, dz = places[m, 0] - places[n, 0], places[m, 1] - places[n, 1]
        if math.sqrt(dx * dx + dz * dz) > _FACE_M:
            break
        if not _points_at(people, m, n, 0.5):
            continue
        if not wants and people.waited[m] >= long_s:
            return m
        if (
            wants
            and people.waited[n] >= 0.5 * habits.patience_s
            and (people.ranks[m] > people.ranks[n] and _points_at(people, n, m, 0.5))
        ):
            return m
    return -1


@inner_kernel
def _give_way(n, people, habits, wants, dt):  # type: ignore[no-untyped-def]
    """Let who is in the way of somebody with a higher rank go where that one goes, ahead of it.

    It takes over that rank for so long, so that who stands behind it goes back as well: in the end
    all of one side do. Changes the wish, and returns whether it did.
    """
    m = people.yields[n]
    if m >= 0:
        dx = people.places[m, 0] - people.places[n, 0]
        dz = people.places[m, 1] - people.places[n, 1]
        if _points_at(people, m, n, 0.6) and math.sqrt(dx * dx + dz * dz) < _BACK_M:
            people.backing[n] = _BACK_S
        else:
            people.backing[n] -= dt
        if people.backing[n] <= 0.0:
            people.yields[n], people.ranks[n] = -1, people.births[n]
    if people.yields[n] < 0 or people.waited[n] > 0.9 * habits.patience_s:
        other = _find_whom_to_yield(n, people, habits, wants)
        if other >= 0:
            people.yields[n], people.backing[n] = other, _BACK_S
            people.ranks[n] = people.ranks[other] - 1e-7
            people.waited[n] = habits.patience_s
    m = people.yields[n]
    if m < 0:
        return False
    people.waited[m] = 0.0  # it need not look for another way
    x, z = people.aims[m, 0], people.aims[m, 1]
    fast = math.sqrt(x * x + z * z)
    if fast > _LEAST_M_S:
        people.wishes[n, 0], people.wishes[n, 1] = _BACK_M_S * x / fast, _BACK_M_S * z / fast
        people.aims[n, 0], people.aims[n, 1] = people.wishes[n, 0], people.wishes[n, 1]
    return fast > _LEAST_M_S


@lean_kernel
def choose_ways(people, routes, floor, habits, reach, fastest, memory, along_routes, dt):  # type: ignore[no-untyped-def]
    """Choose where everybody goes next, and how fast at most.

    people.wishes     written along routes, or given     people.chosen, caps   written
    memory            of the neighbours and the half-planes
    """
    heads, links, gaps, lines, others = memory
    places = people.places
    find_neighbours(
        places, people.here, habits.see_m, heads, links, gaps, people.near, people.counts
    )
    for n in range(len(places)):
        wish = people.wishes[n]
        if along_routes:
            _next_wish(n, places, routes, floor, habits, wish)
        wants = wish[0] * wish[0] + wish[1] * wish[1] > _LEAST_M_S**2
        people.aims[n, 0], people.aims[n, 1] = wish[0], wish[1]
        # How long it has not got on.
        gain = people.velocities[n, 0] * wish[0] + people.velocities[n, 1] * wish[1]
        if wants and gain < _GAIN_M_S * math.sqrt(wish[0] * wish[0] + wish[1] * wish[1]):
            people.waited[n] = min(people.waited[n] + dt, habits.patience_s)
        else:
            people.waited[n] = max(people.waited[n] - 0.5 * dt, 0.0)
        if along_routes:
            goal_m = routes.ends[n]
            if _give_way(n, people, habits, wants, dt):
                goal_m = habits.look_m
            elif not wants:
                people.chosen[n, 0] = people.chosen[n, 1] = 0.0
                people.caps[n] = math.inf
                continue
            speed = math.sqrt(wish[0] * wish[0] + wish[1] * wish[1])
            x, z = seek_gap(
                n, people, floor, habits, speed, wish[0] / speed, wish[1] / speed, goal_m
            )
            wish[0], wish[1] = speed * x, speed * z
        x, z = places[n, 0], places[n, 1]
        gap = clearance(floor, x, z)
        wall_x = clearance(floor, x + 0.1, z) - clearance(floor, x - 0.1, z)
        wall_z = clearance(floor, x, z + 0.1) - clearance(floor, x, z - 0.1)
        size = max(math.sqrt(wall_x * wall_x + wall_z * wall_z), 1e-9)
        choose_velocity(
            n, people, -wall_x / size, -wall_z / size, gap - habits.wall_m, habits, fastest[n],
            dt, lines, others,
        )  # fmt: skip
        # The highest speed up to which it is safe.
        people.caps[n] = 0.0
        top = math.sqrt(people.chosen[n, 0] ** 2 + people.chosen[n, 1] ** 2)
        top = max(people.speeds[n], top, 0.4)
        for k in range(_LEVELS):
            if is_safe(n, people, floor, habits, reach, top * (1.0 - k / _LEVELS)):
                people.caps[n] = math.inf if k == 0 else top * (1.0 - k / _LEVELS)
                break


@lean_kernel
def steer_all(people, limits, asked):  # type: ignore[no-untyped-def]
    """Write speeds and turns (N, 2) that go the chosen ways, as people can: ahead, and turning.

    limits  (K, 2) speeds, rising, and how fast bodies turn at them
    """
    for n in range(len(asked)):
        x, z = people.chosen[n, 0], people.chosen[n, 1]
        speed = math.sqrt(x * x + z * z)
        asked[n, 0] = asked[n, 1] = 0.0
        slow = speed <= _LEAST_M_S
        if slow:  # who waits at least faces where it wants to go
            x, z = people.wishes[n, 0], people.wishes[n, 1]
            if x * x + z * z <= _LEAST_M_S**2:
                continue
        off = math.atan2(x, z) - people.places[n, 2]
        off -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
        if slow and abs(off) < 0.5:
            continue
        now = people.speeds[n]
        most = limits[-1, 1]
        for k in range(len(limits) - 1):
            if now <= limits[k + 1, 0]:
                u = max(now - limits[k, 0], 0.0) / (limits[k + 1, 0] - limits[k, 0])
                most = limits[k, 1] + u * (limits[k + 1, 1] - limits[k, 1])
                break
        asked[n, 1] = min(max(2.5 * off, -most), most)
        if not slow:
            # Who is to go where it does not face slows down and turns first.
            ahead = min(max(1.0 - (abs(off) - 0.4) / 0.8, 0.0), 1.0)
            asked[n, 0] = min(speed * ahead, people.caps[n])
