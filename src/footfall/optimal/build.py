"""The motion graph between contact changes, built from the clips of a library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.library.library import Library
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.easing import smoothstep
from footfall.optimal.effort import frame_efforts
from footfall.optimal.merge import merge_states
from footfall.optimal.model import PhaseGraph
from footfall.optimal.phases import Phases, find_phases


@dataclass(frozen=True)
class PhaseSettings:
    """How a phase graph is made.

    merge_m  how far any joint of two states that become one may be apart, metres
    """

    merge_m: float = 0.12


def build_phase_graph(
    library: Library,
    settings: PhaseSettings = PhaseSettings(),  # noqa: B008
    progress: Callable[[float], None] | None = None,
) -> PhaseGraph:
    """The phase graph of all clips of a library."""
    clips = list(library)
    phases = find_phases(clips)
    effort = np.concatenate([frame_efforts(clip) for clip in clips])
    first, last = _own_phases(phases)
    kinds = np.unique(
        np.stack([phases.before, phases.signature[phases.states], phases.rest], axis=1),
        axis=0, return_inverse=True,
    )[1].astype(np.int32)  # fmt: skip
    stands_for = merge_states(phases, kinds.reshape(-1), settings.merge_m)
    total = np.concatenate([[0.0], np.cumsum(effort)])
    cost = total[phases.states[last]] - total[phases.states[first]]
    edges = _cheapest(stands_for[first], stands_for[last], cost)
    keep = _strong_part(len(phases.states), stands_for[first[edges]], stands_for[last[edges]])
    edges = edges[keep]
    return _graph(phases, stands_for, first[edges], last[edges], cost[edges])


def _own_phases(phases: Phases) -> tuple[Ints, Ints]:
    """Pairs of states that follow each other in a clip."""
    clip = phases.frames.clip[phases.states]
    first = np.flatnonzero(clip[1:] == clip[:-1]).astype(np.int32)
    return first, first + 1


def _cheapest(tails: Ints, heads: Ints, cost: Floats) -> Ints:
    """The cheapest of each set of parallel edges; none that leads back to where it begins."""
    order = np.lexsort((cost, heads, tails))
    pairs = np.stack([tails[order], heads[order]])
    new = np.append(True, (pairs[:, 1:] != pairs[:, :-1]).any(axis=0))
    return np.asarray(order[new & (pairs[0] != pairs[1])], np.int32)


def _strong_part(states: int, tails: Ints, heads: Ints) -> Bools:
    """(E,) which edges are in the largest part where every state leads to every other."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    matrix = csr_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(states, states))
    _, label = connected_components(matrix, directed=True, connection="strong")
    inside = label[tails] == label[heads]
    sizes = np.bincount(label[tails[inside]], minlength=states)
    return np.asarray(inside & (label[tails] == sizes.argmax()))


def _graph(phases: Phases, stands_for: Ints, first: Ints, last: Ints, cost: Floats) -> PhaseGraph:
    tails, heads = stands_for[first], stands_for[last]
    used = np.unique(np.concatenate([tails, heads]))
    frames, at = phases.frames, phases.states[used]
    pose = planar.pose_of(frames.root, frames.rotations[:, 0])
    root, rotations = _ground_frame(phases, at, at, pose)
    spans = [
        np.arange(a, b + 1) for a, b in zip(phases.states[first], phases.states[last], strict=True)
    ]
    lengths = np.array([len(span) for span in spans])
    source = np.concatenate(spans)
    begin = np.repeat(phases.states[first], lengths)
    frame_root, frame_rotations = _ground_frame(phases, source, begin, pose)
    place = np.searchsorted(used, tails), np.searchsorted(used, heads)
    edge_first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    graph = PhaseGraph(
        skeleton=frames.skeleton, fps=frames.fps, names=phases.names,
        state_before=phases.before[used], state_signature=phases.signature[at],
        state_root=root, state_rotations=rotations, state_rest=phases.rest[used],
        edge_from=place[0].astype(np.int32), edge_to=place[1].astype(np.int32),
        edge_cost=cost, edge_transition=np.zeros(len(cost)),
        edge_move=planar.relative(pose[phases.states[first]], pose[phases.states[last]]),
        edge_rise=phases.ground[phases.states[last]] - phases.ground[phases.states[first]],
        edge_first=edge_first, frame_root=frame_root, frame_rotations=frame_rotations,
        frame_clip=frames.clip[source],
        frame_source=(source - frames.clip_start[frames.clip[source]]).astype(np.int32),
    )  # fmt: skip
    return _with_exact_ends(graph)


def _ground_frame(phases: Phases, frames: Ints, begin: Ints, pose: Floats) -> tuple[Floats, Floats]:
    """Root (N, 3) and rotations (N, J, 4) of frames as seen from the ground of other frames."""
    back = planar.inverse(pose[begin])
    root = planar.apply_to_points(back, phases.frames.root[frames])
    root[:, 1] -= phases.ground[begin]
    rotations = np.array(phases.frames.rotations[frames])
    rotations[:, 0] = planar.apply_to_rotations(back, rotations[:, 0])
    return root, rotations


def _with_exact_ends(graph: PhaseGraph) -> PhaseGraph:
    """The graph with the frames of its edges eased to the poses of the states at their ends."""
    root, rotations = graph.frame_root, graph.frame_rotations
    for edge, (a, b) in enumerate(zip(graph.edge_first[:-1], graph.edge_first[1:], strict=True)):
        move = graph.edge_move[edge]
        for state, at, fade in (
            (graph.edge_from[edge], a, slice(None)),
            (graph.edge_to[edge], b - 1, slice(None, None, -1)),
        ):
            weight = 1.0 - smoothstep(np.linspace(0.0, 1.0, b - a))[fade]
            there = graph.state_root[state] + [0.0, graph.edge_rise[edge] * (at > a), 0.0]
            turned = graph.state_rotations[state].copy()
            if at > a:
                there = planar.apply_to_points(move, there)
                turned[0] = planar.apply_to_rotations(move, turned[0])
            gap = quat.to_rotation_vector(
                quat.multiply(turned, quat.conjugate(quat.toward(rotations[at], turned)))
            )
            root[a:b] += weight[:, None] * (there - root[at])
            turn = quat.from_rotation_vector(weight[:, None, None] * gap)
            rotations[a:b] = quat.normalise(quat.multiply(turn, rotations[a:b]))
    return graph
