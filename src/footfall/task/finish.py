"""Finishing: the steps that turn a draft into the motion people see, the same for all methods.

The order is fixed: body carried over planned footprints, seams smoothed and aims met, strides
varied, feet locked, flights put back on parabolas. Each step is optional. A step that makes a
motion fail is left out where it fails (`calm`); see `task/pipeline.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.adapt.edit.body_path import carry_body
from footfall.adapt.edit.flights import keep_free_falls
from footfall.adapt.edit.variation import vary_strides
from footfall.adapt.feet import constants
from footfall.adapt.feet.holds import GroundSurface, Holds, hold_at, lie_on_ground
from footfall.adapt.feet.linger import linger
from footfall.adapt.feet.lock import follow_holds, holds_of, put_on_ground, with_contacts
from footfall.body.clip import Clip
from footfall.body.edit import round_clip
from footfall.body.feet import Foot, foot_of
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton, subtree
from footfall.gait.footprints import Footprint, footprints_of
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.easing import smoothstep
from footfall.task.draft import Draft, PlannedStances
from footfall.task.footholds import put_on_footholds
from footfall.world.scene import Scene

Span = tuple[int, int]
"""The first frame of a stretch, and the frame after its last."""

_LEVEL_M = 0.015
"""Ground that differs by less from where the clip has its feet counts as level."""
_FADE_S = 0.4
"""How long a step that is left out takes to fade at the ends of a span."""


@dataclass(frozen=True, eq=False)
class Finished:
    """A finished motion and where its feet stand."""

    clip: Clip
    footprints: tuple[Footprint, ...]


def finish(
    draft: Draft, ground: GroundSurface | None, seed: int = 0, calm: Sequence[Span] = ()
) -> Finished:
    """Finish a draft. The motion is rounded before and after: its bytes depend on no CPU.

    ground  what feet stand on; None: each foot stays at its own height, level
    calm    spans in which nothing is varied
    """
    finished = _finish(replace(draft, clip=round_clip(draft.clip)), ground, seed, calm)
    return replace(finished, clip=round_clip(finished.clip))


def plain_draft(draft: Draft, ground: GroundSurface | None) -> Finished:
    """Return the motion that a draft intends: feet locked, without any step it can do without."""
    return finish(draft.plain(), ground)


def take_back(plain: Finished, finished: Finished, spans: Sequence[Span]) -> Finished:
    """Return a finished motion with the draft's own in some spans, and feet that stay put."""
    # A foot that stands during a fade would slide from one motion's footprint to the other's.
    faded = hold_feet(fade_spans(plain.clip, finished.clip, spans), None, free_falls=False)
    clip = round_clip(faded.clip)
    return Finished(clip, footprints_of(clip))


def _finish(
    draft: Draft, ground: GroundSurface | None, seed: int, calm: Sequence[Span]
) -> Finished:
    """Take the steps that a draft needs, in their order."""
    steps, clip = draft.finishing, draft.clip
    if draft.stances is not None:
        clip = _carry_body(clip, draft.stances)
    polishes = steps.smooth or len(draft.aims) > 0
    if polishes:
        clip = _polish(clip, draft, ground)
    if steps.variation > 0.0:
        clip = _vary(clip, draft, seed, calm)
    elif polishes:  # which held the feet
        return Finished(clip, footprints_of(clip))
    if not steps.lock_feet:
        clip = with_contacts(clip)
        return Finished(clip, footprints_of(clip))
    return hold_feet(clip, ground, draft.stances, steps.free_falls)


def _carry_body(clip: Clip, stances: PlannedStances) -> Clip:
    """Move the body as its footprints move to their targets."""
    # On slopes people stay upright, and lean from there.
    source, target = (
        (prints[:, :3], quat.from_yaw(prints[:, 3])) for prints in (stances.source, stances.target)
    )
    return carry_body(clip, stances.times, source, target)


def _polish(clip: Clip, draft: Draft, ground: GroundSurface | None) -> Clip:
    """Hold the feet, smooth seams and meet aims, as far as that worsens nothing."""
    from footfall.task.polish import polish_motion

    held = hold_feet(clip, ground, draft.stances, draft.finishing.free_falls).clip
    seams = draft.seams if draft.finishing.smooth else None
    return polish_motion(held, draft.aims, seams=seams, ground=ground).clip


def _vary(clip: Clip, draft: Draft, seed: int, calm: Sequence[Span]) -> Clip:
    """Vary the strides, except in calm spans."""
    steps = draft.finishing
    varied = vary_strides(clip, seed, steps.variation, move_feet=steps.move_feet)
    if not steps.whole_body:
        kept = _legs(clip.skeleton)
        rotations = np.array(varied.rotations)
        rotations[:, kept] = clip.rotations[:, kept]
        varied = clip.with_rotations(rotations)
    return fade_spans(clip, varied, calm) if calm else varied


