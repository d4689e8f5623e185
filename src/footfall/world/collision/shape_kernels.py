"""Compiled geometry of single shapes: distances and overlaps. Import lazily (numba).

Shapes are rows of a table, (B, 32) numbers for B primitives, see `KIND` and the names after it.
A box's frame has its axes as columns; a triangle's frame has its corners as rows; cylinders
stand upright. (One table, because kernels pay for every array they are handed.)

`work` is a `WORK` record of `snapshot`: among others the probe, a segment (ax, ay, az, bx, by, bz),
and the box of a foot, which stands upright and has the columns of a row of the table.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel

KIND, SOLID, LOW, HIGH, WALKABLE, CLOSED, OWNER, C, F, H = 0, 1, 2, 5, 8, 9, 10, 11, 14, 23
UPRIGHT, COLUMNS = 26, 32
"""Columns of the table of primitives: bounds, centre, frame (row by row), half sizes, and whether a
primitive is the same at all its heights.

The first eight are what a search looks at first: they share one line of the processor's cache.
"""
BOX, CYLINDER, TRIANGLE = 0.0, 1.0, 2.0
EPSILON = 1e-9
"""Added to the absolute axis products, so that parallel edges do not separate boxes by noise."""


@inner_kernel
def _boxes_overlap(t, b, work):  # type: ignore[no-untyped-def]
    """Return whether the foot's box touches box b, by their 15 separating axes.

    Gottschalk et al. 1996.
    """
    box, r, q = work.box, work.axes[0], work.axes[1]
    dx, dy, dz = t[b, C] - box[C], t[b, C + 1] - box[C + 1], t[b, C + 2] - box[C + 2]
    a0, a1, a2, b0, b1, b2 = box[H], box[H + 1], box[H + 2], t[b, H], t[b, H + 1], t[b, H + 2]
    t0, t1, t2 = 0.0, 0.0, 0.0
    for i in range(3):
        x, y, z = box[F + i], box[F + 3 + i], box[F + 6 + i]
        t0, t1, t2 = t1, t2, dx * x + dy * y + dz * z
        for j in range(3):
            r[i, j] = x * t[b, F + j] + y * t[b, F + 3 + j] + z * t[b, F + 6 + j]
            q[i, j] = abs(r[i, j]) + EPSILON
        if abs(t2) > box[H + i] + b0 * q[i, 0] + b1 * q[i, 1] + b2 * q[i, 2]:
            return False
    for j in range(3):
        reach = a0 * q[0, j] + a1 * q[1, j] + a2 * q[2, j] + t[b, H + j]
        if abs(t0 * r[0, j] + t1 * r[1, j] + t2 * r[2, j]) > reach:
            return False
    for j in range(3):
        k, l = (j + 1) % 3, (j + 2) % 3
        bk, bl = t[b, H + k], t[b, H + l]
        if (
            abs(t2 * r[1, j] - t1 * r[2, j])
            > a1 * q[2, j] + a2 * q[1, j] + bk * q[0, l] + bl * q[0, k]
            or abs(t0 * r[2, j] - t2 * r[0, j])
            > a2 * q[0, j] + a0 * q[2, j] + bk * q[1, l] + bl * q[1, k]
            or abs(t1 * r[0, j] - t0 * r[1, j])
            > a0 * q[1, j] + a1 * q[0, j] + bk * q[2, l] + bl * q[2, k]
        ):
            return False
    return True


@inner_kernel
def _box_meets_triangle(t, b, work):  # type: ignore[no-untyped-def]
    """Return whether the foot's box touches triangle b, by 13 separating axes."""
    box, p = work.box, work.axes[0]
    h0, h1, h2 = box[H], box[H + 1], box[H + 2]
    for k in range(3):
        f = F + 3 * k
        dx, dy, dz = t[b, f] - box[C], t[b, f + 1] - box[C + 1], t[b, f + 2] - box[C + 2]
        for i in range(3):
            p[k, i] = dx * box[F + i] + dy * box[F + 3 + i] + dz * box[F + 6 + i]
    for i in range(3):
        h = box[H + i]
        if min(p[0, i], p[1, i], p[2, i]) > h or max(p[0, i], p[1, i], p[2, i]) < -h:
            return False
    ux, uy, uz = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1], p[1, 2] - p[0, 2]
    vx, vy, vz = p[2, 0] - p[0, 0], p[2, 1] - p[0, 1], p[2, 2] - p[0, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    for axis in range(10):  # the triangle's normal, and the products of edges and box axes
        ax, ay, az = nx, ny, nz
        if axis > 0:
            k, m = (axis - 1) // 3, ((axis - 1) // 3 + 1) % 3
            ex, ey, ez = p[m, 0] - p[k, 0], p[m, 1] - p[k, 1], p[m, 2] - p[k, 2]
            ax, ay, az = 0.0, -ez, ey
            if axis % 3 == 2:
                ax, ay, az = ez, 0.0, -ex
            elif axis % 3 == 0:
                ax, ay, az = -ey, ex, 0.0
        u = p[0, 0] * ax + p[0, 1] * ay + p[0, 2] * az
        v = p[1, 0] * ax + p[1, 1] * ay + p[1, 2] * az
        w = p[2, 0] * ax + p[2, 1] * ay + p[2, 2] * az
        reach = h0 * abs(ax) + h1 * abs(ay) + h2 * abs(az)
        if min(u, v, w) > reach or max(u, v, w) < -reach:
            return False
    return True


@inner_kernel
def box_meets(t, b, work):  # type: ignore[no-untyped-def]
    """Return whether the foot's box touches primitive b."""
    box = work.box
    for i in range(3):
        if t[b, LOW + i] > box[HIGH + i] or t[b, HIGH + i] < box[LOW + i]:
            return False
    if t[b, KIND] == BOX:
        return _boxes_overlap(t, b, work)
    if t[b, KIND] == CYLINDER:
        dx, dz = t[b, C] - box[C], t[b, C + 2] - box[C + 2]
        u = max(abs(dx * box[F] + dz * box[F + 6]) - box[H], 0.0)
        v = max(abs(dx * box[F + 2] + dz * box[F + 8]) - box[H + 2], 0.0)
        return u * u + v * v <= t[b, H] * t[b, H]
    return _box_meets_triangle(t, b, work)


@inner_kernel
def triangle_distance(t, b, x, y, z):  # type: ignore[no-untyped-def]
    """Return the distance of a point from a triangle (Ericson 2005, 5.1.5)."""
    ax, ay, az = t[b, F], t[b, F + 1], t[b, F + 2]
    ux, uy, uz = t[b, F + 3] - ax, t[b, F + 4] - ay, t[b, F + 5] - az
    vx, vy, vz = t[b, F + 6] - ax, t[b, F + 7] - ay, t[b, F + 8] - az
    px, py, pz = x - ax, y - ay, z - az
    d1, d2 = ux * px + uy * py + uz * pz, vx * px + vy * py + vz * pz
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    d3, d4, d5, d6 = d1 - uu, d2 - uv, d1 - uv, d2 - vv
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        s, r = 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        s, r = 1.0, 0.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        s, r = d1 / (d1 - d3), 0.0
    elif d6 >= 0.0 and d5 <= d6:
        s, r = 0.0, 1.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        s, r = 0.0, d2 / (d2 - d6)
    elif va <= 0.0 and d4 >= d3 and d5 >= d6:
        r = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        s = 1.0 - r
    else:
        k = 1.0 / (va + vb + vc)
        s, r = vb * k, vc * k
    ex, ey, ez = px - s * ux - r * vx, py - s * uy - r * vy, pz - s * uz - r * vz
    return math.sqrt(ex * ex + ey * ey + ez * ez)


@inner_kernel
def _segment_box_distance(table, b, work):  # type: ignore[no-untyped-def]
    """Return the distance of the probe from a solid box.

    Its square is convex and quadratic between the six crossings of the face planes, so the
    span that holds the minimum is found by the sign of the slope, and the minimum by one line.
    """
    s, o, d, half = work.probe, work.axes[0, 0], work.axes[0, 1], work.axes[0, 2]
    for i in range(3):
        o[i], d[i], half[i] = 0.0, 0.0, table[b, H + i]
        for k in range(3):
            o[i] += (s[k] - table[b, C + k]) * table[b, F + 3 * k + i]
            d[i] += (s[3 + k] - s[k]) * table[b, F + 3 * k + i]
    low, high, at_low, at_high = 0.0, 1.0, -1.0, 1.0
    for n in range(8):  # the two ends, then the crossings
        axis, side = (n - 2) >> 1, 1.0 if n & 1 else -1.0
        t = float(n)
        if n > 1:
            if d[axis] == 0.0:
                continue
            t = (side * half[axis] - o[axis]) / d[axis]
            if not low < t < high:
                continue
        slope = 0.0  # half that of the squared distance
        for i in range(3):
            e = o[i] + t * d[i]
            slope += (e - min(half[i], max(-half[i], e))) * d[i]
        if slope > 0.0 or n == 1:
            high, at_high = t, slope
        else:
            low, at_low = t, slope
        if (n == 0 and slope >= 0.0) or (n == 1 and slope <= 0.0):
            low, at_low, at_high = t, 0.0, 0.0  # nearest at this end
            break
    if at_high > at_low:
        low = low - at_low * (high - low) / (at_high - at_low)
    square = 0.0
    for i in range(3):
        e = abs(o[i] + low * d[i]) - half[i]
        if e > 0.0:
            square += e * e
    return math.sqrt(square)


@inner_kernel
def _segment_cylinder_distance(table, n, work):  # type: ignore[no-untyped-def]
    """Return the distance of the probe from a solid cylinder: the zero of a rising slope."""
    s = work.probe
    ox, oy, oz = s[0] - table[n, C], s[1] - table[n, C + 1], s[2] - table[n, C + 2]
    dx, dy, dz = s[3] - s[0], s[4] - s[1], s[5] - s[2]
    r, h = table[n, H], table[n, H + 1]
    low, high, a, b = 0.0, 1.0, 0.0, 0.0
    # Illinois: the false-position step, halving the end that stays, with bisection between.
    t, side = 0.0, 0
    for turn in range(-2, 80):  # the two ends first
        if turn < 0:
            t = turn + 2.0
        else:
            t = 0.5 * (low + high) if turn % 3 == 2 else (low * b - high * a) / (b - a)
        x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
        c = (y - min(h, max(-h, y))) * dy  # half the slope of the squared distance
        rho = math.sqrt(x * x + z * z)
        if rho > r:
            c += (1.0 - r / rho) * (x * dx + z * dz)
        if turn < 0:
            if turn == -2:
                a = c
            else:
                b = c
            if (turn == -2 and c >= 0.0) or (turn == -1 and c <= 0.0):
                break  # nearest at this end
            continue
        if c == 0.0 or high - low < 1e-13:
            break
        if c > 0.0:
            high, b = t, c
            a = 0.5 * a if side == 1 else a
            side = 1
        else:
            low, a = t, c
            b = 0.5 * b if side == -1 else b
            side = -1
    x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
    return math.hypot(max(math.hypot(x, z) - r, 0.0), max(abs(y) - h, 0.0))


@inner_kernel
def _segment_meets_triangle(t, b, work):  # type: ignore[no-untyped-def]
    """Return whether the probe passes through a triangle."""
    s = work.probe
    dx, dy, dz = s[3] - s[0], s[4] - s[1], s[5] - s[2]
    ax, ay, az = t[b, F], t[b, F + 1], t[b, F + 2]
    ux, uy, uz = t[b, F + 3] - ax, t[b, F + 4] - ay, t[b, F + 5] - az
    vx, vy, vz = t[b, F + 6] - ax, t[b, F + 7] - ay, t[b, F + 8] - az
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    det = ux * px + uy * py + uz * pz
    if det == 0.0:
        return False
    wx, wy, wz = s[0] - ax, s[1] - ay, s[2] - az
    a = (wx * px + wy * py + wz * pz) / det
    if a < 0.0 or a > 1.0:
        return False
    qx, qy, qz = wy * uz - wz * uy, wz * ux - wx * uz, wx * uy - wy * ux
    c = (dx * qx + dy * qy + dz * qz) / det
    if c < 0.0 or a + c > 1.0:
        return False
    f = (vx * qx + vy * qy + vz * qz) / det
    return 0.0 <= f <= 1.0


@inner_kernel
def _segment_triangle_distance(t, b, work):  # type: ignore[no-untyped-def]
    """Return the distance of the probe from a triangle; 0 where it passes through."""
    s = work.probe
    if _segment_meets_triangle(t, b, work):
        return 0.0
    best = min(triangle_distance(t, b, s[0], s[1], s[2]), triangle_distance(t, b, s[3], s[4], s[5]))
    ux, uy, uz = s[3] - s[0], s[4] - s[1], s[5] - s[2]
    a = ux * ux + uy * uy + uz * uz
    for k in range(3):  # to the triangle's edges (Ericson 2005, 5.1.9)
        p, q = F + 3 * k, F + 3 * ((k + 1) % 3)
        vx, vy, vz = t[b, q] - t[b, p], t[b, q + 1] - t[b, p + 1], t[b, q + 2] - t[b, p + 2]
        wx, wy, wz = s[0] - t[b, p], s[1] - t[b, p + 1], s[2] - t[b, p + 2]
        e, f = vx * vx + vy * vy + vz * vz, vx * wx + vy * wy + vz * wz
        c, uv = ux * wx + uy * wy + uz * wz, ux * vx + uy * vy + uz * vz
        i = 0.0
        det = a * e - uv * uv
        if det > 1e-14 * a * e:
            i = min(max((uv * f - c * e) / det, 0.0), 1.0)
        j = (uv * i + f) / e if e > 0.0 else 0.0
        if j < 0.0 or j > 1.0:
            j = min(max(j, 0.0), 1.0)
            i = min(max((uv * j - c) / a, 0.0), 1.0) if a > 0.0 else 0.0
        x, y, z = wx + i * ux - j * vx, wy + i * uy - j * vy, wz + i * uz - j * vz
        best = min(best, math.sqrt(x * x + y * y + z * z))
    return best


@inner_kernel
def segment_distance(t, b, work):  # type: ignore[no-untyped-def]
    """Return the distance of the probe, a segment, from primitive b."""
    if t[b, KIND] == BOX:
        return _segment_box_distance(t, b, work)
    if t[b, KIND] == CYLINDER:
        return _segment_cylinder_distance(t, b, work)
    return _segment_triangle_distance(t, b, work)


@inner_kernel
def plane_distance(t, b, x, z):  # type: ignore[no-untyped-def]
    """Return the signed distance in the plane from what is upright, and at least that of others."""
    dx, dz = x - t[b, C], z - t[b, C + 2]
    if t[b, KIND] == CYLINDER:
        return math.sqrt(dx * dx + dz * dz) - t[b, H]
    if t[b, UPRIGHT] != 0.0:
        p = abs(dx * t[b, F] + dz * t[b, F + 6]) - t[b, H]
        q = abs(dx * t[b, F + 2] + dz * t[b, F + 8]) - t[b, H + 2]
        if p <= 0.0 and q <= 0.0:
            return max(p, q)
    else:
        p = max(t[b, LOW] - x, x - t[b, HIGH])
        q = max(t[b, LOW + 2] - z, z - t[b, HIGH + 2])
    p, q = max(p, 0.0), max(q, 0.0)
    return math.sqrt(p * p + q * q)


@inner_kernel
def _hull_distance(work, n, x, z):  # type: ignore[no-untyped-def]
    """Return the signed distance of (x, z) from the hull of work.hull[:n]; infinite for none.

    The hull is walked by gift wrapping, each side looked at as it is found.
    """
    points = work.hull
    if n == 0:
        return math.inf
    first = 0
    for i in range(1, n):
        if points[i, 0] < points[first, 0] or (
            points[i, 0] == points[first, 0] and points[i, 1] < points[first, 1]
        ):
            first = i
    inside, best = True, math.inf
    a = first
    for _ in range(n + 1):
        b = first if a != first else (first + 1) % n
        for i in range(n):
            ux, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1]
            vx, vz = points[i, 0] - points[a, 0], points[i, 1] - points[a, 1]
            turn = ux * vz - uz * vx
            if turn < 0.0 or (turn == 0.0 and vx * vx + vz * vz > ux * ux + uz * uz):
                b = i
        ux, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1]
        px, pz = x - points[a, 0], z - points[a, 1]
        if ux * pz - uz * px <= 0.0:
            inside = False
        k = ux * ux + uz * uz
        w = min(max((px * ux + pz * uz) / k, 0.0), 1.0) if k > 0.0 else 0.0
        best = min(best, math.hypot(px - w * ux, pz - w * uz))
        a = b
        if a == first or k == 0.0:
            break
    return -best if inside else best


