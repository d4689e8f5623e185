"""A blend space from any library: which strides are taken, and which are made.

Strides are found in all clips that walk or run forward; of many alike the one that repeats best
is taken. Stepping on the spot is made from the slowest straight walk, since clips seldom have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.adapt.steps.standing import stand_like
from footfall.blending.examples import Example, cut_examples
from footfall.blending.in_place import step_in_place
from footfall.blending.model import BlendSpace, encode_examples, find_steps
from footfall.blending.weights import make_basis
from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.maths.arrays import Floats
from footfall.maths.rounding import POSITION_M, ROTATION, round_rotations, round_to_grid

PARAMETERS = ("speed", "turn", "style")
_IMPORTANCE = {"speed": 2.0, "turn": 2.0, "style": 1.0}
_LEAST_SPAN = {"speed": 0.5, "turn": 0.4, "style": 1.0}
"""Differences that matter: smaller ranges of a parameter are noise of its measurement."""
_MOST_TURN_IN_PLACE = 1.5
_TAKEN = (*PARAMETERS, "dt")


@dataclass(frozen=True)
class SpaceSettings:
    """Which examples are taken.

    most      examples at most
    near      normalised parameters nearer than this are the same
    mirrored  strides count as seen in a mirror too
    in_place  stepping on the spot is made
    """

    most: int = 24
    near: float = 0.04
    mirrored: bool = False
    in_place: bool = True


def build_space(
    clips: Sequence[Clip], stand: Clip | None = None,
    settings: SpaceSettings = SpaceSettings(),
    own: Mapping[str, Mapping[str, float]] | None = None,
) -> BlendSpace:  # fmt: skip
    """The blend space of clips on one skeleton.

    stand  one frame that stands at the origin; None: made from the slowest walk
    own    parameters of the users', by name of the clip: those of all clips become dimensions
    """
    own = own or {}
    strides = cut_examples(clips, mirrored=settings.mirrored, own=own)
    if not strides:
        raise InputError(
            f"none of {len(clips)} clips has a stride to blend",
            remedy="a stride is three steps forward, at a steady pace",
        )
    stand = stand_like(slowest_walk(strides).clip) if stand is None else stand
    names = parameter_names(own)
    chosen = choose_examples(strides, parameters(strides, names), names, settings)
    if settings.in_place:
        for walk in _walks_to_stand_from(chosen):
            for turn in (0.0, _MOST_TURN_IN_PLACE, -_MOST_TURN_IN_PLACE):
                chosen.append(step_in_place(walk, stand, turn))
    turns, place = round_rotations(stand.rotations[0]), round_to_grid(stand.root[0], POSITION_M)
    return assemble_space(tuple(chosen), names, turns, place)


def assemble_space(
    examples: tuple[Example, ...], names: tuple[str, ...], stand_turns: Floats, stand_place: Floats
) -> BlendSpace:
    """The blend space of examples that were chosen; a stand as rotations (J, 4) and root (3,)."""
    values = parameters(examples, names)
    importance = np.array([_IMPORTANCE.get(n, 1.0) for n in names])
    basis = make_basis(names, values, importance, _least_spans(names))
    skeleton = examples[0].clip.skeleton
    middle, reference, vectors = encode_examples(examples)
    landings, leans = find_steps(skeleton, examples)
    return BlendSpace(
        skeleton, examples, basis, round_rotations(middle),
        round_to_grid(reference, ROTATION), round_to_grid(vectors, ROTATION),
        np.array(stand_turns), np.array(stand_place),
        np.array([e.seconds for e in examples]), np.array([e.contacts for e in examples]),
        round_to_grid(landings, POSITION_M), round_to_grid(leans, ROTATION),
    )  # fmt: skip


def parameter_names(own: Mapping[str, Mapping[str, float]]) -> tuple[str, ...]:
    """The names of all parameters, the users' own at the end; names that are taken are refused."""
    more = sorted({name for given in own.values() for name in given})
    for name in more:
        if name in _TAKEN:
            raise InputError(
                f"a parameter of your own is called {name!r}",
                remedy=f"another name than {', '.join(_TAKEN)}",
            )
    return (*PARAMETERS, *more)


def _walks_to_stand_from(examples: Sequence[Example]) -> list[Example]:
    """The slowest walk; with parameters of the users', that at the low and the high end of each.

    So who steps on the spot can be as loaded, or as sad, as who walks.
    """
    if not examples[0].own:
        return [slowest_walk(examples)]
    found: dict[tuple[float, ...], Example] = {}
    for name in sorted(examples[0].own):
        for end in (min, max):
            at = end(e.own[name] for e in examples)
            walk = slowest_walk([e for e in examples if e.own[name] == at])
            found.setdefault(tuple(walk.own[n] for n in sorted(walk.own)), walk)
    return list(found.values())


def parameters(examples: Sequence[Example], names: Sequence[str]) -> Floats:
    """(E, P) speed, turn, style and the users' own parameters of examples."""
    rows = []
    for e in examples:
        given = {"speed": e.speed_m_s, "turn": e.turn_rad_s, "style": e.style, **e.own}
        missing = [n for n in names if n not in given]
        if missing:
            raise InputError(
                f"clip {e.clip.name!r} has no value for {missing[0]!r}",
                remedy="give every clip that walks or runs a number for every parameter",
            )
        rows.append([given[n] for n in names])
    return np.array(rows, float)


def choose_examples(
    strides: Sequence[Example], values: Floats, names: Sequence[str], settings: SpaceSettings
) -> list[Example]:
    """Examples that are far from each other, of those that are near the one that repeats best."""
    span = np.maximum(np.ptp(values, axis=0), _least_spans(names))
    points = (values - values.min(axis=0)) / np.where(span > 1e-9, span, 1.0)
    by_gap = np.argsort([e.gap for e in strides], kind="stable")
    kept: list[int] = []
    for n in by_gap.tolist():
        if all(np.linalg.norm(points[n] - points[k]) > settings.near for k in kept):
            kept.append(n)
    if len(kept) > settings.most:
        kept = _farthest(points, kept, settings.most)
    return [strides[n] for n in sorted(kept)]


def _least_spans(names: Sequence[str]) -> Floats:
    return np.array([_LEAST_SPAN.get(n, 0.0) for n in names])


def _farthest(points: Floats, among: list[int], count: int) -> list[int]:
    """So many of them, each as far as can be from those before."""
    rows = np.array(among)
    first = int(np.argmin(np.linalg.norm(points[rows] - points[rows].mean(axis=0), axis=1)))
    kept, away = [first], np.full(len(rows), np.inf)
    while len(kept) < count:
        away = np.minimum(away, np.linalg.norm(points[rows] - points[rows[kept[-1]]], axis=1))
        kept.append(int(np.argmax(away)))
    return [int(rows[k]) for k in kept]


def slowest_walk(examples: Sequence[Example]) -> Example:
    """The slowest example that goes about straight, a walk if there is one."""
    straight = [e for e in examples if abs(e.turn_rad_s) < 0.15] or list(examples)
    walks = [e for e in straight if e.style < 0.5] or straight
    return min(walks, key=lambda e: e.speed_m_s)
