"""Moves and roadmaps kept in the user's cache, by the address of all that they were made of.

    moves = kept_moves(clips, tolerance_m)               # found once, read the next time
    roadmap = kept_roadmap(moves, settings, scene)       # built once, read the next time

An address holds the content of the clips and of the scene, the settings, and the code: what was
made of anything else is never found. What is found is checked as `library.store.arrays` says, and
for numbers that lead nowhere; what does not pass is made anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, is_dataclass, replace
from itertools import pairwise
from typing import Any, get_type_hints
from weakref import WeakKeyDictionary

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import FileFormatError, InputError
from footfall.gait.footprints import Footprint
from footfall.library.store.arrays import Arrays, ArrayStore, Facts, address
from footfall.library.store.code import rooms_version
from footfall.roadmap.build import build_roadmap
from footfall.roadmap.footholds import SureGround
from footfall.roadmap.model import Edges, Roadmap
from footfall.roadmap.moves import Moves, find_moves
from footfall.roadmap.options import RoadmapOptions
from footfall.roadmap.table import MoveTable, RoadmapSettings, list_moves
from footfall.task.options import make_options
from footfall.world.fingerprint import scene_fingerprint
from footfall.world.scene import Scene
from footfall.world.scene_edit import without_moving

MOVES = ArrayStore("move", most_kept=12)
TABLES = ArrayStore("movetable", most_kept=12)
ROADMAPS = ArrayStore("roadmap", most_kept=24)
_ROOMS = ("world", "world/collision", "roadmap", "search", "task")
"""Code that decides what a roadmap looks like, beside that which decides what clips do."""
_PRINTS = ("print_foot", "print_p", "print_q", "print_t", "print_delta", "print_stance")
_addresses: WeakKeyDictionary[Moves, str] = WeakKeyDictionary()


def kept_moves(clips: Sequence[Clip], tolerance_m: float) -> Moves:
    """The moves of clips, from the cache if they were found before."""
    key = moves_address(clips, tolerance_m)
    moves = load_moves(key, clips)
    if moves is None:
        moves = find_moves(clips, tolerance_m)
        keep_moves(key, moves)
    _addresses[moves] = key
    return moves


def kept_table(moves: Moves, settings: RoadmapSettings) -> MoveTable:
    """The moves listed by where they lead, from the cache if they were listed before."""
    key = _addresses.get(moves)
    if key is None:
        return list_moves(moves, settings)
    listed = replace(settings, nodes=0, more=0, neighbours=0, seed=0)  # footholds do not matter
    key = address("table", key, asdict(listed))
    if (table := load_table(key, moves, settings)) is None:
        table = list_moves(moves, settings)
        TABLES.keep(key, *_flatten(table, ("moves", "settings")))
    return table


def kept_roadmap(
    moves: Moves, settings: RoadmapSettings, scene: Scene,
    progress: Callable[[float], None] = lambda share: None,
) -> Roadmap:  # fmt: skip
    """The roadmap of what stands still in a scene, from the cache if it was built before."""
    table = kept_table(moves, settings)
    scene = without_moving(scene)
    key = roadmap_address(moves, settings, scene)
    roadmap = load_roadmap(key, table) if key else None
    if roadmap is None:
        roadmap = build_roadmap(table, scene, progress)
        if key:
            keep_roadmap(key, roadmap)
    return roadmap


def scene_roadmap(
    scene: Scene, clips: Sequence[Clip] | None = None, seed: int = 0, **options: Any
) -> Roadmap:
    """The roadmap of what stands still in a scene, for those who keep one themselves.

    clips     whose moves it is made of; None: the default clips of the method
    options   those of the method `roadmap`
    """
    from footfall.library.library import open_library
    from footfall.roadmap.method import METHOD

    chosen = make_options(RoadmapOptions, options, METHOD.name)
    played = tuple(open_library(METHOD.default_clips) if clips is None else clips)
    return kept_roadmap(kept_moves(played, chosen.posture_m), chosen.settings(seed), scene)


# ---- addresses ---------------------------------------------------------------------------


def moves_address(clips: Sequence[Clip], tolerance_m: float) -> str:
    """The address of the moves of clips: their content, tags and how they are told apart."""
    digest = hashlib.sha256()
    for clip in clips:
        label = (clip.name, clip.fps, sorted(clip.tags), clip.skeleton.fingerprint, len(clip))
        digest.update(repr(label).encode())
        for array in (clip.root, clip.rotations, clip.contacts):
            digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return address("moves", rooms_version(*_ROOMS), digest.hexdigest(), float(tolerance_m))


def roadmap_address(moves: Moves, settings: RoadmapSettings, scene: Scene) -> str:
    """The address of a roadmap; "" where the moves themselves have none."""
    key = _addresses.get(moves)
    return address("roadmap", key, asdict(settings), scene_fingerprint(scene)) if key else ""


# ---- files -------------------------------------------------------------------------------


def keep_moves(key: str, moves: Moves) -> bool:
    """Keep moves under an address; False if that cannot be."""
    arrays, facts = _flatten(moves, ("clips", "prints"))
    flat = [p for prints in moves.prints for p in prints]
    counts = np.array([len(prints) for prints in moves.prints], np.int64)
    columns = (
        np.array([p.foot for p in flat], np.int64), np.array([p.p for p in flat]).reshape(-1, 3),
        np.array([p.q for p in flat]).reshape(-1, 4), np.array([p.t for p in flat], float),
        np.array([p.delta for p in flat], float), np.array([p.stance for p in flat], np.int64),
    )  # fmt: skip
    arrays |= dict(zip(_PRINTS, columns, strict=True)) | {"print_counts": counts}
    return MOVES.keep(key, arrays, facts)


def load_moves(key: str, clips: Sequence[Clip]) -> Moves | None:
    """The moves of these clips under an address; None if there are none that can be trusted."""
    found = MOVES.load(key)
    if found is None:
        return None
    with suppress(InputError, KeyError, TypeError, ValueError, IndexError):
        arrays, facts = found
        counts = arrays["print_counts"].tolist()
        if len(counts) != len(clips) or sum(counts) != len(arrays["print_t"]):
            raise FileFormatError("its footprints are not those of the clips")
        rows = zip(*(arrays[name] for name in _PRINTS), strict=True)
        flat = [Footprint(int(f), p, q, float(t), float(d), int(s)) for f, p, q, t, d, s in rows]
        ends = np.cumsum([0, *counts]).tolist()
        prints = tuple(tuple(flat[a:b]) for a, b in pairwise(ends))
        moves: Moves = _unflatten(Moves, arrays, facts, {"clips": tuple(clips), "prints": prints})
        _check_moves(moves)
        return moves
    return None


def load_table(key: str, moves: Moves, settings: RoadmapSettings) -> MoveTable | None:
    """The list of these moves under an address; None if there is none that can be trusted."""
    found = TABLES.load(key)
    if found is None:
        return None
    with suppress(InputError, KeyError, TypeError, ValueError):
        table: MoveTable = _unflatten(MoveTable, *found, {"moves": moves, "settings": settings})
        _check_range(table.items, len(moves))
        if len(table.pair) != len(moves) or table.starts[-1] != len(table.items):
            raise FileFormatError("it is a list of other moves")
        return table
    return None


def keep_roadmap(key: str, roadmap: Roadmap) -> bool:
    """Keep a roadmap under an address; False if that cannot be."""
    edges = roadmap.edges
    arrays: Arrays = {
        "nodes": roadmap.nodes, "tail": edges.tail.astype(np.int32),
        "head": edges.head.astype(np.int32), "move": edges.move, "cost": edges.cost,
        "sure": roadmap.sure.heights, "level": roadmap.sure.level,
    }  # fmt: skip
    return ROADMAPS.keep(key, arrays, {})


def load_roadmap(key: str, table: MoveTable) -> Roadmap | None:
    """The roadmap under an address; None if there is none that can be trusted."""
    found = ROADMAPS.load(key)
    if found is None:
        return None
    with suppress(InputError, KeyError, TypeError, ValueError, IndexError):
        return _roadmap(found[0], table)
    return None


def _roadmap(arrays: Arrays, table: MoveTable) -> Roadmap:
    nodes = arrays["nodes"]
    if nodes.ndim != 2 or nodes.shape[1] != 4 or not np.isfinite(nodes).all():
        raise FileFormatError("its footholds are not footholds")
    for name in ("tail", "head"):
        _check_range(arrays[name], len(nodes))
    _check_range(arrays["move"], len(table.moves))
    edges = Edges(
        arrays["tail"].astype(np.int64), arrays["head"].astype(np.int64), arrays["move"],
        arrays["cost"],
    )  # fmt: skip
    if len({len(edges.tail), len(edges.head), len(edges.move), len(edges.cost)}) != 1:
        raise FileFormatError("its edges are not complete")
    state = edges.tail * table.moves.postures + table.moves.begins[edges.move]
    if (np.diff(state) < 0).any() or not np.isfinite(edges.cost).all():
        raise FileFormatError("its edges are not in order")
    starts = np.searchsorted(state, np.arange(len(nodes) * table.moves.postures + 1))
    sure = SureGround(arrays["sure"], arrays["level"])
    if sure.heights.ndim != 2 or sure.level.shape != (3,):
        raise FileFormatError("its ground is not complete")
    return Roadmap(table, nodes, edges, starts.astype(np.int64), sure)


def _check_moves(moves: Moves) -> None:
    count, clips = len(moves), len(moves.clips)
    _check_range(moves.clip, clips)
    lengths = np.array([len(clip) for clip in moves.clips])[moves.clip]
    prints = np.array([len(p) for p in moves.prints])[moves.clip]
    inside = (moves.first >= 0) & (moves.last < lengths) & (moves.last_print < prints)
    _check_range(moves.begins, moves.postures)
    _check_range(moves.ends, moves.postures)
    if not inside.all() or len(moves.print_start) != count + 1:
        raise FileFormatError("its moves are not those of the clips")


def _check_range(numbers: np.ndarray, stop: int) -> None:
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= stop):
        raise FileFormatError("a number in it leads nowhere")


def _flatten(value: Any, skip: tuple[str, ...] = ()) -> tuple[Arrays, Facts]:
    """The fields of a dataclass as arrays and plain facts; fields of fields by dotted names."""
    arrays: Arrays = {}
    facts: Facts = {}
    for field in fields(value):
        one = getattr(value, field.name)
        if field.name in skip:
            continue
        if is_dataclass(one):
            inner, plain = _flatten(one)
            arrays |= {f"{field.name}.{name}": array for name, array in inner.items()}
            facts[field.name] = plain
        elif isinstance(one, np.ndarray):
            arrays[field.name] = one
        else:
            facts[field.name] = one
    return arrays, facts


def _unflatten(kind: Any, arrays: Arrays, facts: Facts, given: dict[str, Any]) -> Any:
    """The dataclass that `_flatten` took apart, with the fields that were skipped."""
    types = get_type_hints(kind)
    values = dict(given)
    for field in fields(kind):
        name = field.name
        if name in given:
            continue
        if is_dataclass(types[name]):
            inner = {k[len(name) + 1 :]: a for k, a in arrays.items() if k.startswith(f"{name}.")}
            values[name] = _unflatten(types[name], inner, facts[name], {})
        else:
            values[name] = arrays[name] if name in arrays else facts[name]
    return kind(**values)
