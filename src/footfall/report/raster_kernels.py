"""Compiled loops over triangles and pixels. Import this module lazily: it brings in numba."""

from __future__ import annotations

import math

import numba
import numpy as np

_jit = numba.njit(cache=True, nogil=True, fastmath=False, error_model="numpy")
# Helpers called for every pixel are inlined: passing arrays along costs more than most of them do.
_inline = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")


@_jit
def fill(points, triangles, near, depth, faces, bary):  # type: ignore[no-untyped-def]
    """Draw triangles into the buffers of visible surfaces.

    points     (V, 4) rows (x w, y w, w, depth); see `Camera.homogeneous`
    triangles  (F, 3)
    depth      (H, W) float32, the nearest depth so far (infinity where there is nothing)
    faces      (H, W) int32, the triangle seen: f from its front, -2 - f from its back, -1 none
    bary       (H, W, 2) float32, weights of its second and third corner

    Edges are planes through the eye (Olano & Greer 1997), so a triangle that reaches behind
    the eye needs no clipping, and the weights are right in perspective.
    """
    height, width = depth.shape
    for f in range(triangles.shape[0]):
        a, b, c = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        ax, ay, aw = points[a, 0], points[a, 1], points[a, 2]
        bx, by, bw = points[b, 0], points[b, 1], points[b, 2]
        cx, cy, cw = points[c, 0], points[c, 1], points[c, 2]
        if aw <= 0.0 and bw <= 0.0 and cw <= 0.0:
            continue
        x0, x1, y0, y1 = 0, width - 1, 0, height - 1
        if min(aw, bw, cw) > 1e-9:
            low, high = min(ax / aw, bx / bw, cx / cw), max(ax / aw, bx / bw, cx / cw)
            if high < 0.0 or low > width:
                continue
            x0, x1 = max(x0, int(low - 0.5)), min(x1, int(high + 0.5))
            low, high = min(ay / aw, by / bw, cy / cw), max(ay / aw, by / bw, cy / cw)
            if high < 0.0 or low > height:
                continue
            y0, y1 = max(y0, int(low - 0.5)), min(y1, int(high + 0.5))
        # One plane per edge; opposite corner on its positive side after division by det.
        px, py, pw = by * cw - bw * cy, bw * cx - bx * cw, bx * cy - by * cx
        qx, qy, qw = cy * aw - cw * ay, cw * ax - cx * aw, cx * ay - cy * ax
        rx, ry, rw = ay * bw - aw * by, aw * bx - ax * bw, ax * by - ay * bx
        det = ax * px + ay * py + aw * pw
        if not abs(det) > 1e-12:
            continue
        # Pixel rows grow downwards, so counter-clockwise from outside means det < 0 here.
        seen = f if det < 0.0 else -2 - f
        sign = 1.0 if det > 0.0 else -1.0
        da, db, dc = points[a, 3], points[b, 3], points[c, 3]
        for y in range(y0, y1 + 1):
            v = y + 0.5
            pr, qr, rr = py * v + pw, qy * v + qw, ry * v + rw
            for x in range(x0, x1 + 1):
                u = x + 0.5
                i, j, k = (px * u + pr) * sign, (qx * u + qr) * sign, (rx * u + rr) * sign
                if i < 0.0 or j < 0.0 or k < 0.0:
                    continue
                total = i + j + k
                if not total > 0.0:
                    continue
                j, k = j / total, k / total
                d = da * (1.0 - j - k) + db * j + dc * k
                if d > near and d < depth[y, x]:
                    depth[y, x] = d
                    faces[y, x] = seen
                    bary[y, x, 0] = j
                    bary[y, x, 1] = k


