"""Steady gait: a walk or run along an arc at one speed, with feet that stay put."""

from __future__ import annotations

from footfall.body.clip import Clip
from footfall.errors import check_range
from footfall.generate.gait.gait_model import gait
from footfall.generate.gait.journey import keep_going
from footfall.generate.gait.paced import perform
from footfall.generate.gait.timeline import LONGEST_S, Timeline
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.maths.constants import MEAN_LEG_M


def steady(
    name: str = "walk",
    speed_m_s: float = 1.3,
    turn_rad_s: float = 0.0,
    *,
    seconds: float = 4.0,
    fps: float = 60.0,
    leg_m: float = MEAN_LEG_M,
    who: Performer | None = None,
    seed: int = 0,
    variation: float = 0.0,
    phase: float = 0.0,
) -> Clip:
    """A steady walk ("walk", "back") or run ("run") of the default character, from the origin, +Z.

    who        the performer; the mean of all with legs of `leg_m` unless given
    variation  from stride to stride, drawn from `seed`: 0 none, 1 as people have it
    phase      in strides, at which the clip begins: at 0 the right foot comes down

    The curves come from the population model; then the stance feet are planted, roll from heel
    to toe, the legs follow by inverse kinematics, and a run falls freely between its steps.
    Contacts are exact.
    """
    check_range("the length", seconds, above=0.0, most=LONGEST_S, unit="s")
    check_range("the variation", variation, 0.0, 1.5)
    who = who or (Performer.with_legs(leg_m) if leg_m != MEAN_LEG_M else MEAN_PERFORMER)
    which = gait(name, speed_m_s, turn_rad_s, who.leg_m, who.modes(name))
    journey = keep_going(
        Timeline.of(fps, seconds, 1.6 * which.period_s),
        -speed_m_s if name == "back" else speed_m_s,
        turn=turn_rad_s, running=float(name == "run"), phase=phase,
    )  # fmt: skip
    return perform(
        journey, f"{name}_{speed_m_s:g}", tags=(name,), who=who, seed=seed, variation=variation
    )
