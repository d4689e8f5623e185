"""How deep thick lines are in each other. Import lazily: it brings in numba."""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import kernel


@kernel
def deepest(lines, radii, others, other_radii, pairs, out):  # type: ignore[no-untyped-def]
    """Fill (T,) with how deep, metres, any line is in any other one; negative is the gap.

    lines  (T, A, 2, 3) with radii (A,);  others (T, B, 2, 3) with radii (B,)
    pairs  (A, B) which of them count
    """
    for t in range(lines.shape[0]):
        most = -1e9
        for i in range(lines.shape[1]):
            for j in range(others.shape[1]):
                if pairs[i, j]:
                    gap = _apart(lines, others, t, i, j)
                    most = max(most, radii[i] + other_radii[j] - gap)
        out[t] = most


@kernel
def _apart(lines, others, t, i, j):  # type: ignore[no-untyped-def]
    """The least distance of two lines (Ericson, Real-Time Collision Detection, 5.1.9)."""
    uu, uv, vv, uw, vw = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        u = lines[t, i, 1, k] - lines[t, i, 0, k]
        v = others[t, j, 1, k] - others[t, j, 0, k]
        w = lines[t, i, 0, k] - others[t, j, 0, k]
        uu, uv, vv, uw, vw = uu + u * u, uv + u * v, vv + v * v, uw + u * w, vw + v * w
    det = uu * vv - uv * uv
    s = min(max((uv * vw - vv * uw) / det, 0.0), 1.0) if det > 1e-12 else 0.0
    p = min(max((uv * s + vw) / vv, 0.0), 1.0) if vv > 1e-12 else 0.0
    s = min(max((uv * p - uw) / uu, 0.0), 1.0) if uu > 1e-12 else 0.0
    total = 0.0
    for k in range(3):
        u = lines[t, i, 1, k] - lines[t, i, 0, k]
        v = others[t, j, 1, k] - others[t, j, 0, k]
        w = lines[t, i, 0, k] - others[t, j, 0, k]
        total += (w + s * u - p * v) ** 2
    return math.sqrt(total)
