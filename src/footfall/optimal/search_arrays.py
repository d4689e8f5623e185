"""The arrays that the kernels of the search read and write, by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.errors import InputError

STATE = np.dtype(
    [
        ("key", np.int64), ("cost", np.float64), ("estimate", np.float32), ("parent", np.int32),
        ("edge", np.uint16), ("yaw", np.int16), ("x", np.int8), ("z", np.int8),
        ("mark", np.uint8), ("ticks", np.uint8),
    ]
)  # fmt: skip
"""A state. Its key holds node, cells and constraints met; x, z, yaw and ticks say where in its
cells it is; edge counts from the first that leaves its parent's node."""

ROUTE = np.dtype(
    [
        ("cost", np.float64), ("move", np.float32, 3), ("turned", np.float32, 2),
        ("rise", np.float32), ("to", np.int32), ("ticks", np.uint16), ("blend", np.uint8),
    ], align=True,
)  # fmt: skip
"""An edge of the graph, so that what is asked of one lies together."""

SLOT_BYTES, ENTRY_BYTES = 8, 8
FULLEST = 0.75
"""The share of the slots of the table that may be taken."""


class WorldArrays(NamedTuple):
    """A world as `world_kernels` read it.

    frame       (14,) see the columns of `world_kernels`
    corridor    (X, Z) uint8     foothold, height, clearance  (X, Z) float32
    band_layer  (B,)             layers  (L, X, Z) uint8 centimetres
    seat_layer  (B,)             seats   (K, 4)
    room        (X, Z) float32: a place and one so far from it are in cells of the corridor, and
                all between
    """

    frame: Any
    corridor: Any
    foothold: Any
    height: Any
    clearance: Any
    band_layer: Any
    layers: Any
    seat_layer: Any
    seats: Any
    room: Any


class BodyArrays(NamedTuple):
    """What of a graph the world is asked about.

    before, signature  (N,) int32         feet   (N, 2, 4) float32
    discs              (E, D, 5) float32  reach  (E,) float32, of the farthest point of the discs
    seat               (N, 3) float32, where the hips are
    """

    before: Any
    signature: Any
    feet: Any
    discs: Any
    reach: Any
    seat: Any


class Routes(NamedTuple):
    """The interpolated graph; what is said of edges are views of one array of `ROUTE`.

    move   (E, 3) x, z, yaw     turned  (E, 2) cosine and sine of the yaw
    ticks  (E,) 10 ms each     blend  (E,) 1 if interpolated
    group  (N,) nodes of one group count as one to a coarse search
    """

    start: Any
    to: Any
    cost: Any
    move: Any
    turned: Any
    rise: Any
    ticks: Any
    blend: Any
    group: Any


class Guide(NamedTuple):
    """The estimates: the highest of what a table says, and of some lines.

    The table: `rate` times the metres left, and what it has by node and by metres to the next
    constraint. A line: its slopes times the metres left and the radians to be turned, and what it
    has by node.

    frame   (3,) x and z of the first corner, corners a metre
    field   (C, I, K) metres that the root has to go at least, on corners of squares
    later   (C,) how many of them may come after the next constraint
    table   (C, N, B + 1) by node and by metres to the next constraint, `per_step` of them a metre
    lines   (C, N, J) by node; the first `level` of them have no slope for radians
    slopes  (J, 2) cost of a metre, and of a radian to the left
    own_yaw (C,) of the next constraint; nan if it asks for none
    yaw     (C,) of the next constraint that asks for one; nan if none does
    within_rad  (C,) how near to it
    guess   (C, I, K, Y) a guess of the cost by pose, that may be too high; none has no yaws
    done    (C, N, 4) where the cheapest path by node leads, from where the guess counts: x, z, yaw;
            and what it costs
    begun   (C,) what is left at least to pay from a stand
    footing (I, K, Y) what the guess has more where ground for feet is scarce
    """

    frame: Any
    field: Any
    later: Any
    table: Any
    rate: float
    per_step: float
    lines: Any
    slopes: Any
    level: int
    own_yaw: Any
    yaw: Any
    within_rad: Any
    guess: Any
    done: Any
    begun: Any
    footing: Any


