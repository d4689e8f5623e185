"""Compiled view of one person in a crowd: neighbours, open directions, safe speeds (numba).

Bodies are seen from above as capsules: a line along the heading, as far ahead and behind as feet
reach at their speed, with half a body's width around it.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel

_DIRECTIONS = 13
"""The number of directions that are tried on each side of the wish."""
_OPEN_RAD, _ROUND_RAD = math.radians(95.0), math.pi
"""How far to each side a gap is sought, and after a long wait."""
_TIMES = (0.15, 0.3, 0.5, 0.75, 1.0)
"""Moments at which bodies are predicted, seconds."""
_LAG_S, _TURNS_S = 0.35, 0.4
"""How slowly speeds follow, and for how long a turn goes on."""
_ROOM_M, _LEAVE_M, _STEP_M, _NEAREST_M, _MIND_M = 0.02, 0.6, 0.15, 0.5, 4.0
"""Lengths of a mean body: between two bodies at least, within which it may leave a wall, of a step
along a direction, that is looked ahead at least, and beyond which nobody is minded ..."""
_WALL_M = 0.34
"""... whose middle stays this far from walls. Lengths of others are in proportion to theirs."""
_PRIMES = (73856093, 19349663)


@inner_kernel
def find_neighbours(people, see, memory):  # type: ignore[no-untyped-def]
    """Write who is within `see` metres of each person: the nearest first, near[: near_count].

    memory  heads and links: the first person in each cell of a hashed grid, and the next in it
    """
    heads, links, gaps = memory.heads, memory.links, memory.gaps
    most, mask = len(gaps), len(heads) - 1
    heads[:] = -1
    for n in range(len(people)):
        if people[n].visible == 0:
            continue
        i, k = math.floor(people[n].place[0] / see), math.floor(people[n].place[1] / see)
        c = (int(i) * _PRIMES[0] ^ int(k) * _PRIMES[1]) & mask
        links[n], heads[c] = heads[c], n
    for n in range(len(people)):
        person = people[n]
        x, z, near, count = person.place[0], person.place[1], person.near, 0
        own_i, own_k = math.floor(x / see), math.floor(z / see)
        for q in range(9):
            i, k = own_i + q // 3 - 1, own_k + q % 3 - 1
            m = heads[(int(i) * _PRIMES[0] ^ int(k) * _PRIMES[1]) & mask]
            while m >= 0:
                other = people[m].place
                dx, dz = other[0] - x, other[1] - z
                gap = dx * dx + dz * dz
                inside = math.floor(other[0] / see) == i and math.floor(other[1] / see) == k
                if inside and m != n and gap < see * see and (count < most or gap < gaps[most - 1]):
                    place = min(count, most - 1)
                    while place > 0 and gaps[place - 1] > gap:
                        gaps[place], near[place] = gaps[place - 1], near[place - 1]
                        place -= 1
                    gaps[place], near[place] = gap, m
                    count = min(count + 1, most)
                m = links[m]
        person.near_count = count


@inner_kernel
def clearance(floor, x, z):  # type: ignore[no-untyped-def]
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
def free_along(floor, x, z, dx, dz, far, radius):  # type: ignore[no-untyped-def]
    """How far a disk gets from a point along a direction before it touches a wall."""
    gone, size = 0.0, radius / _WALL_M
    before = clearance(floor, x, z)
    for _ in range(24):
        room = clearance(floor, x + gone * dx, z + gone * dz)
        if room < radius and not (gone < _LEAVE_M * size and room > before - 1e-6):
            return gone
        before = max(before, room) if gone > _LEAVE_M * size else room
        gone += max(0.9 * (room - radius), _STEP_M * size)
        if gone >= far:
            return far
    return gone


@inner_kernel
def seek_gap(person, people, floor, habits, goal_m):  # type: ignore[no-untyped-def]
    """Turn the wish to the direction nearby along which it is free for longest.

    Moussaid, Helbing & Theraulaz 2011: people weigh the detour against how far they get.
    """
    wish = person.wish
    speed = math.sqrt(wish[0] * wish[0] + wish[1] * wish[1])
    wish_x, wish_z = wish[0] / speed, wish[1] / speed
    x, z, heading = person.place[0], person.place[1], person.place[2]
    far = min(habits.look_m, max(goal_m, _NEAREST_M * habits.wall_m / _WALL_M))
    far_s = far / speed
    pressed = min(person.waited_s / habits.patience_s, 1.0)
    wide = _OPEN_RAD + pressed * (_ROUND_RAD - _OPEN_RAD)
    radius = habits.pass_m + pressed * (2.0 * habits.body_m - habits.pass_m)
    best, best_x, best_z = math.inf, wish_x, wish_z
    for k in range(-_DIRECTIONS, _DIRECTIONS + 1):
        angle = wide * k / _DIRECTIONS
        c, s = math.cos(angle), math.sin(angle)
        dx, dz = c * wish_x + s * wish_z, c * wish_z - s * wish_x
        free = free_along(floor, x, z, dx, dz, far, habits.wall_m)
        for q in range(person.near_count):
            other = people[person.near[q]]
            # When it comes within `radius` of the other, if so soon.
            px, pz = other.place[0] - x, other.place[1] - z
            vx, vz = speed * dx - other.velocity[0], speed * dz - other.velocity[1]
            square, along = px * px + pz * pz - radius * radius, px * vx + pz * vz
            fast, t = vx * vx + vz * vz, far_s
            root = along * along - fast * square
            if along > 0.0 and square <= 0.0:
                t = 0.0
            elif along > 0.0 and root > 0.0:
                t = min((along - math.sqrt(root)) / fast, far_s)
            free = min(free, t * speed)
        cost = far * far + free * free - 2.0 * far * free * (c + 1.5 * pressed)
        # People do not turn round for a small gain; they pass on the right rather than the left.
        facing = dx * math.sin(heading) + dz * math.cos(heading)
        cost += far * far * (habits.turning * (1.0 - facing) + (habits.right * s if s > 0 else 0.0))
        if cost < best:
            best, best_x, best_z = cost, dx, dz
    wish[0], wish[1] = speed * best_x, speed * best_z


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
def _apart(one, two):  # type: ignore[no-untyped-def]
    """Return the distance between the lines of two bodies.

    one, two  x and z, sine and cosine of the heading, reach ahead and behind
    """
    ax, az, asin, acos, front, back = one
    bx, bz, bsin, bcos, other_front, other_back = two
    px, pz, qx, qz = ax + front * asin, az + front * acos, ax - back * asin, az - back * acos
    rx, rz = bx + other_front * bsin, bz + other_front * bcos
    sx, sz = bx - other_back * bsin, bz - other_back * bcos
    first = (px - qx) * (rz - qz) - (pz - qz) * (rx - qx)
    second = (px - qx) * (sz - qz) - (pz - qz) * (sx - qx)
    third = (rx - sx) * (pz - sz) - (rz - sz) * (px - sx)
    fourth = (rx - sx) * (qz - sz) - (rz - sz) * (qx - sx)
    if first * second < 0.0 and third * fourth < 0.0:
        return 0.0
    least = min(_from_line(px, pz, rx, rz, sx, sz), _from_line(qx, qz, rx, rz, sx, sz))
    least = min(least, _from_line(rx, rz, px, pz, qx, qz), _from_line(sx, sz, px, pz, qx, qz))
    return math.sqrt(least)


@inner_kernel
def is_safe(n, people, floor, habits, reach, speed):  # type: ignore[no-untyped-def]
    """Return whether person n can go at a speed without coming near anybody or a wall in 1 s."""
    person = people[n]
    now, x, z, heading = person.speed, person.place[0], person.place[1], person.place[2]
    asin, acos = math.sin(heading), math.cos(heading)
    front, back = _reach(reach, now, 0), _reach(reach, now, 1)
    wall = min(clearance(floor, x, z), clearance(floor, x + front * asin, z + front * acos))
    body = habits.wall_m / _WALL_M
    need, before = 2.0 * habits.body_m + _ROOM_M * body, 0.0
    for t in _TIMES:
        gone = speed * t + (now - speed) * _LAG_S * (1.0 - math.exp(-t / _LAG_S))
        there = heading + person.turn * min(t, _TURNS_S)
        middle = 0.5 * (heading + there)
        px, pz = x + gone * math.sin(middle), z + gone * math.cos(middle)
        s, c = math.sin(there), math.cos(there)
        then = speed + (now - speed) * math.exp(-t / _LAG_S)
        ahead, behind = _reach(reach, then, 0), _reach(reach, then, 1)
        room = min(clearance(floor, px, pz), clearance(floor, px + ahead * s, pz + ahead * c))
        if gone > before and room < min(habits.wall_m, wall - 0.01 * body):
            return False
        before = gone
        for q in range(person.near_count):
            m = person.near[q]
            other = people[m]
            at_x, at_z = other.place[0], other.place[1]
            dx, dz = at_x - x, at_z - z
            size = math.sqrt(dx * dx + dz * dz)
            if size > _MIND_M * body:
                break
            bsin, bcos = math.sin(other.place[2]), math.cos(other.place[2])
            mine, its = dx * asin + dz * acos, -(dx * bsin + dz * bcos)
            if mine <= -0.05 * size:
                continue
            # The one that has the other more ahead gives way; the other minds the next moments.
            if t > 0.55 and (its > mine + 1e-9 or (abs(its - mine) <= 1e-9 and n < m)):
                continue
            other_front, other_back = _reach(reach, other.speed, 0), _reach(reach, other.speed, 1)
            apart = _apart(
                (px, pz, s, c, ahead, behind),
                (at_x + t * other.velocity[0], at_z + t * other.velocity[1], bsin, bcos,
                 other_front, other_back),
            )  # fmt: skip
            if apart >= need:
                continue
            first = _apart(
                (x, z, asin, acos, front, back), (at_x, at_z, bsin, bcos, other_front, other_back)
            )
            if apart < first - 0.005 * body:
                return False
    return True
