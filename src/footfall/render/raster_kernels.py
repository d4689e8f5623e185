"""Compiled loops that fill buffers: triangles, maps, lines. Import lazily: needs numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel, lean_kernel


@lean_kernel
def fill(points, triangles, near, depth, faces, bary):  # type: ignore[no-untyped-def]
    """Draw triangles into the buffers of visible surfaces.

    points     (V, 4) rows (x w, y w, w, depth); see `Camera.homogeneous`
    triangles  (F, 3)
    depth      (H, W) float32, the nearest depth so far (infinity where there is nothing)
    faces      (H, W) int32, the triangle seen: f from its front, -2 - f from its back, -1 none
    bary       (H, W, 2) float32, weights of its second and third corner

    Edges are planes through the eye (Olano & Greer 1997), so a triangle that reaches behind
    the eye is drawn without clipping, and the weights are right in perspective.
    """
    height, width = depth.shape
    for f in range(triangles.shape[0]):
        a, b, c = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        ax, ay, aw = points[a, 0], points[a, 1], points[a, 2]
        bx, by, bw = points[b, 0], points[b, 1], points[b, 2]
        cx, cy, cw = points[c, 0], points[c, 1], points[c, 2]
        low_x, high_x, low_y, high_y = _bounds(points, (a, b, c), max(near, 1e-9))
        if not (high_x >= 0.0 and low_x <= width and high_y >= 0.0 and low_y <= height):
            continue
        x0, x1 = max(0, int(low_x - 0.5)), int(min(width - 1.0, high_x + 0.5))
        y0, y1 = max(0, int(low_y - 0.5)), int(min(height - 1.0, high_y + 0.5))
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


@inner_kernel
def _bounds(points, corners, near):  # type: ignore[no-untyped-def]
    """The pixels that a triangle's part before the plane w = near spans: low and high x, y.

    Without the plane, what reaches behind the eye might cover the whole picture.
    """
    low_x = low_y = math.inf
    high_x = high_y = -math.inf
    for n in range(3):
        a, b = corners[n], corners[(n + 1) % 3]
        aw, bw = points[a, 2], points[b, 2]
        for k in range(2):
            if k == 0 and aw >= near:  # a corner
                x, y = points[a, 0] / aw, points[a, 1] / aw
            elif k == 1 and (aw >= near) != (bw >= near):  # where an edge meets the plane
                t = (near - aw) / (bw - aw)
                x = (points[a, 0] + t * (points[b, 0] - points[a, 0])) / near
                y = (points[a, 1] + t * (points[b, 1] - points[a, 1])) / near
            else:
                continue
            low_x, high_x = min(low_x, x), max(high_x, x)
            low_y, high_y = min(low_y, y), max(high_y, y)
    return low_x, high_x, low_y, high_y


@lean_kernel
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


@lean_kernel
def draw_line(points, colour, half, opacity, depth, bias, image, cover):  # type: ignore[no-untyped-def]
    """Blend a line through projected points over `image` (H, W, 3), hidden by nearer surfaces.

    points  (N, 3) pixel x, y and depth (not a number: behind the eye)   half  half its width
    depth   finer than `image` by a whole factor: a pixel may be hidden in part
    cover   (H, W) float32, zero; it is zero again afterwards
    """
    height, width = image.shape[0], image.shape[1]
    factor = depth.shape[0] // height
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
                    free = 0  # of the pixel's fine pixels, those where nothing is nearer
                    for i in range(y * factor, (y + 1) * factor):
                        for j in range(x * factor, (x + 1) * factor):
                            free += d - bias < depth[i, j]
                    cover[y, x] = max(cover[y, x], share * free / (factor * factor))
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            share = cover[y, x] * opacity
            cover[y, x] = 0.0
            if share > 0.0:
                for ch in range(3):
                    image[y, x, ch] += share * (colour[ch] - image[y, x, ch])