@_jit
def fill_range(points, triangles, strengths, nearest, furthest, strength):  # type: ignore[no-untyped-def]
    """Draw triangles into maps of the nearest and the furthest depth, without perspective.

    points     (V, 3) texel x, texel y, depth       strengths  (F,) how dark each triangle's
    nearest    (N, M) float32, infinity at first               shadow is, 0 to 1
    furthest   (N, M) float32, -infinity at first   strength   (N, M) float32 of the furthest
    """
    height, width = nearest.shape
    for f in range(triangles.shape[0]):
        if strengths[f] <= 0.0:
            continue
        a, b, c = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        ax, ay, bx, by = points[a, 0], points[a, 1], points[b, 0], points[b, 1]
        cx, cy = points[c, 0], points[c, 1]
        det = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if not abs(det) > 1e-12:
            continue
        x0, x1 = max(0, int(min(ax, bx, cx) - 0.5)), min(width - 1, int(max(ax, bx, cx) + 0.5))
        y0, y1 = max(0, int(min(ay, by, cy) - 0.5)), min(height - 1, int(max(ay, by, cy) + 0.5))
        for y in range(y0, y1 + 1):
            v = y + 0.5
            for x in range(x0, x1 + 1):
                u = x + 0.5
                j = ((u - ax) * (cy - ay) - (v - ay) * (cx - ax)) / det
                k = ((bx - ax) * (v - ay) - (by - ay) * (u - ax)) / det
                if j < 0.0 or k < 0.0 or j + k > 1.0:
                    continue
                d = points[a, 2] * (1.0 - j - k) + points[b, 2] * j + points[c, 2] * k
                if d < nearest[y, x]:
                    nearest[y, x] = d
                if d > furthest[y, x]:
                    furthest[y, x] = d
                    strength[y, x] = strengths[f]


@_jit
def blur(image, radius):  # type: ignore[no-untyped-def]
    """Blur (N, M) float32 in place by three box filters of `radius` texels each way.

    Three boxes are a fair Gaussian of standard deviation sqrt(radius (radius + 1)); running
    sums make the cost independent of the radius. Outside the map there is nothing.
    """
    height, width = image.shape
    line = np.zeros(max(height, width))
    for axis in range(2):
        count, length = (height, width) if axis == 0 else (width, height)
        for i in range(count):
            row = image[i] if axis == 0 else image[:, i]
            for _ in range(3):
                total = 0.0
                for k in range(min(radius, length)):
                    total += row[k]
                for k in range(length):
                    if k + radius < length:
                        total += row[k + radius]
                    if k - radius - 1 >= 0:
                        total -= row[k - radius - 1]
                    line[k] = total / (2 * radius + 1)
                for k in range(length):
                    row[k] = line[k]


@_inline
def _sample(image, x, y):  # type: ignore[no-untyped-def]
    """Bilinear value of (N, M) at texel coordinates; 0 outside."""
    height, width = image.shape
    x, y = x - 0.5, y - 0.5
    if not (x > -1.0 and y > -1.0 and x < width and y < height):
        return 0.0
    i, j = math.floor(y), math.floor(x)
    t, s = y - i, x - j
    total = 0.0
    if i >= 0 and j >= 0:
        total += (1 - t) * (1 - s) * image[i, j]
    if i >= 0 and j + 1 < width:
        total += (1 - t) * s * image[i, j + 1]
    if i + 1 < height and j >= 0:
        total += t * (1 - s) * image[i + 1, j]
    if i + 1 < height and j + 1 < width:
        total += t * s * image[i + 1, j + 1]
    return total


@_inline
def _lit(nearest, x, y, d):  # type: ignore[no-untyped-def]
    """Share of the light that reaches a surface at texel (x, y), depth `d`: a tent of 6 x 6."""
    height, width = nearest.shape
    j0, i0 = math.floor(x - 0.5), math.floor(y - 0.5)
    if i0 < 2 or j0 < 2 or i0 >= height - 3 or j0 >= width - 3:
        return 1.0
    fx, fy = x - 0.5 - j0, y - 0.5 - i0
    total = 0.0
    for di in range(-2, 4):
        row = 0.0
        for dj in range(-2, 4):
            if nearest[i0 + di, j0 + dj] >= d:
                row += 3.0 - abs(dj - fx)
        total += row * (3.0 - abs(di - fy))
    return total / 81.0


@_inline
def _stripe(u, spread, half):  # type: ignore[no-untyped-def]
    """How much of a pixel that spans `spread` round `u` lines of half width `half` at the whole
    numbers cover; all in units of their distance."""
    if spread > 0.5:
        return 0.0
    off = abs(u - math.floor(u + 0.5))
    low, high = max(off - 0.5 * spread, -half), min(off + 0.5 * spread, half)
    return max(0.0, high - low) / spread


