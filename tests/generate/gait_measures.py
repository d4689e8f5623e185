"""What is measured of gait clips: drift, reach into each other, forces, contacts, strides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.edit import resample
from footfall.body.feet import foot_points, mean_leg
from footfall.body.kinematics import WorldPoses
from footfall.body.mass import centre_of_mass
from footfall.gait.contacts import find_contacts
from footfall.gait.strides import Stride
from footfall.gait.tags import look_at
from footfall.maths import quaternions as quat
from footfall.maths.runs import runs
from footfall.maths.signals import low_pass

SIDES = ("left", "right")
GRAVITY = 9.81
FRICTION = 0.6
"""Of shoes on dry floors: the ground gives forces within a cone of this slope and no others."""


def sole(clip: Clip, side: str, poses: WorldPoses) -> np.ndarray:
    """(T, 3, 3) heel, ball and tip of a foot in the world."""
    points = foot_points(clip.skeleton).side(side)
    return np.stack(
        [
            poses.positions[:, p.joint] + quat.rotate(poses.rotations[:, p.joint], p.offset)
            for p in points
        ],
        axis=1,
    )


def drift(clip: Clip, poses: WorldPoses) -> float:
    """The furthest that a carrying heel or tip of the toes moves within one contact, metres."""
    assert clip.contacts is not None
    most = 0.0
    for n, side in enumerate(SIDES):
        points = sole(clip, side, poses)
        for column, point in ((2 * n, 0), (2 * n + 1, 2)):
            for first, stop_ in runs(clip.contacts[:, column]):
                track = points[first:stop_, point]
                most = max(most, float(np.linalg.norm(track - track[0], axis=1).max()))
    return most


def feet(clip: Clip) -> np.ndarray:
    """(T, 2) whether each foot stands, as the clip says."""
    assert clip.contacts is not None
    return np.stack([clip.contacts[:, :2].any(axis=1), clip.contacts[:, 2:].any(axis=1)], axis=1)


# ------------------------------------------------------------------------------------- forces


def ground_residual(clip: Clip) -> np.ndarray:
    """(T - 2,) the force that feet on the ground cannot give, as a share of the body's weight.

    The body needs F = m (a - g) of its surroundings, a from second differences of its centre of
    mass. While a foot stands, all of F within the cone of friction comes from the ground; what
    is left is the way from F to the cone. In flight nothing gives any force, so all is left.
    """
    centre = centre_of_mass(clip)
    force = np.diff(centre, 2, axis=0) * clip.fps**2 / GRAVITY + [0.0, 1.0, 0.0]
    on = feet(clip).any(axis=1)
    carried = on[:-2] | on[1:-1] | on[2:]
    up, level = force[:, 1], np.hypot(force[:, 0], force[:, 2])
    outside = (level - FRICTION * up) / np.hypot(1.0, FRICTION)
    below = up < -FRICTION * level  # nearest to the cone's tip
    short = np.where(below, np.hypot(up, level), np.maximum(outside, 0.0))
    return np.where(carried, short, np.hypot(up, level))


def flight_pull(clip: Clip) -> np.ndarray:
    """(N, 3) mean acceleration of the centre of mass in each whole flight, m/s²."""
    centre = centre_of_mass(clip)
    found = []
    for first, stop in runs(~feet(clip).any(axis=1)):
        if first > 0 and stop < len(clip) and stop - first >= 3:
            change = np.diff(centre[first:stop], 2, axis=0) * clip.fps**2
            found.append(change.mean(axis=0))
    return np.array(found).reshape(-1, 3)


# ---------------------------------------------------------------------------- body into body


@dataclass(frozen=True)
class Ball:
    """A ball of the body: on the line from a joint or end to another, at a share of the way."""

    start: str
    end: str
    share: float
    radius: float  # hundredths of stature
    aside: float = 0.0  # hundredths of stature to the left of the line


def _line(start: str, end: str, radii: tuple[float, ...]) -> list[Ball]:
    shares = np.linspace(0.0, 1.0, len(radii))
    return [Ball(start, end, float(s), r) for s, r in zip(shares, radii, strict=True)]


def _trunk() -> list[Ball]:
    """Pelvis, waist and ribs, as wide as they are, three balls across each."""
    rows = [("hips", "spine", 0.0, 6.2, 2.9), ("hips", "spine", 1.0, 5.2, 2.6),
            ("spine", "chest", 0.5, 4.4, 2.1), ("spine", "chest", 1.0, 5.6, 2.8),
            ("chest", "neck", 0.3, 6.2, 3.2)]  # fmt: skip
    return [
        Ball(a, b, share, radius, side * width)
        for a, b, share, radius, width in rows
        for side in (-1.0, 0.0, 1.0)
    ]


_FOREARM = (1.9, 2.0, 1.9, 1.6, 1.4, 1.4)
_HAND = (1.4, 1.4, 1.3, 1.0)
_THIGH = (4.2, 4.1, 3.9, 3.6, 3.2, 3.0, 2.9)
_SHANK = (2.85, 2.95, 3.0, 2.8, 2.4, 2.0, 1.85)
_FOOT = (1.7, 1.8, 1.8, 1.7)


def _parts(side: str) -> dict[str, list[Ball]]:
    return {
        "arm": _line(f"{side}_elbow", f"{side}_wrist", _FOREARM)
        + _line(f"{side}_wrist", f"{side}_hand", _HAND),
        "thigh": _line(f"{side}_hip", f"{side}_knee", _THIGH),
        "shank": _line(f"{side}_knee", f"{side}_ankle", _SHANK),
        "foot": _line(f"{side}_heel", f"{side}_ball", _FOOT),
    }


def body_gaps(clip: Clip) -> dict[str, float]:
    """The least gap, metres, between parts of the body that must not meet; below 0 they do."""
    poses = clip.world
    places = _places(clip, poses)
    stature = mean_leg(clip.skeleton) / 0.491
    left = quat.rotate(poses.rotations[:, clip.skeleton.role("hips")], np.array([1.0, 0.0, 0.0]))

    def balls(parts: list[Ball]) -> tuple[np.ndarray, np.ndarray]:
        centres = [
            places[b.start] * (1.0 - b.share) + places[b.end] * b.share
            + 0.01 * b.aside * stature * left
            for b in parts
        ]  # fmt: skip
        return np.stack(centres, axis=1), 0.01 * stature * np.array([b.radius for b in parts])

    sides = {side: {k: balls(v) for k, v in _parts(side).items()} for side in SIDES}
    one, two = sides["left"], sides["right"]
    trunk = balls(_trunk())
    gaps = {}
    for side in SIDES:
        gaps[f"{side} arm, trunk"] = _gap(sides[side]["arm"], trunk)
        gaps[f"{side} arm, thigh"] = _gap(sides[side]["arm"], sides[side]["thigh"])
    gaps["arms"] = _gap(one["arm"], two["arm"])
    gaps["left arm, right thigh"] = _gap(one["arm"], two["thigh"])
    gaps["right arm, left thigh"] = _gap(two["arm"], one["thigh"])
    for a in ("thigh", "shank", "foot"):
        for b in ("thigh", "shank", "foot"):
            if {a, b} != {"thigh", "foot"}:
                gaps[f"left {a}, right {b}"] = _gap(one[a], two[b])
    return gaps


def _places(clip: Clip, poses: WorldPoses) -> dict[str, np.ndarray]:
    places = {role: poses.positions[:, joint] for role, joint in clip.skeleton.roles.items()}
    ends = clip.end_positions
    for side in SIDES:
        joint = clip.skeleton.role(f"{side}_wrist")
        places[f"{side}_hand"] = ends[:, int(np.flatnonzero(clip.skeleton.end_joints == joint)[0])]
        points = sole(clip, side, poses)
        foot = poses.rotations[:, clip.skeleton.role(f"{side}_ankle")]
        up = quat.rotate(foot, np.array([0.0, 0.017 * mean_leg(clip.skeleton) / 0.491, 0.0]))
        places[f"{side}_heel"], places[f"{side}_ball"] = points[:, 0] + up, points[:, 1] + up
    return places


def _gap(one: tuple[np.ndarray, np.ndarray], two: tuple[np.ndarray, np.ndarray]) -> float:
    apart = np.linalg.norm(one[0][:, :, None] - two[0][:, None], axis=3)
    return float((apart - one[1][:, None] - two[1]).min())


# ----------------------------------------------------------------------------------- contacts


@dataclass(frozen=True)
class Mismatch:
    """How contacts found at 30 Hz differ from the exact ones.

    off      by how many frames each strike and lift-off of a stance is off, the most of them
    missed   stances that are not found;  invented  stances that are none
    """

    off: float
    missed: int
    invented: int


def contact_mismatch(clip: Clip, fps: float = 30.0) -> Mismatch:
    """Contacts that `gait` finds on a clip brought to 30 Hz, beside the exact ones."""
    exact, found = feet(clip), find_contacts(resample(clip, fps)).feet
    off, missed, invented = 0.0, 0, 0
    last = len(clip) - 1
    for foot in range(2):
        spans = runs(exact[:, foot])
        ours = np.stack([spans[:, 0], spans[:, 1] - 1], axis=1) * (fps / clip.fps)
        theirs = runs(found[:, foot]) - [0, 1]
        taken = np.zeros(len(theirs), np.bool_)
        for (a, b), (begin, end) in zip(spans.tolist(), ours.tolist(), strict=True):
            shared = np.minimum(theirs[:, 1], end) - np.maximum(theirs[:, 0], begin)
            near = int(np.argmax(shared)) if len(shared) else -1
            cut = (a == 0 or b == last + 1) and end - begin < 3.0
            if near < 0 or shared[near] < 0.0 or taken[near]:
                missed += not cut
                continue
            taken[near] = True
            if a > 0:
                off = max(off, abs(theirs[near, 0] - begin))
            if b <= last:
                off = max(off, abs(theirs[near, 1] - end))
        loose = theirs[~taken]
        edge = (loose[:, 0] == 0) | (loose[:, 1] == len(found) - 1)
        invented += int(np.count_nonzero(~(edge & (loose[:, 1] - loose[:, 0] < 3))))
    return Mismatch(float(off), missed, invented)


# ------------------------------------------------------------------------------------ strides


def stride_figures(clip: Clip) -> list[dict[str, float]]:
    """Figures of each stride in leg lengths and √(leg / g), angles in degrees."""
    sight = look_at(clip)
    poses = clip.world
    leg = mean_leg(clip.skeleton)
    bends = _knees(clip, poses)
    jerks = _jerks(clip, poses)
    out = []
    for stride in sight.strides:
        span = sight.frames(stride.begin_s, stride.end_s)
        out.append(_figures(stride, leg, span, clip, poses, bends, jerks, sight))
    return out


def _figures(
    stride: Stride, leg: float, span: slice, clip: Clip, poses: WorldPoses, bends: np.ndarray,
    jerks: dict[str, np.ndarray], sight: object,
) -> dict[str, float]:  # fmt: skip
    tempo = np.sqrt(leg / GRAVITY)
    role = clip.skeleton.role
    hips = 0.5 * (
        poses.positions[span, role("left_hip")] + poses.positions[span, role("right_hip")]
    )
    head = poses.positions[span, role("head")]
    line = np.linspace(0.0, 1.0, len(hips))

    def rise(y: np.ndarray) -> float:  # floors drift along real clips
        return float(np.ptp(y - line * (y[-1] - y[0]))) / leg

    ankles = [poses.positions[span, role(f"{side}_ankle"), 1] for side in SIDES]
    found = {
        "speed": stride.speed_m_s / np.sqrt(leg * GRAVITY),
        "turn": stride.turn_rad_s * tempo,
        "run": float(stride.style == "run"),
        "step length": float(np.mean(stride.step_lengths_m)) / leg,
        "cadence": 2.0 / stride.seconds * tempo,
        "duty": stride.duty,
        "width": stride.step_width_m / leg,
        "pelvis rise": rise(hips[:, 1]),
        "head rise": rise(head[:, 1]),
        "ankle lift": float(np.mean([np.ptp(a) for a in ankles])) / leg,
        "knee least": float(np.mean([np.percentile(bends[span, n], 2) for n in range(2)])),
        "knee most": float(np.mean([bends[span, n].max() for n in range(2)])),
    }
    for name, jerk in jerks.items():
        found[f"jerk {name}"] = float(np.sqrt((jerk[span] ** 2).mean())) * tempo**3 / leg
    return found


def _knees(clip: Clip, poses: WorldPoses) -> np.ndarray:
    """(T, 2) the angle between thigh and shank, degrees."""
    out = []
    for side in SIDES:
        hip, knee, ankle = (
            poses.positions[:, clip.skeleton.role(f"{side}_{part}")]
            for part in ("hip", "knee", "ankle")
        )
        a, b = knee - hip, ankle - knee
        cos = np.einsum("ti,ti->t", a, b) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        out.append(np.degrees(np.arccos(np.clip(cos, -1.0, 1.0))))
    return np.stack(out, axis=1)


def _jerks(clip: Clip, poses: WorldPoses) -> dict[str, np.ndarray]:
    """(T,) size of the jerk below 10 Hz, m/s³, of some joints, the mean of both sides squared."""
    parts = {"head": ("head",), "hips": ("hips",)}
    parts |= {p: (f"left_{p}", f"right_{p}") for p in ("knee", "ankle", "wrist")}
    fine = resample(clip, 120.0) if clip.fps < 60.0 else clip
    places = poses.positions if fine is clip else fine.positions
    out = {}
    for name, roles in parts.items():
        tracks = places[:, [clip.skeleton.role(r) for r in roles]]
        smooth = low_pass(tracks, fine.fps, 10.0)
        jerk = np.gradient(np.gradient(np.gradient(smooth, axis=0), axis=0), axis=0) * fine.fps**3
        size = np.sqrt((jerk**2).sum(axis=2).mean(axis=1))
        out[name] = np.interp(
            np.arange(len(clip)) / clip.fps, np.arange(len(fine)) / fine.fps, size
        )
    return out
