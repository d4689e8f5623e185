"""Compiled steps of crowds: who is near, where to go, how fast it is safe, what to ask for (numba).

Bodies are seen from above as capsules: a line along the heading, as far ahead and behind as feet
reach at their speed, with half a body's width around it.
"""

from __future__ import annotations

import math

from footfall.blending.avoidance_kernels import choose_velocity
from footfall.maths.jit_kernels import inner_kernel, lean_kernel

_DIRECTIONS = 13
"""How many directions each side of the wished one are looked along."""
_OPEN_RAD, _ROUND_RAD = math.radians(95.0), math.pi
"""How far to each side somebody looks for a way on, and who has waited long."""
_LEVELS = 6
_TIMES = (0.15, 0.3, 0.5, 0.75, 1.0)
"""When somebody foresees where bodies are, seconds."""
_LAG_S, _TURNS_S = 0.35, 0.4
"""How slowly speeds follow, and for how long a turn goes on."""
_LEAST_M_S = 0.15
"""Who is to go slower than this stands."""
_GAIN_M_S = 0.2
"""Who comes nearer to where it wants to go by less than this waits."""
_ROOM_M = 0.02
_BACK_S, _BACK_M, _BACK_M_S, _FACE_M = 1.2, 2.5, 0.8, 1.4
"""How long somebody gives way at least, how near the other is for whom it does, how fast it goes,
and how near those are who stand in each other's way."""
_PRIMES = (73856093, 19349663)


@inner_kernel
def _cell(x, z, size, table):  # type: ignore[no-untyped-def]
    """The place in a table of `table` entries, a power of two, of the cell that holds a point."""
    i, k = math.floor(x / size), math.floor(z / size)
    return (int(i) * _PRIMES[0] ^ int(k) * _PRIMES[1]) & (table - 1)


@inner_kernel
def _find_neighbours(places, here, see, heads, links, gaps, near, counts):  # type: ignore[no-untyped-def]
    """Write who is within `see` metres: the nearest first, near[n, : counts[n]].

    here           (N,) who can be seen at all
    heads, links   memory: the first of each cell, and who is next in it
    """
    table, most = len(heads), near.shape[1]
    for c in range(table):
        heads[c] = -1
    for n in range(len(places)):
        if here[n] == 0:
            continue
        c = _cell(places[n, 0], places[n, 1], see, table)
        links[n], heads[c] = heads[c], n
    for n in range(len(places)):
        x, z = places[n, 0], places[n, 1]
        count = 0
        own_i, own_k = math.floor(x / see), math.floor(z / see)
        for q in range(9):
            i, k = own_i + q // 3 - 1, own_k + q % 3 - 1
            m = heads[_cell((i + 0.5) * see, (k + 0.5) * see, see, table)]
            while m >= 0:
                dx, dz = places[m, 0] - x, places[m, 1] - z
                gap = dx * dx + dz * dz
                here = math.floor(places[m, 0] / see) == i and math.floor(places[m, 1] / see) == k
                if here and m != n and gap < see * see and (count < most or gap < gaps[most - 1]):
                    place = min(count, most - 1)
                    while place > 0 and gaps[place - 1] > gap:
                        gaps[place], near[n, place] = gaps[place - 1], near[n, place - 1]
                        place -= 1
                    gaps[place], near[n, place] = gap, m
                    count = min(count + 1, most)
                m = links[m]
        counts[n] = count


@inner_kernel
def _clearance(floor, x, z):  # type: ignore[no-untyped-def]
    """How far the nearest wall is from a point, from the grid of the floor."""
    grid = floor.clearances
    u = min(max((x - floor.corner[0]) / floor.corner[2], 0.0), grid.shape[0] - 1.001)
    v = min(max((z - floor.corner[1]) / floor.corner[2], 0.0), grid.shape[1] - 1.001)
    i, k = int(u), int(v)
    u, v = u - i, v - k
    low = grid[i, k] + u * (grid[i + 1, k] - grid[i, k])
    high = grid[i, k + 1] + u * (grid[i + 1, k + 1] - grid[i, k + 1])
    return low + v * (high - low)


