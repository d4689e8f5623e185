"""Live characters: steered frame by frame, by speed, turn and style, on any ground.

    walker = Controller(space, character, scene)
    pose = walker.step(1 / 60, speed=1.3, turn=0.2)

It is causal: a step knows the present wish and what is remembered of the past. Whatever is asked
for, the character stays sound: wishes are followed no faster than people can, feet that stand
stay where they are, and what no example covers is brought to the nearest that one does.
"""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from footfall.adapt.feet.holds import FLAT
from footfall.adapt.feet.lean import lean_shares, roll_shares
from footfall.adapt.retarget.state import blank_bodies, blank_feet, blank_poses, figures_of
from footfall.blending.examples import SAMPLES
from footfall.blending.model import LATERAL_M_S2, MOST_TURN_RAD_S, BlendSpace, example_turns
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.world.scene import Scene

LONGEST_STEP_S = 1.0 / 30.0
"""Longer steps are taken in parts."""
MOST_STEP_S = 10.0
PROBES = 8
"""The number of points along the course ahead at which ground is asked for."""
_HURRY = 1.2
"""Joints of legs turn at most so much faster than in the examples."""


@dataclass(frozen=True)
class SteeringOptions:
    """How quickly wishes are followed.

    speed_s, turn_s, style_s   half-lives, seconds
    weights_s   how slowly the weights of examples follow, seconds
    speed_up_m_s2, turn_up_rad_s2   the most that speed and turn change in a second
    sway   how much of the body's sway beside its path is kept, 0 (as in the paper) to 1
    """

    speed_s: float = 0.18
    turn_s: float = 0.12
    style_s: float = 0.2
    weights_s: float = 0.06
    speed_up_m_s2: float = 2.5
    turn_up_rad_s2: float = 5.0
    sway: float = 1.0


Steering = namedtuple(
    "Steering",
    "half_life_s most_rate least most gaits turns turns_m_s lateral lean roll weights_s sway",
)
"""The arguments that kernels take of them.

half_life_s, most_rate  (P,) half-lives, and the most change a second
least, most             (P,) between which parameters are kept
weights_s               how slowly weights follow, seconds
sway                    how much of the body's sway beside its path is kept
gaits                   (2,) how fast the fastest walk and the slowest run are
turns, turns_m_s        (K,) the most that examples turn at speeds so far apart
lateral                 the highest acceleration in curves, m/s²
lean, roll              (J,) how much of a lean with the slope, or into a curve, each joint
                        turns by
"""


WALKER = np.dtype([
    ("time", np.float64), ("course", np.float64, 3), ("resting", np.int32), ("calm", np.int32),
    ("fresh", np.int32), ("left", np.int32, (2, 2)), ("standing", np.float64),
    ("allowed", np.float64), ("pace", np.float64), ("slope", np.float64), ("lean", np.float64),
    ("roll", np.float64), ("ease", np.float64), ("steps_s", np.float64, 2),
    ("probes", np.float64, PROBES),
], align=True)  # fmt: skip
"""What is remembered of one character beside its blend.

time     generic time           course  x, z and heading of the arc
resting  1 while it stands      standing  how far it has come to the standing pose
calm     strikes since it went slowly          fresh  1 before the first frame
left     whether heel and toe have left the ground since their strike, by foot
allowed  how fast it may go for the ground ahead
pace     how fast its time goes: slower while a foot is late
slope, lean  of the ground ahead, and how far it leans with it, radians
roll     how far it leans into a curve, radians, more than its examples do
ease     the share of its speed that the slope ahead leaves
steps_s  how long the two steps of the blended stride take
probes   heights of the ground along the course, memory
"""


WalkerState = namedtuple(
    "WalkerState",
    "walkers parameters rates achieved weights dual followed wished memory times blended",
)
"""What is remembered of N characters, and memory to work in.

walkers     (N,) see `WALKER`
parameters, rates  (N, P) followed, and how they change
achieved    (N, P) what the blend gives     weights (N, E)    dual (N, P + 1)
followed    (N, E) weights on their way
"""


Live = namedtuple("Live", "rigs feet bodies poses root rotations")
"""Feet, bodies and poses of N characters, and the poses (N, S) that are put on them."""


