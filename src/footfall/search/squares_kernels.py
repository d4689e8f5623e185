"""Compiled search over poses on a grid of squares. Import lazily: it brings in numba."""

from __future__ import annotations

import numpy as np

from footfall.maths.jit_kernels import kernel
from footfall.search.shortest_path import FAR


@kernel
def pose_costs(opened, dear, moves, costs, cost):  # type: ignore[no-untyped-def]
    """The least cost from each corner and yaw (I + 1, K + 1, Y) to any other, and as it says there.

    moves (Y, M, 5) lead from a yaw: corners to the side and ahead, those of half the way, yaws;
    costs (Y, M) are theirs, dear (I + 1, K + 1) times as much at a corner. Only opened corners are
    gone to. Writes `cost`, which is inf at first but where paths may end.

    What waits is kept in buckets, each as wide as the cheapest move (Dial 1969): what is in one is
    final, in whatever order it is taken.
    """
    columns, rows, yaws = cost.shape
    flat = cost.reshape(-1)
    begins = np.flatnonzero(flat < FAR)
    if begins.shape[0] == 0:
        return
    begins = begins[np.argsort(flat[begins])]
    dearest = costs.max() * dear.max()
    wide = max(costs.min() * dear.min(), dearest / 65536.0, 1e-12)
    first = np.full(int(dearest / wide) + 3, -1, np.int64)  # the first entry of each bucket
    room = 1024 + begins.shape[0] + moves.shape[1]
    items, after, keys = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    used, free, waiting, begun = 0, -1, 0, 0
    bucket = int(flat[begins[0]] / wide)
    while waiting > 0 or begun < begins.shape[0]:
        if waiting == 0:
            bucket = max(bucket, int(flat[begins[begun]] / wide))
        slot = bucket % first.shape[0]
        while begun < begins.shape[0] and int(flat[begins[begun]] / wide) <= bucket:
            items[used], keys[used], after[used] = begins[begun], flat[begins[begun]], first[slot]
            first[slot] = used
            used, waiting, begun = used + 1, waiting + 1, begun + 1
        while first[slot] >= 0:
            entry = first[slot]
            item, near = items[entry], keys[entry]
            first[slot], after[entry] = after[entry], free
            free, waiting = entry, waiting - 1
            if near > flat[item]:
                continue
            if used + moves.shape[1] + begins.shape[0] - begun > room:
                items, after = np.append(items, items), np.append(after, after)
                keys, room = np.append(keys, keys), 2 * room
            yaw, k, i = item % yaws, item // yaws % rows, item // (rows * yaws)
            for m in range(moves.shape[1]):
                before = yaw - moves[0, m, 4]
                before += yaws if before < 0 else (-yaws if before >= yaws else 0)
                i0, k0 = i - moves[before, m, 0], k - moves[before, m, 1]
                if i0 < 0 or k0 < 0 or i0 >= columns or k0 >= rows:
                    continue
                reached, at = near + costs[before, m] * dear[i0, k0], (i0 * rows + k0) * yaws
                at += before
                if reached >= flat[at] or not opened[i0, k0]:
                    continue
                half_i, half_k = i0 + moves[before, m, 2], k0 + moves[before, m, 3]
                if half_i < 0 or half_k < 0 or half_i >= columns or half_k >= rows:
                    continue
                if not opened[half_i, half_k]:
                    continue
                flat[at] = reached
                entry = free
                if free >= 0:
                    free = after[free]
                else:
                    entry, used = used, used + 1
                to = max(int(reached / wide), bucket) % first.shape[0]
                items[entry], keys[entry], after[entry] = at, reached, first[to]
                first[to], waiting = entry, waiting + 1
        bucket += 1
