"""Compiled steps of crowds: where to go, when to give way, how to steer (numba)."""

from __future__ import annotations

import math

from footfall.blending.avoidance_kernels import choose_velocity
from footfall.blending.room_kernels import clearance, find_neighbours, free_along, is_safe, seek_gap
from footfall.maths.jit_kernels import inner_kernel, lean_kernel

_LEVELS = 6
_LEAST_M_S = 0.15
"""Slower people stand."""
_GAIN_M_S = 0.2
"""People whose progress is slower wait."""
_BACK_S, _BACK_M, _BACK_M_S, _FACE_M = 1.2, 2.5, 0.8, 1.4
"""How long a person gives way at least, how near the other is, how fast it goes back, and how
near people are that stand in each other's way."""


@inner_kernel
def _follow_route(person, points, floor, habits):  # type: ignore[no-untyped-def]
    """Write the wish that leads along a route, and the distance to its end.

    The person heads for the furthest point of the route, within limits, that lies in the open.
    """
    x, z, first, last = person.place[0], person.place[1], person.first, person.last
    person.wish[0] = person.wish[1] = person.end_m = 0.0
    if last <= first:
        return
    best, where, share, walked = math.inf, person.leg, 0.0, 0.0
    for k in range(person.leg, last - first):
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
    person.leg = where
    end = math.sqrt((points[last, 0] - x) ** 2 + (points[last, 1] - z) ** 2)
    person.end_m = end
    if end < habits.arrived_m:
        person.arrived = 1
    if person.arrived == 1:
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
    speed = min(person.route_speed, max(end - 0.5 * habits.arrived_m, 0.0) / habits.slow_s)
    person.wish[0], person.wish[1] = speed * (tx - x) / size, speed * (tz - z) / size


@inner_kernel
def _heads_for(person, other, share):  # type: ignore[no-untyped-def]
    """Return whether a person wants to go where another is: the cosine is above `share`."""
    dx, dz = other.place[0] - person.place[0], other.place[1] - person.place[1]
    x, z = person.aim[0], person.aim[1]
    fast = math.sqrt(x * x + z * z)
    return fast > _LEAST_M_S and x * dx + z * dz > share * fast * math.sqrt(dx * dx + dz * dz)


@inner_kernel
def _find_priority(person, people, habits, wants):  # type: ignore[no-untyped-def]
    """Return the person nearby that should go first, -1 if there is none.

    Of two that wait face to face, that of the higher rank; one that stands lets others pass.
    """
    for q in range(person.near_count):
        m = person.near[q]
        other = people[m]
        dx, dz = other.place[0] - person.place[0], other.place[1] - person.place[1]
        if math.sqrt(dx * dx + dz * dz) > _FACE_M:
            break
        if not _heads_for(other, person, 0.5):
            continue
        if not wants and other.waited_s >= 0.9 * habits.patience_s:
            return m
        if (
            wants
            and person.waited_s >= 0.5 * habits.patience_s
            and (other.rank > person.rank and _heads_for(person, other, 0.5))
        ):
            return m
    return -1


@inner_kernel
def _give_way(person, people, habits, wants, dt):  # type: ignore[no-untyped-def]
    """Let a person in the way of one with a higher rank go where that one goes, ahead of it.

    It takes over that rank meanwhile, so that those behind it go back as well: in the end all of
    one side do. Changes the wish, and returns whether it did.
    """
    if person.yields_to >= 0:
        other = people[person.yields_to]
        dx, dz = other.place[0] - person.place[0], other.place[1] - person.place[1]
        if _heads_for(other, person, 0.6) and math.sqrt(dx * dx + dz * dz) < _BACK_M:
            person.backing_s = _BACK_S
        else:
            person.backing_s -= dt
        if person.backing_s <= 0.0:
            person.yields_to, person.rank = -1, person.birth_rank
    if person.yields_to < 0 or person.waited_s > 0.9 * habits.patience_s:
        first = _find_priority(person, people, habits, wants)
        if first >= 0:
            person.yields_to, person.backing_s = first, _BACK_S
            person.rank = people[first].rank - 1e-7
            person.waited_s = habits.patience_s
    if person.yields_to < 0:
        return False
    other = people[person.yields_to]
    other.waited_s = 0.0  # it need not look for another way
    x, z = other.aim[0], other.aim[1]
    fast = math.sqrt(x * x + z * z)
    if fast > _LEAST_M_S:
        person.wish[0], person.wish[1] = _BACK_M_S * x / fast, _BACK_M_S * z / fast
        person.aim[0], person.aim[1] = person.wish[0], person.wish[1]
    return fast > _LEAST_M_S


