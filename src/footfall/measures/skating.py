"""Feet that slide while they should stand, in the four ways the literature counts it.

    skate          van Basten & Egges, §4.1: what planted feet move, centimetres
    drift          how far touching heels and toes stray from their mean place, by contacts
    slide          Zhang et al. 2018 (MANN) and He et al. 2022 (NeMF): speeds weighted by nearness
    skating ratio  Karunratanakul et al. 2023 (GMD): the share of frames that slide fast

The paper plants a foot by height and by adjacency: it is low in a group of adjacent frames. It
leaves open what "the foot" is. Here it is planted while ankle, heel and toe are all low, that is
while the sole lies flat: then recorded walks skate 0.1 to 0.5 cm a frame, where the paper's Table 1
says 0.20 to 0.39. If any low point would do, rolling from heel to toe would count as 3 to 6 cm.
Where we differ: few skeletons have a subtalar joint, so the heel, which turns with it, stands in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.maths.arrays import Bools, Floats
from footfall.maths.filters import running_mean
from footfall.maths.runs import mask_of, runs
from footfall.measures.tracks import (
    ANKLE,
    BALL,
    HEEL,
    PAPER_HZ,
    TIP,
    FootTracks,
    foot_tracks,
    way_m,
)
from footfall.world.scene import Scene

PLANTED_M = 0.02
PLANTED_S = 0.1
"""A foot is planted when its points are less than this above their lowest, for this long."""
MANN_HEIGHT_M = 0.025
NEMF_TOE_M, NEMF_ANKLE_M = 0.04, 0.08
GMD_HZ, GMD_HEIGHT_M, GMD_SPEED_M_S, GMD_WINDOW = 20.0, 0.05, 0.5, 5
_FOOT = (ANKLE, HEEL, BALL)


@dataclass(frozen=True)
class Skating:
    """How much feet slide; horizontally unless it says 3d. A frame lasts 1/30 s.

    skate_cm               what planted feet move, summed over frames, feet and three points
    skate_cm_per_frame     the same per frame, of all frames: Table 1 of the paper
    skate_cm_per_m         per metre that the body goes
    skate_3d_cm            with vertical movement
    skate_3d_cm_per_frame  with vertical movement
    planted_share          of frames and feet, in which a foot is planted
    drift_max_mm           the farthest that a touching point is from its mean place in a contact
    drift_mean_mm          the mean, over contacts, of the mean distance from that place
    contacts               how many contacts of a heel or of toes that is of
    slide_mann_cm_per_frame, slide_nemf_cm_per_frame   means over frames and foot joints
    skating_ratio          0 to 1
    """

    skate_cm: float
    skate_cm_per_frame: float
    skate_cm_per_m: float
    skate_3d_cm: float
    skate_3d_cm_per_frame: float
    planted_share: float
    drift_max_mm: float
    drift_mean_mm: float
    contacts: int
    slide_mann_cm_per_frame: float
    slide_nemf_cm_per_frame: float
    skating_ratio: float


def skating(clip: Clip, scene: Scene | None = None, *, tracks: FootTracks | None = None) -> Skating:
    """Return how much the feet of a clip slide; `tracks` spares the work of computing them."""
    full = tracks or foot_tracks(clip, scene)
    paper = full.at_rate(PAPER_HZ)
    flat, deep = skate_per_frame(paper), skate_per_frame(paper, vertical=True)
    frames, way = max(len(paper) - 1, 1), way_m(paper.hips[:, [0, 2]])
    drifts = contact_drifts(full)
    return Skating(
        skate_cm=100.0 * float(flat.sum()),
        skate_cm_per_frame=100.0 * float(flat.sum()) / frames,
        skate_cm_per_m=100.0 * float(flat.sum()) / way if way > 0.1 else float("nan"),
        skate_3d_cm=100.0 * float(deep.sum()),
        skate_3d_cm_per_frame=100.0 * float(deep.sum()) / frames,
        planted_share=float(planted_mask(paper).mean()),
        drift_max_mm=1000.0 * max((d.max_m for d in drifts), default=0.0),
        drift_mean_mm=1000.0 * float(np.mean([d.mean_m for d in drifts])) if drifts else 0.0,
        contacts=len(drifts),
        slide_mann_cm_per_frame=100.0 * _slide(paper, MANN_HEIGHT_M, MANN_HEIGHT_M),
        slide_nemf_cm_per_frame=100.0 * _slide(paper, NEMF_ANKLE_M, NEMF_TOE_M),
        skating_ratio=float(np.mean(sliding_frames(full))),
    )


def planted_mask(tracks: FootTracks) -> Bools:
    """Return (T, 2) whether each foot is planted as the paper has it: low, in adjacent frames."""
    low: Bools = np.asarray((tracks.lifts[..., list(_FOOT)] < PLANTED_M).all(axis=2))
    shortest = max(PLANTED_S * tracks.fps - 1e-6, 2.0)
    out = np.zeros_like(low)
    for foot in range(2):
        spans = runs(low[:, foot])
        out[:, foot] = mask_of(spans[spans[:, 1] - spans[:, 0] >= shortest], len(low))
    return out


def skate_per_frame(tracks: FootTracks, *, vertical: bool = False) -> Floats:
    """Return (T-1,) metres that ankle, heel and toe of planted feet moved since the frame before.

    A foot counts where it is planted in both frames.
    """
    stands = planted_mask(tracks)
    moved = np.diff(tracks.points[:, :, list(_FOOT)], axis=0)
    size = np.linalg.norm(moved if vertical else moved[..., [0, 2]], axis=-1).sum(axis=2)
    return np.asarray((size * (stands[1:] & stands[:-1])).sum(axis=1))


@dataclass(frozen=True)
class ContactDrift:
    """How far a heel or the toes stray while they touch.

    column       of `Clip.contacts`: left heel, left toe, right heel, right toe
    first, stop  its frames
    max_m        the farthest they are from their mean place over the ground, metres
    mean_m       the mean of that
    """

    column: int
    first: int
    stop: int
    max_m: float
    mean_m: float


def contact_drifts(tracks: FootTracks) -> tuple[ContactDrift, ...]:
    """Return the drift of every contact of a heel or of toes, by the contact labels.

    Toes touch with the ball and leave over their tip: the one of both that strays less counts.
    """
    found = []
    for column in range(4):
        held = tracks.points[:, column // 2, (HEEL,) if column % 2 == 0 else (BALL, TIP)]
        for first, stop in runs(tracks.contacts[:, column]).tolist():
            part = held[first:stop][..., [0, 2]]
            away = np.linalg.norm(part - part.mean(axis=0), axis=2)
            least = away[:, int(away.max(axis=0).argmin())]
            found.append(ContactDrift(column, first, stop, float(least.max()), float(least.mean())))
    return tuple(sorted(found, key=lambda d: (d.first, d.column)))


def _slide(tracks: FootTracks, ankle_m: float, toe_m: float) -> float:
    """Metres a frame: the mean of v (2 - 2^clamp(h / H, 0, 1)) over frames, ankles and toes.

    h is the height of the joint above where it is when the foot lies flat, H `ankle_m` or `toe_m`.
    """
    joints = [ANKLE, BALL]
    moved = np.diff(tracks.points[:, :, joints][..., [0, 2]], axis=0)
    speed = np.linalg.norm(moved, axis=-1)
    lift = tracks.lifts[:, :, joints]
    # A step between two frames is as high as both are on average, played either way.
    height = 0.5 * (lift[1:] + lift[:-1]) / np.array([ankle_m, toe_m])
    return float(np.mean(speed * (2.0 - 2.0 ** np.clip(height, 0.0, 1.0)))) if len(speed) else 0.0


def sliding_frames(tracks: FootTracks) -> Bools:
    """Return (F,) at 20 Hz whether a foot is low in two frames and slides above 0.5 m/s.

    Both the speed between the frames and its mean over five frames around are to be so fast.
    """
    slow = tracks.at_rate(GMD_HZ)
    ball = slow.points[:, :, BALL]
    speed = np.linalg.norm(np.diff(ball[..., [0, 2]], axis=0), axis=-1) * slow.fps
    low = slow.lifts[:, :, BALL] < GMD_HEIGHT_M
    mean = running_mean(speed, GMD_WINDOW // 2) if len(speed) else speed
    fast = (speed > GMD_SPEED_M_S) & (mean > GMD_SPEED_M_S)
    slides = (fast & low[1:] & low[:-1]).any(axis=1)
    return slides if len(slides) else np.zeros(1, np.bool_)
