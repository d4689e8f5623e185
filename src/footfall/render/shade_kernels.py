"""Compiled loops that turn visible surfaces into light. Import lazily: it brings in numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import lean_kernel


@lean_kernel
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


@lean_kernel
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
    most = 0.0
    for line in range(2):
        # How much of what the pixel spans round `u` lines at the whole numbers cover; in units of
        # their distance.
        u = dx * grid[4] + dz * grid[5] if line == 0 else dz * grid[4] - dx * grid[5]
        wide = wide_a if line == 0 else wide_b
        if wide <= 0.5:
            half = max(grid[1] / grid[0], 0.6 * wide)
            off = abs(u - math.floor(u + 0.5))
            share = max(0.0, min(off + 0.5 * wide, half) - max(off - 0.5 * wide, -half)) / wide
            # Lines that come closer than a few pixels to each other fade out before they flicker.
            most = max(most, share * min(1.0, max(0.0, 2.0 - 12.0 * wide)))
    return most


@lean_kernel
def _surface_light(w, n, s, light, open_share, nearest, to_texel):  # type: ignore[no-untyped-def]
    """Light on a surface at point `w` with normal `n` seen along `s`: (times its colour, plus)."""
    size = 1.0 / math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    vx, vy, vz = -s[0] * size, -s[1] * size, -s[2] * size
    facing = max(0.0, n[0] * vx + n[1] * vy + n[2] * vz)
    key = max(0.0, (n[0] * light[0] + n[1] * light[1] + n[2] * light[2] + 0.12) / 1.12)
    if nearest.shape[0] > 0 and key > 0.0:
        # Step off the surface so that it does not shade itself.
        qx, qy, qz = w[0] + 0.012 * n[0], w[1] + 0.012 * n[1], w[2] + 0.012 * n[2]
        a, b, c = to_texel[0], to_texel[1], to_texel[2]
        tx = a[0] * qx + a[1] * qy + a[2] * qz + a[3] - 0.5
        ty = b[0] * qx + b[1] * qy + b[2] * qz + b[3] - 0.5
        d = c[0] * qx + c[1] * qy + c[2] * qz + c[3] - 0.006
        j0, i0 = math.floor(tx), math.floor(ty)
        if 2 <= i0 < nearest.shape[0] - 3 and 2 <= j0 < nearest.shape[1] - 3:
            total = 0.0  # the share of the light that gets there: a tent of 6 x 6 texels
            for di in range(-2, 4):
                row = 0.0
                for dj in range(-2, 4):
                    if nearest[i0 + di, j0 + dj] >= d:
                        row += 3.0 - abs(dj - (tx - j0))
                total += row * (3.0 - abs(di - (ty - i0)))
            key *= total / 81.0
    up = 0.5 + 0.5 * n[1]
    flood = light[4] * up + light[5] * (1.0 - up) + light[6] * facing
    edge = 1.0 - light[7] * (1.0 - facing) ** 3
    hx, hy, hz = vx + light[0], vy + light[1], vz + light[2]
    size = max(math.sqrt(hx * hx + hy * hy + hz * hz), 1e-9)
    shine = max(0.0, (n[0] * hx + n[1] * hy + n[2] * hz) / size)
    shine = light[8] * shine**28 * min(1.0, 4.0 * key)
    power = light[3] * key * (0.55 + 0.45 * open_share) + flood * open_share
    return power * edge, shine * open_share


@lean_kernel
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
        ex, ez = stage[2] - stage[0], stage[3] - stage[1]
        span = ex * ex + ez * ez
        t = 0.0
        if span > 0.0:
            t = min(1.0, max(0.0, ((x - stage[0]) * ex + (z - stage[1]) * ez) / span))
        away = math.hypot(x - stage[0] - t * ex, z - stage[1] - t * ez) / stage[4]
        # How much of the floor is left: all on the stage's segment, nothing far from it.
        keep = border * (1.0 - away * away * (3.0 - 2.0 * away)) if away < 1.0 else 0.0
        line = 0.0
        if keep > 0.0 and grid[0] > 0.0:
            line = _grid_line(u, v, x, z, factor, ground[1], rays, grid)
        y = ground[1]
        a, b = to_texel[0], to_texel[1]
        tx, ty = a[0] * x + a[1] * y + a[2] * z + a[3], b[0] * x + b[1] * y + b[2] * z + b[3]
        light = 1.0 - ground[2] * _sample(shadow, tx, ty)
        a, b = to_pool[0], to_pool[1]
        tx, ty = a[0] * x + a[1] * y + a[2] * z + a[3], b[0] * x + b[1] * y + b[2] * z + b[3]
        light *= 1.0 - ground[3] * _sample(pool, tx, ty)
        light = 1.0 - border * (1.0 - light)
        floor = colours[2][0] + line * (colours[3][0] - colours[2][0])
        red = (red + keep * (floor - red)) * light
        floor = colours[2][1] + line * (colours[3][1] - colours[2][1])
        green = (green + keep * (floor - green)) * light
        floor = colours[2][2] + line * (colours[3][2] - colours[2][2])
        blue = (blue + keep * (floor - blue)) * light
    return red, green, blue


@lean_kernel
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


@lean_kernel
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


@lean_kernel
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
