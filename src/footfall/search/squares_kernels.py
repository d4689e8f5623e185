"""Compiled search over poses on a grid of squares. Import lazily: it brings in numba."""

from __future__ import annotations

from footfall.maths.jit_kernels import lean_kernel

ITEM, NEXT = 0, 1
"""Columns of the queue: the pose that waits, and the entry after it in its bucket."""


@lean_kernel
def fill_pose_costs(opened, dear, moves, costs, begins, width, first, queue, keys, flat):  # type: ignore[no-untyped-def]
    """Fill the least costs of poses: see `squares.pose_costs`.

    begins   poses that paths may end at, by their costs
    width    of a bucket;  first  (B,) the first entry of each bucket, -1 if it is empty
    queue    (R, 2), keys (R,): memory for what waits
    flat     the costs, by column, row and yaw
    Returns whether there was room for all that had to wait.
    """
    (columns, rows), yaws = opened.shape, moves.shape[0]
    used, free, waiting, begun = 0, -1, 0, 0
    bucket = int(flat[begins[0]] / width)
    while waiting > 0 or begun < begins.shape[0]:
        if waiting == 0:
            bucket = max(bucket, int(flat[begins[begun]] / width))
        slot = bucket % first.shape[0]
        while begun < begins.shape[0] and int(flat[begins[begun]] / width) <= bucket:
            queue[used, ITEM], queue[used, NEXT] = begins[begun], first[slot]
            keys[used], first[slot] = flat[begins[begun]], used
            used, waiting, begun = used + 1, waiting + 1, begun + 1
        while first[slot] >= 0:
            entry = first[slot]
            item, near = queue[entry, ITEM], keys[entry]
            first[slot], queue[entry, NEXT] = queue[entry, NEXT], free
            free, waiting = entry, waiting - 1
            if near > flat[item]:
                continue
            if used + moves.shape[1] + begins.shape[0] - begun > keys.shape[0]:
                return False
            yaw, k, i = item % yaws, item // yaws % rows, item // (rows * yaws)
            for m in range(moves.shape[1]):
                before = yaw - moves[0, m, 4]
                before += yaws if before < 0 else (-yaws if before >= yaws else 0)
                i0, k0 = i - moves[before, m, 0], k - moves[before, m, 1]
                if i0 < 0 or k0 < 0 or i0 >= columns or k0 >= rows or not opened[i0, k0]:
                    continue
                reached = near + costs[before, m] * dear[i0, k0]
                at = (i0 * rows + k0) * yaws + before
                if reached >= flat[at]:
                    continue
                half_i, half_k = i0 + moves[before, m, 2], k0 + moves[before, m, 3]
                if half_i < 0 or half_k < 0 or half_i >= columns or half_k >= rows:
                    continue
                if not opened[half_i, half_k]:
                    continue
                flat[at] = reached
                entry = free
                if free >= 0:
                    free = queue[free, NEXT]
                else:
                    entry, used = used, used + 1
                to = max(int(reached / width), bucket) % first.shape[0]
                queue[entry, ITEM], queue[entry, NEXT], keys[entry] = at, first[to], reached
                first[to], waiting = entry, waiting + 1
        bucket += 1
    return True
