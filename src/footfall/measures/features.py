"""Features of motion for comparing any two humanoids.

Every clip is low-passed, sampled at one rate and laid on a character of the same proportions: the
directions of its bones are kept, their lengths become the population's. What is left is motion,
not build. Then the heading and the place on the ground are taken out, lengths are divided by the
leg length, speeds by the speed √(g leg) that goes with it, and the track is cut into windows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import ANKLE_HEIGHT, ANKLE_TO_BALL, mean_leg
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.gait.tags import Sight, find_tags, look_at
from footfall.maths.arrays import Floats, Ints
from footfall.maths.constants import GRAVITY
from footfall.maths.quaternions import rotate
from footfall.maths.signals import differentiate, low_pass, sample, sample_times

RATE_HZ = 30.0
CUTOFF_HZ = 6.0
"""All clips are seen alike: what is faster is noise in some and lost in others."""
HEADING_CUTOFF_HZ = 0.6
"""Slower than a step: the pelvis' swing to and fro is motion, not heading."""
WINDOW, EVERY, HOP = 16, 3, 3
"""Frames in a window; which of them are kept, each with its velocity; frames between windows."""
STILL = 0.04
"""In √(g leg), about 0.1 m/s: recorded feet that stand move up to so much; stiller is as good."""
SPEED_BIN, MOST_SHARE = 0.15, 5.0
"""Speeds within 15 % are alike; no window counts more than this for being at a rare speed."""
MOST_DIMENSIONS = 32
WINDOWS_PER_DIMENSION = 10

POINTS = (
    "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle", "right_ankle",
    "left_toe", "right_toe", "chest", "head", "left_shoulder", "right_shoulder",
    "left_elbow", "right_elbow", "left_wrist", "right_wrist",
)  # fmt: skip
"""The points of the character, all seen from between its hips."""
COLUMNS = (*POINTS, "hips", "grip")
"""What features are about: the points and the middle of the hips; grip, how still a foot stands."""
PARTS = {
    "legs": tuple(p for p in POINTS if p.endswith(("_knee", "_ankle", "_toe"))),
    "trunk": ("chest", "head", "left_shoulder", "right_shoulder", "left_hip", "right_hip", "hips"),
    "arms": tuple(p for p in POINTS if p.endswith(("_elbow", "_wrist"))),
    "grip": ("grip",),
}
"""Parts of the body, which are looked at each by itself too."""
_MIRRORED = [POINTS.index(p.translate({}) if "_" not in p else
             ("right_" if p.startswith("left_") else "left_") + p.split("_", 1)[1])
             for p in POINTS]  # fmt: skip
_LENGTHS = {
    "hip": 0.111, "knee": 0.479, "ankle": 0.521, "trunk": 0.59, "shoulder": 0.21,
    "elbow": 0.379, "wrist": 0.297, "head": 0.32,
}  # fmt: skip
"""Leg lengths of the population's mean; hip and shoulder are half widths."""
GOING = ("walk", "run", "backward")
BROKEN_BY = (
    "stand", "start", "stop", "jump", "hop", "hurdle", "step_over", "step_up", "step_down", "beam",
    "duck", "crouch", "crawl", "lie", "pick", "sit", "sit_down", "stand_up", "sidestep_left",
    "sidestep_right", "turn_in_place_left", "turn_in_place_right",
)  # fmt: skip
TURNING = {"walk": 0.3, "run": 0.45, "backward": 0.3}
"""Turn rates in √(g / leg), about 1 and 1.5 rad/s, between walking and turning."""


