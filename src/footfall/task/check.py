"""The check of a finished motion in its scene, the same for all planners."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from footfall.body.capsules import body_capsules
from footfall.body.clip import Clip
from footfall.body.kinematics import world_poses
from footfall.task.plan import Plan
from footfall.task.query import Query
from footfall.task.stages import GoTo, Via
from footfall.world.collision.motion_check import body_troubles, foot_troubles
from footfall.world.collision.queries import FootBox
from footfall.world.scene import Scene

ALLOWED_M = 0.01
"""Capsules are a little thicker than a body; touching less than this is none."""


def check_stages(plan: Plan, query: Query) -> str:
    """Which stage a planned motion misses by more than its tolerance, in a sentence; "" if none.

    Places are checked here, for all methods alike; what hands, seats and single feet do is checked
    by the methods that can do it.
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
    return ""


_checked: WeakKeyDictionary[Clip, tuple[Scene, int, tuple[str, ...]]] = WeakKeyDictionary()
"""Clips that were checked lately: a method may check what the front door checks again."""


def check_motion(plan: Plan, scene: Scene) -> tuple[str, ...]:
    """What is wrong with a planned motion in a scene, one sentence each, the first in time first.

    The whole body, as capsules, against every obstacle; the feet against water, holes and the
    scene's border.
    """
    clip = plan.clip
    if clip is None:
        return ()
    known = _checked.get(clip)
    if known is not None and known[0] is scene and known[1] == len(plan.footprints):
        return known[2]
    capsules = body_capsules(clip.skeleton)
    ends = capsules.placed(world_poses(clip))
    found = body_troubles(scene, ends, capsules.radii, capsules.feet, clip.fps, ALLOWED_M)
    prints = np.array([(f.p[0], f.p[2], f.yaw) for f in plan.footprints]).reshape(-1, 3)
    times = np.array([f.t for f in plan.footprints])
    # The free box above a foot is left to the capsules, which know the foot's real shape.
    found += foot_troubles(scene, prints, times, FootBox(height=0.01))
    troubles = tuple(str(trouble) for trouble in sorted(found, key=lambda t: t.seconds))
    _checked[clip] = scene, len(plan.footprints), troubles
    return troubles
