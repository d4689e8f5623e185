"""Checks of a motion against its scene: collisions of the whole body, footing, the floor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall.body.capsules import Capsules, body_capsules
from footfall.body.clip import TOUCH_PARTS
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton, subtree
from footfall.maths.arrays import Bools, Floats
from footfall.maths.runs import mean_where, means, widen
from footfall.task.sole import sole_of
from footfall.task.verify.motion import BALL, HEEL, Motion, worst_span
from footfall.task.verify.report import Finding, Values
from footfall.world.collision.motion_check import Trouble, body_troubles
from footfall.world.collision.queries import REASONS, foot_placements
from footfall.world.scene import Scene

COLLISION = "collision: m"
ALLOWED_M = 0.01
"""Capsules are a little thicker than a body: touching less deep is not seen. Of a mean body, as all
lengths here."""
_LEAN_S = 0.7
"""Hands and seat come near what they touch for this long before and after."""
SUNK_M, SUNK_HARD_M = 0.02, 0.05
"""Soles this deep in the floor are noted, or fail: shoes and soft ground hide the first."""
FLOATS_M, FLOATS_HARD_M = 0.025, 0.05
"""The same of standing soles above the floor."""
_STEP_UP_M = 0.15
"""A surface this far above a sole is not the one it stands on."""
_WORDS = {
    "no ground": "it stands where there is no ground", "water": "it stands in water",
    "uneven": "it stands on uneven ground or over an edge",
    "too steep": "it stands on ground that is too steep", "obstacle": "it stands on something",
}  # fmt: skip


def check_collisions(
    motion: Motion, scene: Scene, begins_s: float, values: Values
) -> Iterator[Finding]:
    """Yield each obstacle that the body touches, with the deepest part."""
    deepest: dict[str, Trouble] = {}
    for trouble in find_collisions(motion, scene, begins_s):
        worst = deepest.get(trouble.what)
        if worst is None or trouble.depth_m > worst.depth_m:
            deepest[trouble.what] = trouble
    depth = max((t.depth_m for t in deepest.values()), default=0.0)
    allowed_m = motion.size * ALLOWED_M
    values.enter(COLLISION, depth, allowed_m)
    for trouble in deepest.values():
        yield Finding(
            "collision", _part_name(motion.clip.skeleton, trouble.capsule), trouble.seconds,
            trouble.first, trouble.stop, trouble.depth_m, allowed_m, "m", True,
            (trouble.x, trouble.z), f"it {trouble.what} by", name=COLLISION,
        )  # fmt: skip


def find_collisions(motion: Motion, scene: Scene, begins_s: float = 0.0) -> list[Trouble]:
    """Return what the body touches: each obstacle, as long as it is touched."""
    clip, poses = motion.clip, motion.clip.world
    capsules = body_capsules(clip.skeleton)
    return body_troubles(
        scene, capsules.placed(poses), capsules.radii, capsules.feet, clip.fps,
        motion.size * ALLOWED_M, begins_s, capsules.soles, _find_supported(motion, capsules),
        motion.size,
    )  # fmt: skip


def _find_supported(motion: Motion, capsules: Capsules) -> Bools | None:
    """Return (T, B) which parts of the body may touch something, by the clip's labels."""
    touches = motion.clip.touches
    if touches is None or not touches.any():
        return None
    out = np.zeros((len(motion), len(capsules)), np.bool_)
    for part, name in enumerate(TOUCH_PARTS):
        joints = _touching_joints(motion.clip.skeleton, name)
        when = widen(touches[:, part], round(_LEAN_S * motion.fps))
        out |= when[:, None] & np.isin(capsules.joints, joints)[None]
    return out


def _touching_joints(skeleton: Skeleton, part: str) -> list[int]:
    """Return the joints that come near what a hand or the seat touches."""
    if part != "seat":
        return subtree(skeleton, skeleton.role(part.replace("hand", "elbow")))
    trunk = skeleton.chain(skeleton.role("hips"), skeleton.role("chest"))
    return [*trunk, *(skeleton.role(f"{side}_hip") for side in SIDES)]


def _part_name(skeleton: Skeleton, capsule: int) -> str:
    """Return the part of the body that a capsule belongs to, by its role if it has one."""
    joint = int(body_capsules(skeleton).joints[capsule])
    for role, index in skeleton.roles.items():
        if index == joint:
            return role.replace("_", " ")
    return skeleton.names[joint]