@_inline
def _along(to_texel, row, x, y, z):  # type: ignore[no-untyped-def]
    """One coordinate of a world point in a map."""
    t = to_texel[row]
    return t[0] * x + t[1] * y + t[2] * z + t[3]


@_inline
def _kept(x, z, stage):  # type: ignore[no-untyped-def]
    """How much of the floor is left at (x, z): 1 on the stage's segment, 0 far from it."""
    ex, ez = stage[2] - stage[0], stage[3] - stage[1]
    span = ex * ex + ez * ez
    t = 0.0
    if span > 0.0:
        t = min(1.0, max(0.0, ((x - stage[0]) * ex + (z - stage[1]) * ez) / span))
    away = math.hypot(x - stage[0] - t * ex, z - stage[1] - t * ez) / stage[4]
    return 1.0 - away * away * (3.0 - 2.0 * away) if away < 1.0 else 0.0


@_inline
def _grid_line(u, v, x, z, factor, floor, rays, grid):  # type: ignore[no-untyped-def]
    """How much of the `factor` fine pixels at (u, v), where the floor is (x, z), lines cover."""
    # The pixel's spread on the floor: where its two neighbours' rays meet it.
    wide_a, wide_b = 1e-9, 1e-9
    for step in range(2):
        p, q = (u + factor, v) if step == 0 else (u, v + factor)
        slope = rays[3][1] + p * rays[4][1] + q * rays[5][1]
        if slope == 0.0:
            return 0.0
        hit = (floor - rays[0][1] - p * rays[1][1] - q * rays[2][1]) / slope
        dx = rays[0][0] + p * rays[1][0] + q * rays[2][0] - x
        dx += hit * (rays[3][0] + p * rays[4][0] + q * rays[5][0])
        dz = rays[0][2] + p * rays[1][2] + q * rays[2][2] - z
        dz += hit * (rays[3][2] + p * rays[4][2] + q * rays[5][2])
        wide_a += abs(dx * grid[4] + dz * grid[5]) / grid[0]
        wide_b += abs(dz * grid[4] - dx * grid[5]) / grid[0]
    dx, dz = (x - grid[2]) / grid[0], (z - grid[3]) / grid[0]
    half = grid[1] / grid[0]
    across = _stripe(dx * grid[4] + dz * grid[5], wide_a, max(half, 0.6 * wide_a))
    along = _stripe(dz * grid[4] - dx * grid[5], wide_b, max(half, 0.6 * wide_b))
    # Lines that come closer than a few pixels to each other fade out before they flicker.
    across *= min(1.0, max(0.0, 2.0 - 12.0 * wide_a))
    along *= min(1.0, max(0.0, 2.0 - 12.0 * wide_b))
    return max(across, along)


@_inline
def _floor_light(x, z, ground, to_texel, shadow, pool, to_pool):  # type: ignore[no-untyped-def]
    """The share of light left on the floor at (x, z)."""
    tx, ty = _along(to_texel, 0, x, ground[1], z), _along(to_texel, 1, x, ground[1], z)
    dark = 1.0 - ground[2] * _sample(shadow, tx, ty)
    tx, ty = _along(to_pool, 0, x, ground[1], z), _along(to_pool, 1, x, ground[1], z)
    return dark * (1.0 - ground[3] * _sample(pool, tx, ty))