@dataclass(frozen=True, eq=False)
class FeatureTrack:
    """A clip on the character of the mean proportions, at RATE_HZ, T frames.

    leg_m       leg length of the clip's own character
    places      (T, 16, 3) POINTS against the middle of the hips: left, up, ahead; leg lengths
    velocities  (T, 17, 3) of POINTS and hips over the ground along the same axes, in √(g leg)
    grip        (T,) speed of the slowest point of both soles, in √(g leg), at least STILL
    speed       (T,) over the ground, steps averaged out, in √(g leg)
    turn        (T,) turn rate of the heading in √(g / leg), positive to the left
    kinds       T words: "walk", "run", "backward", "walk_turn", …, or "" for anything else
    """

    leg_m: float
    places: Floats
    velocities: Floats
    grip: Floats
    speed: Floats
    turn: Floats
    kinds: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.speed)

    @property
    def rows(self) -> Floats:
        """(T, 100) all features of each frame, in the order of `feature_columns`."""
        flat = [v.reshape(len(self), -1) for v in (self.places, self.velocities, self.grip)]
        return np.concatenate(flat, axis=1)

    @property
    def mirrored(self) -> FeatureTrack:
        """The same seen in a mirror: left is right."""
        side = np.array([-1.0, 1.0, 1.0])
        return replace(
            self,
            places=self.places[:, _MIRRORED] * side,
            velocities=self.velocities[:, [*_MIRRORED, len(POINTS)]] * side,
            turn=-self.turn,
        )


@dataclass(frozen=True, eq=False)
class FeatureWindows:
    """N windows of tracks.

    values  (N, D) features
    speed   (N,) in √(g leg), turn (N,) in √(g / leg), of the window's middle
    kinds   N words, what the middle of each window shows
    owner   (N,) the number of the group (performer or clip) it comes from
    """

    values: Floats
    speed: Floats
    turn: Floats
    kinds: tuple[str, ...]
    owner: Ints

    def __len__(self) -> int:
        return len(self.values)

    def about(self, columns: tuple[str, ...]) -> FeatureWindows:
        """Return the same windows with those features alone that are about the given COLUMNS."""
        chosen = [n for n, (name, _) in enumerate(feature_columns()) if name in columns]
        return replace(self, values=self.values[:, chosen])

    def only(self, chosen: Ints) -> FeatureWindows:
        """Return those of the given numbers."""
        kinds = tuple(self.kinds[i] for i in chosen.tolist())
        return FeatureWindows(
            self.values[chosen], self.speed[chosen], self.turn[chosen], kinds, self.owner[chosen]
        )


def track_of(clip: Clip, sight: Sight | None = None) -> FeatureTrack:
    """Return the clip's motion without its build, its place and its heading."""
    if not clip.skeleton.roles:
        raise InputError(
            "the skeleton is not a humanoid", where=clip.name, remedy="its joints must have roles"
        )
    sight = sight or look_at(clip)
    leg = mean_leg(clip.skeleton)
    times = sample_times(len(clip), clip.fps, RATE_HZ)
    cutoff = min(CUTOFF_HZ, 0.4 * clip.fps)
    middle, points = _on_mean_skeleton(clip, leg)
    tracks = np.concatenate([points, middle[:, None] / leg], axis=1)
    tracks = sample(low_pass(tracks, clip.fps, cutoff), clip.fps, times)
    heading = low_pass(
        sight.contacts.motion.facing, clip.fps, min(HEADING_CUTOFF_HZ, 0.2 * clip.fps)
    )
    heading = sample(heading, clip.fps, times)
    froude = np.sqrt(leg / GRAVITY)
    turn = froude * differentiate(heading, RATE_HZ)
    around = tracks[:, :-1]
    world = np.concatenate([around + tracks[:, -1:], tracks[:, -1:]], axis=1)
    slowest = low_pass(sight.contacts.motion.slowest.min(axis=1), clip.fps, cutoff)
    pace = sample(sight.contacts.motion.pace, clip.fps, times) / leg
    return FeatureTrack(
        leg_m=leg,
        places=_turn_to_heading(around, heading),
        velocities=froude * _turn_to_heading(differentiate(world, RATE_HZ), heading),
        grip=np.maximum(froude / leg * sample(slowest, clip.fps, times), STILL),
        speed=froude * pace,
        turn=turn,
        kinds=_kinds(clip, sight, times, turn),
    )


def _turn_to_heading(vectors: Floats, heading: Floats) -> Floats:
    """Return vectors (T, N, 3) relative to `heading` (T,)."""
    sin, cos = np.sin(heading)[:, None], np.cos(heading)[:, None]
    x, y, z = np.moveaxis(vectors, -1, 0)
    return np.stack([x * cos - z * sin, y, x * sin + z * cos], axis=-1)


