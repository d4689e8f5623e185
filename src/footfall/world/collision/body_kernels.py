"""What a moving body touches, in one pass over its frames. Import lazily: it brings in numba."""

from __future__ import annotations

from footfall.maths.jit_kernels import lean_kernel
from footfall.world.collision.query_kernels import ALL, CAPSULE, inside_mesh, nearest
from footfall.world.collision.shape_kernels import OWNER


@lean_kernel
def body_hits(  # type: ignore[no-untyped-def]
    world, has_closed, scratch, places, turns, joints, ends, radii, allowed, probe, hits
):
    """Fill hits (H, 4): obstacle, frame, capsule, distance; how many, or -1 for want of room.

    places, turns  (T, J, 3), (T, J, 4) the joints in the world
    joints, ends   (B,), (B, 2, 3) the capsules, as told from their joints; radii (B,)
    allowed        touching less deep than this is none       probe  (6,) memory
    """
    _, _, table, _, _, _, _, _, lattice, starts, items = world
    work, hull, _, _, _ = scratch
    count = 0
    for t in range(places.shape[0]):
        for k in range(len(joints)):
            j, reach = joints[k], radii[k] - allowed
            for e in range(2):
                x, y, z = ends[k, e, 0], ends[k, e, 1], ends[k, e, 2]
                w, a, b, c = turns[t, j, 0], turns[t, j, 1], turns[t, j, 2], turns[t, j, 3]
                u, v, r = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
                probe[3 * e] = places[t, j, 0] + x + w * u + b * r - c * v
                probe[3 * e + 1] = places[t, j, 1] + y + w * v + c * u - a * r
                probe[3 * e + 2] = places[t, j, 2] + z + w * r + a * v - b * u
            owner, best = -1, reach
            if reach > 0.0:
                best, near = nearest(
                    table, lattice, starts, items, CAPSULE, probe, reach, ALL, work, hull
                )
                if near >= 0:
                    owner = int(table[near, OWNER])
            if has_closed:
                holder = inside_mesh(table, lattice, starts, items, probe[0], probe[1], probe[2])
                if holder >= 0:
                    d, _ = nearest(
                        table, lattice, starts, items, CAPSULE, probe, 1e9, holder, work, hull
                    )
                    if -d < best:
                        best, owner = -d, holder
            if owner >= 0 and best < reach:
                if count == len(hits):
                    return -1
                hits[count, 0], hits[count, 1] = owner, t
                hits[count, 2], hits[count, 3] = k, best - radii[k]
                count += 1
    return count
