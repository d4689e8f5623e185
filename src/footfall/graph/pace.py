"""Keeping a pace: a finished walk played a little faster or slower, smoothly.

What the clips leave of a wished speed is made up by time: where the walk is slower than it should
be it is played faster, by some percent at most, and the other way round. Bends stay slower, as
people walk them, and what begins or ends a walk keeps its own time. Feet are locked afterwards.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.graph.costs import leg_m, slower_in_bends
from footfall.graph.made_ends import Motion
from footfall.graph.motion import CLIP, PASSING
from footfall.maths import quaternions as quat
from footfall.maths import signals
from footfall.maths.arrays import Bools, Floats
from footfall.maths.filters import smooth_gaussian, smooth_to_ends
from footfall.maths.polyline import curvatures

STRIDE_S = 0.5
"""Speeds are seen without what is quicker than this: within a stride nobody keeps a pace."""
CHANGE_S = 0.5
"""How slowly the pace changes."""
_UNSEEN = 0.015
_SLOWEST_M_S = 0.2


def keep_pace(motion: Motion, speed: float, most: float) -> Motion:
    """Play the walk of a motion faster or slower, so that it goes at `speed` on straights, m/s.

    most  how much faster or slower it is played at most, as a share
    """
    clip = motion.clip
    walks = _walking_frames(motion)
    if most <= 0.0 or not walks.any():
        return motion
    own, curvature = _speeds_and_bends(motion)
    wished = speed * slower_in_bends(curvature, leg_m(clip.skeleton))
    share = np.clip(wished / np.maximum(own, _SLOWEST_M_S), 1.0 / (1.0 + most), 1.0 + most)
    share = np.where(walks, share, 1.0)
    share = np.exp(smooth_gaussian(np.log(share), CHANGE_S * clip.fps))
    if np.abs(share - 1.0).max() < _UNSEEN:
        return motion
    # When each frame is shown; the last one on a whole frame.
    shown = np.concatenate([[0.0], np.cumsum(2.0 / (share[1:] + share[:-1]))])
    frames = max(round(float(shown[-1])), 1)
    shown *= frames / shown[-1]
    times = np.interp(np.arange(frames + 1), shown, np.arange(len(clip)))
    return _play(motion, times, shown)


def _walking_frames(motion: Motion) -> Bools:
    """Return (T,) whether frames come from walking clips, not starts, stops, steps or turns."""
    walks = np.zeros(len(motion.clip), dtype=np.bool_)
    for segment in motion.segments:
        if segment.why == CLIP:
            walks[segment.first : segment.stop] = True
    inner = np.flatnonzero(walks)
    if len(inner):
        for segment in motion.segments:
            if segment.why == PASSING and inner[0] <= segment.first <= inner[-1]:
                walks[segment.first : min(segment.stop, int(inner[-1]) + 1)] = True
    return walks


def _speeds_and_bends(motion: Motion) -> tuple[Floats, Floats]:
    """Return (T,) how fast the root goes, m/s, and how tightly it bends, 1/m, stride by stride."""
    clip = motion.clip
    if len(clip) < 3:
        return np.zeros(len(clip)), np.zeros(len(clip))
    path = smooth_to_ends(clip.root[:, [0, 2]], STRIDE_S * clip.fps)
    speed = np.hypot(*np.gradient(path, axis=0).T) * clip.fps
    return speed, np.where(speed > _SLOWEST_M_S, curvatures(path), 0.0)


def _play(motion: Motion, times: Floats, shown: Floats) -> Motion:
    """Return the motion whose frame i is frame `times[i]`; frame j is shown at `shown[j]`."""
    clip = motion.clip
    nearest = np.rint(times).astype(np.int64)
    played = clip.derive(
        root=signals.sample(clip.root, 1.0, times),
        # Signs are continuous and frames near each other: what a cubic of the numbers leaves
        # out is less than anybody sees.
        rotations=quat.normalise(signals.sample(quat.continuous(clip.rotations), 1.0, times)),
        **clip.labels_at(nearest),
    )
    whole = np.append(np.rint(shown).astype(np.int64), len(times))
    segments = []
    for segment in motion.segments:
        first, stop = int(whole[segment.first]), int(whole[segment.stop])
        if first < stop:
            segments.append(replace(segment, first=first, stop=stop))
    distances = np.interp(times, np.arange(len(clip)), motion.distances)
    return Motion(played, tuple(segments), distances)