@inner_kernel
def _free_along(floor, x, z, dx, dz, far, radius):  # type: ignore[no-untyped-def]
    """How far a disk gets from a point along a direction before it touches a wall."""
    gone = 0.0
    before = _clearance(floor, x, z)
    for _ in range(24):
        room = _clearance(floor, x + gone * dx, z + gone * dz)
        if room < radius and not (gone < 0.6 and room > before - 1e-6):
            return gone
        before = max(before, room) if gone > 0.6 else room
        gone += max(0.9 * (room - radius), 0.15)
        if gone >= far:
            return far
    return gone


@inner_kernel
def _meets_at(px, pz, vx, vz, radius, far_s):  # type: ignore[no-untyped-def]
    """When a point that goes at vx, vz comes within `radius` of px, pz; far_s if never so soon."""
    square = px * px + pz * pz - radius * radius
    along = px * vx + pz * vz
    if along <= 0.0:
        return far_s
    if square <= 0.0:
        return 0.0
    fast = vx * vx + vz * vz
    root = along * along - fast * square
    if root <= 0.0:
        return far_s
    return min((along - math.sqrt(root)) / fast, far_s)


@inner_kernel
def _seek_gap(n, people, floor, habits, speed, wish_x, wish_z, goal_m):  # type: ignore[no-untyped-def]
    """The direction, near to the wished one, along which it is free for longest: x and z.

    Moussaid, Helbing & Theraulaz 2011: people weigh the detour against how far they get.
    """
    x, z, heading = people.places[n, 0], people.places[n, 1], people.places[n, 2]
    far = min(habits.look_m, max(goal_m, 0.5))
    far_s = far / speed
    pressed = min(people.waited[n] / habits.patience_s, 1.0)
    wide = _OPEN_RAD + pressed * (_ROUND_RAD - _OPEN_RAD)
    radius = habits.pass_m + pressed * (2.0 * habits.body_m - habits.pass_m)
    best, best_x, best_z = math.inf, wish_x, wish_z
    for k in range(-_DIRECTIONS, _DIRECTIONS + 1):
        angle = wide * k / _DIRECTIONS
        c, s = math.cos(angle), math.sin(angle)
        dx, dz = c * wish_x + s * wish_z, c * wish_z - s * wish_x
        free = _free_along(floor, x, z, dx, dz, far, habits.wall_m)
        for q in range(people.counts[n]):
            m = people.near[n, q]
            t = _meets_at(
                people.places[m, 0] - x, people.places[m, 1] - z,
                speed * dx - people.velocities[m, 0], speed * dz - people.velocities[m, 1],
                radius, far_s,
            )  # fmt: skip
            free = min(free, t * speed)
        cost = far * far + free * free - 2.0 * far * free * (c + 1.5 * pressed)
        # Nobody turns about for a little; to the right rather than to the left.
        facing = dx * math.sin(heading) + dz * math.cos(heading)
        cost += far * far * (habits.turning * (1.0 - facing) + (habits.right * s if s > 0 else 0.0))
        if cost < best:
            best, best_x, best_z = cost, dx, dz
    return best_x, best_z


@inner_kernel
def _reach(table, speed, side):  # type: ignore[no-untyped-def]
    """How far feet reach ahead (0) or behind (1) at a speed, less half a body's width."""
    at = min(max(speed / table[0, 2], 0.0), len(table) - 1.001)
    k = int(at)
    return table[k, side] + (at - k) * (table[k + 1, side] - table[k, side])


@inner_kernel
def _from_line(px, pz, ax, az, bx, bz):  # type: ignore[no-untyped-def]
    """How far a point is from a segment, squared."""
    dx, dz = bx - ax, bz - az
    square = dx * dx + dz * dz
    u = 0.0 if square <= 0.0 else min(max(((px - ax) * dx + (pz - az) * dz) / square, 0.0), 1.0)
    return (ax + u * dx - px) ** 2 + (az + u * dz - pz) ** 2


