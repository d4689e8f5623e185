"""Find the tags of feet: gaits, turns, steps, jumps."""

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
SPOT_RADIUS, SPOT_PACE = 0.2, 0.4
"""Leg lengths, m/s: so tight, the fastest part of a turn is one on the spot though feet go on."""
CORE_SHARE = 0.4
"""A tight part that turns by more than this share of a curve is all there is to it."""
AROUND_ANGLE, AROUND_S = math.radians(165.0), 3.0
"""A turn by this angle within this time is a turn around, at any speed."""
CROUCHED_HIPS, CROUCHED_KNEES, CROUCHED_TRUNK = 0.96, math.radians(50.0), math.radians(45.0)
"""Who steps with the hips lower (leg lengths) and the knees more bent than this goes crouched, and
who steps with the trunk this far from the vertical."""
PURE = 0.7
"""The share of the steps within a gait that must be of its kind."""
LONE_STEP, STEP_SHIFT = 0.4, 0.3
"""A step by itself is so long (leg lengths), leads from rest to rest, and takes the body along by
this share of its length; else only a foot moves, or a walk was cut."""
BEAM_SPREAD, BEAM_ARMS, BEAM_STEPS = 0.06, 0.3, 4


def gait_tags(sight: Sight) -> Iterator[Tag]:
    """Yield all tags of this kind."""
    for find in (
        _tag_stances,
        _tag_gaits,
        _sideways,
        _tag_turns,
        _tag_jumps,
        _tag_steps,
        _tag_beams,
    ):
        yield from find(sight)


