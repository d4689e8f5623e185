"""A blend space: example strides, sampled at the same generic times, ready to be blended.

Orientations are blended as Park, Shin & Shin 2002, §5.3, do: as rotation vectors about a reference
orientation that is the mean of all examples at that generic time. Reference and vectors are
splines over generic time that repeat with the stride, so that a blend moves smoothly at any
frame rate.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from footfall.blending.examples import SAMPLES, Example
from footfall.blending.weights import Basis
from footfall.body.feet import foot_of
from footfall.body.kinematics import forward_kinematics
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

LATERAL_M_S2 = (1.5, 2.5)
"""The highest acceleration in curves that people choose, walking and running."""
MOST_TURN_RAD_S = 1.5
"""How fast people turn at most as they go."""
_TURN_SPEEDS, _LEANING = 33, ("ankle", "hip", "shoulder")


SpaceArrays = namedtuple(
    "SpaceArrays",
    "middle reference vectors stand_turns stand_place seconds contacts landings leans values basis",
)
"""The arrays of a `BlendSpace`, for kernels; values and basis are those of its weights."""


@dataclass(frozen=True, eq=False)
class BlendSpace:
    """E examples of one skeleton of J joints, as splines with S coefficients.

    basis      their weights
    reference  (S, J, 3) half-angle vectors about `middle` (J, 4): the reference orientations
    vectors    (S, E, 3 J + 3) half-angle vectors about those, and the root's place, by example
    stand_turns, stand_place   (J, 4) and (3,) the standing pose
    seconds    (E, 2) of both steps   contacts  (E, 2, 4) as in `Example`
    landings   (E, 2, 2) where the left and the right foot come down, seen from the arc, x and z
    leans      (E,) how far bodies lean to the left, radians
    """

    skeleton: Skeleton
    examples: tuple[Example, ...]
    basis: Basis
    middle: Floats
    reference: Floats
    vectors: Floats
    stand_turns: Floats
    stand_place: Floats
    seconds: Floats
    contacts: Floats
    landings: Floats
    leans: Floats

    def __len__(self) -> int:
        return len(self.examples)

    @property
    def arrays(self) -> SpaceArrays:
        """Return what the kernels go by."""
        own = [getattr(self, name) for name in SpaceArrays._fields[:-2]]
        return SpaceArrays._make([*own, self.basis.values, self.basis.arrays])

    @property
    def walk_run_m_s(self) -> tuple[float, float]:
        """How fast the fastest walk and the slowest run are; infinite where there is none."""
        speed, style = self.basis.values[:, 0], self.basis.values[:, 2]
        walk = float(speed[style < 0.5].max(initial=0.0))
        run = float(speed[style >= 0.5].min(initial=np.inf))
        return (walk, run) if walk < run else (0.9 * walk, walk)

    def style_at(self, speed: float, wished: float | None = None) -> float:
        """The style that goes with a speed: 0 up to the fastest walk, 1 from the slowest run on.

        wished  0 walks, 1 runs, as far as the speed allows: nobody runs on the spot
        """
        walk, run = self.walk_run_m_s
        if wished is not None:
            return min(wished, speed / run)
        return min(max((speed - walk) / (run - walk), 0.0), 1.0)


def encode_examples(examples: tuple[Example, ...]) -> tuple[Floats, Floats, Floats]:
    """Middle (J, 4), reference (S, J, 3) and vectors (S, E, 3 J + 3) of examples."""
    turns = np.stack([e.rotations for e in examples], axis=2)  # (S, J, E, 4)
    means = quat.continuous(quat.reference_orientation(turns))
    middle = quat.reference_orientation(np.swapaxes(means, 0, 1))
    about_middle = _half_vectors(middle[None], means)
    vectors = _half_vectors(means[:, :, None], turns)
    count, joints, many = turns.shape[:3]
    flat = np.moveaxis(vectors, 2, 1).reshape(count, many, 3 * joints)
    places = np.stack([e.place for e in examples], axis=1)
    whole = np.concatenate([flat, places], axis=2)
    return middle, periodic_spline(about_middle), periodic_spline(whole)


def _half_vectors(reference: Floats, turns: Floats) -> Floats:
    return quat.log_half_angle(
        quat.toward(quat.multiply(quat.conjugate(reference), turns), quat.IDENTITY)
    )


def find_steps(skeleton: Skeleton, examples: tuple[Example, ...]) -> tuple[Floats, Floats]:
    """Return `landings` and `leans` of a space: where balls of feet come down, how bodies lean."""
    feet = [(foot_of(skeleton, side), n) for side, n in (("left", SAMPLES // 2), ("right", 0))]
    parts = [[skeleton.role(f"{side}_{part}") for side in SIDES] for part in _LEANING]
    landings, leans = np.zeros((len(examples), 2, 2)), np.zeros(len(examples))
    for e, example in enumerate(examples):
        at = forward_kinematics(skeleton, example.place, example.rotations)
        landings[e] = [at.points(foot.ankle, foot.ball_joint)[n, [0, 2]] for foot, n in feet]
        ankles, hips, shoulders = (at.positions[:, part].mean(axis=(0, 1)) for part in parts)
        line = 0.5 * (hips + shoulders) - ankles
        leans[e] = np.arctan2(line[0], line[1])
    return landings, leans


def example_turns(space: BlendSpace) -> tuple[Floats, Floats]:
    """(K,) speeds at even distances and the most turn that examples show there, both ways.

    Between the fastest walk and the slowest run it passes from one to the other.
    """
    speed, turn, style = space.basis.values[:, :3].T
    speeds = np.linspace(0.0, max(float(speed.max()), 0.1), _TURN_SPEEDS)
    walk, run = space.walk_run_m_s
    known = speeds[(speeds <= walk) | (speeds >= run)]
    most = []
    for at in known:
        own = style < 0.5 if at <= walk else style >= 0.5
        most.append(min(_hull_over(speed[own], side * turn[own], at) for side in (1.0, -1.0)))
    return speeds, np.asarray(np.interp(speeds, known, most))


def _hull_over(speeds: Floats, turns: Floats, at: float) -> float:
    """The highest point over `at` of the convex hull of points; 0 where there is none."""
    low, high = speeds <= at, speeds >= at
    a, b = speeds[low][:, None], speeds[high]
    share = (at - a) / np.maximum(b - a, 1e-9)
    over = (1.0 - share) * turns[low][:, None] + share * turns[high]
    return float(over.max(initial=0.0))


def periodic_spline(values: Floats) -> Floats:
    """Coefficients of the cubic B-spline through evenly spaced values (S, ...) that repeat."""
    count = len(values)
    spectrum = np.fft.rfft(values, axis=0)
    wave = np.arange(len(spectrum)) * (2.0 * np.pi / count)
    gain = (2.0 + np.cos(wave)) / 3.0
    return np.fft.irfft(spectrum / gain.reshape(-1, *[1] * (values.ndim - 1)), count, axis=0)


assert SAMPLES % 2 == 0
