"""Compiled loops of the renderer: visible triangles and their light. Import lazily: needs numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import lean_kernel
from footfall.maths.vector_kernels import dot

_COS = tuple(math.cos(2.399963 * part) for part in range(4))
_SIN = tuple(math.sin(2.399963 * part) for part in range(4))
"""Where the spirals of four neighbouring pixels begin: a golden angle apart."""


@lean_kernel
def fill(points, triangles, boxes, near, planes, depth, faces, first):  # type: ignore[no-untyped-def]
    """Draw triangles into the buffers of visible surfaces.

    points     (V, 4) rows (x w, y w, w, depth); see `Camera.homogeneous`
    triangles  (F, 3)
    boxes      (F, 4) the pixels that each may cover: first and last x, first and last y
    planes     (F, 12) written: of each the planes of its edges, then the depths of its corners
    depth      (H, W) float32, the nearest depth so far (infinity where there is nothing)
    faces      (H, W) int32, the triangle seen: f from its front, -2 - f from its back, -1 none
    first      the number f of the first of these triangles
    """
    for f in range(triangles.shape[0]):
        if boxes[f, 1] < boxes[f, 0] or boxes[f, 3] < boxes[f, 2]:
            continue
        a, b, c = points[triangles[f, 0]], points[triangles[f, 1]], points[triangles[f, 2]]
        # One plane per edge; the opposite corner is on its positive side after the sign is set.
        px, py, pw = b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]
        qx, qy, qw = c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2], c[0] * a[1] - c[1] * a[0]
        rx, ry, rw = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
        det = a[0] * px + a[1] * py + a[2] * pw
        if not abs(det) > 1e-12:
            continue
        # Pixel rows grow downwards, so counter-clockwise from outside means det < 0 here.
        seen, sign = (first + f, -1.0) if det < 0.0 else (-2 - first - f, 1.0)
        edges = planes[f]
        edges[0], edges[1], edges[2] = sign * px, sign * py, sign * pw
        edges[3], edges[4], edges[5] = sign * qx, sign * qy, sign * qw
        edges[6], edges[7], edges[8] = sign * rx, sign * ry, sign * rw
        edges[9], edges[10], edges[11] = a[3], b[3], c[3]
        for y in range(boxes[f, 2], boxes[f, 3] + 1):
            v = y + 0.5
            p, q, r = edges[1] * v + edges[2], edges[4] * v + edges[5], edges[7] * v + edges[8]
            for x in range(boxes[f, 0], boxes[f, 1] + 1):
                u = x + 0.5
                i, j, k = edges[0] * u + p, edges[3] * u + q, edges[6] * u + r
                if i < 0.0 or j < 0.0 or k < 0.0 or not i + j + k > 0.0:
                    continue
                d = (i * edges[9] + j * edges[10] + k * edges[11]) / (i + j + k)
                if d > near and d < depth[y, x]:
                    depth[y, x] = d
                    faces[y, x] = seen


@lean_kernel
def shade(  # type: ignore[no-untyped-def]
    depth, faces, planes, triangles, vertices, surfaces, blockers, look, row0, row1, only, image,
):  # fmt: skip
    """Draw visible surfaces over rows row0 to row1 of `image` (H, W, 3) float32.

    depth, faces         what `fill` left, finer than `image` by a whole factor
    planes               (F, 12) as `fill` takes them
    triangles            (F, 3)
    vertices             (V, 6) float32: normal, colour
    surfaces             (F, 6) float32: colour, fade, uses the vertices' colours, is lit
    blockers             (3, N, M) float32: depths seen from the light, and the least and the most
                         of them in a window of 6 by 6
    look                 (1,) of `footfall.render.raster.LOOK`
    only                 (H, W) which pixels; the others stay as they are
    """
    factor = depth.shape[0] // image.shape[0]
    weight = 1.0 / (factor * factor)
    for row in range(row0, row1):
        for column in range(image.shape[1]):
            if not only[row, column]:
                continue
            red, green, blue, missing = 0.0, 0.0, 0.0, 0
            back = (image[row, column, 0], image[row, column, 1], image[row, column, 2])
            for y in range(row * factor, (row + 1) * factor):
                for x in range(column * factor, (column + 1) * factor):
                    if faces[y, x] == -1:
                        missing += 1
                        continue
                    seen = _surface(
                        x, y, faces[y, x], depth, planes, triangles, vertices, surfaces, blockers,
                        look[0], back,
                    )  # fmt: skip
                    red, green, blue = red + seen[0], green + seen[1], blue + seen[2]
            image[row, column, 0] = (red + missing * back[0]) * weight
            image[row, column, 1] = (green + missing * back[1]) * weight
            image[row, column, 2] = (blue + missing * back[2]) * weight


@lean_kernel
def _surface(  # type: ignore[no-untyped-def]
    x, y, face, depth, planes, triangles, vertices, surfaces, blockers, look, back,
):  # fmt: skip
    """Return the light, as red, green and blue, that fine pixel (x, y) of a surface sends.

    That is `back` where the surface lies under the floor; see `shade`.
    """
    rays = look.rays
    u, v, d = x + 0.5, y + 0.5, depth[y, x]
    oy = rays[0, 1] + u * rays[1, 1] + v * rays[2, 1]
    sx = rays[3, 0] + u * rays[4, 0] + v * rays[5, 0]
    sy = rays[3, 1] + u * rays[4, 1] + v * rays[5, 1]
    sz = rays[3, 2] + u * rays[4, 2] + v * rays[5, 2]
    f = face if face >= 0 else -2 - face
    keep = 1.0 - surfaces[f, 3]
    if look.has_floor > 0.0 and sy != 0.0:
        hit = (look.floor - oy) / sy
        if hit > look.near and hit < d and abs(oy + d * sy - look.floor) > look.sink:
            keep = 0.0
    # Weights of the corners: how far the pixel is from the opposite edges.
    i = planes[f, 0] * u + planes[f, 1] * v + planes[f, 2]
    j = planes[f, 3] * u + planes[f, 4] * v + planes[f, 5]
    k = planes[f, 6] * u + planes[f, 7] * v + planes[f, 8]
    size = 1.0 / (i + j + k)
    i, j, k = i * size, j * size, k * size
    a, b, c = triangles[f, 0], triangles[f, 1], triangles[f, 2]
    power, extra = 1.0, 0.0
    if surfaces[f, 5] > 0.0 and keep > 0.0:
        nx = i * vertices[a, 0] + j * vertices[b, 0] + k * vertices[c, 0]
        ny = i * vertices[a, 1] + j * vertices[b, 1] + k * vertices[c, 1]
        nz = i * vertices[a, 2] + j * vertices[b, 2] + k * vertices[c, 2]
        size = max(math.sqrt(nx * nx + ny * ny + nz * nz), 1e-12)
        size = 1.0 / size if face >= 0 else -1.0 / size
        n = (nx * size, ny * size, nz * size)
        w = (
            rays[0, 0] + u * rays[1, 0] + v * rays[2, 0] + d * sx,
            oy + d * sy,
            rays[0, 2] + u * rays[1, 2] + v * rays[2, 2] + d * sz,
        )
        open_share = 1.0
        if look.occlusion > 0.0:
            open_share = 1.0 - look.occlusion * _occlusion(depth, x, y, n, (sx, sy, sz), look)
        power, extra = _surface_light(w, n, (sx, sy, sz), look, open_share, blockers)
    red, green, blue = surfaces[f, 0], surfaces[f, 1], surfaces[f, 2]
    if surfaces[f, 4] > 0.0:
        red = i * vertices[a, 3] + j * vertices[b, 3] + k * vertices[c, 3]
        green = i * vertices[a, 4] + j * vertices[b, 4] + k * vertices[c, 4]
        blue = i * vertices[a, 5] + j * vertices[b, 5] + k * vertices[c, 5]
    return (
        min(1.0, max(0.0, back[0] + keep * (red * power + extra - back[0]))),
        min(1.0, max(0.0, back[1] + keep * (green * power + extra - back[1]))),
        min(1.0, max(0.0, back[2] + keep * (blue * power + extra - back[2]))),
    )


@lean_kernel
def _surface_light(w, n, s, look, open_share, blockers):  # type: ignore[no-untyped-def]
    """Light on a surface at point `w` with normal `n` seen along `s`: (times its colour, plus)."""
    light, to_texel = look.light, look.to_texel
    size = 1.0 / math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    vx, vy, vz = -s[0] * size, -s[1] * size, -s[2] * size
    facing = max(0.0, n[0] * vx + n[1] * vy + n[2] * vz)
    key = max(0.0, (n[0] * light[0] + n[1] * light[1] + n[2] * light[2] + 0.12) / 1.12)
    if blockers.shape[1] > 0 and key > 0.0:
        # Step off the surface so that it does not shade itself.
        qx, qy, qz = w[0] + 0.012 * n[0], w[1] + 0.012 * n[1], w[2] + 0.012 * n[2]
        tx = to_texel[0, 0] * qx + to_texel[0, 1] * qy + to_texel[0, 2] * qz + to_texel[0, 3] - 0.5
        ty = to_texel[1, 0] * qx + to_texel[1, 1] * qy + to_texel[1, 2] * qz + to_texel[1, 3] - 0.5
        d = to_texel[2, 0] * qx + to_texel[2, 1] * qy + to_texel[2, 2] * qz + to_texel[2, 3] - 0.006
        j0, i0 = math.floor(tx), math.floor(ty)
        inside = 2 <= i0 < blockers.shape[1] - 3 and 2 <= j0 < blockers.shape[2] - 3
        if inside and blockers[2, i0, j0] < d:
            key = 0.0
        elif inside and blockers[1, i0, j0] < d:
            total = 0.0  # the share of the light that gets there: a tent of 6 x 6 texels
            for di in range(-2, 4):
                row = 0.0
                for dj in range(-2, 4):
                    if blockers[0, i0 + di, j0 + dj] >= d:
                        row += 3.0 - abs(dj - (tx - j0))
                total += row * (3.0 - abs(di - (ty - i0)))
            key *= total / 81.0
    up = 0.5 + 0.5 * n[1]
    flood = look.sky * up + look.bounce * (1.0 - up) + look.fill * facing
    edge = 1.0 - look.edge * (1.0 - facing) ** 3
    hx, hy, hz = vx + light[0], vy + light[1], vz + light[2]
    size = max(math.sqrt(hx * hx + hy * hy + hz * hz), 1e-9)
    shine = max(0.0, (n[0] * hx + n[1] * hy + n[2] * hz) / size)
    shine = look.gloss * shine**28 * min(1.0, 4.0 * key)
    power = look.key * key * (0.55 + 0.45 * open_share) + flood * open_share
    return power * edge, shine * open_share


@lean_kernel
def _occlusion(depth, x, y, n, s, look):  # type: ignore[no-untyped-def]
    """Return how much of the sky over a visible point its surroundings hide, 0 to 1.

    It is read from the depths of pixels near by (McGuire et al. 2011).

    n, s  the point's normal, and the slope of the ray that meets it; see `Camera.rays`
    """
    radius, taps = 0.16, 8
    d, rays, perspective = depth[y, x], look.rays, look.perspective > 0.0
    # From the point to one at depth e, du and dv pixels aside, is (e - d) s + m (du b + dv c),
    # where m is e in perspective; b and c are at right angles and of the same length.
    b = (rays[1, 0] + rays[4, 0], rays[1, 1] + rays[4, 1], rays[1, 2] + rays[4, 2])
    c = (rays[2, 0] + rays[5, 0], rays[2, 1] + rays[5, 1], rays[2, 2] + rays[5, 2])
    nb, nc, bb = dot(n, b), dot(n, c), dot(b, b)
    ns, ss, sb, sc = dot(n, s), dot(s, s), 2.0 * dot(s, b), 2.0 * dot(s, c)
    scale = look.scale / d if perspective else look.scale  # fine pixels per metre
    span = min(max(radius * scale, 2.0), 200.0) / taps
    # Four neighbouring pixels share one spiral of taps, every fourth of them each: averaged into
    # one pixel of the picture they are many, and there is no noise.
    part = (x & 1) + 2 * (y & 1)
    cos, sin = _COS[part], _SIN[part]
    total = 0.0
    for tap in range(taps):
        reach = span * (tap + 0.25 * part + 0.25)
        i, j = int(y + 0.5 + reach * sin), int(x + 0.5 + reach * cos)
        cos, sin = -0.984712 * cos + 0.174190 * sin, -0.174190 * cos - 0.984712 * sin
        if i < 0 or j < 0 or i >= depth.shape[0] or j >= depth.shape[1]:
            continue
        behind = depth[i, j] - d
        if not behind < 1e30:
            continue
        m = depth[i, j] if perspective else 1.0
        du, dv = m * (j - x), m * (i - y)
        rise = behind * ns + du * nb + dv * nc - 0.008
        if rise > 0.0:
            square = behind * (behind * ss + du * sb + dv * sc) + (du * du + dv * dv) * bb
            if square < radius * radius:
                total += (1.0 - square / (radius * radius)) * rise / (square + 4e-4)
    return min(1.0, 0.45 / taps * total)