@_inline
def _surface_light(w, n, s, light, open_share, nearest, to_texel):  # type: ignore[no-untyped-def]
    """Light on a surface at point `w` with normal `n` seen along `s`: (times its colour, plus)."""
    size = 1.0 / math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    vx, vy, vz = -s[0] * size, -s[1] * size, -s[2] * size
    facing = max(0.0, n[0] * vx + n[1] * vy + n[2] * vz)
    key = max(0.0, (n[0] * light[0] + n[1] * light[1] + n[2] * light[2] + 0.12) / 1.12)
    if nearest.shape[0] > 0 and key > 0.0:
        # Step off the surface so that it does not shade itself.
        qx, qy, qz = w[0] + 0.012 * n[0], w[1] + 0.012 * n[1], w[2] + 0.012 * n[2]
        tx, ty = _along(to_texel, 0, qx, qy, qz), _along(to_texel, 1, qx, qy, qz)
        key *= _lit(nearest, tx, ty, _along(to_texel, 2, qx, qy, qz) - 0.006)
    up = 0.5 + 0.5 * n[1]
    flood = light[4] * up + light[5] * (1.0 - up) + light[6] * facing
    edge = 1.0 - light[7] * (1.0 - facing) ** 3
    hx, hy, hz = vx + light[0], vy + light[1], vz + light[2]
    size = max(math.sqrt(hx * hx + hy * hy + hz * hz), 1e-9)
    shine = max(0.0, (n[0] * hx + n[1] * hy + n[2] * hz) / size)
    shine = light[8] * shine**28 * min(1.0, 4.0 * key)
    power = light[3] * key * (0.55 + 0.45 * open_share) + flood * open_share
    return power * edge, shine * open_share


@_inline
def _backdrop(  # type: ignore[no-untyped-def]
    u, v, factor, border, v_share, rays, near, colours, ground, grid, stage, to_texel, shadow,
    pool, to_pool,
):  # fmt: skip
    """What lies behind everything at (u, v), background and floor: red, green, blue."""
    red = colours[0][0] + v_share * (colours[1][0] - colours[0][0])
    green = colours[0][1] + v_share * (colours[1][1] - colours[0][1])
    blue = colours[0][2] + v_share * (colours[1][2] - colours[0][2])
    slope = rays[3][1] + u * rays[4][1] + v * rays[5][1]
    hit = -1.0
    if ground[0] > 0.0 and slope != 0.0:
        hit = (ground[1] - rays[0][1] - u * rays[1][1] - v * rays[2][1]) / slope
    if hit > near and ground[0] > 0.0:
        x = rays[0][0] + u * rays[1][0] + v * rays[2][0]
        x += hit * (rays[3][0] + u * rays[4][0] + v * rays[5][0])
        z = rays[0][2] + u * rays[1][2] + v * rays[2][2]
        z += hit * (rays[3][2] + u * rays[4][2] + v * rays[5][2])
        border = min(1.0, border)
        border = border * border * (3.0 - 2.0 * border)
        keep = border * _kept(x, z, stage)
        line = 0.0
        if keep > 0.0 and grid[0] > 0.0:
            line = _grid_line(u, v, x, z, factor, ground[1], rays, grid)
        light = _floor_light(x, z, ground, to_texel, shadow, pool, to_pool)
        light = 1.0 - border * (1.0 - light)
        floor = colours[2][0] + line * (colours[3][0] - colours[2][0])
        red = (red + keep * (floor - red)) * light
        floor = colours[2][1] + line * (colours[3][1] - colours[2][1])
        green = (green + keep * (floor - green)) * light
        floor = colours[2][2] + line * (colours[3][2] - colours[2][2])
        blue = (blue + keep * (floor - blue)) * light
    return red, green, blue


