"""Drafts of paths over footholds: moves joined at shared footprints, with waits between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Floats, Ints
from footfall.roadmap.beside import stand_beside
from footfall.roadmap.chain import join_moves
from footfall.roadmap.model import Roadmap
from footfall.roadmap.moves import Moves
from footfall.roadmap.paths import FootholdPath
from footfall.roadmap.table import Longs
from footfall.roadmap.waiting import place_frames, wait_in_clip
from footfall.task import Segment, SourceClip
from footfall.task.draft import Draft, Finishing, PlannedStances
from footfall.task.finish import Span
from footfall.world.scene import Scene


@dataclass(frozen=True, eq=False)
class PlayedPath:
    """A path as a draft plays it.

    starts  (W,) the frames at which its moves begin, or the waits before them
    waits   (W,) seconds waited before each move
    """

    path: FootholdPath
    starts: Ints
    waits: Floats

    def moves_in(self, spans: Iterable[Span]) -> list[int]:
        """Return the numbers of the moves that are played in the middle of spans of frames."""
        middles = np.array([0.5 * (first + stop - 1) for first, stop in spans])
        rows = np.searchsorted(self.starts, middles, side="right") - 1
        return sorted(set(np.clip(rows, 0, len(self.path) - 1).tolist()))


def make_draft(
    roadmap: Roadmap, scene: Scene | None, path: FootholdPath, prints: Floats, starts: Longs,
    waits: Floats | None = None,
) -> Draft:  # fmt: skip
    """Make a draft of a path.

    prints  (P, 4) where the footprints of all moves are to be: x, height, z, yaw
    starts  (W + 1,) the first footprint of each move
    waits   (W,) seconds to wait before each move; None for no waits
    """
    moves = roadmap.moves
    chain = join_moves(moves, path, prints, starts, timed=waits is not None)
    stances = stand_beside(moves, chain.stances, scene)
    clip, begins = chain.clip, chain.starts
    waits = np.zeros(len(path)) if waits is None else waits
    if waits.any():
        rows = np.flatnonzero(waits > 0.0)
        clip, times = wait_in_clip(clip, begins[rows].tolist(), waits[rows].tolist())
        begins, stances = place_frames(times, begins), _stretch(stances, times)
    played = PlayedPath(path, begins, waits)
    return Draft(
        clip, _segments(moves, played, clip), cost=path.cost, stances=stances,
        finishing=Finishing(variation=1.0), footholds=roadmap.nodes[:, [0, 2, 3]], made_of=played,
    )  # fmt: skip


def _stretch(stances: PlannedStances, times: Floats) -> PlannedStances:
    """Return stances of a clip whose frames show the frames `times` (T,) of their own clip."""
    shown, (first, stop) = np.rint(times), stances.spans.T
    spans = [np.searchsorted(shown, first), np.searchsorted(shown, stop - 1, side="right")]
    return replace(stances, spans=np.stack(spans, axis=1).astype(np.int32))


def _segments(moves: Moves, played: PlayedPath, clip: Clip) -> tuple[Segment, ...]:
    """Return which clips a path is made of."""
    segments = []
    ends = [*played.starts.tolist()[1:], len(clip)]
    for n, (first, stop) in enumerate(zip(played.starts.tolist(), ends, strict=True)):
        m = played.path.moves[n]
        source = SourceClip(moves.clips[moves.clip[m]].name, int(moves.first[m]))
        pause = min(round(float(played.waits[n]) * clip.fps), stop - first)
        if pause:
            segments.append(Segment(first, first + pause, "wait", (source,)))
        if stop > first + pause:
            segments.append(Segment(first + pause, stop, "clip", (source,)))
    return tuple(segments)
