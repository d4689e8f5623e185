"""The arrays that the kernels of the search read and write, by name."""

from __future__ import annotations

from typing import Any, NamedTuple, get_type_hints

import numpy as np

from footfall.errors import InputError


def _fields(kind: str, names: str) -> list[tuple[str, str]]:
    return [(name, kind) for name in names.split()]


STATE = np.dtype([
    ("key", "i8"), ("cost", "f8"), ("estimate", "f4"), ("parent", "i4"), ("edge", "u2"),
    ("yaw", "i2"), ("x", "i1"), ("z", "i1"), ("mark", "u1"), ("ticks", "u1"),
])  # fmt: skip
"""A state. Its key holds node, cells and constraints met; x, z, yaw and ticks say where in its
cells it is; edge counts from the first that leaves its parent's node."""

ROUTE = np.dtype([
    ("cost", "f8"), *_fields("f4", "x z yaw cosine sine rise"), ("to", "i4"), ("ticks", "u2"),
    ("blend", "u1"),
], align=True)  # fmt: skip
"""An edge of the graph: where it leads, with cosine and sine of its yaw; how much higher the ground
is there; its node; ticks of 10 ms; 1 if it is interpolated."""

AIM = np.dtype([
    *_fields("f8", "x y z within_m yaw within_rad ahead_x ahead_z least most"), ("until", "i8"),
])  # fmt: skip
"""A constraint, as in `Goals`: its place, yaw and slab; the ticks until which it is to be met."""

ASK = np.dtype(_fields("f8", "later yaw within_rad begun"))
"""What estimates know of a constraint: how many of the metres left may come after it; the yaw of
the next one that asks for one, and how near to it; what is left at least to pay from a stand."""

CELL = np.dtype([
    *_fields("f4", "foothold height clearance room"), ("corridor", "u1"),
], align=True)  # fmt: skip
"""A cell of a world. A place and one within `room` of it are in the corridor, and all between."""

SUCCESSOR = np.dtype([
    *_fields("f8", "cost estimate x z yaw cosine sine u v w"),
    *_fields("i8", "key merged hash held"), ("known", "f8"),
    *_fields("i4", "i k turn edge to met blends ticks"),
])  # fmt: skip
"""A successor that is still in question: its cost and estimate; its pose; its cells (i, k, turn)
and where it is in them (u, v, w); the keys of its state, and of all that count as one with it; the
hash of that and what its slot holds; its edge and node; constraints met, interpolated segments,
ticks; the cost of the state in its slot."""

ORIGIN = np.dtype([
    *_fields("f8", "x z yaw cosine sine ground cost limit"),
    *_fields("i8", "state node met blends ticks"),
])  # fmt: skip
"""The state that is expanded: its pose, the height of its ground, its cost, what its successors may
cost at most; its number, node, constraints met, interpolated segments, ticks."""

SLOT_BYTES, ENTRY_BYTES = 8, 8
FULLEST = 0.75
"""The share of the slots of the table that may be taken."""


class WorldArrays(NamedTuple):
    """A world as `world_kernels` read it.

    frame   (14,) see the columns of `world_kernels`
    cells   (X, Z) of `CELL`
    bands   (2, B) the layer of each band of heights, for those who walk and those who sit
    layers  (L, X, Z) uint8 centimetres
    seats   (K, 4)
    """

    frame: Any
    cells: Any
    bands: Any
    layers: Any
    seats: Any


class BodyArrays(NamedTuple):
    """What of a graph the world is asked about.

    touching  (N, 2) int32: what touches before, and at a node
    points    (N, 3, 4) float32: both feet (x, height, z, yaw), and where the hips are
    discs     (E, D, 5) float32     reach  (E,) float32, of the farthest point of the discs
    """

    touching: Any
    points: Any
    discs: Any
    reach: Any


class Routes(NamedTuple):
    """The interpolated graph: edges (E,) of `ROUTE`, node n has start[n] up to start[n + 1].

    group  (N,) nodes of one group count as one to a coarse search
    """

    start: Any
    edges: Any
    group: Any


