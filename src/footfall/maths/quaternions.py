"""Batched unit quaternions.

Quaternions are `(..., 4)` arrays in the order w, x, y, z; vectors are `(..., 3)`. Leading
dimensions broadcast. Two logarithms are in use in this field and both are here by name:

* *rotation vector*: axis times the full angle (scipy, Lee et al. 2002 weights),
* *half-angle vector*: axis times half the angle (Choi, Park, Lee & Shin).

`multiply(a, b)` rotates by `b` first, then by `a`: rotate(multiply(a, b), v) equals
rotate(a, rotate(b, v)).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from footfall.maths.arrays import Floats

IDENTITY: Floats = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.setflags(write=False)


def multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """The product `a b` (b acts first). Shapes `(..., 4)`, broadcast."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out = np.empty((*np.broadcast_shapes(a.shape[:-1], b.shape[:-1]), 4))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def conjugate(q: ArrayLike) -> Floats:
    """The inverse of a unit quaternion."""
    out = np.array(q, dtype=np.float64)
    out[..., 1:] *= -1.0
    return out


def normalise(q: ArrayLike) -> Floats:
    """`q` scaled to unit length; a zero quaternion becomes the identity."""
    q = np.asarray(q, dtype=np.float64)
    length = np.sqrt(np.einsum("...i,...i->...", q, q))[..., None]
    return np.where(length > 1e-300, q / np.where(length > 1e-300, length, 1.0), IDENTITY)


def rotate(q: ArrayLike, v: ArrayLike) -> Floats:
    """The vectors `v` (..., 3) turned by the unit quaternions `q` (..., 4)."""
    q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
    axis = q[..., 1:]
    t = 2.0 * np.cross(axis, v)
    return v + q[..., :1] * t + np.cross(axis, t)
