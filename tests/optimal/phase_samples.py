"""Small phase graphs made of clips as they are: their own contact phases, in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.body.clip import Clip
from footfall.gait.signatures import clip_signatures
from footfall.maths import planar
from footfall.maths.arrays import Ints
from footfall.optimal.model import PhaseGraph
from footfall.task.polish import joint_speeds


def own_phases(clips: Sequence[Clip]) -> PhaseGraph:
    """A phase graph of clips side by side: the states are theirs, and none is shared."""
    states: list[tuple[int, int, int]] = []  # clip, frame, signature before
    edges: list[tuple[int, int]] = []
    signs = [np.asarray(clip_signatures(clip), np.int32) for clip in clips]
    for n, (clip, sign) in enumerate(zip(clips, signs, strict=True)):
        cuts = [0, *(np.flatnonzero(np.diff(sign)) + 1).tolist(), len(clip) - 1]
        cuts = sorted(set(cuts))
        for k, frame in enumerate(cuts):
            states.append((n, frame, int(sign[max(frame - 1, 0)])))
            if k:
                edges.append((len(states) - 2, len(states) - 1))
    return _graph(clips, signs, states, edges)


def _graph(
    clips: Sequence[Clip],
    signs: list[Ints],
    states: list[tuple[int, int, int]],
    edges: list[tuple[int, int]],
) -> PhaseGraph:
    roots, turns, moves, first, clip_of, source = [], [], [], [0], [], []
    poses = [planar.pose_of(clip.root, clip.rotations[:, 0]) for clip in clips]
    for a, b in edges:
        n, begin = states[a][:2]
        end = states[b][1]
        back = planar.inverse(poses[n][begin])
        span = slice(begin, end + 1)
        roots.append(planar.apply_to_points(back, clips[n].root[span]))
        turn = np.array(clips[n].rotations[span])
        turn[:, 0] = planar.apply_to_rotations(back, turn[:, 0])
        turns.append(turn)
        moves.append(planar.relative(poses[n][begin], poses[n][end]))
        first.append(first[-1] + len(turn))
        clip_of += [n] * len(turn)
        source += list(range(begin, end + 1))
    state_root, state_turns = [], []
    for n, frame, _ in states:
        back = planar.inverse(poses[n][frame])
        state_root.append(planar.apply_to_points(back, clips[n].root[frame]))
        turn = np.array(clips[n].rotations[frame])
        turn[0] = planar.apply_to_rotations(back, turn[0])
        state_turns.append(turn)
    count = len(edges)
    return PhaseGraph(
        skeleton=clips[0].skeleton, fps=clips[0].fps, names=tuple(c.name for c in clips),
        state_before=np.array([s[2] for s in states], np.int32),
        state_signature=np.array([signs[n][f] for n, f, _ in states], np.int32),
        state_root=np.array(state_root), state_rotations=np.array(state_turns),
        state_rest=np.zeros(len(states), np.bool_),
        edge_from=np.array([e[0] for e in edges], np.int32),
        edge_to=np.array([e[1] for e in edges], np.int32),
        edge_cost=np.ones(count), edge_transition=np.zeros(count),
        edge_move=np.array(moves), edge_rise=np.zeros(count),
        edge_first=np.array(first, np.int32),
        frame_root=np.concatenate(roots), frame_rotations=np.concatenate(turns),
        frame_clip=np.array(clip_of, np.int32), frame_source=np.array(source, np.int32),
        clip_speeds=np.stack([joint_speeds(clip).max(axis=0) for clip in clips]),
    )  # fmt: skip
