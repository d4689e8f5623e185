"""Inverse kinematics of two-bone limbs in closed form. Import lazily: it brings in numba.

A limb is three joints: root (hip or shoulder), middle (knee or elbow) and end (ankle or wrist).
The solution keeps what the limb was doing: the middle joint bends about its own axis, then the
whole limb swings the shortest way to its target, which carries the place of the middle joint on
its swivel circle along. Vectors are (x, y, z), quaternions (w, x, y, z).

Where we differ from Lee & Shin 1999, who project the middle joint's old place onto the circle:
when the target moves further than the limb is bent, the old place lies on the wrong side of the
new line, and the knee flips. Carried along, it cannot.
"""

from __future__ import annotations

import math

from footfall.maths.jit_kernels import inner_kernel
from footfall.maths.vector_kernels import (
    about,
    add,
    against,
    between,
    conjugate,
    cross,
    dot,
    length,
    multiply,
    normalise,
    put,
    quaternion,
    rotate,
    scale,
    sub,
    unit,
    vector,
)

_STRAIGHT = 1e-3
"""Sine of the bend below which the axis of the bend goes over to the limb's own hinge."""


@inner_kernel
def soft_reach(distance, longest, soft):  # type: ignore[no-untyped-def]
    """Return a distance that approaches `longest` smoothly within its last `soft` share (C¹)."""
    zone = soft * longest
    start = longest - zone
    if zone <= 0.0 or distance <= start:
        return min(distance, longest)
    return start + zone * -math.expm1(-(distance - start) / zone)


@inner_kernel
def reach(root, middle, end, upper, lower, hinge, target, soft):  # type: ignore[no-untyped-def]
    """Return world rotations of both bones that bring the end to `target`, and what stays off, m.

    upper, lower  world rotations of the bones before
    hinge         the axis about which a straight limb bends; a positive turn bends it further
    soft          the last share of the limb's length in which it straightens smoothly
    """
    thigh, shank = sub(middle, root), sub(end, middle)
    a, b = length(thigh), length(shank)
    line = sub(target, root)
    wanted = length(line)
    span = min(max(soft_reach(wanted, a + b, soft), abs(a - b)), a + b)
    # The unit axis that the limb is bent about; near straight, the hinge made square to it.
    normal, along = cross(thigh, shank), unit(thigh)
    size = length(normal)
    square = unit(sub(hinge, scale(along, dot(hinge, along))))
    sense = -1.0 if dot(normal, hinge) < 0.0 else 1.0
    bent = scale(normal, sense / max(size, 1e-300))
    share = min(size / max(a * b * _STRAIGHT, 1e-300), 1.0)
    axis = unit(add(scale(bent, share), scale(square, 1.0 - share)))
    bend = math.atan2(dot(normal, axis), dot(thigh, shank))
    # The angle between both bones, accurate for thin triangles too (Kahan).
    s = 0.5 * (a + b + span)
    near, far = max((s - a) * (s - b), 0.0), max(s * (s - span), 0.0)
    corner = 2.0 * math.atan2(math.sqrt(near), math.sqrt(far))
    turn = about(axis, math.pi - corner - bend)
    bent_end = add(thigh, rotate(turn, shank))
    swing = between(bent_end, line if wanted > 1e-9 else bent_end)
    return (
        normalise(multiply(swing, upper)),
        normalise(multiply(swing, multiply(turn, lower))),
        abs(wanted - span),
    )


@inner_kernel
def bend_limb(limb, parents, places, turns, shift, hinge, target, turned, soft, out):  # type: ignore[no-untyped-def]
    """Solve one limb: its end to `target`, turned as `turned`, its root moved by `shift`.

    limb    (3,) root, middle and end joint
    places, turns  world poses of the limb and the joints between
    out     (3, 4) filled with the rotations of the three joints against their parents
    Joints between (twist bones) turn along with the bone above them. Returns the shortfall, m.
    """
    r, m, e = limb[0], limb[1], limb[2]
    old_upper, old_lower = quaternion(turns, r), quaternion(turns, m)
    upper, lower, short = reach(
        add(vector(places, r), shift), add(vector(places, m), shift), add(vector(places, e), shift),
        old_upper, old_lower, rotate(old_upper, hinge), target, soft,
    )  # fmt: skip
    above_middle, above_end = upper, lower
    if parents[m] != r:
        above_middle = multiply(
            multiply(upper, conjugate(old_upper)), quaternion(turns, parents[m])
        )
    if parents[e] != m:
        above_end = multiply(multiply(lower, conjugate(old_lower)), quaternion(turns, parents[e]))
    put(out, 0, against(quaternion(turns, parents[r]), upper))
    put(out, 1, against(above_middle, lower))
    put(out, 2, against(above_end, turned))
    return short