def check_footing(
    motion: Motion, scene: Scene | None, begins_s: float, values: Values
) -> Iterator[Finding]:
    """Yield each stance whose sole is not on good ground, or is above or below it."""
    stances = motion.stances
    if not stances:
        return
    prints, levels = _prints(motion)
    if scene is None:
        floor, reason = np.zeros(len(prints)), np.zeros(len(prints), np.int32)
    else:
        # The free box above a foot is left to the capsules, which have the foot's real shape.
        box, _ = sole_of(motion.clip.skeleton)
        times = begins_s + np.array([0.5 * (a + b) for _, a, b in stances]) / motion.fps
        found = foot_placements(
            scene, prints, replace(box, height=0.01), levels + motion.size * _STEP_UP_M,
            times if scene.moves else None,
        )  # fmt: skip
        floor, reason = found.height, found.reason
    values.enter("bad footing: stances", float(np.count_nonzero(reason)), 0.0)
    for n, (foot, first, stop) in enumerate(stances):
        if reason[n]:
            yield Finding(
                "footing", f"{SIDES[foot]} foot", 0.5 * (first + stop) / motion.fps, first, stop,
                float("nan"), 0.0, "", True, (float(prints[n, 0]), float(prints[n, 1])),
                _WORDS[REASONS[int(reason[n])]], name="bad footing: stances",
            )  # fmt: skip
    yield from _check_levels(motion, levels - floor, prints, values)


def _check_levels(
    motion: Motion, above: Floats, prints: Floats, values: Values
) -> Iterator[Finding]:
    """Yield stances whose soles float over the floor or are sunk in it."""
    known, size = above[np.isfinite(above)], motion.size
    values.enter("floating: m", float(known.max(initial=0.0)), size * FLOATS_M)
    values.enter("sunk: m", float((-known).max(initial=0.0)), size * SUNK_M)
    for n, (foot, first, stop) in enumerate(motion.stances):
        for check, value, soft, hard in (
            ("floating", above[n], size * FLOATS_M, size * FLOATS_HARD_M),
            ("sunk", -above[n], size * SUNK_M, size * SUNK_HARD_M),
        ):
            if value > soft:
                yield Finding(
                    check, f"{SIDES[foot]} foot", 0.5 * (first + stop) / motion.fps, first, stop,
                    float(value), hard if value > hard else soft, "m", bool(value > hard),
                    (float(prints[n, 0]), float(prints[n, 1])),
                    f"its sole is {'above' if check == 'floating' else 'below'} the floor by",
                    name=f"{check}: m",
                )  # fmt: skip


def check_swings(motion: Motion, scene: Scene | None, values: Values) -> Iterator[Finding]:
    """Yield each foot that is in the floor while it swings, with the deepest point of its sole."""
    soles = motion.soles
    floor = np.zeros(soles.shape[:3])
    if scene is not None:
        floor = scene.ground.height(soles[..., [0, 2]].reshape(-1, 2)).reshape(soles.shape[:3])
    deep = np.nan_to_num(floor - soles[..., 1], nan=0.0).max(axis=2)
    deep[motion.foot_contacts] = 0.0  # stances are checked by themselves
    soft_m, hard_m = motion.size * SUNK_M, motion.size * SUNK_HARD_M
    for foot, side in enumerate(SIDES):
        at = int(deep[:, foot].argmax())
        value = float(deep[at, foot])
        values.enter("foot in the floor: m", value, soft_m)
        if value > soft_m:
            hard = value > hard_m
            first, stop = worst_span(deep[:, foot], soft_m, at)
            yield Finding(
                "foot in the floor", f"{side} foot", at / motion.fps, first, stop, value,
                hard_m if hard else soft_m, "m", hard, motion.foot_place(at, foot),
                "its sole is in the floor by", name="foot in the floor: m",
            )  # fmt: skip


def _prints(motion: Motion) -> tuple[Floats, Floats]:
    """Return (N, 3) x, z and yaw of the middle of each stance's sole, and (N,) its height."""
    feet = np.array([foot for foot, _, _ in motion.stances])
    points, is_flat = np.empty((len(feet), 2, 3)), np.empty(len(feet), np.bool_)
    for foot in range(2):
        own = feet == foot
        if not own.any():
            continue
        spans = np.array([(a, b) for f, a, b in motion.stances if f == foot], np.int32)
        tracks = motion.soles[:, foot, HEEL : BALL + 1].reshape(-1, 6)
        toes: Bools = motion.point_contacts[:, foot, BALL]
        flat: Bools = toes & motion.point_contacts[:, foot, HEEL]
        is_flat[own] = means(flat.astype(np.float64), spans) > 0.0
        lying, tiptoe = mean_where(tracks, flat, spans), mean_where(tracks, toes, spans)
        points[own] = np.where(is_flat[own][:, None], lying, tiptoe).reshape(-1, 2, 3)
    heel, ball = points[:, 0], points[:, 1]
    yaw = np.arctan2(ball[:, 0] - heel[:, 0], ball[:, 2] - heel[:, 2])
    middle, ahead = 0.5 * (heel + ball), sole_of(motion.clip.skeleton)[1]
    x, z = middle[:, 0] + ahead * np.sin(yaw), middle[:, 2] + ahead * np.cos(yaw)
    # The lower of what touches: a foot on its toes has its heel in the air.
    levels = np.where(is_flat, middle[:, 1], np.minimum(heel[:, 1], ball[:, 1]))
    return np.stack([x, z, yaw], axis=1), levels