def _blank_state(space: BlendSpace, count: int) -> WalkerState:
    many, examples = space.basis.values.shape[1], len(space)
    size = many + 1
    walkers = np.zeros(count, WALKER)
    for name, value in {
        "time": 0.55, "resting": 1, "fresh": 1, "standing": 1.0, "allowed": np.inf, "pace": 1.0,
        "ease": 1.0,
    }.items():  # fmt: skip
        walkers[name] = value
    weights = np.full((count, examples), 1.0 / examples)
    parameters, rates, achieved = (np.zeros((count, many)) for _ in range(3))
    return WalkerState(
        walkers, parameters, rates, achieved, weights, np.zeros((count, size)), weights.copy(),
        np.zeros(examples), np.zeros((size + 4, max(size, examples))), np.zeros((2, 4)),
        np.zeros(space.vectors.shape[2]),
    )  # fmt: skip


class Crowd:
    """N characters of one kind, stepped together by one call.

    root (N, 3) and rotations (N, J, 4) hold the present frame; the next step overwrites them.
    """

    def __init__(
        self, space: BlendSpace, character: Skeleton, count: int = 1, scene: Scene | None = None,
        steering: SteeringOptions = SteeringOptions(),
    ) -> None:  # fmt: skip
        if count < 1:
            raise InputError(f"{count} characters", remedy="at least one")
        self.space, self.character, self.scene = space, character, scene
        most = _HURRY * _leg_rates(space)
        rigs = figures_of(space.skeleton, character, most_rad_s=most)
        self._live = Live(
            rigs, blank_feet(count), blank_bodies(count),
            blank_poses(space.skeleton, character, count), np.zeros((count, 3)),
            np.zeros((count, len(space.skeleton), 4)),
        )  # fmt: skip
        self.state = _blank_state(space, count)
        self._asked = np.zeros((count, len(space.basis.names)))
        moment = None if scene is None else scene.snapshot()
        self._scale = float(rigs.fixed["way_factor"][0])
        # What the kernel is told in every frame is packed once: it takes a good part of a frame.
        self._given = (
            space.arrays, _pack_steering(space, steering), self._asked, self.state, self._live,
            _no_world() if moment is None else moment.world, scene is not None,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self._asked)

    @property
    def root(self) -> Floats:
        return np.asarray(self._live.poses.root)

    @property
    def rotations(self) -> Floats:
        return np.asarray(self._live.poses.rotations)

    @property
    def scale(self) -> float:
        """How much larger the character's world is than that of the examples."""
        return self._scale

    @property
    def places(self) -> Floats:
        """(N, 3) x, z and heading of the paths that the characters go along."""
        return np.asarray(self.state.walkers["course"] * [self._scale, self._scale, 1.0])

    @property
    def achieved(self) -> Floats:
        """(N, P) the parameters of the present blend; speeds in the character's world."""
        out = np.array(self.state.achieved)
        out[:, 0] *= self._scale
        return out

    @property
    def contacts(self) -> Bools:
        """(N, 4) heel and toe of the left and the right foot: which stand still on the ground.

        Heels do while they carry the foot; toes do so too, and where it lies flat.
        """
        from footfall.adapt.retarget.swing_kernels import HEEL_POINT

        feet = self._live.feet
        held, on_heel = feet["phase"] != 0, feet["pivot"] == HEEL_POINT
        lies = (feet["phase"] == FLAT) & (feet["lying"] >= 1.0)
        points = np.stack([held & on_heel, held & (~on_heel | lies)], axis=2)
        return np.asarray(points.reshape(len(self), 4))

    @property
    def touching(self) -> Any:
        """(N, 2) whether the left and the right foot are held on the ground."""
        return self._live.feet["phase"] != 0

    @property
    def resting(self) -> Bools:
        """(N,) whether each character stands."""
        return np.asarray(self.state.walkers["resting"] == 1)

    def put(self, places: ArrayLike) -> None:
        """Place all at x, z and heading (N, 3), standing."""
        places = np.asarray(places, float)
        if places.shape != (len(self), 3) or not np.isfinite(places).all():
            raise InputError(f"places of shape {places.shape}", remedy=f"({len(self)}, 3), finite")
        for array, value in zip(self.state, _blank_state(self.space, len(self)), strict=True):
            array[...] = value
        self._live.feet[...] = blank_feet(len(self))
        self._live.bodies[...] = blank_bodies(len(self))
        self.state.walkers["course"] = places / [self._scale, self._scale, 1.0]
        self.step(0.0, 0.0, 0.0)

    def step(
        self, dt: float, speed: ArrayLike, turn: ArrayLike, style: ArrayLike | None = None,
        **own: ArrayLike,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """Let `dt` seconds pass, with speeds (m/s), turns (rad/s, left) and styles asked for.

        style  0 walks, 1 runs; None goes by the speed
        own    values of the users' own parameters, by name
        """
        if not (math.isfinite(dt) and 0.0 <= dt <= MOST_STEP_S):
            raise InputError(f"a step of {dt} s", remedy=f"from 0 to {MOST_STEP_S:g} s")
        asked = self._asked
        asked[:, 0] = speed
        if self._scale != 1.0:
            asked[:, 0] /= self._scale
        asked[:, 1] = turn
        asked[:, 2] = np.nan if style is None else style
        for name, value in own.items():
            asked[:, self._column(name)] = value
        parts = max(1, math.ceil(dt / LONGEST_STEP_S - 1e-9))
        for _ in range(parts):
            self._kernel(dt / parts, *self._given)
        return self.root, self.rotations

    def _column(self, name: str) -> int:
        names = self.space.basis.names
        if name not in names[3:]:
            raise InputError(f"no parameter {name!r}", remedy=f"there are {', '.join(names)}")
        return names.index(name)

    @cached_property
    def _kernel(self) -> Any:
        from footfall.blending.control_kernels import step_walkers

        return step_walkers


class Controller(Crowd):
    """One character, steered frame by frame."""

    def __init__(
        self, space: BlendSpace, character: Skeleton | None = None, scene: Scene | None = None,
        steering: SteeringOptions = SteeringOptions(),
    ) -> None:  # fmt: skip
        super().__init__(space, character or space.skeleton, 1, scene, steering)

    def step(
        self, dt: float, speed: ArrayLike, turn: ArrayLike, style: ArrayLike | None = None,
        **own: ArrayLike,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """As of a crowd; root (3,) and rotations (J, 4) of the present frame."""
        root, rotations = super().step(dt, speed, turn, style, **own)
        return root[0], rotations[0]


def _pack_steering(space: BlendSpace, options: SteeringOptions) -> Steering:
    extra = len(space.basis.names) - 3
    span = space.basis.span
    half = [options.speed_s, options.turn_s, options.style_s, *[options.style_s] * extra]
    rate = [options.speed_up_m_s2, options.turn_up_rad_s2, 2.0, *(2.0 * span[3:])]
    # Beyond what any example has, the nearest of all blends may be one that turns.
    least, most = space.basis.values.min(axis=0), space.basis.values.max(axis=0)
    most[1] = max(most[1], -least[1], MOST_TURN_RAD_S)
    least[1] = -most[1]
    speeds, turns = example_turns(space)
    return Steering(
        np.array(half, float), np.array(rate, float), least, most, np.array(space.walk_run_m_s),
        turns, speeds[1], LATERAL_M_S2[1], lean_shares(space.skeleton),
        roll_shares(space.skeleton), options.weights_s, float(options.sway),
    )  # fmt: skip


def _leg_rates(space: BlendSpace) -> Floats:
    """(3,) how fast hips, knees and ankles of the examples turn at most, rad/s."""
    most = np.zeros(3)
    half = SAMPLES // 2
    for example in space.examples:
        turns = np.concatenate([example.rotations, example.rotations[:1]])
        rates = quat.angle_between(turns[1:], turns[:-1]) * half
        rates[:half] /= example.seconds[0]
        rates[half:] /= example.seconds[1]
        for k, part in enumerate(("hip", "knee", "ankle")):
            joints = [space.skeleton.role(f"{side}_{part}") for side in SIDES]
            most[k] = max(most[k], float(rates[:, joints].max()))
    return most


def _no_world() -> Any:
    """A world of the right types in which nothing is asked for."""
    from footfall.world.scene import Scene as AnyScene
    from footfall.world.scene import rectangle

    return AnyScene("none", rectangle([-1.0, -1.0], [1.0, 1.0])).snapshot().world