@inner_kernel
def slab_distance(t, b, low, high, x, z, work):  # type: ignore[no-untyped-def]
    """Return the distance of (x, z) from what a box or triangle has between two heights.

    That is seen from above; it is signed for boxes, and infinite where there is nothing.
    """
    out, n = work.hull, 0
    if t[b, KIND] == BOX:
        for corner in range(8):
            sx = t[b, H] if corner & 1 else -t[b, H]
            sy = t[b, H + 1] if corner & 2 else -t[b, H + 1]
            sz = t[b, H + 2] if corner & 4 else -t[b, H + 2]
            px = t[b, C] + t[b, F] * sx + t[b, F + 1] * sy + t[b, F + 2] * sz
            py = t[b, C + 1] + t[b, F + 3] * sx + t[b, F + 4] * sy + t[b, F + 5] * sz
            pz = t[b, C + 2] + t[b, F + 6] * sx + t[b, F + 7] * sy + t[b, F + 8] * sz
            if low <= py <= high:
                out[n, 0], out[n, 1] = px, pz
                n += 1
            for axis in range(3):
                if not corner & (1 << axis):
                    k, f = 2.0 * t[b, H + axis], F + axis
                    rise = k * t[b, f + 3]
                    for level in (low, high):  # where the edge passes a height
                        if (py < level) != (py + rise < level):
                            w = (level - py) / rise
                            out[n, 0], out[n, 1] = px + w * k * t[b, f], pz + w * k * t[b, f + 6]
                            n += 1
    else:
        for k in range(3):
            p, q = F + 3 * k, F + 3 * ((k + 1) % 3)
            if low <= t[b, p + 1] <= high:
                out[n, 0], out[n, 1] = t[b, p], t[b, p + 2]
                n += 1
            for level in (low, high):
                if (t[b, p + 1] < level) != (t[b, q + 1] < level):
                    w = (level - t[b, p + 1]) / (t[b, q + 1] - t[b, p + 1])
                    out[n, 0] = t[b, p] + w * (t[b, q] - t[b, p])
                    out[n, 1] = t[b, p + 2] + w * (t[b, q + 2] - t[b, p + 2])
                    n += 1
    distance = _hull_distance(work, n, x, z)
    return distance if t[b, KIND] == BOX else max(distance, 0.0)