@inner_kernel
def _apart(ax, az, asin, acos, front, back, bx, bz, bsin, bcos, other_front, other_back):  # type: ignore[no-untyped-def]
    """How far the lines of two bodies are apart."""
    px, pz, qx, qz = ax + front * asin, az + front * acos, ax - back * asin, az - back * acos
    rx, rz = bx + other_front * bsin, bz + other_front * bcos
    sx, sz = bx - other_back * bsin, bz - other_back * bcos
    one = (px - qx) * (rz - qz) - (pz - qz) * (rx - qx)
    two = (px - qx) * (sz - qz) - (pz - qz) * (sx - qx)
    three = (rx - sx) * (pz - sz) - (rz - sz) * (px - sx)
    four = (rx - sx) * (qz - sz) - (rz - sz) * (qx - sx)
    if one * two < 0.0 and three * four < 0.0:
        return 0.0
    least = min(_from_line(px, pz, rx, rz, sx, sz), _from_line(qx, qz, rx, rz, sx, sz))
    least = min(least, _from_line(rx, rz, px, pz, qx, qz), _from_line(sx, sz, px, pz, qx, qz))
    return math.sqrt(least)


@inner_kernel
def _is_safe(n, people, floor, habits, reach, speed):  # type: ignore[no-untyped-def]
    """Whether somebody can go on at a speed: near nobody ahead nor a wall in the next second."""
    now, turn = people.speeds[n], people.turns[n]
    x, z, heading = people.places[n, 0], people.places[n, 1], people.places[n, 2]
    asin, acos = math.sin(heading), math.cos(heading)
    front, back = _reach(reach, now, 0), _reach(reach, now, 1)
    wall = min(_clearance(floor, x, z), _clearance(floor, x + front * asin, z + front * acos))
    need = 2.0 * habits.body_m + _ROOM_M
    before = 0.0
    for t in _TIMES:
        gone = speed * t + (now - speed) * _LAG_S * (1.0 - math.exp(-t / _LAG_S))
        there = heading + turn * min(t, _TURNS_S)
        middle = 0.5 * (heading + there)
        px, pz = x + gone * math.sin(middle), z + gone * math.cos(middle)
        s, c = math.sin(there), math.cos(there)
        then = speed + (now - speed) * math.exp(-t / _LAG_S)
        ahead, behind = _reach(reach, then, 0), _reach(reach, then, 1)
        room = min(_clearance(floor, px, pz), _clearance(floor, px + ahead * s, pz + ahead * c))
        if gone > before and room < min(habits.wall_m, wall - 0.01):
            return False
        before = gone
        for q in range(people.counts[n]):
            m = people.near[n, q]
            dx, dz = people.places[m, 0] - x, people.places[m, 1] - z
            size = math.sqrt(dx * dx + dz * dz)
            if size > 4.0:
                break
            other = people.places[m, 2]
            bsin, bcos = math.sin(other), math.cos(other)
            mine, its = dx * asin + dz * acos, -(dx * bsin + dz * bcos)
            if mine <= -0.05 * size:
                continue
            # Who has the other more ahead gives way; the other minds the next moments alone.
            if t > 0.55 and (its > mine + 1e-9 or (abs(its - mine) <= 1e-9 and n < m)):
                continue
            vx, vz = people.velocities[m, 0], people.velocities[m, 1]
            fast = people.speeds[m]
            other_front, other_back = _reach(reach, fast, 0), _reach(reach, fast, 1)
            apart = _apart(
                px, pz, s, c, ahead, behind, people.places[m, 0] + t * vx,
                people.places[m, 1] + t * vz, bsin, bcos, other_front, other_back,
            )  # fmt: skip
            if apart >= need:
                continue
            first = _apart(
                x, z, asin, acos, front, back, people.places[m, 0], people.places[m, 1], bsin,
                bcos, other_front, other_back,
            )  # fmt: skip
            if apart < first - 0.005:
                return False
    return True


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
        if _free_along(floor, x, z, (tx - x) / size, (tz - z) / size, size, habits.wall_m) >= size:
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
def _distance(people, n, m):  # type: ignore[no-untyped-def]
    dx, dz = people.places[m, 0] - people.places[n, 0], people.places[m, 1] - people.places[n, 1]
    return math.sqrt(dx * dx + dz * dz)


