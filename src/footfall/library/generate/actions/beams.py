"""Along a beam: feet on one line, arms out, a balance that is caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import check_range, check_whole
from footfall.library.generate.actions.action import Action, perform
from footfall.library.generate.actions.crossing import beside, both_sides, toes_out
from footfall.library.generate.actions.footwork import gait_angles, hips_height
from footfall.library.generate.actions.postures import PostureKeys
from footfall.library.generate.feet.steps import Swing
from footfall.library.generate.feet.walking_steps import Move, feet_together, plan_steps
from footfall.library.generate.performer import MEAN_PERFORMER, Performer

_BEAM_LEAN_DEG, _BEAM_ARM_DEG = 7.8, 20.0
"""How far trunk and arms go to catch the balance on a beam."""


def beam(
    steps: int = 8, *, step_m: float = 0.38, lead: str = "right", who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:  # fmt: skip
    """Walk along a beam: feet on one line, arms out, slow careful steps.

    Starts and ends with one foot before the other.
    """
    leg_m = who.leg_m
    check_whole("the number of steps", steps, 4, 60)
    check_range("the step", step_m, 0.3 * leg_m, 0.55 * leg_m, unit="m")
    sides = both_sides(lead)
    half = 0.012
    rng = np.random.default_rng([seed, 75])
    feet = feet_together(2.0 * half * leg_m, 4.0)
    feet = tuple(replace(f, z=0.5 * step_m if f.side == sides[1] else -0.5 * step_m) for f in feet)  # type: ignore[assignment]
    moves = [
        Move(
            sides[n % 2], beside(sides[n % 2], leg_m, half), (0.5 + n + 1.0) * step_m,
            swing_s=0.53 * float(rng.uniform(0.85, 1.2)),
            both_s=0.25 * float(rng.uniform(0.7, 1.5)),
            yaw_deg=toes_out(sides[n % 2], 4.0),
            swing=Swing(lift_m=0.07 * leg_m, out_m=0.076 * leg_m,
                        pitches=((0.25, -24.0), (0.75, -2.0))),
            strike_deg=-3.0, leave_deg=26.0,
        )
        for n in range(steps)
    ]  # fmt: skip
    stands, landings = plan_steps(moves, feet, 1.25)
    keys = gait_angles(landings, leg_m, 0.0)
    # Twice a step the balance is caught: the trunk bends away, one arm goes up, the other down.
    catches = [t for step in landings for t in (0.5 * (step.off_s + step.on_s), step.on_s + 0.08)]
    falls = [float(f) for f in np.clip(rng.normal(0.0, 0.6, len(catches)), -1.3, 1.3)]
    catches.append(catches[-1] + 0.4)  # and in the end it is found
    falls.append(0.0)
    keys["lean"] = [
        (0.0, 0.0),
        *((t, _BEAM_LEAN_DEG * f) for t, f in zip(catches, falls, strict=True)),
    ]
    for side, up in (("left", 1.0), ("right", -1.0)):
        keys[f"{side}_out"] = [
            (0.0, 60.0),
            *((t - 0.05, 60.0 + _BEAM_ARM_DEG * (up * f + float(rng.uniform(-0.25, 0.25))))
              for t, f in zip(catches, falls, strict=True)),
        ]  # fmt: skip
        keys[f"{side}_arm"] = [
            (0.0, 4.0), *((s.on_s, 4.0 + float(rng.uniform(-11, 11))) for s in landings),
        ]  # fmt: skip
        keys[f"{side}_elbow"] = [
            (0.0, 28.0), *((s.on_s, 28.0 + float(rng.uniform(-14, 14))) for s in landings),
        ]  # fmt: skip
    keys["trunk"], keys["head"] = [(0.0, 3.0)], [(0.0, 24.0)]
    return perform(
        Action(
            name=f"beam_{steps}_{lead}", tags=("beam",), seconds=landings[-1].on_s + 1.9,
            stances=stands, posture=PostureKeys(keys, 0.09, seed),
            height=hips_height(landings, leg_m),
        ),
        who,
    )  # fmt: skip
