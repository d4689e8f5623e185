"""Keyframe tracks: values at key times, read off at the frames of a uniform clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.maths.arrays import Floats
from footfall.maths.quaternions import normalise, slerp

IRREGULAR_FPS = 30.0
"""The frame rate of a clip whose key times follow no beat."""

_SLOWEST = 12.0
_USUAL = (30.0, 24.0, 25.0, 60.0)
_NTSC = (24000 / 1001, 30000 / 1001, 60000 / 1001, 120000 / 1001)


@dataclass(frozen=True, eq=False)
class KeyTrack:
    """K keys of one property of one joint.

    times          (K,) seconds, rising
    values         (K, width); CUBICSPLINE: (K, 3, width) in-tangent, value, out-tangent
    interpolation  "LINEAR", "STEP" or "CUBICSPLINE"
    """

    times: Floats
    values: Floats
    interpolation: str = "LINEAR"

    @property
    def keys(self) -> Floats:
        """(K, width) the values at the keys, without tangents."""
        return self.values[:, 1] if self.interpolation == "CUBICSPLINE" else self.values


@dataclass(frozen=True)
class Clock:
    """The frames of a clip: frame i stands at `start` + i / `fps` seconds."""

    start: float
    fps: float
    frames: int
    regular: bool = True

    @property
    def times(self) -> Floats:
        """(frames,) the time of each frame in seconds."""
        return self.start + np.arange(self.frames) / self.fps


def common_clock(times: Sequence[Floats], fps: float | None = None) -> Clock:
    """Return the frames that meet all key times; `IRREGULAR_FPS` where no frame rate does.

    Exporters drop keys that interpolation restores, so keys may lie several frames apart; the
    beat is the shortest step between two keys, refined over the whole length.
    """
    start = min(float(t[0]) for t in times)
    length = max(float(t[-1]) for t in times) - start
    if length <= 0.0:
        return Clock(start, fps or IRREGULAR_FPS, 1)
    regular = True
    if fps is None:
        found = _beat(times, start, length)
        regular, fps = found is not None, found or IRREGULAR_FPS
    # A last key between two frames is kept by one frame more, which holds its value.
    frames = int(min(np.ceil(length * fps - 1e-2), 2.0**40)) + 1
    return Clock(start, fps, frames, regular)


def snapped_fps(fps: float) -> float:
    """Return `fps`, or the whole or broadcast rate that it was rounded from."""
    for rate in (float(round(fps)), *_NTSC):
        if rate > 0.0 and abs(fps - rate) < 2e-4 * rate:
            return rate
    return fps


def _beat(times: Sequence[Floats], start: float, length: float) -> float | None:
    steps = [float(np.diff(t).min()) for t in times if len(t) > 1]
    shortest = min((s for s in steps if s > 0.0), default=0.0)
    if shortest < 1e-4 or length / shortest > 2.0**31:
        return None
    fps = snapped_fps(round(length / shortest) / length)
    if not _meets(times, start, fps):
        return None
    if fps >= _SLOWEST:
        return fps
    # A few poses keyed by hand, not frames: a usual rate that meets them, or a multiple.
    usual = (rate for rate in _USUAL if _meets(times, start, rate))
    return next(usual, float(np.ceil(_USUAL[1] / fps)) * fps)


def _meets(times: Sequence[Floats], start: float, fps: float) -> bool:
    """Return whether every key stands on a frame."""
    return all(np.abs(f - np.round(f)).max() <= 0.02 for f in ((t - start) * fps for t in times))


def sample(track: KeyTrack, clock: Clock, rotation: bool) -> Floats:
    """Return (frames, width) values of a track at a clock's frames, its ends held outside its keys.

    Rotations are quaternions w x y z: turned at constant speed between keys, unit everywhere.
    """
    keys = track.keys
    position = (track.times - clock.start) * clock.fps
    whole = np.round(position)
    on_frames = len(keys) == clock.frames and np.abs(whole - position).max() < 0.02
    if on_frames and np.array_equal(whole, np.arange(clock.frames)):
        out = np.array(keys)
    elif len(keys) == 1:
        out = np.repeat(keys, clock.frames, axis=0)
    else:
        out = _between_keys(track, clock.times, rotation)
    return normalise(out) if rotation else out


def _between_keys(track: KeyTrack, when: Floats, rotation: bool) -> Floats:
    times, keys = track.times, track.keys
    after = np.clip(np.searchsorted(times, when, side="right"), 1, len(times) - 1)
    before = after - 1
    width = times[after] - times[before]
    share = np.clip((when - times[before]) / np.where(width > 0.0, width, 1.0), 0.0, 1.0)
    if track.interpolation == "STEP":
        # Frame times are rounded; a key a hair after its frame still belongs to it.
        return np.asarray(keys[np.where(share > 1.0 - 1e-3, after, before)])
    if track.interpolation == "CUBICSPLINE":
        return _hermite(track.values, before, after, share[:, None], width[:, None])
    if rotation:
        return slerp(keys[before], keys[after], share)
    return np.asarray(keys[before] + share[:, None] * (keys[after] - keys[before]))


def _hermite(
    values: Floats, before: NDArray[np.intp], after: NDArray[np.intp], s: Floats, width: Floats
) -> Floats:
    """glTF 2.0, appendix C.5: cubic Hermite splines, tangents scaled by the time between keys."""
    start, leave = values[before, 1], values[before, 2] * width
    end, arrive = values[after, 1], values[after, 0] * width
    s2, s3 = s * s, s * s * s
    return np.asarray(
        (2 * s3 - 3 * s2 + 1) * start + (s3 - 2 * s2 + s) * leave
        + (3 * s2 - 2 * s3) * end + (s3 - s2) * arrive
    )  # fmt: skip