@inner_kernel
def _find_whom_to_yield(n, people, habits, wants):  # type: ignore[no-untyped-def]
    """Who of those near should go first: -1 if nobody.

    Of two who wait face to face, that of the higher rank; whoever waits for one who only stands.
    """
    long_s = 0.9 * habits.patience_s
    for q in range(people.counts[n]):
        m = people.near[n, q]
        if _distance(people, n, m) > _FACE_M:
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
        if _points_at(people, m, n, 0.6) and _distance(people, n, m) < _BACK_M:
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


@inner_kernel
def _wait(n, people, habits, wants, dt):  # type: ignore[no-untyped-def]
    """Count how long somebody has not got on."""
    x, z = people.aims[n, 0], people.aims[n, 1]
    gain = people.velocities[n, 0] * x + people.velocities[n, 1] * z
    if wants and gain < _GAIN_M_S * math.sqrt(x * x + z * z):
        people.waited[n] = min(people.waited[n] + dt, habits.patience_s)
    else:
        people.waited[n] = max(people.waited[n] - 0.5 * dt, 0.0)


@inner_kernel
def _choose_speed(n, people, floor, habits, reach):  # type: ignore[no-untyped-def]
    """Write the highest speed up to which it is safe."""
    people.caps[n] = 0.0
    top = max(people.speeds[n], math.sqrt(people.chosen[n, 0] ** 2 + people.chosen[n, 1] ** 2))
    top = max(top, 0.4)
    for k in range(_LEVELS):
        if _is_safe(n, people, floor, habits, reach, top * (1.0 - k / _LEVELS)):
            people.caps[n] = math.inf if k == 0 else top * (1.0 - k / _LEVELS)
            return


@lean_kernel
def choose_ways(people, routes, floor, habits, reach, fastest, memory, along_routes, dt):  # type: ignore[no-untyped-def]
    """Choose where everybody goes next, and how fast at most.

    people.wishes     written along routes, or given     people.chosen, caps   written
    memory            of the neighbours and the half-planes
    """
    heads, links, gaps, lines, others = memory
    places = people.places
    _find_neighbours(
        places, people.here, habits.see_m, heads, links, gaps, people.near, people.counts
    )
    for n in range(len(places)):
        wish = people.wishes[n]
        if along_routes:
            _next_wish(n, places, routes, floor, habits, wish)
        wants = wish[0] * wish[0] + wish[1] * wish[1] > _LEAST_M_S**2
        people.aims[n, 0], people.aims[n, 1] = wish[0], wish[1]
        _wait(n, people, habits, wants, dt)
        if along_routes:
            goal_m = routes.ends[n]
            if _give_way(n, people, habits, wants, dt):
                goal_m = habits.look_m
            elif not wants:
                people.chosen[n, 0] = people.chosen[n, 1] = 0.0
                people.caps[n] = math.inf
                continue
            speed = math.sqrt(wish[0] * wish[0] + wish[1] * wish[1])
            x, z = _seek_gap(
                n, people, floor, habits, speed, wish[0] / speed, wish[1] / speed, goal_m
            )
            wish[0], wish[1] = speed * x, speed * z
        x, z = places[n, 0], places[n, 1]
        gap = _clearance(floor, x, z)
        wall_x = _clearance(floor, x + 0.1, z) - _clearance(floor, x - 0.1, z)
        wall_z = _clearance(floor, x, z + 0.1) - _clearance(floor, x, z - 0.1)
        size = max(math.sqrt(wall_x * wall_x + wall_z * wall_z), 1e-9)
        choose_velocity(
            n, people, -wall_x / size, -wall_z / size, gap - habits.wall_m, habits, fastest[n],
            dt, lines, others,
        )  # fmt: skip
        _choose_speed(n, people, floor, habits, reach)


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