def _tag_stances(sight: Sight) -> Iterator[Tag]:
    """Stand, and from there start; or stop, and stand."""
    pace = sight.contacts.motion.pace / sight.size
    feet, fps, frames = sight.contacts.feet, sight.fps, len(sight.contacts)
    still = without_short_gaps((pace < STILL) & feet.any(axis=1) & ~sight.down, 0.2 * fps)
    seats = [sight.frames(t.begin_s, t.end_s) for t in sight.touches if t.part == "seat"]
    for seat in seats:
        still[seat] = False
    steps = [
        s
        for s in sight.footsteps
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
        if _sets_off(sight, after) and sight.pace(end, after[1].end_s + 0.3) > GOING:
            yield Tag("start", end, after[1].end_s, f"{len(after)} steps out of standing")
        earlier = [s for s in steps if s.begin_s < begin and s.end_s < end - 0.5 * (end - begin)]
        near = bool(earlier) and earlier[-1].end_s > begin - 1.6
        before = _groups(earlier, 1.6)[-1] if near else []
        from_s = before[-2].begin_s - 0.3 if len(before) >= 2 else 0.0
        if _sets_off(sight, before) and sight.pace(max(from_s, 0.0), begin) > GOING:
            said = f"{len(before)} steps into standing"
            yield Tag("stop", before[-2].begin_s, max(begin, before[-1].end_s), said)


def _sets_off(sight: Sight, steps: Sequence[Step]) -> bool:
    """Return whether steps lead somewhere, and are not just a change of place."""
    if len(steps) < 2:
        return False
    return len(steps) > 2 or not _between_stands(sight, steps[0].begin_s, steps[-1].end_s)


def _tag_gaits(sight: Sight) -> Iterator[Tag]:
    """Walk, run, go backwards, or go crouched."""
    kinds: dict[str, list[Step]] = {"walk": [], "run": [], "backward": [], "crouch": []}
    for step in sight.footsteps:
        manner = _manner(sight, step)
        if manner:
            kinds[manner].append(step)
    speeds = [s.speed_m_s for s in sight.strides]
    said = f", strides of {min(speeds):.2f} to {max(speeds):.2f} m/s" if speeds else ""
    for name, steps in kinds.items():
        for group in _groups(steps, 1.6):
            if _goes_on(sight, group):
                yield Tag(name, group[0].begin_s, group[-1].end_s, f"{len(group)} steps{said}")
    if len(kinds["run"]) < 2 and len(kinds["backward"]) < 2:
        yield from _cut_run(sight)


def _manner(sight: Sight, step: Step) -> str:
    """Return the kind of a step: "walk", "run", "backward", "crouch", or empty."""
    leg, span = sight.leg_m, sight.frames(step.begin_s, step.end_s)
    short = step.length < STEP * leg and step.lead > -STEP * leg
    sideways = abs(step.forward) <= 0.6 * abs(step.left)
    if short or sideways or _leap_within(sight, step.begin_s, step.end_s) is not None:
        return ""
    flies = bool(sight.contacts.airborne[span].any())
    runs_ = flies and sight.pace(step.begin_s, step.end_s) > RUN_PACE
    if step.forward < 0.0:
        return "backward" if runs_ or not flies else ""
    if flies:
        return "run" if runs_ else ""
    level = abs(step.rise) <= 0.5 * RISE * leg  # stairs bend the knees of anybody
    low = level and float(sight.posture.hips[span].mean()) < CROUCHED_HIPS
    bent = float(np.median(sight.posture.knees[span].mean(axis=1))) > CROUCHED_KNEES
    stooped = float(np.median(sight.posture.trunk[span])) > CROUCHED_TRUNK
    return "crouch" if (low and bent) or stooped else "walk"


def _goes_on(sight: Sight, group: Sequence[Step]) -> bool:
    """Return whether steps are a gait: of both feet, mostly of one kind, no mere shift.

    Two steps out of standing into standing are a change of place, not a walk.
    """
    if len({step.foot for step in group}) < 2:
        return False
    begin, end = group[0].begin_s, group[-1].end_s
    others = [
        s for s in sight.footsteps
        if s.begin_s > begin and s.end_s < end and s.length > STEP * sight.leg_m
    ]  # fmt: skip
    pure = len(group) >= PURE * len({id(s) for s in (*others, *group)})
    return pure and (len(group) > 2 or not _between_stands(sight, begin, end))


def _between_stands(sight: Sight, begin_s: float, end_s: float) -> bool:
    """Return whether the body is at rest just before and after a time."""
    pace = sight.contacts.motion.pace / sight.size
    before, after = sight.frames(begin_s - 0.6, begin_s), sight.frames(end_s, end_s + 0.9)
    return bool(pace[before].min() < STILL and pace[after].min() < STILL)


def _cut_run(sight: Sight) -> Iterator[Tag]:
    """Yield a run whose clip is cut around a step or two, or that mostly flies over something."""
    flights = [
        f for f in sight.contacts.flights if sight.pace(f.begin_s, f.end_s) > RUN_PACE
    ]  # fmt: skip
    if len(flights) < 2 or all(f in sight.long_flights for f in flights):
        return
    forward, left = sight.moved(flights[0].begin_s, flights[-1].end_s)
    if abs(forward) > 0.6 * abs(left):
        name = "run" if forward > 0.0 else "backward"
        said = f"{len(flights)} flights between steps"
        yield Tag(name, flights[0].begin_s, flights[-1].end_s, said)


def _leap_within(sight: Sight, begin_s: float, end_s: float) -> Flight | None:
    """Return the first flight longer than those of running that falls into a time."""
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
            for s in sight.footsteps
            if sign * s.left > SIDESTEP * leg and abs(s.left) > 1.2 * abs(s.forward)
        ]
        for group in _groups(steps, 2.5):
            goes = sign * sight.moved(group[0].begin_s, group[-1].end_s)[1] > SIDESTEP
            if goes and len({s.foot for s in group}) == 2:
                way = np.mean([abs(s.left) for s in group])
                said = f"{len(group)} steps of {way:.2f} m to the side"
                yield Tag(name, group[0].begin_s, group[-1].end_s, said)
    long = [s for s in sight.footsteps if s.length > STEP * leg]
    if 1 <= len(long) <= 2 and not sight.contacts.flights:
        begin, end, length = long[0].begin_s, long[-1].end_s, long[0].length / leg
        shift = math.hypot(*sight.moved(max(begin - 0.3, 0.0), end + 0.3))
        rests = _between_stands(sight, begin, end)
        if rests and length > LONE_STEP and shift > STEP_SHIFT * length:
            yield Tag("step", begin, end, f"{long[0].length:.2f} m, alone in the clip")


