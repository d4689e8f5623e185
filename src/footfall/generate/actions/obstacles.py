"""Over things: steps with feet that clear them."""

from __future__ import annotations

from footfall.body.clip import Clip
from footfall.errors import check_range
from footfall.generate.actions.crossing import (
    SPREAD,
    both_sides,
    closing_step,
    plain_step,
    vary_steps,
    walk_over,
)
from footfall.generate.feet.steps import Swing
from footfall.generate.feet.walking_steps import feet_together, plan_steps, step_off_gently
from footfall.generate.performer import MEAN_PERFORMER, Performer


def step_over(
    height_m: float = 0.25, *, depth_m: float = 0.08, lead: str = "right",
    who: Performer = MEAN_PERFORMER, seed: int = 0,
) -> Clip:  # fmt: skip
    """From standing, walk up to something `height_m` high, step over it, walk on and stop.

    The thing is centred 1.3 leg lengths ahead of where the ankles start.
    """
    leg_m = who.leg_m
    check_range("the height of what is stepped over", height_m, 0.02, 0.47 * leg_m, unit="m")
    check_range("its depth", depth_m, 0.0, 0.25 * leg_m, unit="m")
    first, second = both_sides(lead)
    h = height_m / leg_m
    at = 1.3 * leg_m
    before, behind = at - 0.5 * depth_m, at + 0.5 * depth_m
    # Toes of the trailing foot stand 0.27 legs before it, the lead heel lands behind it.
    stop, land = before - (0.455 + 0.1 * h) * leg_m, behind + 0.305 * leg_m
    over = Swing(
        lift_m=(0.105 + 0.80 * h) * leg_m, peak=0.55, hold=0.18, out_m=0.03 * leg_m,
        pitches=((0.2, -28.0), (0.5, 4.0), (0.85, 12.0)),
    )  # fmt: skip
    trail = Swing(
        lift_m=(0.14 + 0.94 * h) * leg_m, peak=0.42, hold=0.16, late=0.16 * h,
        out_m=(0.02 + 0.16 * h) * leg_m,
        pitches=((0.25, -44.0), (0.55, -16.0), (0.85, 10.0)),
    )  # fmt: skip
    moves = [
        step_off_gently(plain_step(first, stop - 0.4 * leg_m, leg_m, swing_s=0.38, both_s=0.1)),
        plain_step(second, stop, leg_m, swing_s=0.38, both_s=0.08),
        plain_step(first, land, leg_m, swing_s=0.44 + 0.32 * h, swing=over,
                   leave_deg=34.0, both_s=0.1),
        plain_step(second, land + 0.5 * leg_m, leg_m, swing_s=0.47 + 0.34 * h, swing=trail,
                   leave_deg=44.0, leave_s=0.24, both_s=0.11),
        plain_step(first, land + 0.94 * leg_m, leg_m, swing_s=0.42, both_s=0.1),
        closing_step(second, land + 0.94 * leg_m, leg_m, both_s=0.14),
    ]  # fmt: skip
    raised, lead_name, trail_name = 10.0 + 20.0 * h, lead, "left" if lead == "right" else "right"
    _, landings = plan_steps(vary_steps(moves, seed), feet_together(SPREAD * leg_m))
    lead_step, trail_step = landings[2], landings[3]
    more = {
        "trunk": [(0.5, 1.5), (landings[0].on_s, 5.5), (lead_step.off_s, 4.0),
                  (lead_step.on_s, 6.0 + 4.0 * h), (trail_step.off_s + 0.25, 10.0 + 14.0 * h),
                  (trail_step.on_s, 7.0), (landings[-1].on_s + 0.4, 1.5)],
        f"{lead_name}_knee_out": [(lead_step.off_s, 0.0), (lead_step.off_s + 0.3, 3.0 + 12.0 * h),
                                  (lead_step.on_s, 0.0)],
        f"{trail_name}_knee_out": [(trail_step.off_s, 0.0),
                                   (trail_step.off_s + 0.3, 4.0 + 50.0 * h),
                                   (trail_step.on_s, 0.0)],
        "left_out": [(lead_step.off_s - 0.2, 9.0), (lead_step.on_s, raised + 8.0),
                     (trail_step.on_s + 0.3, 9.0)],
        "right_out": [(lead_step.off_s - 0.2, 9.0), (lead_step.on_s, raised + 7.0),
                      (trail_step.on_s + 0.3, 9.0)],
    }  # fmt: skip
    return walk_over(
        f"step_over_{height_m:.2f}_{lead}", ("step_over",), moves, who, seed, more=more,
        arms=1.3, turns=1.5,
    )  # fmt: skip