class Aims(NamedTuple):
    """The constraints: as in `Goals`, float32; `until` (C,) ticks.

    leads  (C, N) bits: 1 if anything leads on from a node, 2 if it may meet the next constraint
    """

    nodes: Any
    point: Any
    place: Any
    within_m: Any
    facing: Any
    yaw: Any
    within_rad: Any
    until: Any
    slab: Any
    leads: Any


class Cells(NamedTuple):
    """How places become numbers.

    x, z     of the middle of the first cell; cell_m its width
    columns, rows, yaws  how many there are
    times, blends  how many times, and numbers of interpolated segments, are told apart
    span     ticks of time that are told apart
    limited  whether interpolated segments are counted
    snap     whether a state is in the middle of its cells
    coarse   whether states count as one that are of one group of nodes, and in the same of so many
             cells and yaws: 1 / `per_wide` and 1 / `per_turn`; those that begin with `near_` are
             for states within `near_m` of the next constraint, or `gap_m` of where no sole may
             stand
    blend_at and so on  the bits of a key at which its numbers begin; time has the lowest
    """

    x: float
    z: float
    cell_m: float
    columns: int
    rows: int
    yaws: int
    times: int
    blends: int
    span: int
    limited: bool
    snap: bool
    coarse: bool
    per_wide: float
    per_turn: float
    near_per_wide: float
    near_per_turn: float
    near_m: float
    gap_m: float
    blend_at: int
    met_at: int
    yaw_at: int
    row_at: int
    column_at: int
    node_at: int


class SearchSpace(NamedTuple):
    """All that a search reads and never changes."""

    routes: Routes
    guide: Guide
    aims: Aims
    world: WorldArrays
    body: BodyArrays
    cells: Cells


class Scratch(NamedTuple):
    """Successors of one state that are still in question, each a row.

    whole   (L, 6) edge, key, hash, what its slot holds, constraints met; the key of all states
            that count as one
    part    (L, 9) cost; x, z, yaw; x, z, yaw and ticks within the cell; the cost in the slot
    """

    whole: Any
    part: Any


class States(NamedTuple):
    """The states by field (views of one array of `STATE`), the table of them, and the heap.

    slots  0 if empty; else half of the key's hash, and the state's number plus 1; the slot of a
           key is that half shifted by `shift`, or the next one that is empty
    """

    key: Any
    cost: Any
    estimate: Any
    parent: Any
    edge: Any
    yaw: Any
    x: Any
    z: Any
    mark: Any
    ticks: Any
    slots: Any
    heap_keys: Any
    heap_items: Any
    shift: int


def make_states(most: int, slots: int) -> States:
    """Room for `most` states, none yet. Memory is taken from the system as it is used."""
    records = np.empty(most, STATE)
    fields = [records[name] for name in STATE.names or ()]
    heap = [np.empty(most, np.float32), np.empty(most, np.int32)]
    return States._make([*fields, np.zeros(slots, np.int64), *heap, table_shift(slots)])


def table_shift(slots: int) -> int:
    """What is shifted away of 32 bits of a hash to get one of so many slots, a power of 2."""
    return 33 - slots.bit_length()


def make_scratch(most_edges: int) -> Scratch:
    """Room for the successors of any state."""
    return Scratch(np.zeros((most_edges, 6), np.int64), np.zeros((most_edges, 9)))


def most_states(memory_mb: float) -> int:
    """How many states fit into so much memory, with their table and heap."""
    # A table that was just doubled is half as full as it may be.
    each = STATE.itemsize + ENTRY_BYTES + SLOT_BYTES * 2 / FULLEST
    most = int(memory_mb * 1e6 / each)
    if most < 1000:
        raise InputError(f"{memory_mb:g} MB is too little to search", remedy="allow 1 MB or more")
    return min(most, 2**31 - 2)
