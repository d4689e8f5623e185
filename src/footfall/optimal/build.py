"""The motion graph between contact changes, built from the clips of a library.

Frames of clips and transitions between them make a motion graph (Safonova & Hodgins, §4). It is
compressed in two steps (§5.1): only the best path between each two contact changes is kept, which
loses nothing; then states that are much alike become one. Each edge that is left is made a motion
of its own, once: blended, with feet that stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from footfall.body.clip import Clip
from footfall.body.edit import round_clip
from footfall.errors import InputError
from footfall.gait.signatures import LEFT_FOOT, RIGHT_FOOT
from footfall.library.library import Library
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.optimal.cull import Paths, best_paths
from footfall.optimal.footing import Footing, StanceLimits, find_footing
from footfall.optimal.merge import merge_states
from footfall.optimal.model import PhaseGraph
from footfall.optimal.phases import Phases, find_phases, frame_efforts, join_phases
from footfall.optimal.poses import StatePoses, state_poses
from footfall.optimal.realise import Edges, join_edges, look_at_clips, realise
from footfall.optimal.shifts import make_shifts
from footfall.optimal.stops import make_stops
from footfall.optimal.transitions import Switches, SwitchLimits, clip_peaks, find_switches

STEP_S = 0.55
"""How long a step takes: what transitions cost is told in steps."""
MOST_STRAIN = 1.8
"""Edges that ask more than this many times what the ground can give are not shown at all."""
_ROUNDS = 6


@dataclass(frozen=True)
class PhaseSettings:
    """How a phase graph is made.

    switches    which frames are alike enough to go over into each other
    stances     which stances are alike enough to be one
    merge_m     how far any joint of two states that become one may be apart, metres
    switch_cost what a transition costs of what a step does, if frames are as far apart as the
                common limit has it; half of it is for the transition as such
    rest_share  what a second costs whatever one does, as a share of the usual effort of a second
                on one foot: people at rest spend something too, and their time is worth something
    shifts      whether steps are made between stances that no clip joins, and stops and starts
                in stances that clips rest in
    most_out    of the edges that leave a state so many stay, those with the least transitions,
                half as many of those that reach it, and a quarter for each act there
    """

    switches: SwitchLimits = field(default_factory=SwitchLimits)
    stances: StanceLimits = field(default_factory=StanceLimits)
    merge_m: float = 0.08
    switch_cost: float = 0.1
    rest_share: float = 0.75
    shifts: bool = True
    most_out: int = 16


@dataclass(frozen=True)
class Size:
    """How large a graph was after a step of its making."""

    step: str
    states: int
    transitions: int


@dataclass(frozen=True, eq=False)
class Compression:
    """A phase graph, and how large it was before and after each step.

    sizes     from frames and transitions to what can be shown
    dearer    how much more the best path between two states costs than before states were merged
              and edges left out, as a share: in the median, and for 95 of 100
    tags      of each tag, how many clips of the library that have it can be reached from a stand
              and left for one, and how many there are
    left_out  the clips that cannot
    """

    graph: PhaseGraph
    sizes: tuple[Size, ...]
    dearer: tuple[float, float]
    tags: dict[str, tuple[int, int]]
    left_out: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class MotionGraph:
    """Frames with what touches in them, transitions between them, and what all of it costs.

    effort        (F,) from each frame to the next of its clip, with what a second at rest costs
    switch_costs  (N,) of the transitions
    rest_cost     what a second costs whatever one does
    """

    phases: Phases
    footing: Footing
    switches: Switches
    effort: Floats
    switch_costs: Floats
    rest_cost: float


def build_phase_graph(
    library: Library,
    settings: PhaseSettings = PhaseSettings(),
    progress: Callable[[float], None] | None = None,
) -> PhaseGraph:
    """The phase graph of all clips of a library."""
    return compress_library(library, settings, progress).graph


def compress_library(
    library: Library,
    settings: PhaseSettings = PhaseSettings(),
    progress: Callable[[float], None] | None = None,
) -> Compression:
    """The phase graph of all clips of a library, and how large it was on the way."""
    tell = progress or (lambda _: None)
    full = motion_graph(list(library), settings, lambda share: tell(0.4 * share))
    phases, footing = full.phases, full.footing
    paths = best_paths(phases, full.switches, full.switch_costs, full.effort)
    tell(0.5)
    stands_for = merge_states(phases, state_kinds(phases, footing), settings.merge_m)
    tell(0.55)
    poses = state_poses(phases, footing, np.arange(len(phases.states), dtype=np.int32))
    kept, edges = _natural_edges(full, poses, stands_for, paths, settings.most_out, tell)
    ends = stands_for[kept.first], stands_for[kept.last]
    strong = _joined(len(phases.states), *ends, edges.strain)
    if not len(strong):
        raise _unjoined()
    kept = kept[strong]
    graph = _graph(phases, poses, stands_for, kept, edges[strong], full.rest_cost)
    tell(1.0)
    used = {phases.names[clip] for clip in np.unique(graph.frame_clip)}
    merged = np.unique(np.stack([stands_for[paths.first], stands_for[paths.last]]), axis=1)
    own = len(phases.frames) - len(phases.names)
    sizes = (
        Size("frames and transitions", len(phases.frames), own + len(full.switches)),
        Size("best paths between contact changes", len(phases.states), len(paths)),
        Size("alike states merged", len(np.unique(merged)), merged.shape[1]),
        Size("the most natural that can be shown", len(graph.state_rest), len(graph.edge_cost)),
    )
    return Compression(
        graph, sizes, _dearer(paths, stands_for, kept), _reached_tags(library, used),
        tuple(name for name in library.names if name not in used),
    )  # fmt: skip


def motion_graph(
    clips: list[Clip],
    settings: PhaseSettings = PhaseSettings(),
    progress: Callable[[float], None] | None = None,
) -> MotionGraph:
    """The motion graph of clips, with made steps between their stances, uncompressed."""
    tell = progress or (lambda _: None)
    phases = find_phases(clips)
    tell(0.2)
    footing = find_footing(clips, phases, settings.stances)
    if settings.shifts:
        made = [*make_shifts(phases, footing), *make_stops(clips, phases, footing)]
        made = [round_clip(clip) for clip in made]
        if made:
            clips = clips + made
            phases = join_phases(phases, find_phases(made))
            footing = find_footing(clips, phases, settings.stances, footing)
    tell(0.5)
    start = phases.frames.clip_start
    effort = np.concatenate([
        frame_efforts(clip, phases.signature[a:b])
        for clip, a, b in zip(clips, start[:-1], start[1:], strict=True)
    ])  # fmt: skip
    tell(0.7)
    switches = find_switches(phases, footing, settings.switches)
    step, rest = _usual_efforts(phases, effort)
    rest *= settings.rest_share
    unlike = 1.0 + switches.apart_m / settings.switches.common_m
    costs = 0.5 * settings.switch_cost * step * unlike
    tell(1.0)
    fps = phases.frames.fps
    return MotionGraph(phases, footing, switches, effort + rest / fps, costs, rest)


def _usual_efforts(phases: Phases, effort: Floats) -> tuple[float, float]:
    """The mean effort of a step, and the median of a second, on one foot; of all if there is none.

    Leaps and low ducks take much, and say nothing of what is usual.
    """
    alone = np.isin(phases.signature, (LEFT_FOOT, RIGHT_FOOT))
    some = effort[alone] if alone.any() else effort
    fps = phases.frames.fps
    return float(some.mean()) * STEP_S * fps, float(np.median(some)) * fps


def state_kinds(phases: Phases, footing: Footing) -> Ints:
    """(S,) states of one number have the same contacts before and after, and the same stance."""
    now = phases.phase[phases.states]
    before = np.where(phases.rest, now, phases.phase[np.maximum(phases.states - 1, 0)])
    stance = np.maximum(footing.stance[now], footing.stance[before])
    rows = np.stack([phases.before, phases.signature[phases.states], phases.rest, stance], axis=1)
    return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1), np.int32)


def _natural_edges(
    full: MotionGraph, poses: StatePoses, stands_for: Ints, paths: Paths, most: int,
    tell: Callable[[float], None],
) -> tuple[Paths, Edges]:  # fmt: skip
    """The most natural edges between merged states, each the cheapest path that can be shown.

    Paths are made into motions only as far as it takes to know which edges stay (`_stay`). An
    edge whose paths were not all tried may turn out as natural as the best of the others is.
    """
    tried = _Trials(stands_for, paths)
    known = look_at_clips(full.phases, full.footing)
    acts = _acts(full.phases)
    made: list[Edges] = []
    count = rounds = 0
    while True:
        stay = _stay(tried, acts, most)
        now = np.flatnonzero(stay & tried.open).astype(np.int32)
        if not len(now):
            break
        which, begin = tried.next_paths(now), 0
        for part in realise(full.phases, full.footing, poses, stands_for, paths[which], known):
            stop = begin + len(part.strain)
            shown = np.flatnonzero(part.strain <= MOST_STRAIN).astype(np.int32)
            numbers = np.full(stop - begin, -1)
            numbers[shown] = count + np.arange(len(shown))
            tried.note(now[begin:stop], which[begin:stop], part.strain, numbers)
            made.append(part[shown])
            begin, count = stop, count + len(shown)
        rounds += 1
        tell(0.55 + 0.4 * rounds / (rounds + 4))
    if not count:
        raise _unjoined()
    kept = np.flatnonzero(stay)
    return paths[tried.path[kept]], join_edges(made)[tried.edge[kept]]


class _Trials:
    """The paths between each two merged states, tried one after another, the cheapest first.

    tails, heads  (G,) the two states
    path, edge    (G,) the path that is shown so far, and the number of its motion; -1 for none
    calm          (G,) whether it asks no more of the ground than that can give
    open          (G,) whether another path may be better
    """

    def __init__(self, stands_for: Ints, paths: Paths) -> None:
        tails, heads = stands_for[paths.first], stands_for[paths.last]
        order = np.lexsort((paths.cost, heads, tails))
        order = order[tails[order] != heads[order]]
        if not len(order):
            raise _unjoined()
        self.tails, self.heads, self._order = tails[order], heads[order], order.astype(np.int32)
        new = np.append(True, (np.diff(self.tails) != 0) | (np.diff(self.heads) != 0))
        self._first = np.flatnonzero(new)
        self.tails, self.heads = self.tails[new], self.heads[new]
        counts = np.minimum(np.diff(np.append(self._first, len(order))), _ROUNDS)
        turn = np.arange(_ROUNDS)
        at = np.minimum(self._first[:, None] + turn, len(order) - 1)
        costs = np.where(turn < counts[:, None], paths.transition[order[at]], np.inf)
        # (G, turns + 1) the least transition of the paths from each turn on.
        self._least = np.minimum.accumulate(costs[:, ::-1], axis=1)[:, ::-1]
        self._least = np.pad(self._least, ((0, 0), (0, 1)), constant_values=np.inf)
        self._transition, self._tried, self._counts = paths.transition, 0 * counts, counts
        self.path, self.edge = np.full(len(counts), -1, np.int32), np.full(len(counts), -1)
        self.calm = np.zeros(len(counts), np.bool_)

    @property
    def open(self) -> Bools:
        return np.asarray(~self.calm & (self._tried < self._counts))

    def next_paths(self, which: Ints) -> Ints:
        """(N,) the path to be tried next between some states (N,)."""
        return np.asarray(self._order[self._first[which] + self._tried[which]])

    def note(self, which: Ints, paths: Ints, strain: Floats, numbers: Ints) -> None:
        """Keep what came of paths (N,) between states (N,)."""
        self._tried[which] += 1
        better = (numbers >= 0) & ((strain <= 1.0) | (self.path[which] < 0))
        self.calm[which] = strain <= 1.0
        self.path[which[better]], self.edge[which[better]] = paths[better], numbers[better]

    def ranks(self, group: Ints) -> Ints:
        """(G,) how many edges of its group (G,) come before each: the calm and natural ones first.

        What is open counts as the best that it may become.
        """
        turned_out = np.where(self.path >= 0, self._transition[self.path], np.inf)
        unlike = np.where(self.open, self._least[np.arange(len(group)), self._tried], turned_out)
        strained = ~(self.open | self.calm)
        order = np.lexsort((unlike, strained, group))
        new = np.append(True, group[order][1:] != group[order][:-1])
        begin = np.flatnonzero(new)[np.cumsum(new) - 1]
        ranks = np.empty(len(group), np.int32)
        ranks[order] = np.arange(len(group)) - begin
        return ranks


def _stay(tried: _Trials, acts: Ints, most: int) -> Bools:
    """(G,) the most natural of the edges that leave each state, and of those that reach it.

    Of each act that they lead to, or come from, a quarter as many are kept whatever else there
    is: the many ways from one pick to the next do not crowd out the one that comes from a walk.
    """
    kinds = int(acts.max(initial=0)) + 1
    tails, heads = tried.tails, tried.heads
    each = max(most // 4, 1)
    keep = (tried.ranks(tails) < most) | (tried.ranks(heads) < most // 2)
    keep |= tried.ranks(tails * kinds + acts[heads]) < each
    keep |= tried.ranks(heads * kinds + acts[tails]) < each
    return np.asarray(keep & (tried.open | (tried.path >= 0)))


def _unjoined() -> InputError:
    return InputError(
        "the clips cannot be joined: no step of them leads back to where another begins",
        remedy="add clips that start and stop, or longer walks",
    )


def _joined(states: int, tails: Ints, heads: Ints, strain: Floats) -> Ints:
    """The edges of the largest part where every state leads to every other.

    What asks too much of the ground is used only where states could not be reached without it.
    """
    calm = np.flatnonzero(strain <= 1.0).astype(np.int32)
    strong = calm[_strong_part(states, tails[calm], heads[calm])]
    inside = np.zeros(states, np.bool_)
    inside[tails[strong]] = True
    hard = np.flatnonzero((strain > 1.0) & ~(inside[tails] & inside[heads])).astype(np.int32)
    some = np.sort(np.concatenate([calm, hard]))
    return np.asarray(some[_strong_part(states, tails[some], heads[some])], np.int32)


def _acts(phases: Phases) -> Ints:
    """(S,) states of one number have the same contacts before and after, and rest or do not."""
    rows = np.stack([phases.before, phases.signature[phases.states], phases.rest], axis=1)
    return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1), np.int32)


def _dearer(paths: Paths, stands_for: Ints, kept: Paths) -> tuple[float, float]:
    """By which share paths between states that are left cost more, median and 95th percentile."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    count = len(stands_for)
    tails, heads = stands_for[kept.first], stands_for[kept.last]
    left = np.unique(tails)[:: max(len(np.unique(tails)) // 100, 1)]
    before = csr_array((paths.cost, (paths.first, paths.last)), shape=(count, count))
    after = csr_array((kept.cost, (tails, heads)), shape=(count, count))
    old, new = (dijkstra(graph, indices=left)[:, left] for graph in (before, after))
    both = np.isfinite(old) & np.isfinite(new) & (old > 0.0)
    if not both.any():
        return 0.0, 0.0
    share = new[both] / old[both] - 1.0
    return float(np.median(share)), float(np.percentile(share, 95))


def _reached_tags(library: Library, used: set[str]) -> dict[str, tuple[int, int]]:
    """Of each tag how many of its clips are used, and how many it has."""
    return {
        tag: (sum(tag in e.tags and e.name in used for e in library.entries), count)
        for tag, count in library.tags.items()
    }


def _strong_part(states: int, tails: Ints, heads: Ints) -> Ints:
    """The edges of the largest part where every state leads to every other."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    matrix = csr_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(states, states))
    _, label = connected_components(matrix, directed=True, connection="strong")
    inside = label[tails] == label[heads]
    sizes = np.bincount(label[tails[inside]], minlength=states)
    return np.flatnonzero(inside & (label[tails] == sizes.argmax())).astype(np.int32)


def _graph(
    phases: Phases, poses: StatePoses, stands_for: Ints, paths: Paths, edges: Edges,
    rest_cost: float,
) -> PhaseGraph:  # fmt: skip
    tails, heads = stands_for[paths.first], stands_for[paths.last]
    used = np.unique(np.concatenate([tails, heads]))
    clip = phases.frames.clip[edges.source]
    return PhaseGraph(
        skeleton=phases.frames.skeleton, fps=phases.frames.fps, names=phases.names,
        state_before=phases.before[used],
        state_signature=phases.signature[phases.states[used]],
        state_root=poses.root[used], state_rotations=poses.rotations[used],
        state_rest=phases.rest[used],
        edge_from=np.searchsorted(used, tails).astype(np.int32),
        edge_to=np.searchsorted(used, heads).astype(np.int32),
        edge_cost=paths.cost, edge_transition=paths.transition,
        edge_move=edges.move[:, [0, 2, 3]], edge_rise=edges.move[:, 1],
        edge_first=edges.first, frame_root=edges.root, frame_rotations=edges.rotations,
        frame_clip=clip,
        frame_source=(edges.source - phases.frames.clip_start[clip]).astype(np.int32),
        clip_speeds=clip_peaks(phases), rest_cost=rest_cost,
    )  # fmt: skip
