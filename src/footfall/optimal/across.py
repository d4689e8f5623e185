"""Steps across: from a stand to the same stand elsewhere, made without a recording.

Who crosses water on stones takes a long step to the next one, ahead or aside, and closes the feet.
Clips that walk have no such steps. A few are made of the stand that most motions begin and end in;
what lies between them is interpolated. They are joined to the graph of the clips there, and change
nothing else of it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

import numpy as np

from footfall.adapt.steps.stepping import make_steps
from footfall.body.clip import Clip
from footfall.body.edit import move
from footfall.body.feet import mean_leg
from footfall.errors import InputError
from footfall.gait.signatures import FEET
from footfall.library.library import library_of
from footfall.optimal.build import PhaseSettings, build_phase_graph
from footfall.optimal.made import ACROSS, made_name, read_made
from footfall.optimal.model import PhaseGraph

PLACES = (
    (0.0, 0.7, 0), (0.0, 0.7, 1), (0.0, 1.05, 0), (0.0, 1.05, 1),
    (0.25, 0.65, 0), (-0.25, 0.65, 1), (0.35, 0.95, 0), (-0.35, 0.95, 1),
)  # fmt: skip
"""Where a step leads to, in lengths of a leg: left and ahead; and the foot that goes first."""
_LONGER = 1.8
"""How many times as long as when nothing asks for it such a step may be."""
_ALIKE = 1e-3
"""How unlike the two stands that are joined may be at most, metres and shares of a turn."""


def add_steps_across(
    graph: PhaseGraph,
    settings: PhaseSettings = PhaseSettings(),  # noqa: B008
) -> PhaseGraph:
    """The graph with steps across from the stand that most edges leave; itself if there is none."""
    stands = graph.state_rest & (graph.state_signature == FEET) & (graph.state_before == FEET)
    leaving = np.bincount(graph.edge_from, minlength=len(stands))
    reaching = np.bincount(graph.edge_to, minlength=len(stands))
    if not stands.any():
        return graph
    state = int(np.where(stands, np.minimum(leaving, reaching), -1).argmax())
    clips = _make_clips(graph, state)
    if not clips:
        return graph
    made = build_phase_graph(library_of(clips), replace(settings, shifts=False))
    own = np.flatnonzero(made.state_rest)
    if len(own) != 1 or not _is_alike(graph, state, made, int(own[0])):
        return graph
    return _join(graph, state, made, int(own[0]))


def _make_clips(graph: PhaseGraph, state: int) -> list[Clip]:
    """Steps from a state to the same elsewhere."""
    stand = Clip(
        graph.skeleton, graph.fps, graph.state_root[state : state + 1],
        graph.state_rotations[state : state + 1], contacts=np.ones((1, 4), np.bool_),
    )  # fmt: skip
    frame = int(graph.edge_first[int(np.flatnonzero(graph.edge_from == state)[0])])
    posture = read_made(graph.names[int(graph.frame_clip[frame])]).clip
    leg_m, fastest = mean_leg(graph.skeleton), graph.clip_speeds.max(axis=0)
    clips = []
    for n, (aside, ahead, foot) in enumerate(PLACES):
        name = made_name(posture, int(graph.frame_source[frame]), ACROSS, n)
        there = move(stand, aside * leg_m, ahead * leg_m)
        with suppress(InputError):  # nobody can step there
            clips.append(make_steps(stand, there, name=name, most_speeds=fastest, longer=_LONGER,
                                    first=foot).tagged(["step"]))  # fmt: skip
    return clips


def _is_alike(one: PhaseGraph, a: int, other: PhaseGraph, b: int) -> bool:
    """Whether two states of two graphs are one pose."""
    apart = np.abs(one.state_root[a] - other.state_root[b]).max()
    turned = 1.0 - np.abs((one.state_rotations[a] * other.state_rotations[b]).sum(axis=-1)).min()
    return bool(max(float(apart), float(turned)) < _ALIKE)


def _join(graph: PhaseGraph, state: int, made: PhaseGraph, own: int) -> PhaseGraph:
    """Both graphs in one, with `state` of the first and `own` of the second the same."""
    kept = np.arange(len(made.state_rest)) != own
    number = np.full(len(kept), state, np.int32)
    number[kept] = len(graph.state_rest) + np.arange(np.count_nonzero(kept))
    seconds = (np.diff(made.edge_first) - 1) / made.fps
    made = replace(
        made, edge_cost=made.edge_cost + (graph.rest_cost - made.rest_cost) * seconds,
        edge_from=number[made.edge_from], edge_to=number[made.edge_to],
        frame_clip=made.frame_clip + len(graph.names),
        edge_first=made.edge_first[1:] + graph.edge_first[-1],
    )  # fmt: skip
    joined: dict[str, Any] = {}
    for field in fields(PhaseGraph):
        one, two = getattr(graph, field.name), getattr(made, field.name)
        if field.name == "names":
            joined[field.name] = (*one, *two)
        elif isinstance(one, np.ndarray):
            two = two[kept] if field.name.startswith("state_") else two
            joined[field.name] = np.concatenate([one, two]).astype(one.dtype)
    return replace(graph, **joined)