@_jit
def shade(  # type: ignore[no-untyped-def]
    depth, faces, bary, rays, near, triangles, normals, corners, face_colours, face_items,
    items, camera, light, colours, ground, grid, stage, nearest, to_texel, shadow, pool, to_pool,
    row0, row1, image,
):  # fmt: skip
    """Turn visible surfaces into light: fill rows row0 to row1 of `image` (H, W, 3) float32.

    depth, faces, bary   what `fill` left, finer than `image` by a whole factor
    rays                 (6, 3) of the fine pixels; see `Camera.rays`
    triangles            (F, 3)                    normals   (V, 3) float32
    corners              (V, 3) colours, used by items that say so
    face_colours         (F, 3)                    face_items  (F,) index into `items`
    items                (I, 3): fade towards the background, uses corners, is lit
    camera               (2,): fine pixels per metre; whether that is at depth 1
    light                (10,): direction to it x, y, z; key; sky; bounce; fill; edge; gloss;
                         occlusion
    colours              (4, 3): background above, background below, ground, grid lines
    ground               (6,): is there, its height, shadow strength, contact strength, how deep
                         under it things still show, metres, and how far from the picture's
                         border it fades, pixels
    grid                 (6,): distance of the lines, their half width, metres; a point x, z
                         where two of them cross and the direction x, z of one
    stage                (5,): a segment x0, z0, x1, z1 and the distance at which ground fades
    nearest, shadow      (N, M) seen from the light; to_texel (3, 4) world to texel x, y, depth
    pool, to_pool        (N, M) contact darkness seen from above; (2, 4) world to texel x, y

    Small constants come as tuples: unlike arrays they cost nothing to hand on for every pixel.
    The backdrop is smooth or filtered by itself, so it is computed once per pixel of `image`.
    """
    factor = depth.shape[0] // image.shape[0]
    weight = 1.0 / (factor * factor)
    for row in range(row0, row1):
        for column in range(image.shape[1]):
            inside = min(column, row, image.shape[1] - 1 - column, image.shape[0] - 1 - row)
            back = _backdrop(
                (column + 0.5) * factor, (row + 0.5) * factor, factor,
                (inside + 0.5) / ground[5], (row + 0.5) / image.shape[0], rays, near, colours,
                ground, grid, stage, to_texel, shadow, pool, to_pool,
            )  # fmt: skip
            red, green, blue = 0.0, 0.0, 0.0
            for y in range(row * factor, (row + 1) * factor):
                for x in range(column * factor, (column + 1) * factor):
                    seen = back
                    if faces[y, x] != -1:
                        seen = _surface(
                            x, y, depth, faces[y, x], bary[y, x, 0], bary[y, x, 1], rays, near,
                            triangles, normals, corners, face_colours, face_items, items, camera,
                            light, ground, nearest, to_texel, back,
                        )  # fmt: skip
                    red, green, blue = red + seen[0], green + seen[1], blue + seen[2]
            image[row, column, 0] = red * weight
            image[row, column, 1] = green * weight
            image[row, column, 2] = blue * weight


@_inline
def _surface(  # type: ignore[no-untyped-def]
    x, y, depth, face, j, k, rays, near, triangles, normals, corners, face_colours, face_items,
    items, camera, light, ground, nearest, to_texel, back,
):  # fmt: skip
    """The light, as red, green and blue, that the surface seen in fine pixel (x, y) sends, or
    `back` where it lies under the floor; see `shade`."""
    u, v, d = x + 0.5, y + 0.5, depth[y, x]
    ox = rays[0][0] + u * rays[1][0] + v * rays[2][0]
    oy = rays[0][1] + u * rays[1][1] + v * rays[2][1]
    oz = rays[0][2] + u * rays[1][2] + v * rays[2][2]
    sx = rays[3][0] + u * rays[4][0] + v * rays[5][0]
    sy = rays[3][1] + u * rays[4][1] + v * rays[5][1]
    sz = rays[3][2] + u * rays[4][2] + v * rays[5][2]
    f = face if face >= 0 else -2 - face
    item = face_items[f]
    keep = 1.0 - items[item, 0]
    if ground[0] > 0.0 and sy != 0.0:
        hit = (ground[1] - oy) / sy
        if hit > near and hit < d and abs(oy + d * sy - ground[1]) > ground[4]:
            keep = 0.0
    a, b, c = triangles[f, 0], triangles[f, 1], triangles[f, 2]
    i = 1.0 - j - k
    power, extra = 1.0, 0.0
    if items[item, 2] > 0.0 and keep > 0.0:
        nx = i * normals[a, 0] + j * normals[b, 0] + k * normals[c, 0]
        ny = i * normals[a, 1] + j * normals[b, 1] + k * normals[c, 1]
        nz = i * normals[a, 2] + j * normals[b, 2] + k * normals[c, 2]
        size = max(math.sqrt(nx * nx + ny * ny + nz * nz), 1e-12)
        size = 1.0 / size if face >= 0 else -1.0 / size
        n = (nx * size, ny * size, nz * size)
        w = (ox + d * sx, oy + d * sy, oz + d * sz)
        open_share = 1.0
        if light[9] > 0.0:
            scale = camera[0] / d if camera[1] > 0.0 else camera[0]
            open_share = 1.0 - light[9] * _occlusion(depth, rays, x, y, w, n, scale)
        power, extra = _surface_light(w, n, (sx, sy, sz), light, open_share, nearest, to_texel)
    red, green, blue = face_colours[f, 0], face_colours[f, 1], face_colours[f, 2]
    if items[item, 1] > 0.0:
        red = i * corners[a, 0] + j * corners[b, 0] + k * corners[c, 0]
        green = i * corners[a, 1] + j * corners[b, 1] + k * corners[c, 1]
        blue = i * corners[a, 2] + j * corners[b, 2] + k * corners[c, 2]
    return (
        min(1.0, max(0.0, back[0] + keep * (red * power + extra - back[0]))),
        min(1.0, max(0.0, back[1] + keep * (green * power + extra - back[1]))),
        min(1.0, max(0.0, back[2] + keep * (blue * power + extra - back[2]))),
    )


