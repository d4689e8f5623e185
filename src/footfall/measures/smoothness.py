"""Measure pops at transitions and the smoothness of a whole motion.

A pop is a jump of a pose or of its velocity from one frame to the next. Nothing is smoothed for
it, since that is what would hide it. Where transitions are known, the peaks of joint angular
acceleration and jerk within a few frames of each are put against the 95th percentile of the clip.
Where they are not, a frame pops whose acceleration stands out from the frames around it: motion
of a body has mass, and where it is quick it is quick for several frames.
Jerk is taken of positions low-passed at 6 Hz on a time scale of its own, so that clips of different
rates compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from footfall.body.clip import Clip
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats
from footfall.maths.quaternions import IDENTITY, conjugate, log_half_angle, multiply, toward
from footfall.maths.signals import differentiate, low_pass

AROUND_FRAMES = 5
PERCENTILE = 95.0
POP_RATIO = 1.5
STANDS_OUT = 3.0
"""A pop is this many times as strong as anything in the frames beside it …"""
BESIDE_S = 0.15
LEAST_TURN_RAD_S2, LEAST_MOVE_M_S2 = 15.0, 4.0
"""… and at least this strong: no eye sees less."""
JERK_HZ = 6.0
FINE_HZ = 120.0
STRETCH_S = 1.0
SPARC_MOST_HZ, SPARC_LEAST = 10.0, 0.05
_BLOCK = 1 << 14


@dataclass(frozen=True)
class Smoothness:
    """How smooth a clip is; nan where it is too short.

    pop_ratio            greatest over the transitions (or over the clip, if none are given) of the
                         peak joint angular acceleration, feet apart, by the clip's 95th percentile
    jerk_pop_ratio       the same of angular jerk
    flagged_transitions  how many transitions are above 1.5
    pops                 how many frames pop, found without knowing of transitions
    jerk_m_s3            mean |d³x/dt³| over joints and time, below 6 Hz
    log_dimensionless_jerk   of the pelvis, mean over stretches of about a second; 0 is smoothest
    sparc                spectral arc length of the pelvis' speed, mean over the same stretches
    """

    pop_ratio: float
    jerk_pop_ratio: float
    flagged_transitions: int
    pops: int
    jerk_m_s3: float
    log_dimensionless_jerk: float
    sparc: float


def smoothness(
    clip: Clip, transitions: Sequence[int] = (),
    *, around_frames: int = AROUND_FRAMES,
) -> Smoothness:  # fmt: skip
    """Return the smoothness of a clip; `transitions` are frames where clips meet."""
    poses = clip.world
    jerk = float("nan")
    ldj, arc = jerk, jerk
    if len(clip) >= 8 and clip.seconds >= 0.3:
        jerk = mean_jerk(poses.positions[:, _joints(clip)], clip.fps)
        hips = poses.positions[:, [clip.skeleton.role(f"{s}_hip") for s in SIDES]].mean(axis=1)
        ldj, arc = _pelvis_smoothness(hips, clip.fps)
    ratios = pop_ratios(clip, transitions, around_frames)
    return Smoothness(
        pop_ratio=float(ratios[:, 0].max()),
        jerk_pop_ratio=float(ratios[:, 1].max()),
        flagged_transitions=int((ratios[:, 0] > POP_RATIO).sum()) if len(transitions) else 0,
        pops=len(find_pops(clip)),
        jerk_m_s3=jerk,
        log_dimensionless_jerk=ldj,
        sparc=arc,
    )


def pop_ratios(
    clip: Clip, transitions: Sequence[int] = (), around_frames: int = AROUND_FRAMES
) -> Floats:
    """Return (N, 2) peak angular acceleration and jerk around each transition, by the clip's 95th
    percentile; without transitions one row, for the whole clip."""
    bad = [t for t in transitions if not 0 <= t < len(clip)]
    if bad:
        raise InputError(
            f"there is a transition at frame {bad[0]} of a clip of {len(clip)} frames",
            remedy=f"frames go from 0 to {len(clip) - 1}",
        )
    if around_frames < 1:
        raise InputError(f"around_frames is {around_frames}", remedy="it must be at least 1")
    turn = angular_acceleration(clip)
    change = np.linalg.norm(np.diff(turn, axis=0), axis=-1) * clip.fps
    peaks = (np.linalg.norm(turn, axis=-1).max(axis=1), change.max(axis=1))
    # Acceleration 0 belongs to frame 1, jerk 0 between frames 1 and 2.
    out = np.ones((max(len(transitions), 1), 2))
    for kind, (peak, shift) in enumerate(zip(peaks, (1.0, 1.5), strict=True)):
        usual = float(np.percentile(peak, PERCENTILE)) if len(peak) else 0.0
        if usual < 1e-9:
            continue
        frame = np.arange(len(peak)) + shift
        for row, at in enumerate(transitions or (None,)):
            near = peak if at is None else peak[np.abs(frame - at) <= around_frames]
            out[row, kind] = float(near.max(initial=0.0)) / usual
    return out


def find_pops(clip: Clip) -> list[int]:
    """Return the frames at which a pose or its velocity jumps, without known transitions."""
    if len(clip) < 5:
        return []
    turn = np.sqrt(np.mean(np.sum(angular_acceleration(clip) ** 2, axis=2), axis=1))
    move = np.linalg.norm(np.diff(clip.root, 2, axis=0), axis=1) * clip.fps**2
    popping = _stands_out(turn, clip.fps, LEAST_TURN_RAD_S2)
    popping |= _stands_out(move, clip.fps, LEAST_MOVE_M_S2)
    frames = np.flatnonzero(popping) + 1
    # A jump of a pose shows in two frames beside each other; it is one.
    return [int(f) for n, f in enumerate(frames) if n == 0 or f - frames[n - 1] > 2]


def _stands_out(strength: Floats, fps: float, least: float) -> Bools:
    """Return (T,) which strengths (T,) far exceed those two frames before and after."""
    reach = max(round(BESIDE_S * fps), 3)
    padded = np.pad(strength, reach + 2, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, reach)
    before, after = windows[: len(strength)], windows[reach + 5 :]
    beside = np.maximum(before.max(axis=1), after.max(axis=1))
    return np.asarray((strength > STANDS_OUT * beside) & (strength > least))


def angular_acceleration(clip: Clip) -> Floats:
    """Return (T-2, J, 3) rad/s² of joints against their parents, at frames 1 to T-2.

    These are the joints that play a role but for ankles and toes: feet strike the ground at every
    step, and beside their accelerations nothing else would be seen.
    """
    roles = clip.skeleton.roles
    feet = {roles.get(f"{side}_{part}") for side in SIDES for part in ("ankle", "toe")}
    joints = [joint for joint in _joints(clip) if joint not in feet]
    out = np.empty((max(len(clip) - 2, 0), len(joints), 3))
    for first in range(0, len(out), _BLOCK):
        q = clip.rotations[first : first + _BLOCK + 2, joints]
        step = toward(multiply(conjugate(q[:-1]), q[1:]), IDENTITY)
        rate = 2.0 * log_half_angle(step) * clip.fps
        out[first : first + _BLOCK] = np.diff(rate, axis=0) * clip.fps
    return out


def mean_jerk(positions: Floats, fps: float) -> float:
    """Mean |d³x/dt³|, m/s³, of positions (T, J, 3) below 6 Hz."""
    from scipy.interpolate import make_interp_spline

    times = np.arange(len(positions)) / fps
    fine = np.linspace(0.0, times[-1], max(round(times[-1] * FINE_HZ), 8) + 1)
    rate = (len(fine) - 1) / times[-1]
    total = 0.0
    for joint in range(positions.shape[1]):
        track = make_interp_spline(times, positions[:, joint], k=5)(fine)
        smooth = low_pass(track, rate, JERK_HZ)
        for _ in range(3):
            smooth = differentiate(smooth, rate)
        # The ends are not known: what comes before and after would have been filtered in.
        cut = min(round(rate / JERK_HZ), len(smooth) // 4)
        total += float(np.linalg.norm(smooth[cut : len(smooth) - cut], axis=1).mean())
    return float(total / positions.shape[1])


def _pelvis_smoothness(hips: Floats, fps: float) -> tuple[float, float]:
    """Log dimensionless jerk and spectral arc length, means over stretches of about a second."""
    from scipy.interpolate import make_interp_spline

    times = np.arange(len(hips)) / fps
    fine = np.linspace(0.0, times[-1], max(round(times[-1] * FINE_HZ), 8) + 1)
    rate = (len(fine) - 1) / times[-1]
    track = low_pass(make_interp_spline(times, hips, k=5)(fine), rate, JERK_HZ)
    velocity = differentiate(track, rate)
    count = max(round(times[-1] / STRETCH_S), 1)
    edges = np.round(np.linspace(0, len(fine) - 1, count + 1)).astype(int)
    both = [
        (log_dimensionless_jerk(velocity[a : b + 1], rate),
         spectral_arc_length(np.linalg.norm(velocity[a : b + 1], axis=1), rate))
        for a, b in pairwise(edges.tolist())
    ]  # fmt: skip
    values = np.array([pair for pair in both if np.isfinite(pair).all()]).reshape(-1, 2)
    if len(values) == 0:
        return float("nan"), float("nan")
    return float(values[:, 0].mean()), float(values[:, 1].mean())


def log_dimensionless_jerk(velocity: Floats, fps: float) -> float:
    """Return -ln((T³ / v_peak²) ∫ |d²v/dt²|² dt) of velocities (T, 3); nan if nothing moves."""
    seconds = (len(velocity) - 1) / fps
    peak = float(np.linalg.norm(velocity, axis=1).max())
    if peak < 0.01 or len(velocity) < 5:
        return float("nan")
    bend = differentiate(differentiate(velocity, fps), fps)
    area = float(np.trapezoid(np.sum(bend**2, axis=1), dx=1.0 / fps))
    return float(-np.log(max(seconds**3 / peak**2 * area, 1e-12)))


def spectral_arc_length(speed: Floats, fps: float) -> float:
    """SPARC of a speed profile (T,), Balasubramanian et al. 2015; nan if nothing moves.

    The length of the curve of the amplitude spectrum, scaled to 1 at 0 Hz and in frequency to its
    own width: up to 10 Hz, or as far as it is above 0.05. Negative, nearer to 0 is smoother.
    """
    if speed.max(initial=0.0) < 0.01:
        return float("nan")
    size = 1 << (int(np.ceil(np.log2(len(speed)))) + 4)
    spectrum = np.abs(np.fft.rfft(speed, size))
    spectrum /= spectrum[0]
    hertz = np.arange(len(spectrum)) * fps / size
    seen = np.flatnonzero((hertz <= SPARC_MOST_HZ) & (spectrum >= SPARC_LEAST))
    spectrum, hertz = spectrum[: seen[-1] + 1], hertz[: seen[-1] + 1]
    if len(hertz) < 2:
        return float("nan")
    step = np.diff(hertz) / (hertz[-1] - hertz[0])
    return float(-np.sum(np.hypot(step, np.diff(spectrum))))


def _joints(clip: Clip) -> list[int]:
    """Return the joints that play a role: fingers and props have no say in how smooth a body is."""
    return sorted(set(clip.skeleton.roles.values())) or list(range(len(clip.skeleton)))