def _on_mean_skeleton(clip: Clip, leg: float) -> tuple[Floats, Floats]:
    """Return the middle of the hips (T, 3), metres, and POINTS (T, 16, 3) about it, leg lengths."""
    roles, poses = clip.skeleton.roles, clip.world
    at = {role: poses.positions[:, joint] for role, joint in roles.items()}
    hips = 0.5 * (at["left_hip"] + at["right_hip"])
    chest = 0.5 * (at["left_shoulder"] + at["right_shoulder"])
    found = {"chest": _LENGTHS["trunk"] * _unit(chest - hips)}
    top = roles.get("head", roles.get("neck", roles["chest"]))
    up = rotate(poses.rotations[:, top], np.array([0.0, 1.0, 0.0]))
    found["head"] = found["chest"] + _LENGTHS["head"] * _unit(up)
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        across = _unit(at["left_hip"] - at["right_hip"])
        found[f"{side}_hip"] = sign * _LENGTHS["hip"] * across
        across = _unit(at["left_shoulder"] - at["right_shoulder"])
        found[f"{side}_shoulder"] = found["chest"] + sign * _LENGTHS["shoulder"] * across
        for lower, upper in (
            ("knee", "hip"),
            ("ankle", "knee"),
            ("elbow", "shoulder"),
            ("wrist", "elbow"),
        ):
            bone = _unit(at[f"{side}_{lower}"] - at[f"{side}_{upper}"])
            found[f"{side}_{lower}"] = found[f"{side}_{upper}"] + _LENGTHS[lower] * bone
        # Ankles are differently high in different skeletons; flat at rest they all are.
        sole = np.array([0.0, -ANKLE_HEIGHT, ANKLE_TO_BALL])
        foot = rotate(poses.rotations[:, roles[f"{side}_ankle"]], sole)
        found[f"{side}_toe"] = found[f"{side}_ankle"] + foot
    return hips, np.stack([found[name] for name in POINTS], axis=1)


def _unit(vectors: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))
    return np.asarray(vectors / np.maximum(lengths, 1e-9)[..., None])


def _kinds(clip: Clip, sight: Sight, times: Floats, turn: Floats) -> tuple[str, ...]:
    """Return what is going on at each time: one gait and nothing else."""
    kinds = np.full(len(times), "", dtype="<U16")
    tags = find_tags(clip, sight)
    for tag in (t for t in tags if t.name in GOING):
        kinds[(times >= tag.begin_s) & (times <= tag.end_s)] = tag.name
    for tag in tags:
        inside = (times >= tag.begin_s) & (times <= tag.end_s)
        if tag.name in BROKEN_BY:
            kinds[inside] = ""
    for name, most in TURNING.items():
        kinds[(kinds == name) & (np.abs(turn) > most)] = f"{name}_turn"
    return tuple(kinds.tolist())


def windows_of(track: FeatureTrack, owner: int = 0) -> FeatureWindows:
    """Return the windows of a track and their mirror images."""
    starts = np.arange(0, len(track) - WINDOW + 1, HOP)
    frames = starts[:, None] + np.arange(0, WINDOW, EVERY)
    middle = starts + WINDOW // 2
    both = (track, track.mirrored)
    size = len(feature_columns())
    kinds = [track.kinds[i] for i in middle.tolist()]
    return FeatureWindows(
        values=np.concatenate([t.rows[frames].reshape(len(starts), size) for t in both]),
        speed=np.concatenate([t.speed[middle] for t in both]),
        turn=np.concatenate([t.turn[middle] for t in both]),
        kinds=tuple(kinds * 2),
        owner=np.full(2 * len(starts), owner, np.int32),
    )


def feature_columns() -> tuple[tuple[str, str], ...]:
    """Return for each feature its subject (COLUMNS) and "place" or "velocity"."""
    one = [(p, "place") for p in POINTS for _ in range(3)]
    one += [(p, "velocity") for p in (*POINTS, "hips") for _ in range(3)]
    one.append(("grip", "velocity"))
    return tuple(one * len(range(0, WINDOW, EVERY)))