@_inline
def _occlusion(depth, rays, x, y, w, n, scale):  # type: ignore[no-untyped-def]
    """How much of the sky over a visible point its surroundings hide, 0 to 1, from the depths
    of pixels near by (McGuire et al. 2011); `scale` is fine pixels per metre there."""
    radius, taps = 0.16, 8
    span = min(max(radius * scale, 2.0), 200.0) / taps
    # Four neighbouring pixels share one spiral of taps, every fourth of them each: averaged into
    # one pixel of the picture they are many, and there is no noise.
    part = (x & 1) + 2 * (y & 1)
    cos, sin = math.cos(2.399963 * part), math.sin(2.399963 * part)
    total = 0.0
    for s in range(taps):
        reach = span * (s + 0.25 * part + 0.25)
        i, j = int(y + 0.5 + reach * sin), int(x + 0.5 + reach * cos)
        cos, sin = -0.984712 * cos + 0.174190 * sin, -0.174190 * cos - 0.984712 * sin
        if i < 0 or j < 0 or i >= depth.shape[0] or j >= depth.shape[1]:
            continue
        d = depth[i, j]
        if not d < 1e30:
            continue
        u, v = j + 0.5, i + 0.5
        qx = rays[0][0] + u * rays[1][0] + v * rays[2][0] - w[0]
        qx += d * (rays[3][0] + u * rays[4][0] + v * rays[5][0])
        qy = rays[0][1] + u * rays[1][1] + v * rays[2][1] - w[1]
        qy += d * (rays[3][1] + u * rays[4][1] + v * rays[5][1])
        qz = rays[0][2] + u * rays[1][2] + v * rays[2][2] - w[2]
        qz += d * (rays[3][2] + u * rays[4][2] + v * rays[5][2])
        square = qx * qx + qy * qy + qz * qz
        rise = qx * n[0] + qy * n[1] + qz * n[2] - 0.008
        if square < radius * radius and rise > 0.0:
            total += (1.0 - square / (radius * radius)) * rise / (square + 4e-4)
    return min(1.0, 0.45 / taps * total)


