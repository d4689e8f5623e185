"""Dimensions and reach of a body, in proportion to its skeleton.

Planners ask a `BodySize` instead of using metres, so children and giants are planned alike. The
shares give the mean body of the default clips the lengths that planners were tuned with. The
capsules of a body describe in detail what it sweeps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from footfall.body.feet import foot_points, mean_leg
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton

_SOLE_WIDTH = 0.36
"""Width of a sole as a share of its length."""


@dataclass(frozen=True)
class _Legs:
    """A length as a share of the leg, to a millimetre; with a power of 2 an area."""

    share: float
    power: int = 1
    unit = "leg_m"

    def __get__(self, body: BodySize, owner: object) -> float:
        unit: float = getattr(body, self.unit)
        return round(self.share * unit**self.power, 3)


class _Statures(_Legs):
    """A length as a share of the stature."""

    unit = "stature_m"


@dataclass(frozen=True)
class BodySize:
    """The dimensions of one body, metres; each share stands beside its reason.

    leg_m, stature_m  hip to knee to ankle; height
    sole_m            length of a sole
    sole_ahead_m      how far the middle of a sole is before the place of a footprint
    """

    leg_m: float
    stature_m: float
    sole_m: float
    sole_ahead_m: float

    # Heights that obstacles have for legs.
    knee_m = _Legs(0.3641)  # what is lower is stepped over
    leap_high_m = _Legs(0.7282)  # what is lower is leapt over on the way
    hurdle_m = _Legs(0.8495)  # what is lower is leapt over if nothing else leads on
    wall_low_m, wall_high_m = _Legs(0.6068), _Legs(1.0922)  # what stands in between is a wall
    walk_low_m, walk_high_m = _Legs(0.4248), _Legs(1.1529)  # knees to waist: is walked round
    root_low_m, root_high_m = _Legs(0.5461), _Legs(1.3350)  # of the root, crouching to leaping

    # Heights of ground.
    landing_m = _Legs(0.1638)  # how far off its clip's height a foot lands; the legs make up for it
    lift_m = _Legs(0.0728)  # obstacles no higher above the highest footprint are stepped on
    uneven_m = _Legs(0.0728)  # a sole whose corners differ more lies on two levels
    edge_m = _Legs(0.0607)  # higher edges are no floor to walk freely on
    level_m = _Legs(0.1456)  # neighbouring ground that differs less is one ground
    rough_m = _Legs(0.0364)  # how far ground may stray from the plane of a sole
    sole_high_m = _Legs(0.1456)  # of the free box that a foot needs above its sole
    soft_m = _Legs(0.0364)  # how far soles sink into what can be stood on
    seat_high_m = _Legs(0.0728)  # how far off the height of a seat a clip may sit
    deep_m = _Legs(0.6068)  # ground that lies so much lower is a gap
    above_m = _Legs(0.3034)  # how much more the steps of a move may rise together than one may
    sunk_m = _Legs(0.1699)  # how far feet are lifted onto what is stood on

    # Distances over the ground.
    stance_m = _Legs(0.1092)  # feet stand so far aside of the middle
    short_m = _Legs(0.5461)  # shorter moves are laid by the direction of feet, not by their chord
    furthest_m = _Legs(3.6408)  # how far a move leads
    gap_m = _Legs(0.3641)  # gaps no wider are stepped over like any ground
    least_gap_m = _Legs(0.3034)  # gaps no wider are crossed without notice
    leap_wide_m = _Legs(1.6990)  # what is wider is not leapt over
    run_up_m = _Legs(2.6699)  # how far from a leap its footholds are
    look_m = _Legs(3.0340)  # how far ahead leaps are looked for
    toes_m = _Legs(0.1214)  # how far the middle of a sole is from what it stands before
    islet_least_m2, islet_largest_m2 = _Legs(0.0884, 2), _Legs(1.7674, 2)  # their area
    beside_m = _Legs(0.5461)  # islets are so far from the way, and so far apart
    join_m = _Legs(2.1845)  # how far starts and goals are joined to footholds in time
    turn_room_m = _Legs(1.3350)  # room around places where somebody turns, picks or sits
    seat_front_m = _Legs(0.5461)  # how far before a seat feet stand before sitting down

    # Heights of the whole body.
    shank_m = _Legs(0.3034)  # how far above its sole a swinging foot takes its shank along
    shoulder_m = _Statures(0.8306)  # what is above is not in the way of a trunk that ducks
    head_m = _Statures(1.0085)  # what is above is not in the way of a body upright
    upright_m = _Statures(1.0679)  # headroom to walk freely
    headroom_m = _Statures(1.3645)  # what is above is never touched, not even in leaps
    overhead_m = _Statures(0.4746)  # what is lower is not overhead but in the way

    # Widths.
    slim_m = _Statures(0.0475)  # no trunk has its middle nearer to a wall
    core_m = _Statures(0.0712)  # nor does anybody walk nearer to it
    wall_gap_m = _Statures(0.0890)  # half the thickness of a trunk
    elbow_room_m = _Statures(0.1780)  # half the width of a body whose arms swing
    turning_m = _Statures(0.2076)  # half the width of a passage to walk and turn round in freely
    narrowest_m = _Statures(0.1780)  # the narrowest passage, gone through sideways
    narrow_m = _Statures(0.5636)  # narrower passages are crossed straight or sideways
    reach_m = _Statures(0.7119)  # how far hands and feet get from the root
    touched_m = _Statures(0.0475)  # how far hands and seat sink into what they touch
    spare_m = _Statures(0.0119)  # how much larger than the body its discs are ...
    low_spare_m = _Legs(0.0485)  # ... and how much lower
    hand_m = _Statures(0.2670)  # hands nearer to the root are where the trunk is
    shank_spare_m = _Statures(0.0356)  # how much nearer to the middle of a foot its shank is

    @property
    def sole_width_m(self) -> float:
        return _SOLE_WIDTH * self.sole_m

    @property
    def half_sole(self) -> tuple[float, float]:
        """Half of the length and of the width of a sole."""
        return 0.5 * self.sole_m, 0.5 * self.sole_width_m

    def in_proportion(self, metres: float) -> float:
        """Return a length that is given for the mean body, in proportion to the legs of this."""
        return round(metres * self.leg_m / MEAN_BODY.leg_m, 4)


MEAN_BODY = BodySize(leg_m=0.824, stature_m=1.6856, sole_m=0.2254, sole_ahead_m=0.0293)
"""The body that clips are generated for."""


@lru_cache(maxsize=64)
def body_size(skeleton: Skeleton) -> BodySize:
    """Return the dimensions of a humanoid from its skeleton."""
    heel, ball, tip = foot_points(skeleton).side("left")
    rest = skeleton.rest_positions
    back, middle, front = (float((rest[p.joint] + p.offset)[2]) for p in (heel, ball, tip))
    return BodySize(
        mean_leg(skeleton), stature(skeleton), front - back,
        0.5 * (front + back) - 0.5 * (middle + back),
    )  # fmt: skip


# How tall a body is, from the lengths of its bones.
#
# A rest pose is no help: end sites at toes and head may be missing, and a rest that was made from a
# motion's mean posture stoops. Lengths of bones are the same in every pose and every clip of a
# performer. Legs count most: skeletons agree on where hips, knees and ankles are, and differ by a
# third in what they take for a trunk.

_LEG, _ARM = 0.491, 0.332
"""Hip to ankle and shoulder to wrist as shares of stature (Drillis & Contini)."""
_TO_HEAD, _TO_NECK = 0.345, 0.285
"""From the hip joints along the spine to where the head, or the neck, begins; from skeletons."""
_WEIGHTS = {"legs": 0.72, "arms": 0.16, "trunk": 0.12}


def stature(skeleton: Skeleton) -> float:
    """Return the height of a humanoid in metres, the same in whatever pose its skeleton rests."""
    estimates = {"legs": mean_leg(skeleton) / _LEG, "arms": _arm(skeleton) / _ARM}
    trunk = _trunk(skeleton)
    if trunk is not None:
        estimates["trunk"] = trunk
    weight = sum(_WEIGHTS[part] for part in estimates)
    return sum(_WEIGHTS[part] * metres for part, metres in estimates.items()) / weight


def _arm(skeleton: Skeleton) -> float:
    """Shoulder to elbow to wrist, the mean of both sides, metres."""
    return 0.5 * sum(_along(skeleton, f"{side}_shoulder", f"{side}_wrist") for side in SIDES)


def _trunk(skeleton: Skeleton) -> float | None:
    """Return the stature that fits the spine, metres; None without neck and head."""
    roles, rest = skeleton.roles, skeleton.rest_positions
    top = next((role for role in ("head", "neck") if role in roles), None)
    if top is None:
        return None
    middle = 0.5 * (rest[roles["left_hip"]] + rest[roles["right_hip"]])
    length = math.dist(middle, rest[roles["hips"]]) + _along(skeleton, "hips", top)
    return length / (_TO_HEAD if top == "head" else _TO_NECK)


def _along(skeleton: Skeleton, low: str, high: str) -> float:
    """Return the length of the bones from one role down the tree to another, metres."""
    chain = skeleton.chain(skeleton.role(low), skeleton.role(high))
    return sum(math.dist(a, b) for a, b in pairwise(skeleton.rest_positions[chain]))