def join_windows(parts: list[FeatureWindows]) -> FeatureWindows:
    """Windows of several tracks as one."""
    if not parts:
        raise InputError("there are no windows", remedy="at least one clip is needed")
    return FeatureWindows(
        np.concatenate([p.values for p in parts]),
        np.concatenate([p.speed for p in parts]),
        np.concatenate([p.turn for p in parts]),
        tuple(kind for p in parts for kind in p.kinds),
        np.concatenate([p.owner for p in parts]),
    )


def equal_shares(owner: Ints) -> Floats:
    """Return (N,) weights by which every group counts alike, however many windows it has; sum 1."""
    _, places, counts = np.unique(owner, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / (counts[places] * len(counts)))


def shares_at_speeds_of(windows: FeatureWindows, real: FeatureWindows) -> Floats:
    """Return (N,) weights by which the windows' speeds are spread as those of the real ones; sum 1.

    Groups count alike in so far as they go at such speeds; speeds no real window has count
    nothing. All zero if there are no others.
    """
    logs = [np.log(np.maximum(w.speed, 1e-3)) / SPEED_BIN for w in (windows, real)]
    low = min(logs[0].min(), logs[1].min())
    bins = [(log - low).astype(np.int32) for log in logs]
    size = int(max(bins[0].max(), bins[1].max())) + 1
    own, wanted = (
        np.bincount(place, equal_shares(w.owner), size)
        for place, w in zip(bins, (windows, real), strict=True)
    )
    ratio = np.divide(wanted, own, out=np.zeros(size), where=own > 0.0)
    ratio = np.minimum(ratio, MOST_SHARE)
    weights = equal_shares(windows.owner) * ratio[bins[0]]
    return np.asarray(weights / weights.sum()) if weights.any() else weights


@dataclass(frozen=True, eq=False)
class Basis:
    """The space in which windows are compared: equal speed and turn, leading real components.

    usual   the speed, √(g leg), that all are brought to
    slopes  (2, D) how features change with speed and turn within real performers
    mean    (D,) of the real features at the usual speed, going straight
    axes    (D, C) principal components
    """

    usual: float
    slopes: Floats
    mean: Floats
    axes: Floats

    @classmethod
    def fit(cls, real: FeatureWindows, components: int) -> Basis:
        """Return the basis of real windows; each performer counts alike."""
        w = equal_shares(real.owner)
        usual, slopes = float(w @ real.speed), _slopes_within(real, w)
        none = np.zeros(real.values.shape[1])
        values = cls(usual, slopes, none, none[:, None]).at_equal_speed(real)
        mean = w @ values
        centred = (values - mean) * np.sqrt(w)[:, None]
        _, axes = np.linalg.eigh(centred.T @ centred)
        return cls(usual, slopes, mean, axes[:, ::-1][:, :components])

    def at_equal_speed(self, windows: FeatureWindows) -> Floats:
        """Return (N, D) the features as they would be at the usual speed, going straight."""
        x = np.stack([windows.speed - self.usual, windows.turn], axis=1)
        return np.asarray(windows.values - x @ self.slopes)

    def components(self, values: Floats) -> Floats:
        """Return (N, C + 1) components of features (N, D), and their distance to the space."""
        centred = values - self.mean
        inside = centred @ self.axes
        off = np.sqrt(np.maximum((centred**2).sum(axis=1) - (inside**2).sum(axis=1), 0.0))
        return np.concatenate([inside, off[:, None]], axis=1)


def _slopes_within(real: FeatureWindows, weights: Floats) -> Floats:
    """Return (2, D) how features change with speed and turn, for all performers."""
    x, y = np.stack([real.speed, real.turn], axis=1), real.values.copy()
    for group in np.unique(real.owner):
        mine = real.owner == group
        x[mine] -= x[mine].mean(axis=0)
        y[mine] -= y[mine].mean(axis=0)
    inner = (x * weights[:, None]).T @ x
    inner += 1e-3 * max(float(np.trace(inner)), 1e-9) * np.eye(2)
    return np.asarray(np.linalg.solve(inner, (x * weights[:, None]).T @ y), dtype=np.float64)