@_jit
def draw_line(points, colour, half, opacity, depth, bias, image, cover):  # type: ignore[no-untyped-def]
    """Blend a line through projected points over `image` (H, W, 3), hidden by nearer surfaces.

    points  (N, 3) pixel x, y and depth (not a number: behind the eye)   half  half its width
    depth   finer than `image` by a whole factor: a pixel may be hidden in part
    cover   (H, W) float32, zero; it is zero again afterwards
    """
    height, width = image.shape[0], image.shape[1]
    left, right, top, bottom = width, -1, height, -1
    for n in range(points.shape[0] - 1):
        ax, ay, ad = points[n, 0], points[n, 1], points[n, 2]
        bx, by, bd = points[n + 1, 0], points[n + 1, 1], points[n + 1, 2]
        if not (abs(ax) < 1e7 and abs(bx) < 1e7 and abs(ay) < 1e7 and abs(by) < 1e7):
            continue
        x0, x1 = max(0, int(min(ax, bx) - half - 1)), min(width - 1, int(max(ax, bx) + half + 1))
        y0, y1 = max(0, int(min(ay, by) - half - 1)), min(height - 1, int(max(ay, by) + half + 1))
        if x0 > x1 or y0 > y1:
            continue
        left, right, top, bottom = min(left, x0), max(right, x1), min(top, y0), max(bottom, y1)
        ex, ey = bx - ax, by - ay
        span = ex * ex + ey * ey
        for y in range(y0, y1 + 1):
            for x in range(x0, x1 + 1):
                t = 0.0
                if span > 0.0:
                    t = min(1.0, max(0.0, ((x + 0.5 - ax) * ex + (y + 0.5 - ay) * ey) / span))
                away = math.hypot(x + 0.5 - ax - t * ex, y + 0.5 - ay - t * ey)
                share = min(1.0, half + 0.5 - away)
                if share > cover[y, x]:
                    d = ad + t * (bd - ad)
                    if ad > 0.0 and bd > 0.0:
                        d = 1.0 / ((1.0 - t) / ad + t / bd)
                    cover[y, x] = max(cover[y, x], share * _free(depth, height, x, y, d - bias))
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            share = cover[y, x] * opacity
            cover[y, x] = 0.0
            if share > 0.0:
                for ch in range(3):
                    image[y, x, ch] += share * (colour[ch] - image[y, x, ch])


@_inline
def _free(depth, height, x, y, d):  # type: ignore[no-untyped-def]
    """The share of pixel (x, y)'s fine pixels in which nothing is nearer than `d`."""
    factor = depth.shape[0] // height
    count = 0
    for i in range(y * factor, (y + 1) * factor):
        for j in range(x * factor, (x + 1) * factor):
            count += d < depth[i, j]
    return count / (factor * factor)


@_jit
def encode(image, out):  # type: ignore[no-untyped-def]
    """Encode linear light (H, W, 3) as sRGB bytes, by a table of 4096 steps."""
    table = np.empty(4097, np.uint8)
    for n in range(4097):
        # Steps even in the square root of light are fine enough for the darkest bytes too.
        c = (n / 4096.0) ** 2
        c = 12.92 * c if c <= 0.0031308 else 1.055 * c ** (1.0 / 2.4) - 0.055
        table[n] = int(255.0 * c + 0.5)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            for ch in range(3):
                c = min(1.0, max(0.0, image[y, x, ch]))
                out[y, x, ch] = table[int(4096.0 * math.sqrt(c) + 0.5)]


@_jit
def quantise(picture, palette, memo, pattern, out):  # type: ignore[no-untyped-def]
    """Fill `out` (H, W) with palette indices, lightly dithered where the palette is off.

    palette  (C, 3) int   pattern  (N, N) -0.5…0.5
    memo     (2**24,) int16, the index found before for each colour, -1 at first

    An ordered pattern stays put from frame to frame: no flicker, and small files.
    """
    side = pattern.shape[0]
    for y in range(picture.shape[0]):
        for x in range(picture.shape[1]):
            r, g, b = int(picture[y, x, 0]), int(picture[y, x, 1]), int(picture[y, x, 2])
            index = _nearest_colour(palette, memo, r, g, b)
            off = max(
                abs(r - palette[index, 0]), abs(g - palette[index, 1]), abs(b - palette[index, 2])
            )
            if off > 1:
                nudge = math.floor(min(2.0 * off, 10.0) * pattern[y % side, x % side] + 0.5)
                r = min(255, max(0, r + nudge))
                g = min(255, max(0, g + nudge))
                b = min(255, max(0, b + nudge))
                index = _nearest_colour(palette, memo, r, g, b)
            out[y, x] = index


@_jit
def _nearest_colour(palette, memo, r, g, b):  # type: ignore[no-untyped-def]
    """Index of the palette's colour nearest to (r, g, b)."""
    code = (r << 16) + (g << 8) + b
    if memo[code] < 0:
        best = 1 << 30
        for n in range(palette.shape[0]):
            dr, dg, db = r - palette[n, 0], g - palette[n, 1], b - palette[n, 2]
            # Errors in green show most, in blue least.
            far = 3 * dr * dr + 4 * dg * dg + 2 * db * db
            if far < best:
                best = far
                memo[code] = n
    return memo[code]
