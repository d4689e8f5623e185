"""Features of motion that any two humanoids can be compared by.

Every clip is low-passed, sampled at one rate and laid on a figure of the same proportions: the
directions of its bones are kept, their lengths become the population's. What is left is motion,
not build. Then the heading and the place on the ground are taken out, lengths are divided by the
leg length, speeds by the speed √(g leg) that goes with it, and the track is cut into windows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import ANKLE_HEIGHT, ANKLE_TO_BALL, mean_leg
from footfall.body.kinematics import WorldPoses, world_poses
from footfall.body.roles import SIDES
from footfall.errors import InputError
from footfall.gait.tags import Sight, find_tags, look_at
from footfall.maths.arrays import Floats, Ints
from footfall.maths.quaternions import rotate
from footfall.maths.signals import differentiate, low_pass, sample, sample_times

RATE_HZ = 30.0
CUTOFF_HZ = 6.0
"""All clips are seen alike: what is faster is noise in some and lost in others."""
HEADING_CUTOFF_HZ = 0.8
"""Slower than a step: the pelvis' swing to and fro is motion, not heading."""
GRAVITY = 9.81
WINDOW, EVERY, HOP = 16, 3, 3
"""Frames in a window; which of them are kept, each with its velocity; frames between windows."""
MOST_DIMENSIONS = 32
WINDOWS_PER_DIMENSION = 10

POINTS = (
    "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle", "right_ankle",
    "left_toe", "right_toe", "chest", "head", "left_shoulder", "right_shoulder",
    "left_elbow", "right_elbow", "left_wrist", "right_wrist",
)  # fmt: skip
"""The points of the figure, all seen from between its hips."""
COLUMNS = (*POINTS, "hips")
"""What a row of features is about: positions of the points, and velocities of them and the hips."""
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
    "duck", "crouch", "pick", "sit", "sit_down", "stand_up", "sidestep_left", "sidestep_right",
    "turn_in_place_left", "turn_in_place_right",
)  # fmt: skip
TURNS = ("turn_left", "turn_right")


@dataclass(frozen=True, eq=False)
class Track:
    """A clip on the figure of the mean proportions, at RATE_HZ, T frames.

    leg_m       leg length of the clip's own figure
    places      (T, 16, 3) POINTS against the middle of the hips: left, up, ahead; leg lengths
    velocities  (T, 17, 3) of COLUMNS over the ground along the same axes, in √(g leg)
    speed       (T,) over the ground, steps averaged out, in √(g leg)
    turn        (T,) turn rate of the heading in √(g / leg), positive to the left
    kinds       T words: "walk", "run", "backward", "walk_turn", …, or "" for anything else
    """

    leg_m: float
    places: Floats
    velocities: Floats
    speed: Floats
    turn: Floats
    kinds: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.speed)


@dataclass(frozen=True, eq=False)
class Windows:
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

    def only(self, chosen: Ints) -> Windows:
        """Those of the given numbers."""
        kinds = tuple(self.kinds[i] for i in chosen.tolist())
        return Windows(
            self.values[chosen], self.speed[chosen], self.turn[chosen], kinds, self.owner[chosen]
        )


def track_of(clip: Clip, sight: Sight | None = None) -> Track:
    """The clip's motion without its build, its place and its heading."""
    if not clip.skeleton.roles:
        raise InputError(
            "the skeleton is not a humanoid", where=clip.name, remedy="its joints must have roles"
        )
    poses = world_poses(clip)
    sight = sight or look_at(clip, poses=poses)
    leg = mean_leg(clip.skeleton)
    times = sample_times(len(clip), clip.fps, RATE_HZ)
    cutoff = min(CUTOFF_HZ, 0.4 * clip.fps)
    middle, points = _on_mean_figure(clip, poses, leg)
    tracks = np.concatenate([points, middle[:, None] / leg], axis=1)
    tracks = sample(low_pass(tracks, clip.fps, cutoff), clip.fps, times)
    heading = low_pass(
        sight.contacts.motion.facing, clip.fps, min(HEADING_CUTOFF_HZ, 0.2 * clip.fps)
    )
    heading = sample(heading, clip.fps, times)
    froude = np.sqrt(leg / GRAVITY)
    around = tracks[:, :-1]
    world = np.concatenate([around + tracks[:, -1:], tracks[:, -1:]], axis=1)
    pace = sample(sight.contacts.motion.pace, clip.fps, times) / leg
    return Track(
        leg_m=leg,
        places=_turned(around, heading),
        velocities=froude * _turned(differentiate(world, RATE_HZ), heading),
        speed=froude * pace,
        turn=froude * differentiate(heading, RATE_HZ),
        kinds=_kinds(clip, sight, times),
    )


