"""Tags that come from feet: how the body goes, turns, steps, jumps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from footfall.gait.flight import Flight
from footfall.gait.steps import Step
from footfall.gait.tags import RUN_PACE, Sight, Tag
from footfall.gait.turns import Turn
from footfall.maths.runs import runs, without_short_gaps

STILL, GOING = 0.2, 0.35
"""m/s of a mean body: slower is standing, faster is going."""
STAND_S = 0.25
STEP, SIDESTEP = 0.3, 0.25
"""Least lengths of steps, leg lengths."""
JUMP_RISE, HURDLE_PACE, HURDLE_LIFT = 0.05, 1.2, 0.5
"""A jump lifts the body by this (leg lengths); a hurdle is taken at this speed (m/s), both feet
at once above it by this."""
OVER_LIFT, OVER_LENGTH, OVER_PACE, OVER_LEAP_PACE = 0.22, 0.5, 1.9, 2.15
"""A step over something lifts the foot by this and is so long (leg lengths), at a walk (m/s), or
at most at this pace where the body leaves the ground."""
RISE = 0.11
"""Leg lengths between two stances of a foot that make a step up or down."""
TURN_ANGLE, TURN_PEAK = math.radians(60.0), math.radians(65.0)
TURN_WAY, TURN_PACE = 2.5, 1.1
"""A tight turn is made within this way (leg lengths), longer in proportion above that pace."""
PLACE_RADIUS, PLACE_PACE, PLACE_ANGLE = 0.3, 0.27, math.radians(30.0)
BEAM_SPREAD, BEAM_ARMS, BEAM_STEPS = 0.06, 0.3, 4


def gait_tags(sight: Sight) -> Iterator[Tag]:
    """All tags of this kind."""
    for find in (_standing, _going, _sideways, _turning, _flying, _stepping, _balancing):
        yield from find(sight)


def _standing(sight: Sight) -> Iterator[Tag]:
    """Stand, and from there start; or stop, and stand."""
    pace = sight.contacts.motion.pace / sight.size
    feet, fps, frames = sight.contacts.feet, sight.fps, len(sight.contacts)
    still = without_short_gaps((pace < STILL) & feet.any(axis=1), 0.2 * fps)
    steps = [
        s
        for s in sight.steps
        if s.length > 0.5 * STEP * sight.leg_m
        and _leap_within(sight, s.begin_s, s.end_s) is None
        and not sight.hopping(s.begin_s, s.end_s)
    ]
    for first, stop in runs(still).tolist():
        begin, end = first / fps, (stop - 1) / fps
        at_an_end = first == 0 or stop == frames
        both = float(feet[first:stop].all(axis=1).mean())
        if end - begin < (0.05 if at_an_end else STAND_S) or both < 0.5:
            continue
        if float(sight.posture.hips[first:stop].mean()) > 0.9 and end - begin >= STAND_S:
            yield Tag("stand", begin, end, f"slower than {pace[first:stop].max():.2f} m/s")
        later = [s for s in steps if s.end_s > end and s.begin_s > begin + 0.5 * (end - begin)]
        after = _groups(later, 1.6)[0] if later and later[0].begin_s < end + 1.6 else []
        if len(after) >= 2 and sight.pace(end, after[1].end_s + 0.3) > GOING:
            yield Tag("start", end, after[1].end_s, f"{len(after)} steps out of standing")
        earlier = [s for s in steps if s.begin_s < begin and s.end_s < end - 0.5 * (end - begin)]
        near = bool(earlier) and earlier[-1].end_s > begin - 1.6
        before = _groups(earlier, 1.6)[-1] if near else []
        if len(before) >= 2 and sight.pace(max(before[-2].begin_s - 0.3, 0.0), begin) > GOING:
            said = f"{len(before)} steps into standing"
            yield Tag("stop", before[-2].begin_s, max(begin, before[-1].end_s), said)


def _going(sight: Sight) -> Iterator[Tag]:
    """Walk, run, and backwards."""
    leg = sight.leg_m
    airborne = sight.contacts.airborne
    walking: list[Step] = []
    running: list[Step] = []
    backing: list[Step] = []
    for step in sight.steps:
        short = step.length < STEP * leg and step.lead > -STEP * leg
        if short or _leap_within(sight, step.begin_s, step.end_s) is not None:
            continue
        flies = bool(airborne[sight.frames(step.begin_s, step.end_s)].any())
        if flies and sight.pace(step.begin_s, step.end_s) > RUN_PACE:
            running.append(step)
        elif not flies and abs(step.forward) > 0.6 * abs(step.left):
            (walking if step.forward > 0.0 else backing).append(step)
    speeds = [s.speed_m_s for s in sight.strides]
    said = f", strides of {min(speeds):.2f} to {max(speeds):.2f} m/s" if speeds else ""
    for name, steps in (("walk", walking), ("run", running), ("backward", backing)):
        for group in _groups(steps, 1.6):
            if len(group) >= 2:
                yield Tag(name, group[0].begin_s, group[-1].end_s, f"{len(group)} steps{said}")
    flights = [
        f
        for f in sight.contacts.flights
        if f not in sight.long_flights and sight.pace(f.begin_s, f.end_s) > RUN_PACE
    ]
    if len(running) < 2 <= len(flights):  # clips that are cut around a step or two
        said = f"{len(flights)} flights between steps"
        yield Tag("run", flights[0].begin_s, flights[-1].end_s, said)


def _leap_within(sight: Sight, begin_s: float, end_s: float) -> Flight | None:
    """The first flight longer than those of running that falls into a time."""
    for flight in sight.long_flights:
        if flight.begin_s < end_s and flight.end_s > begin_s:
            return flight
    return None


def _sideways(sight: Sight) -> Iterator[Tag]:
    """Sidesteps, and single steps."""
    leg = sight.leg_m
    for sign, name in ((1.0, "sidestep_left"), (-1.0, "sidestep_right")):
        steps = [
            s
            for s in sight.steps
            if sign * s.left > SIDESTEP * leg and abs(s.left) > 1.2 * abs(s.forward)
        ]
        for group in _groups(steps, 2.5):
            if len({s.foot for s in group}) == 2:
                way = np.mean([abs(s.left) for s in group])
                said = f"{len(group)} steps of {way:.2f} m to the side"
                yield Tag(name, group[0].begin_s, group[-1].end_s, said)
    long = [s for s in sight.steps if s.length > STEP * leg]
    if 1 <= len(long) <= 2 and not sight.contacts.flights:
        said = f"{long[0].length:.2f} m, alone in the clip"
        yield Tag("step", long[0].begin_s, long[-1].end_s, said)


def _turning(sight: Sight) -> Iterator[Tag]:
    for turn in sight.turns:
        if _undone(turn, sight.turns):
            continue
        side = "left" if turn.angle > 0.0 else "right"
        pace = turn.way_m / max(turn.seconds, 1e-6) / sight.size
        way, degrees = turn.way_m / sight.leg_m, math.degrees(abs(turn.angle))
        said = f"{degrees:.0f}° in {turn.seconds:.1f} s over {turn.way_m:.2f} m"
        sharp = abs(turn.angle) > TURN_ANGLE and turn.peak_rate > TURN_PEAK
        if pace < PLACE_PACE and turn.radius_m < PLACE_RADIUS * sight.leg_m:
            if abs(turn.angle) < PLACE_ANGLE:
                continue
            name = "turn_in_place"
        elif sharp and way < TURN_WAY * max(1.0, pace / TURN_PACE):
            name = "turn"
        elif pace > GOING:
            name = "curve"
        else:
            continue
        yield Tag(f"{name}_{side}", turn.begin_s, turn.end_s, said)


def _undone(turn: Turn, turns: Sequence[Turn]) -> bool:
    """Whether a small turn is taken back at once, as the body sways in slow steps."""
    return abs(turn.angle) < math.radians(45.0) and any(
        other.angle * turn.angle < 0.0
        and abs(other.angle) > 0.6 * abs(turn.angle)
        and max(other.begin_s - turn.end_s, turn.begin_s - other.end_s) < 0.8
        for other in turns
    )


def _flying(sight: Sight) -> Iterator[Tag]:
    """Jumps, jumps at speed over something, and small hops."""
    for flight in sight.long_flights:
        if flight.rise_m <= JUMP_RISE * sight.leg_m:
            continue
        pace = sight.pace(max(flight.begin_s - 0.3, 0.0), flight.begin_s)
        said = (
            f"{flight.seconds:.2f} s in the air, rising {100.0 * flight.rise_m:.0f} cm, "
            f"pulled by {flight.gravity:.1f} m/s²"
        )
        yield Tag("jump", flight.begin_s, flight.end_s, said)
        high = _feet_up(sight, flight)
        if pace > HURDLE_PACE and high > HURDLE_LIFT and _off_one_foot(sight, flight):
            lifted = f"both feet {100.0 * high * sight.leg_m:.0f} cm up at {pace:.1f} m/s"
            yield Tag("hurdle", flight.begin_s, flight.end_s, f"{lifted}, {said}")
    hops = sight.hops
    if hops:
        said = f"{len(hops)} short flights"
        yield Tag("hop", hops[0].begin_s, hops[-1].end_s, said)


def _feet_up(sight: Sight, flight: Flight) -> float:
    """How high, leg lengths above the ground, both feet are at once in a flight."""
    span = sight.frames(flight.begin_s, flight.end_s)
    lower = sight.contacts.motion.lowest[span].min(axis=1) - sight.posture.floor[span]
    return float(lower.max()) / sight.leg_m


def _off_one_foot(sight: Sight, flight: Flight) -> bool:
    """Whether one foot was up long before the other left, as in running; not so from standing."""
    gone = [sight.contacts.lift_offs_s(foot) for foot in range(2)]
    last = [float(times[times <= flight.begin_s + 0.1].max(initial=-1.0)) for times in gone]
    return abs(last[0] - last[1]) > 0.12


def _stepping(sight: Sight) -> Iterator[Tag]:
    """Steps over something, up and down."""
    leg = sight.leg_m
    seats = [t for t in sight.touches if t.part == "seat"]
    for step in sight.steps:
        if any(t.begin_s < step.end_s and t.end_s > step.begin_s for t in seats):
            continue
        leap = _leap_within(sight, step.begin_s, step.end_s)
        pace = sight.pace(step.begin_s, step.end_s)
        travels = step.length > OVER_LENGTH * leg and step.forward > 0.5 * step.length
        level = abs(step.rise) <= RISE * leg and not sight.hopping(step.begin_s, step.end_s)
        if leap is None:
            strides_over = pace < OVER_PACE
        else:
            strides_over = pace < OVER_LEAP_PACE and _off_one_foot(sight, leap)
        if step.lift > OVER_LIFT * leg and travels and level and strides_over:
            said = f"foot {100.0 * step.lift:.0f} cm over both places it stands"
            yield Tag("step_over", step.begin_s, step.end_s, said)
        if abs(step.rise) > RISE * leg and leap is None and step.length < 3.0 * leg:
            name = "step_up" if step.rise > 0.0 else "step_down"
            said = f"{100.0 * abs(step.rise):.0f} cm from stance to stance"
            yield Tag(name, step.begin_s, step.end_s, said)


def _balancing(sight: Sight) -> Iterator[Tag]:
    """On a beam: feet one before the other, arms out."""
    leg = sight.leg_m
    steps = [s for s in sight.steps if abs(s.lead) > 0.15 * leg and s.spread < 0.15 * leg]
    if len(steps) < BEAM_STEPS:
        return
    span = sight.frames(steps[0].begin_s, steps[-1].end_s)
    spread = float(np.median([s.spread for s in steps])) / leg
    arms = float(np.median(sight.posture.arms_out[span]))
    if spread < BEAM_SPREAD and arms > BEAM_ARMS:
        said = f"{len(steps)} steps {spread * leg * 100.0:.0f} cm wide, arms {arms:.2f} legs out"
        yield Tag("beam", steps[0].begin_s, steps[-1].end_s, said)


def _groups(steps: Sequence[Step], gap_s: float) -> list[list[Step]]:
    """Steps that follow each other within `gap_s` seconds."""
    groups: list[list[Step]] = []
    for step in steps:
        if groups and step.begin_s - groups[-1][-1].end_s < gap_s:
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups
