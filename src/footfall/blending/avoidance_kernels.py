"""Compiled choice of velocities: reciprocal avoidance in the plane. Import lazily (numba).

Van den Berg, Guy, Lin & Manocha 2011 (ORCA): every pair of bodies gives each of them a half-plane
of velocities that keeps them apart for some seconds, if both do half of what it takes; of the
velocities that all half-planes allow, the one nearest to the wish is taken. Where none is allowed,
the one that violates them least. Walls count in full.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.maths.jit_kernels import inner_kernel, kernel

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


@kernel
def choose_velocities(  # type: ignore[no-untyped-def]
    places, velocities, wishes, radii, fastest, starts, neighbours, walls, horizon, wall_horizon,
    dt, out,
):  # fmt: skip
    """Write velocities (N, 2) that keep bodies apart, as near to the wishes (N, 2) as can be.

    starts, neighbours  whom each minds: neighbours[starts[n] : starts[n + 1]]
    walls               (N, 3) how far the nearest wall is, and x and z of the way to it
    """
    most = 1
    for n in range(len(places)):
        most = max(most, starts[n + 1] - starts[n] + 1)
    lines, others = np.empty((most, 4)), np.empty((2 * most, 4))
    for n in range(len(places)):
        count = 0
        x, z = places[n, 0], places[n, 1]
        tx, tz = walls[n, 1], walls[n, 2]
        room = (walls[n, 0] - radii[n]) / wall_horizon
        if room < fastest[n]:
            # v . towards <= room: what is allowed lies to the left of the rim.
            lines[0, 0], lines[0, 1], lines[0, 2], lines[0, 3] = room * tx, room * tz, -tz, tx
            count = 1
        firm = count
        for q in range(starts[n], starts[n + 1]):
            m = neighbours[q]
            ux, uz = _half_plane(
                places[m, 0] - x, places[m, 1] - z, velocities[n, 0] - velocities[m, 0],
                velocities[n, 1] - velocities[m, 1], radii[n] + radii[m], horizon, dt,
                lines[count],
            )  # fmt: skip
            lines[count, 0] = velocities[n, 0] + 0.5 * ux
            lines[count, 1] = velocities[n, 1] + 0.5 * uz
            count += 1
        vx, vz, kept = _best_velocity(lines, count, fastest[n], wishes[n, 0], wishes[n, 1], False)
        if kept < count:
            vx, vz = _least_violation(lines, count, firm, kept, fastest[n], vx, vz, others)
        out[n, 0], out[n, 1] = vx, vz


@kernel
def wish_along_routes(  # type: ignore[no-untyped-def]
    places, starts, points, legs, speeds, ahead, arrived, slow_s, right, ends, out
):  # fmt: skip
    """Write the velocities (N, 2) that lead along routes, and how far (N,) their ends are.

    starts, points   routes one after the other: points[starts[n] : starts[n + 1]]
    legs             (N,) the leg that each is on, moved on here
    ahead            how far ahead each looks, metres    right  a share to the right of it
    """
    for n in range(len(places)):
        x, z = places[n, 0], places[n, 1]
        first, last = starts[n], starts[n + 1] - 1
        out[n, 0] = out[n, 1] = 0.0
        ends[n] = 0.0
        if last <= first:
            continue
        best, where, share = math.inf, legs[n], 0.0
        walked = 0.0
        for k in range(legs[n], last - first):
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
            if walked > 2.0:
                break
        legs[n] = where
        rest = ahead
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
        end = math.sqrt((points[last, 0] - x) ** 2 + (points[last, 1] - z) ** 2)
        ends[n] = end
        size = math.sqrt((tx - x) ** 2 + (tz - z) ** 2)
        if end < arrived or size < 1e-6:
            continue
        speed = min(speeds[n], max(end - 0.5 * arrived, 0.0) / slow_s)
        vx, vz = speed * (tx - x) / size, speed * (tz - z) / size
        out[n, 0], out[n, 1] = vx - right * vz, vz + right * vx


@kernel
def cap_speeds(places, velocities, radius, reach, starts, neighbours, brake_s, out):  # type: ignore[no-untyped-def]
    """Write the speeds (N,) up to which nobody runs into who is ahead, as bodies face now.

    places  (N, 3) x, z and heading: bodies go where they face, whatever they have chosen
    reach   how far hands and feet get ahead of a body
    """
    for n in range(len(places)):
        x, z, heading = places[n, 0], places[n, 1], places[n, 2]
        fx, fz = math.sin(heading), math.cos(heading)
        most = math.inf
        for q in range(starts[n], starts[n + 1]):
            m = neighbours[q]
            dx, dz = places[m, 0] - x, places[m, 1] - z
            ahead = dx * fx + dz * fz
            if ahead <= 0.0:
                continue
            aside = abs(dx * fz - dz * fx)
            if aside >= 2.0 * radius:
                continue
            room = ahead - reach - math.sqrt(4.0 * radius * radius - aside * aside)
            going = velocities[m, 0] * fx + velocities[m, 1] * fz
            most = min(most, max(room / brake_s + max(going, 0.0), 0.0))
        out[n] = most