def _legs(skeleton: Skeleton) -> list[int]:
    """List the root and all joints of the legs."""
    legs = {0}
    for side in SIDES:
        legs.update(subtree(skeleton, skeleton.role(f"{side}_hip")))
    return sorted(legs)


def fade_spans(before: Clip, after: Clip, spans: Sequence[Span]) -> Clip:
    """Return `after`, with `before` in the spans and a smooth change at their ends."""
    frames, over = np.arange(len(before)), _FADE_S * before.fps
    share = np.ones(len(before))
    for first, stop in spans:
        away = np.maximum(np.maximum(first - frames, frames - (stop - 1)), 0)
        share = np.minimum(share, smoothstep(np.clip(away / over, 0.0, 1.0)))
    weights = np.broadcast_to(share[:, None], after.rotations.shape[:2])
    return after.derive(
        root=before.root + share[:, None] * (after.root - before.root),
        rotations=quat.slerp(before.rotations, after.rotations, weights),
    )


def hold_feet(
    clip: Clip, ground: GroundSurface | None, stances: PlannedStances | None = None,
    free_falls: bool = True,
) -> Finished:  # fmt: skip
    """Lock the feet where they are planned to stand, or where they do; the body follows.

    Soles that stand over an edge of a scene's ground are moved onto it.
    """
    given = clip.contacts is not None
    clip = with_contacts(clip)
    prints: tuple[Footprint, ...] | None = None
    if stances is not None:
        feet, holds, prints = _planned_holds(clip, stances, ground)
        options = constants.FEET.for_plans(longer=True)
    else:
        feet, own = holds_of(clip, settle=not given)
        holds = own
        if isinstance(ground, Scene):
            holds = put_on_footholds(clip.skeleton, feet, holds, ground)
        if ground is not None:
            holds = put_on_ground(feet, holds, ground)
        uneven = _differ(holds, own)
        options = constants.FEET.for_plans(longer=uneven, higher=uneven)
    if given:
        holds = linger(feet, clip.world, holds, clip.fps)
    locked = follow_holds(clip, feet, holds, ground, options)
    if free_falls:
        locked = keep_free_falls(locked)
    return Finished(locked, footprints_of(locked) if prints is None else prints)


def _differ(holds: list[Holds], own: list[Holds]) -> bool:
    """Return whether feet are put clearly higher or lower than their clip has them."""
    off = [a.spots[:, 1] - b.spots[:, 1] for a, b in zip(holds, own, strict=True)]
    return bool(np.abs(np.concatenate(off)).max(initial=0.0) > _LEVEL_M)


def _planned_holds(
    clip: Clip, stances: PlannedStances, ground: GroundSurface | None
) -> tuple[list[Foot], list[Holds], tuple[Footprint, ...]]:
    """Return both feet, their holds at the planned stances, and the footprints of those."""
    assert clip.contacts is not None
    feet = [foot_of(clip.skeleton, side) for side in SIDES]
    target = stances.target
    flat = quat.from_yaw(target[:, 3] + stances.turned)
    spots = target[:, :3] + quat.rotate(quat.from_yaw(target[:, 3]), stances.balls)
    if ground is not None:  # both feet are of one length
        flat, spots = lie_on_ground(feet[0], flat, spots, ground)
    holds = []
    for k, foot in enumerate(feet):
        own, heel, toe = stances.foot == k, clip.contacts[:, 2 * k], clip.contacts[:, 2 * k + 1]
        holds.append(hold_at(foot, clip.world, heel, toe, flat[own], spots[own]))
    return feet, holds, _planned_prints(clip, stances, flat, spots)


def _planned_prints(
    clip: Clip, stances: PlannedStances, flat: Floats, spots: Floats
) -> tuple[Footprint, ...]:
    """Return the footprints of planned stances, as their soles lie on the ground."""
    yaw = quat.from_yaw(quat.yaw_of(flat))
    tilt = quat.multiply(flat, quat.conjugate(yaw))
    q = quat.multiply(tilt, quat.from_yaw(stances.target[:, 3]))
    p = np.array(stances.target[:, :3])
    p[:, 1] = (spots - quat.rotate(q, stances.balls))[:, 1]
    times = np.clip((stances.spans - 0.5) / clip.fps, 0.0, clip.seconds)
    return tuple(
        Footprint(int(foot), p[k], q[k], 0.5 * (begin + end), 0.5 * (end - begin), k)
        for k, (foot, (begin, end)) in enumerate(
            zip(stances.foot.tolist(), times.tolist(), strict=True)
        )
    )
