"""The databases of the experiments: five curvatures twice, and three walks to compare with.

The generated clips are made for it. From any other library walks are taken by how far they turn:
about straight, a bend, a sharp bend, each to the left and to the right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.edit import mirror, resample
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.gait.path import path_abstraction
from footfall.library.library import Library, open_library
from footfall.maths.arrays import Floats, Ints
from footfall.maths.runs import runs

FPS = 30.0
TIGHT_LEFT = 3
"""The place of the sharp bend to the left among the five clips of a database."""
_STRAIGHT_RAD = np.radians(25.0)
_SHARP_RAD = np.radians(70.0)
_LEAST_SPEED_M_S = 0.5
"""Slower than this somebody is starting, stopping or standing."""
_LONGEST_SLOW_S = 1.0
_LEAST_WAY_M = 2.5
_NOT_PLAIN = ("run", "jump", "backward", "sidestep", "stairs", "duck", "pick", "sit", "step_over",
              "step_onto", "hop", "hurdle", "beam", "crouch", "crawl", "lie",
              "step_off")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Database:
    """What the experiments run on.

    name     as the report calls it
    metrics  the five clips that the metrics are compared on
    paths    the five clips that the path abstractions are compared on
    tried    the recorded walks: straight, of low and of high curvature
    notes    what had to be done without
    """

    name: str
    metrics: tuple[Clip, ...]
    paths: tuple[Clip, ...]
    tried: tuple[Clip, Clip, Clip]
    notes: tuple[str, ...] = ()


def default_database() -> Database:
    """Return the generated walks of five curvatures: 832 and 683 frames."""
    sets = [tuple(open_library(f"default:{g}")) for g in ("basten", "basten_paths", "basten_test")]
    straight, low, high = sets[2]
    return Database("the default clips", sets[0], sets[1], (straight, low, high))


def real_database(library: Library, name: str) -> Database:
    """Walks of a library, sorted by how far they turn; mirrored where one side is missing."""
    kinds = _by_turn([walk for clip in library for walk in _steady_walks(clip)])
    notes: list[str] = []
    for way in ("straight", "low", "high"):
        if not kinds[way, "left"] and not kinds[way, "right"]:
            raise InputError(
                f"no walk of {way} curvature in {name}",
                remedy="the experiments need straight walks, bends and sharp bends",
            )
    tried = []
    for way in ("straight", "low", "high"):
        walks = sorted(kinds[way, "left"] + kinds[way, "right"], key=_length, reverse=True)
        tried.append(walks[0])
        if len(walks) == 1:
            notes.append(f"the recorded walk of {way} curvature is in the databases too")
    kept_out = {walk.name for walk in tried}
    chosen = [_five(kinds, rank, kept_out, notes) for rank in (0, 1)]
    straight, low, high = tried
    return Database(name, chosen[0], chosen[1], (straight, low, high), tuple(dict.fromkeys(notes)))


def _five(
    kinds: dict[tuple[str, str], list[Clip]], rank: int, kept_out: set[str], notes: list[str]
) -> tuple[Clip, ...]:
    """Straight, left, right, sharp left, sharp right: the longest (rank 0) or the next."""
    straight = kinds["straight", "left"] + kinds["straight", "right"]
    five = [_walk_of_rank(straight, rank, kept_out) or max(straight, key=_length)]
    for way in ("low", "high"):
        for side, other in (("left", "right"), ("right", "left")):
            mirrored = [
                _mirror_walk(walk) for walk in kinds[way, other] if walk.name not in kept_out
            ]
            found = _walk_of_rank(kinds[way, side], rank, kept_out)
            if found is None:
                found = _walk_of_rank(mirrored, rank, set())
                notes.append(f"bends of {way} curvature to the {side} are mirrored ones")
            five.append(found or max(kinds[way, side] + mirrored, key=_length))
    return tuple(five)


def _walk_of_rank(walks: list[Clip], rank: int, kept_out: set[str]) -> Clip | None:
    """Return the longest walk (rank 0), or the next; the last there is if there are not so many."""
    free = sorted((w for w in walks if w.name not in kept_out), key=_length, reverse=True)
    return free[min(rank, len(free) - 1)] if free else None


def _mirror_walk(walk: Clip) -> Clip:
    return replace(mirror(walk, keep_skeleton=True), name=f"{walk.name} mirrored")


def _by_turn(walks: list[Clip]) -> dict[tuple[str, str], list[Clip]]:
    kinds: dict[tuple[str, str], list[Clip]] = {
        (way, side): [] for way in ("straight", "low", "high") for side in ("left", "right")
    }
    for walk in walks:
        turn = _turn(path_abstraction(walk))
        size = abs(turn)
        way = "straight" if size < _STRAIGHT_RAD else "low" if size < _SHARP_RAD else "high"
        kinds[way, "left" if turn > 0.0 else "right"].append(walk)
    return kinds


def _steady_walks(clip: Clip) -> list[Clip]:
    """Return the stretches of a clip in which somebody plainly walks on, at 30 Hz."""
    if "walk" not in clip.tags or any(tag in clip.tags for tag in _NOT_PLAIN):
        return []
    clip = resample(clip, FPS) if abs(clip.fps - FPS) > 1e-6 else clip
    path = path_abstraction(clip)
    speed = np.linalg.norm(np.gradient(path, axis=0), axis=1) * FPS
    pieces: list[Clip] = []
    for first, stop in _bridge_gaps(runs(speed > _LEAST_SPEED_M_S)):
        way = float(np.sum(speed[first:stop])) / FPS
        if way >= _LEAST_WAY_M and _facing_ahead(clip, path, int(first), int(stop)):
            name = clip.name if not pieces else f"{clip.name} {len(pieces) + 1}"
            pieces.append(replace(clip[int(first) : int(stop)], name=name))
    return pieces


def _bridge_gaps(stretches: Ints) -> list[list[int]]:
    """Stretches (N, 2) of frames, joined where somebody only slows down for a turn."""
    joined: list[list[int]] = []
    for first, stop in stretches.tolist():
        if joined and first - joined[-1][1] <= _LONGEST_SLOW_S * FPS:
            joined[-1][1] = stop
        else:
            joined.append([first, stop])
    return joined


def _facing_ahead(clip: Clip, path: Floats, first: int, stop: int) -> bool:
    """Not backward and not sideways: the hips face where they go."""
    hips = [clip.skeleton.role(f"{side}_hip") for side in SIDES]
    across = np.subtract(*np.moveaxis(clip.positions[first:stop, hips], 1, 0))
    ahead = np.stack([-across[:, 2], across[:, 0]], axis=1)
    going = np.gradient(path[first:stop], axis=0)
    cosine = np.einsum("ti,ti->t", ahead, going) / np.maximum(
        np.linalg.norm(ahead, axis=1) * np.linalg.norm(going, axis=1), 1e-9
    )
    return float(np.mean(cosine)) > 0.9


def _turn(path: Floats) -> float:
    """Return how far the way turns in all, radians, positive to the left."""
    steps = np.diff(path, axis=0)
    return float(np.sum(np.diff(np.unwrap(np.arctan2(steps[:, 0], steps[:, 1])))))


def _length(walk: Clip) -> int:
    return len(walk)
