"""The check of a finished motion in its scene, the same for all planners."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from footfall.adapt.rests import facings
from footfall.body.capsules import Capsules, body_capsules
from footfall.body.clip import TOUCH_PARTS, Clip
from footfall.body.kinematics import world_poses
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton, subtree
from footfall.gait.footprints import Footprint
from footfall.maths.arrays import Bools, Floats
from footfall.maths.runs import widen
from footfall.task.plan import Plan
from footfall.task.query import Query
from footfall.task.sole import sole_of
from footfall.task.stages import WITHIN_M, WITHIN_RAD, Follow, GoTo, Via
from footfall.world.collision.motion_check import (
    Trouble,
    body_troubles,
    foot_troubles,
    jointed_troubles,
)
from footfall.world.scene import Scene

_LEAN_S = 0.7
"""What hands and seat touch they come near so many seconds before and after."""
ALLOWED_M = 0.01
"""Capsules are a little thicker than a body; touching less than this is none."""


def check_stages(plan: Plan, query: Query) -> str:
    """What a planned motion misses by more than its tolerance, in a sentence; "" if nothing.

    Places and headings are checked here, for all methods alike; what hands, seats and single feet
    do is checked by the methods that can do it.
    """
    if plan.clip is None:
        return ""
    root = plan.clip.root[:, [0, 2]]
    for number, stage in enumerate(query.stages):
        if not isinstance(stage, GoTo | Via):
            continue
        last = isinstance(stage, GoTo) and number == len(query.stages) - 1
        away = np.hypot(*(root[-1:] if last else root).T - stage.place.point[:, None])
        if float(away.min()) > stage.within_m:
            return (
                f"it {'ends' if last else 'passes'} {away.min():.2f} m from "
                f"{'the goal' if last else f'stage {number + 1}'} ({stage.x:g}, {stage.z:g}); "
                f"at most {stage.within_m:g} m is allowed"
            )
        when = (len(root) - 1 if last else int(away.argmin())) / plan.clip.fps
        if stage.by_s is not None and when > stage.by_s:
            return f"it is at stage {number + 1} after {when:.1f} s; {stage.by_s:g} s are allowed"
    return _check_path_ends(plan, query, root) or _check_headings(plan.clip, query)


def _check_path_ends(plan: Plan, query: Query, root: Floats) -> str:
    """How far it begins from the first point, or ends from that of a path, if too far."""
    ends = [(query.points[0], root[0], "begins", "start")]
    if plan.path is not None and isinstance(query.stages[-1], Follow):
        ends.append((plan.path[-1], root[-1], "ends", "end of the path"))
    for wanted, there, does, what in ends:
        away = float(np.hypot(*(there - wanted)))
        if away > WITHIN_M:
            return (
                f"it {does} {away:.2f} m from the {what} ({wanted[0]:.4g}, {wanted[1]:.4g}); "
                f"at most {WITHIN_M:g} m is allowed"
            )
    return ""


def _check_headings(clip: Clip, query: Query) -> str:
    """Which way it faces at its ends, if that is not as asked."""
    start, goal = query.start, query.goal
    wishes = (
        (None if start is None else start.yaw, WITHIN_RAD, 0, "begins"),
        (None if goal is None else goal.yaw, WITHIN_RAD if goal is None else goal.within_rad, -1,
         "ends"),
    )  # fmt: skip
    if all(yaw is None for yaw, *_ in wishes):
        return ""
    faces = facings(clip)
    for yaw, within, at, does in wishes:
        off = 0.0 if yaw is None else abs(math.remainder(float(faces[at]) - yaw, math.tau))
        if off > within:
            return (
                f"it {does} facing {math.degrees(off):.0f}° from what was asked for; "
                f"at most {math.degrees(within):g}° is allowed"
            )
    return ""


_Checked = tuple[Scene, int, float, tuple[Trouble, ...]]
_checked: WeakKeyDictionary[Clip, _Checked] = WeakKeyDictionary()
"""Clips that were checked lately: a method may check what the front door checks again."""


def check_motion(plan: Plan, scene: Scene, begins_s: float = 0.0) -> tuple[str, ...]:
    """What is wrong with a planned motion in a scene, one sentence each, the first in time first.

    Of what is touched more than once only the deepest place is told.
    """
    deepest: dict[str, Trouble] = {}
    for trouble in find_troubles(plan, scene, begins_s):
        worst = deepest.get(trouble.what)
        if worst is None or not trouble.depth_m <= worst.depth_m:
            deepest[trouble.what] = trouble
    return tuple(str(t) for t in sorted(deepest.values(), key=lambda t: t.seconds))


def find_troubles(plan: Plan, scene: Scene, begins_s: float = 0.0) -> tuple[Trouble, ...]:
    """Where a planned motion cannot be as it is in a scene, the first in time first.

    The whole body, as capsules, against every obstacle; the feet against water, holes and the
    scene's border. `begins_s` is the time of its first frame, for obstacles that move.
    """
    clip = plan.clip
    if clip is None:
        return ()
    known = _checked.get(clip)
    asked = len(plan.footprints), begins_s
    if known is not None and known[0] is scene and known[1:3] == asked:
        return known[3]
    capsules = body_capsules(clip.skeleton)
    poses = world_poses(clip)
    shape = capsules.radii, capsules.feet
    resting = _resting(clip, capsules)
    if scene.moves:
        ends = capsules.placed(poses)
        found = body_troubles(
            scene, ends, *shape, clip.fps, ALLOWED_M, begins_s, capsules.soles, resting
        )
    else:
        of_joints = capsules.joints, capsules.ends, *shape, capsules.soles
        found = jointed_troubles(
            scene, poses.positions, poses.rotations, of_joints, clip.fps, ALLOWED_M, resting
        )
    found += _find_foot_troubles(plan.footprints, clip, scene, begins_s)
    troubles = tuple(sorted(found, key=lambda t: t.seconds))
    _checked[clip] = scene, *asked, troubles
    return troubles


def _resting(clip: Clip, capsules: Capsules) -> Bools | None:
    """(T, B) which parts of the body touch something then that they may, as the clip says."""
    if clip.touches is None or not clip.touches.any():
        return None
    out = np.zeros((len(clip), len(capsules)), np.bool_)
    for part, name in enumerate(TOUCH_PARTS):
        joints = _touching_joints(clip.skeleton, name)
        when = widen(clip.touches[:, part], round(_LEAN_S * clip.fps))
        out |= when[:, None] & np.isin(capsules.joints, joints)[None]
    return out


def _touching_joints(skeleton: Skeleton, part: str) -> list[int]:
    """The joints that come near what a hand or the seat touches: forearm, or trunk and thighs."""
    if part != "seat":
        return subtree(skeleton, skeleton.role(part.replace("hand", "elbow")))
    hips, at = skeleton.role("hips"), skeleton.role("chest")
    found = [hips, *(skeleton.role(f"{side}_hip") for side in SIDES)]
    while at > hips:
        found.append(at)
        at = int(skeleton.parents[at])
    return found


def _find_foot_troubles(
    footprints: Sequence[Footprint], clip: Clip, scene: Scene, begins_s: float
) -> list[Trouble]:
    """Which footprints are not on good ground."""
    if not footprints:
        return []
    # The free box above a foot is left to the capsules, which know the foot's real shape.
    box, ahead = sole_of(clip.skeleton)
    prints = np.array([(f.p[0], f.p[2], f.yaw) for f in footprints]).reshape(-1, 3)
    prints[:, 0] += ahead * np.sin(prints[:, 2])
    prints[:, 1] += ahead * np.cos(prints[:, 2])
    times, half = np.array([(f.t, f.delta) for f in footprints]).reshape(-1, 2).T
    begin_end = np.stack([times - half, times + half + 1.0 / clip.fps], axis=1) * clip.fps
    spans = np.clip(np.rint(begin_end), 0, len(clip)).astype(np.int32)
    return foot_troubles(scene, prints, times, replace(box, height=0.01), spans, begins_s)