class Guide(NamedTuple):
    """The estimates: the highest of what a table says, and of some lines.

    The table: `rate` times the metres left, and what it has by node and by metres to the next
    constraint. A line: its slopes times the metres left and the radians to be turned, and what it
    has by node.

    frame   (3,) x and z of the first corner, corners a metre
    field   (C, I, K) metres that the root has to go at least, on corners of squares
    asks    (C,) of `ASK`
    table   (C, N, B + 1) by node and by metres to the next constraint, `per_step` of them a metre
    lines   (C, N, J) by node; the first `level` of them have no slope for radians
    slopes  (J, 2) cost of a metre, and of a radian to the left
    guess   (C, I, K, Y) a guess of the cost by pose, that may be too high; none has no yaws
    done    (C, N, 4) where the cheapest path by node leads, from where the guess counts: x, z, yaw;
            and what it costs
    footing (I, K, Y) what the guess has more where ground for feet is scarce
    """

    frame: Any
    field: Any
    asks: Any
    table: Any
    rate: float
    per_step: float
    lines: Any
    slopes: Any
    level: int
    guess: Any
    done: Any
    footing: Any


class Aims(NamedTuple):
    """The constraints (C,) of `AIM`.

    points  (C, N, 4) float32: what of a node is to be at the place, and how it faces
    leads   (C, N) bits: 1 if anything leads on from a node, 2 if it may meet the next constraint
    """

    each: Any
    points: Any
    leads: Any


class Cells(NamedTuple):
    """How places become numbers.

    x, z     of the middle of the first cell; cell_m its width, `per_m` of them a metre
    wide     radians of a yaw, `per_rad` of them a radian
    columns, rows, yaws  how many there are
    times, blends  how many times, and numbers of interpolated segments, are told apart
    span     ticks of time that are told apart
    limited  whether interpolated segments are counted
    snap     whether a state is in the middle of its cells
    coarse   whether states count as one that are of one group of nodes, and in the same of so many
             cells and yaws: 1 / `per_wide` and 1 / `per_turn`
    blend_at and so on  the bits of a key at which its numbers begin; time has the lowest
    """

    x: float
    z: float
    cell_m: float
    per_m: float
    wide: float
    per_rad: float
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
    blend_at: int
    met_at: int
    yaw_at: int
    row_at: int
    column_at: int
    node_at: int


CELLS = np.dtype(list(get_type_hints(Cells).items()))
"""The record that kernels pass on: one address instead of many numbers."""


class SearchSpace(NamedTuple):
    """All that a search reads and never changes; cells (1,) of `CELLS`."""

    routes: Routes
    guide: Guide
    aims: Aims
    world: WorldArrays
    body: BodyArrays
    cells: Any


class Scratch(NamedTuple):
    """Memory for an expansion: origin (1,), rows of successors (L,), numbers of some rows (L,)."""

    origin: Any
    rows: Any
    left: Any


class States(NamedTuple):
    """The states (S,) of `STATE`, the table of them, and the heap.

    slots  0 if empty; else half of the key's hash, and the state's number plus 1; the slot of a
           key is that half shifted by `shift`, or the next one that is empty
    """

    rows: Any
    slots: Any
    heap_keys: Any
    heap_items: Any
    shift: int


def make_states(most: int, slots: int) -> States:
    """Room for `most` states, none yet. Memory is taken from the system as it is used."""
    return States(
        np.empty(most, STATE), np.zeros(slots, np.int64), np.empty(most, np.float32),
        np.empty(most, np.int32), table_shift(slots),
    )  # fmt: skip


def table_shift(slots: int) -> int:
    """What is shifted away of 32 bits of a hash to get one of so many slots, a power of 2."""
    return 33 - slots.bit_length()


def make_scratch(rows: int) -> Scratch:
    """Make room for the successors of a state."""
    return Scratch(np.zeros(1, ORIGIN), np.zeros(rows, SUCCESSOR), np.zeros(rows, np.int64))


def most_states(memory_mb: float) -> int:
    """How many states fit into so much memory, with their table and heap."""
    # A table that was just doubled is half as full as it may be.
    each = STATE.itemsize + ENTRY_BYTES + SLOT_BYTES * 2 / FULLEST
    most = int(memory_mb * 1e6 / each)
    if most < 1000:
        raise InputError(f"{memory_mb:g} MB is too little to search", remedy="allow 1 MB or more")
    return min(most, 2**31 - 2)