def _tag_turns(sight: Sight) -> Iterator[Tag]:
    for turn in sight.turns:
        if _undone(turn, sight.turns) or sight.down[sight.frames(turn.begin_s, turn.end_s)].any():
            continue
        kind = _turn_kind(sight, turn)
        inner = _turn_kind(sight, turn.core) if turn.core and kind == "curve" else ""
        if turn.core and inner.startswith("turn"):
            yield _turn_tag(inner, turn.core)
            if abs(turn.core.angle) > CORE_SHARE * abs(turn.angle):
                continue  # walking into it and out of it makes no curve
        if kind:
            yield _turn_tag(kind, turn)


def _turn_kind(sight: Sight, turn: Turn) -> str:
    """Return the kind of a turn: on the spot, tight, a curve, or empty."""
    pace = turn.way_m / max(turn.seconds, 1e-6) / sight.size
    way = turn.way_m / sight.leg_m
    tightest = turn.radius_m < SPOT_RADIUS * sight.leg_m and pace < SPOT_PACE
    if (pace < PLACE_PACE and turn.radius_m < PLACE_RADIUS * sight.leg_m) or (
        tightest and abs(turn.angle) > TURN_ANGLE and turn.core is None
    ):
        return "turn_in_place" if abs(turn.angle) >= PLACE_ANGLE else ""
    sharp = abs(turn.angle) > TURN_ANGLE and turn.peak_rate > TURN_PEAK
    around = abs(turn.angle) > AROUND_ANGLE and turn.seconds < AROUND_S
    if sharp and (around or way < TURN_WAY * max(1.0, pace / TURN_PACE)):
        return "turn"
    follows = turn.path_angle * turn.angle > 0.0 and abs(turn.path_angle) > 0.5 * abs(turn.angle)
    whirls = turn.core is not None  # the way of somebody who turns on the spot has no direction
    return "curve" if pace > GOING and (follows or whirls) else ""


def _turn_tag(kind: str, turn: Turn) -> Tag:
    side = "left" if turn.angle > 0.0 else "right"
    degrees = math.degrees(abs(turn.angle))
    said = f"{degrees:.0f}° in {turn.seconds:.1f} s over {turn.way_m:.2f} m"
    return Tag(f"{kind}_{side}", turn.begin_s, turn.end_s, said)


def _undone(turn: Turn, turns: Sequence[Turn]) -> bool:
    """Return whether a small turn is taken back at once, as the body sways in slow steps."""
    return abs(turn.angle) < math.radians(45.0) and any(
        other.angle * turn.angle < 0.0
        and abs(other.angle) > 0.6 * abs(turn.angle)
        and max(other.begin_s - turn.end_s, turn.begin_s - other.end_s) < 0.8
        for other in turns
    )


def _tag_jumps(sight: Sight) -> Iterator[Tag]:
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
    """Return how high, leg lengths above the ground, both feet are at once in a flight."""
    span = sight.frames(flight.begin_s, flight.end_s)
    lower = sight.contacts.motion.lowest[span].min(axis=1) - sight.posture.floor[span]
    return float(lower.max()) / sight.leg_m


def _off_one_foot(sight: Sight, flight: Flight) -> bool:
    """Return whether one foot was up long before the other left, as in running."""
    gone = [sight.contacts.lift_offs_s(foot) for foot in range(2)]
    last = [float(times[times <= flight.begin_s + 0.1].max(initial=-1.0)) for times in gone]
    return abs(last[0] - last[1]) > 0.12


def _tag_steps(sight: Sight) -> Iterator[Tag]:
    """Steps over something, up and down."""
    leg = sight.leg_m
    seats = [t for t in sight.touches if t.part == "seat"]
    for step in sight.footsteps:
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


def _tag_beams(sight: Sight) -> Iterator[Tag]:
    """Yield walks on a beam: feet one before the other, arms out."""
    leg = sight.leg_m
    steps = [s for s in sight.footsteps if abs(s.lead) > 0.15 * leg and s.spread < 0.15 * leg]
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