def _turned(vectors: Floats, heading: Floats) -> Floats:
    """Vectors (T, N, 3) as somebody sees them who faces `heading` (T,)."""
    sin, cos = np.sin(heading)[:, None], np.cos(heading)[:, None]
    x, y, z = np.moveaxis(vectors, -1, 0)
    return np.stack([x * cos - z * sin, y, x * sin + z * cos], axis=-1)


def _on_mean_figure(clip: Clip, poses: WorldPoses, leg: float) -> tuple[Floats, Floats]:
    """The middle of the hips (T, 3), metres, and POINTS (T, 16, 3) about it, leg lengths."""
    roles = clip.skeleton.roles
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


def _kinds(clip: Clip, sight: Sight, times: Floats) -> tuple[str, ...]:
    """What is going on at each time: one gait and nothing else."""
    kinds = np.full(len(times), "", dtype="<U16")
    tags = find_tags(clip, sight)
    for tag in (t for t in tags if t.name in GOING):
        kinds[(times >= tag.begin_s) & (times <= tag.end_s)] = tag.name
    for tag in tags:
        inside = (times >= tag.begin_s) & (times <= tag.end_s)
        if tag.name in BROKEN_BY:
            kinds[inside] = ""
        elif tag.name in TURNS:
            kinds[inside & (kinds != "")] = np.char.add(kinds[inside & (kinds != "")], "_turn")
    return tuple(kinds.tolist())


def windows_of(track: Track, owner: int = 0, mirrored: bool = True) -> Windows:
    """The windows of a track, and their mirror images: people turn left as they turn right."""
    starts = np.arange(0, len(track) - WINDOW + 1, HOP)
    frames = starts[:, None] + np.arange(0, WINDOW, EVERY)
    middle = starts + WINDOW // 2
    both = np.concatenate([track.places, track.velocities], axis=1)
    values = both[frames].reshape(len(starts), -1)
    speed, turn = track.speed[middle], track.turn[middle]
    kinds = [track.kinds[i] for i in middle.tolist()]
    if mirrored:
        order = [*_MIRRORED, *(len(POINTS) + i for i in _MIRRORED), both.shape[1] - 1]
        other = both[:, order] * np.array([-1.0, 1.0, 1.0])
        values = np.concatenate([values, other[frames].reshape(len(starts), -1)])
        speed, turn = np.tile(speed, 2), np.concatenate([turn, -turn])
        kinds = kinds * 2
    return Windows(values, speed, turn, tuple(kinds), np.full(len(values), owner, np.int32))


def feature_columns() -> tuple[tuple[str, str], ...]:
    """For each feature which point it is about and whether it is a "place" or a "velocity"."""
    one = [(p, "place") for p in POINTS for _ in range(3)]
    one += [(p, "velocity") for p in COLUMNS for _ in range(3)]
    return tuple(one * len(range(0, WINDOW, EVERY)))


def joined(parts: list[Windows]) -> Windows:
    """Windows of several tracks as one."""
    if not parts:
        raise InputError("there are no windows", remedy="at least one clip is needed")
    return Windows(
        np.concatenate([p.values for p in parts]),
        np.concatenate([p.speed for p in parts]),
        np.concatenate([p.turn for p in parts]),
        tuple(kind for p in parts for kind in p.kinds),
        np.concatenate([p.owner for p in parts]),
    )
