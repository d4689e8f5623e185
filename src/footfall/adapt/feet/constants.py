"""The one table of constants by which feet and legs move, offline and live.

Lengths are in leg lengths and speeds in leg lengths a second, so that small and tall bodies move
alike; times are in seconds and angles in radians. Kernels get the table as fields of one record.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from footfall.maths.constants import MEAN_LEG_M

_M = 1.0 / MEAN_LEG_M
"""A metre on the mean body, in leg lengths."""


@dataclass(frozen=True)
class FeetConstants:
    """What feet, legs and the body over them may do. Each value says why it is what it is."""

    # ---- legs: how far they stretch, and how near they come to each other
    reach: float = 0.995
    """Share of its length that a held foot's leg may need before heel and body give way."""
    straightest: float = 0.9995
    """The last share of the reach stays soft, however straight legs are in the source."""
    soft: float = 0.004
    """The last share of the reach in which a leg straightens softly, so that no knee snaps."""
    bent: float = 0.985
    """A free foot stretches its leg no further: a knee that is nearly straight turns fast."""
    easy: float = 0.97
    """What a leg reaches easily; beyond it a live body goes down before the foot lands."""
    air_soft: float = 0.11
    """How soft the leg of a swinging live foot gets, so that nobody sees it straighten."""
    firm_s: float = 0.1
    """… but not so soon after its foot was let go, or before it comes down."""
    leg_gap: float = 0.05 * _M
    """Recorded people of the default size keep the axes of their legs further apart."""
    planned_gap: float = 0.065 * _M
    """Shanks of recorded walks stay farther apart than 6 cm; plans must, or `verify` notes it."""
    uneven: float = 0.005
    """Plans with steps that are longer or higher than in their clips keep legs so much shorter."""
    uneven_soft: float = 0.006
    """… and softer, so that they do not snap."""
    ankle_gap: float = 0.1
    """How far aside of an ankle that stands a swinging one passes: legs are as thick."""
    past: float = 0.45
    """How far ahead or behind of it that does not matter any more."""
    aside: float = 1.2 * _M
    """How quickly a swinging foot goes aside for it."""
    give_way_s: float = 0.08
    """How long heel and body take to give way to a leg that is too short."""
    in_need: float = 1.08
    """How much faster joints of a live foot that falls back may turn, to get out of the ground."""
    slip: float = 1e-3 * _M
    """A live hold that a leg misses by more is given up: it would be seen to slide."""

    # ---- ground: what a sole lies on
    steepest_rad: float = math.radians(35.0)
    """A foot that would have to tilt more looks for a better place, or stands level."""
    bump: float = 0.04 * _M
    """Toes whose ground is further than this off the plane of the sole have no room."""
    brush: float = 0.01 * _M
    """How far into the ground a sole may be where it leaves or comes to it: rolling soles are."""
    real_step: float = 0.09 * _M
    """Contacts whose heights differ by more stand on different floors; less is drift."""
    seen_depth: float = 0.02 * _M
    """A sole that is deeper in the ground is a problem; less is the give of shoes."""

    # ---- swing: how a foot clears the ground
    clearance: float = 0.005 * _M
    """How far a swinging foot stays above the ground at least."""
    uneven_clearance: float = 0.025 * _M
    """… and in plans onto ground of another height: feet swing clear of its edges."""
    most_lift: float = 0.25 * _M
    """How far it is lifted for that at most; a leg folds only so far."""
    most_down: float = 0.1 * _M
    """How far a foot goes down to ground that it does not come to stand on …"""
    most_up: float = 0.4 * _M
    """… and how far up."""
    near_s: float = 0.16
    """How long after it leaves, or before it comes down, a foot cannot be lifted all the way."""
    landing_s: float = 0.16
    """How long before it comes down a live foot begins to make up for its height."""
    highest: float = 0.35
    """How high above the line from ground to ground live feet go at most."""
    room: float = 0.5
    """The share of its height that a live foot may give up over falling ground."""
    short: float = 0.1
    """Live steps shorter than this go by time: how far they have come says little."""
    arch_s: float = 0.035
    """Half-life with which the arch over what lies between follows."""
    land: float = 2.0 * _M
    """How quickly a live foothold that turns out to be elsewhere is followed."""
    peel: float = 1.0
    """How high a live foot that was let go is for all that it went over the ground …"""
    clear: float = 0.008
    """… up to this: it is lifted before it goes along."""
    lift: float = 3.0 * _M
    """How quickly a live foot that would go through the ground is lifted …"""
    drop: float = 0.6 * _M
    """… and let down again."""

    # ---- stance: how a foot comes down, stays and leaves
    toe_ease_s: float = 0.14
    """How long toes take to lie down and to lift off: no toe is faster than the performer's."""
    slow: float = 0.48 * _M
    """What is slower than this and low is seen to stand …"""
    low: float = 0.025 * _M
    """… if it is no higher …"""
    far: float = 0.025 * _M
    """… and no further from its place: beyond it no foot is held back."""
    ball_slow: float = 0.32 * _M
    """A ball that comes down more slowly than this …"""
    ball_low: float = 0.02 * _M
    """… and is no higher is put down: it would be seen to slide …"""
    end_low: float = 0.007 * _M
    """… and so is either end of the sole that is lower than this and slow."""
    lingers_s: float = 0.17
    """For how long a foot stays over its place at most, before and after it carries."""
    free_end: float = 0.04 * _M
    """A heel this far up, or a ball, is off the ground: the foot turns freely about the other."""
    touch: float = 0.015
    """Clearance below which a live sole is drawn to the ground."""
    near: float = 0.15
    """Height above its standing height at which a live ankle stops to matter."""
    snap: float = 0.012
    """A live foot that touches the ground by its contacts closes a smaller gap at once."""
    gap_s: float = 0.08
    """How long it takes to sink where the gap is wider."""
    high: float = 0.01 * _M
    """A foot whose landing is predicted comes down from no higher above the ground …"""
    comes: float = 1.0 * _M
    """… and what it falls in a frame at this speed."""
    down: float = 0.002 * _M
    """A ball so near the ground is down."""
    falling: float = 0.15 * _M
    """A sole that sinks faster has not landed, whatever its contacts say."""
    rolls_s: float = 0.12
    """So long after it came down a live foot may still roll onto its sole."""
    lies_s: float = 0.1
    """How long a live foot takes to lie down, and learns how the ground is there."""
    held_s: float = 0.03
    """Half-life of the height of the ground that a live held foot rolls onto."""
    bias_s: float = 0.05
    """How quickly it is learnt by how much a source floats above its floor or sinks into it."""
    fade_s: float = 0.18
    """How long a live foot takes from its hold into its swing."""
    let_go: float = 0.22
    """Half-life of what is left of a hold, as a share of the swing."""
    swung: float = 0.6
    """The share of a foreseen swing after which nothing is left of the hold before it."""
    level_s: float = 0.05
    """Half-life of the height of the ground under a foot whose landing is not predicted."""
    ahead_s: float = 0.2
    """How far ahead such a foot looks for ground."""

    # ---- body: how it goes along with its feet
    body_smoothing_s: float = 0.2
    """How long the body takes to follow its feet; half of it is the half-life of a live one."""
    lower_foot: float = 0.05 * _M
    """A foot this much lower than the other draws the body e times as much."""
    quick: float = 0.015 * _M
    """What legs still lack is followed at once up to about so far …"""
    level_quick: float = 0.03 * _M
    """… and so where the ground is level, so that nothing but the recording's floor is off."""
    little: float = 0.008 * _M
    """What the body sinks beyond this is begun earlier, so that it does not jolt."""
    margin: float = 0.012
    """A live body gives way before a leg is too short by so much less."""
    farthest: float = 0.3
    """How far a live body gives way to its feet at most."""
    deepest: float = 0.15
    """How deep it goes for a foot that will have to reach far."""
    sinks_s: float = 0.3
    """How long before that foot comes down it begins to …"""
    sink_s: float = 0.06
    """… and with which half-life."""
    base_s: float = 0.03
    """Half-life with which a live body follows the ground under its feet."""
    beside: float = 0.25
    """Live feet nearer to each other count as beside each other: the body is between them."""
    idle: float = 0.5
    """Weight of a live root's own place beside those of feet and hands."""
    hand: float = 0.3 * _M
    """Distance from its object at which a live hand stops to matter."""

    @lru_cache(maxsize=8)  # noqa: B019 - tables are few and last as long as the program
    def for_plans(self, longer: bool, higher: bool = False) -> FeetConstants:
        """Return the table for plans, with steps longer or higher than in their clips."""
        table = replace(self, leg_gap=self.planned_gap)
        if longer:
            table = replace(table, reach=self.reach - self.uneven, soft=self.uneven_soft)
        return replace(table, clearance=self.uneven_clearance) if higher else table


FEET = FeetConstants()