@lean_kernel
def choose_velocities(people, points, floor, all_habits, reach, memory, along_routes, dt):  # type: ignore[no-untyped-def]
    """Choose where everybody goes next, and the highest speed that is safe.

    people   see `PERSON`; wishes are given, or written where people go along routes
    points   (P, 2) of all routes
    """
    habits = all_habits[0]
    find_neighbours(people, habits.see_m, memory)
    for n in range(len(people)):
        person = people[n]
        wish = person.wish
        if along_routes:
            _follow_route(person, points, floor, habits)
        wants = wish[0] * wish[0] + wish[1] * wish[1] > _LEAST_M_S**2
        person.aim[0], person.aim[1] = wish[0], wish[1]
        # How long there was no progress.
        gain = person.velocity[0] * wish[0] + person.velocity[1] * wish[1]
        if wants and gain < _GAIN_M_S * math.sqrt(wish[0] * wish[0] + wish[1] * wish[1]):
            person.waited_s = min(person.waited_s + dt, habits.patience_s)
        else:
            person.waited_s = max(person.waited_s - 0.5 * dt, 0.0)
        if along_routes:
            goal_m = person.end_m
            if _give_way(person, people, habits, wants, dt):
                goal_m = habits.look_m
            elif not wants:
                person.chosen[0] = person.chosen[1] = 0.0
                person.safe_speed = math.inf
                continue
            seek_gap(person, people, floor, habits, goal_m)
        x, z = person.place[0], person.place[1]
        gap = clearance(floor, x, z)
        wall_x = clearance(floor, x + 0.1, z) - clearance(floor, x - 0.1, z)
        wall_z = clearance(floor, x, z + 0.1) - clearance(floor, x, z - 0.1)
        size = max(math.sqrt(wall_x * wall_x + wall_z * wall_z), 1e-9)
        choose_velocity(
            n, people, -wall_x / size, -wall_z / size, gap - habits.wall_m, habits,
            person.most_speed, dt, memory.lines, memory.others,
        )  # fmt: skip
        # The highest speed that is safe.
        person.safe_speed = 0.0
        top = math.sqrt(person.chosen[0] ** 2 + person.chosen[1] ** 2)
        top = max(person.speed, top, 0.4)
        for k in range(_LEVELS):
            if is_safe(n, people, floor, habits, reach, top * (1.0 - k / _LEVELS)):
                person.safe_speed = math.inf if k == 0 else top * (1.0 - k / _LEVELS)
                break


@lean_kernel
def steer_all(people, limits, asked):  # type: ignore[no-untyped-def]
    """Write speeds and turns (N, 2) that lead to the chosen velocities: ahead, and turning.

    limits  (K, 2) speeds, rising, and how fast bodies turn at them
    """
    for n in range(len(asked)):
        person = people[n]
        x, z = person.chosen[0], person.chosen[1]
        speed = math.sqrt(x * x + z * z)
        asked[n, 0] = asked[n, 1] = 0.0
        slow = speed <= _LEAST_M_S
        if slow:  # a person that waits faces where it wants to go
            x, z = person.wish[0], person.wish[1]
            if x * x + z * z <= _LEAST_M_S**2:
                continue
        off = math.atan2(x, z) - person.place[2]
        off -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
        if slow and abs(off) < 0.5:
            continue
        now = person.speed
        most = limits[-1, 1]
        for k in range(len(limits) - 1):
            if now <= limits[k + 1, 0]:
                u = max(now - limits[k, 0], 0.0) / (limits[k + 1, 0] - limits[k, 0])
                most = limits[k, 1] + u * (limits[k + 1, 1] - limits[k, 1])
                break
        asked[n, 1] = min(max(2.5 * off, -most), most)
        if not slow:
            # Where it does not face its way it slows down and turns first.
            ahead = min(max(1.0 - (abs(off) - 0.4) / 0.8, 0.0), 1.0)
            asked[n, 0] = min(speed * ahead, person.safe_speed)
