"""Compiled choice of velocities: reciprocal avoidance in the plane. Import lazily (numba).

Van den Berg, Guy, Lin & Manocha 2011 (ORCA): every pair of bodies gives each of them a half-plane
of velocities that keeps them apart for some seconds, if both do half of what it takes; of the
velocities that all half-planes allow, the one nearest to the wish is taken. Where none is allowed,
the one that violates them least. Walls count in full.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel

_TINY = 1e-9


@inner_kernel
def _best_on_line(lines, k, radius, wish_x, wish_z, along):  # type: ignore[no-untyped-def]
    """The best point on the rim of half-plane k that those before it allow: x, z, whether there is.

    along  the wish is a direction to go as far as can be in, not a point
    """
    px, pz, dx, dz = lines[k, 0], lines[k, 1], lines[k, 2], lines[k, 3]
    dot = px * dx + pz * dz
    room = dot * dot + radius * radius - (px * px + pz * pz)
    if room < 0.0:
        return 0.0, 0.0, False
    root = math.sqrt(room)
    low, high = -dot - root, -dot + root
    for i in range(k):
        ix, iz, ex, ez = lines[i, 0], lines[i, 1], lines[i, 2], lines[i, 3]
        across = dx * ez - dz * ex
        off = ex * (pz - iz) - ez * (px - ix)
        if abs(across) <= _TINY:
            if off < 0.0:
                return 0.0, 0.0, False
            continue
        t = off / across
        if across >= 0.0:
            high = min(high, t)
        else:
            low = max(low, t)
        if low > high:
            return 0.0, 0.0, False
    if along:
        t = high if wish_x * dx + wish_z * dz > 0.0 else low
    else:
        t = min(max(dx * (wish_x - px) + dz * (wish_z - pz), low), high)
    return px + t * dx, pz + t * dz, True


@inner_kernel
def _best_velocity(lines, count, radius, wish_x, wish_z, along):  # type: ignore[no-untyped-def]
    """The best velocity within all half-planes, and how many of them it keeps to."""
    if along:
        x, z = wish_x * radius, wish_z * radius
    else:
        size = math.sqrt(wish_x * wish_x + wish_z * wish_z)
        share = radius / size if size > radius else 1.0
        x, z = wish_x * share, wish_z * share
    for k in range(count):
        if lines[k, 2] * (lines[k, 1] - z) - lines[k, 3] * (lines[k, 0] - x) > 0.0:
            nx, nz, found = _best_on_line(lines, k, radius, wish_x, wish_z, along)
            if not found:
                return x, z, k
            x, z = nx, nz
    return x, z, count


@inner_kernel
def _least_violation(lines, count, firm, failed, radius, x, z, others):  # type: ignore[no-untyped-def]
    """A velocity that violates the half-planes after the first `firm` as little as can be."""
    worst = 0.0
    for i in range(failed, count):
        if lines[i, 2] * (lines[i, 1] - z) - lines[i, 3] * (lines[i, 0] - x) <= worst:
            continue
        for k in range(firm):
            for c in range(4):
                others[k, c] = lines[k, c]
        many = firm
        for j in range(firm, i):
            across = lines[i, 2] * lines[j, 3] - lines[i, 3] * lines[j, 2]
            if abs(across) <= _TINY:
                if lines[i, 2] * lines[j, 2] + lines[i, 3] * lines[j, 3] > 0.0:
                    continue
                others[many, 0] = 0.5 * (lines[i, 0] + lines[j, 0])
                others[many, 1] = 0.5 * (lines[i, 1] + lines[j, 1])
            else:
                t = (
                    lines[j, 2] * (lines[i, 1] - lines[j, 1])
                    - lines[j, 3] * (lines[i, 0] - lines[j, 0])
                ) / across
                others[many, 0] = lines[i, 0] + t * lines[i, 2]
                others[many, 1] = lines[i, 1] + t * lines[i, 3]
            dx, dz = lines[j, 2] - lines[i, 2], lines[j, 3] - lines[i, 3]
            size = math.sqrt(dx * dx + dz * dz)
            if size <= _TINY:
                continue
            others[many, 2], others[many, 3] = dx / size, dz / size
            many += 1
        # Inwards of half-plane i is to the left of its direction.
        nx, nz, kept = _best_velocity(others, many, radius, -lines[i, 3], lines[i, 2], True)
        if kept == many:
            x, z = nx, nz
        worst = lines[i, 2] * (lines[i, 1] - z) - lines[i, 3] * (lines[i, 0] - x)
    return x, z


@inner_kernel
def _half_plane(px, pz, vx, vz, radius, horizon, dt, out):  # type: ignore[no-untyped-def]
    """The change of velocity that two bodies need between them, and the rim's direction.

    px, pz  from one to the other     vx, vz  of the one seen from the other
    Writes the direction to out[2:], and returns the change.
    """
    square = px * px + pz * pz
    touch = square <= radius * radius
    inverse = 1.0 / dt if touch else 1.0 / horizon
    wx, wz = vx - inverse * px, vz - inverse * pz
    size2 = wx * wx + wz * wz
    dot = wx * px + wz * pz
    if touch or (dot < 0.0 and dot * dot > radius * radius * size2):
        size = math.sqrt(size2)
        if size <= _TINY:
            ux, uz = 1.0, 0.0
        else:
            ux, uz = wx / size, wz / size
        out[2], out[3] = uz, -ux
        gap = radius * inverse - size
        return gap * ux, gap * uz
    leg = math.sqrt(square - radius * radius)
    if px * wz - pz * wx > 0.0:
        dx, dz = (px * leg - pz * radius) / square, (px * radius + pz * leg) / square
    else:
        dx, dz = -(px * leg + pz * radius) / square, -(-px * radius + pz * leg) / square
    out[2], out[3] = dx, dz
    along = vx * dx + vz * dz
    return along * dx - vx, along * dz - vz


@inner_kernel
def choose_velocity(  # type: ignore[no-untyped-def]
    n, people, wall_x, wall_z, room, habits, fastest, dt, lines, others
):  # fmt: skip
    """Write the chosen velocity of person n: clear of others, as near to its wish as possible.

    wall_x, wall_z, room   direction to the nearest wall, and how far it may still go that way
    lines, others          memory for the half-planes
    """
    person, count = people[n], 0
    x, z, velocity = person.place[0], person.place[1], person.velocity
    room /= habits.wall_s
    if room < fastest:
        # v . towards <= room: what is allowed lies to the left of the rim.
        lines[0, 0], lines[0, 1], lines[0, 2] = room * wall_x, room * wall_z, -wall_z
        lines[0, 3] = wall_x
        count = 1
    firm = count
    pressed = min(person.waited_s / habits.patience_s, 1.0)
    radius = habits.radius_m + pressed * (habits.body_m + 0.03 - habits.radius_m)
    horizon = habits.horizon_s * (1.0 - 0.75 * pressed)
    for q in range(person.near_count):
        other = people[person.near[q]]
        ux, uz = _half_plane(
            other.place[0] - x, other.place[1] - z, velocity[0] - other.velocity[0],
            velocity[1] - other.velocity[1], 2.0 * radius, horizon, dt, lines[count],
        )  # fmt: skip
        # A person who does not want to go anywhere does not give way.
        share = 0.5 if other.wish[0] != 0.0 or other.wish[1] != 0.0 else 1.0
        lines[count, 0] = velocity[0] + share * ux
        lines[count, 1] = velocity[1] + share * uz
        count += 1
    vx, vz, kept = _best_velocity(lines, count, fastest, person.wish[0], person.wish[1], False)
    if kept < count:
        vx, vz = _least_violation(lines, count, firm, kept, fastest, vx, vz, others)
    person.chosen[0], person.chosen[1] = vx, vz
