"""Edits of plans: a footprint moved by displacement mapping, a stage moved, objects to act on."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import InputError, check_range
from footfall.maths import quaternions as quat
from footfall.studio.bending import bend_way, check_bent, segments_of
from footfall.studio.files import check_task
from footfall.studio.models import FootprintRequest, ReplanRequest
from footfall.studio.plans import PlanRecord, PlanStore
from footfall.task import FOUND, Plan

if TYPE_CHECKING:
    from footfall.adapt.edit.constraints import Constraint
    from footfall.gait.footprints import Footprint
    from footfall.world.obstacles import Obstacle
    from footfall.world.scene import Scene

_JUMPED_M = 0.9
"""What is higher is not jumped over."""
_FURTHEST_M = 0.6
"""A footprint is moved no further: a longer way needs other steps."""


def move_footprint(store: PlanStore, request: FootprintRequest) -> tuple[Plan, PlanRecord]:
    """Return a plan whose footprint lies elsewhere, verified again; other footprints stay."""
    from footfall.adapt.edit.constraints import hold_constraints
    from footfall.adapt.edit.displace import displace
    from footfall.gait.footprints import footprints_of
    from footfall.task.verify import verify

    clip, tables = store.clip(request.plan), store.query(request.plan)
    prints = footprints_of(clip)
    if request.footprint >= len(prints):
        raise InputError(f"footprint {request.footprint}", remedy=f"there are {len(prints)}")
    scene = store.files.make_scene(tables.get("scene"))
    moved = prints[request.footprint]
    held = [
        _carry(c, moved, request, scene) if _is_of(c, moved, clip.fps) else c
        for c in hold_constraints(clip)
    ]
    bent = displace(clip, held).clip
    query = check_task(tables["task"], scene).query if tables.get("task") else None
    report = verify(bent, query, scene)
    if not report.passed:
        raise InputError(
            f"the footprint cannot be there: {report.failures[0]}", remedy="drag it less far"
        )
    facts = store.facts(request.plan)
    plan = Plan(
        FOUND, clip=bent, footprints=footprints_of(bent), segments=segments_of(facts),
        method=str(facts["method"]), notes=("a footprint was moved",), report=report,
    )  # fmt: skip
    name = request.name or f"{facts['name']}, moved footprint"
    return plan, PlanRecord(tables, name, str(facts["kind"]), int(facts["seed"]))


def _is_of(held: Constraint, moved: Footprint, fps: float) -> bool:
    side = f"{('left', 'right')[moved.foot]}_ankle"
    return held.part == side and held.first <= round(moved.t * fps) < held.stop


def _carry(
    held: Constraint, moved: Footprint, request: FootprintRequest, scene: Scene | None
) -> Constraint:
    """Return a hold of the ankle, moved and turned as its footprint is."""
    to = np.array([request.x, moved.p[1], request.z])
    check_range("the way of the footprint", math.dist(to, moved.p), 0.0, _FURTHEST_M, unit="m")
    if scene is not None:
        ends = scene.height(np.array([[moved.p[0], moved.p[2]], [request.x, request.z]]))
        if not np.isfinite(ends).all():
            raise InputError("there is no ground for the footprint", remedy="drag it elsewhere")
        to[1] += float(ends[1] - ends[0])
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    if request.yaw_deg is not None:
        half = 0.5 * (math.radians(request.yaw_deg) - moved.yaw)
        turn = np.array([math.cos(half), 0.0, math.sin(half), 0.0])
    there = to + quat.rotate(turn, held.position - moved.p)
    turns = None if held.orientation is None else quat.multiply(turn, held.orientation)
    return replace(held, position=there, orientation=turns)


def changed_query(tables: dict[str, Any], request: ReplanRequest) -> dict[str, Any]:
    """Return the tables of a plan with a stage moved or another scene."""
    if not tables.get("task"):
        raise InputError("a recording has no task", remedy="plan one")
    task = dict(tables["task"])
    if request.at is not None:
        stages = _stages_of(task)
        if request.stage >= len(stages):
            raise InputError(
                f"there is no stage {request.stage}", remedy=f"there are {len(stages)}"
            )
        moved = _moved_stage(stages[request.stage], request)
        if task.get("stages"):
            task["stages"] = [*stages[: request.stage], moved, *stages[request.stage + 1 :]]
        else:
            task["to"] = moved["at"]
    scene = tables.get("scene") if request.scene is None else request.scene
    kept = {k: v for k, v in tables.items() if k in ("method", "options", "library", "character")}
    return {**kept, "task": task, "scene": scene}


def _stages_of(task: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the stages of a task; a task that only goes somewhere has one."""
    if task.get("stages"):
        return list(task["stages"])
    return [{"do": "go to", "at": task["to"]}] if task.get("to") else []


def _is_high(stage: dict[str, Any]) -> bool:
    """Return whether a stage's place has a height, as what is picked or put down."""
    return stage.get("do") in ("pick", "put down")


def _moved_stage(stage: dict[str, Any], request: ReplanRequest) -> dict[str, Any]:
    assert request.at is not None
    if "at" not in stage:
        raise InputError(f"stage {request.stage} has no place", remedy="move another one")
    old, (x, z, *yaw) = stage["at"], request.at
    if _is_high(stage):
        return {**stage, "at": [x, old[1], z]}
    return {**stage, "at": [x, z, *(yaw or old[2:])]}


def _ground_place(stage: dict[str, Any]) -> np.ndarray | None:
    at = stage.get("at")
    if not at:
        return None
    return np.array([at[0], at[2 if _is_high(stage) else 1]], np.float64)


def bend_plan(store: PlanStore, request: ReplanRequest) -> tuple[Plan, dict[str, Any]] | None:
    """Return a plan bent to pass a moved point, and what stayed; None if all is planned again.

    Only points to pass and the goal's place can be moved so: what is done elsewhere, another
    heading or another scene asks for other clips.
    """
    tables = store.query(request.plan)
    stages = _stages_of(tables.get("task") or {})
    if request.at is None or request.stage >= len(stages) or tables.get("task", {}).get("path"):
        return None
    stage, changed = stages[request.stage], changed_query(tables, request)
    heading = (stage.get("at") or [])[2:]
    if stage["do"] not in ("via", "go to") or heading != [*(request.at[2:] or heading)]:
        return None
    clip, facts = store.clip(request.plan), store.facts(request.plan)
    query = check_task(changed["task"], store.files.make_scene(changed["scene"])).query
    places = [_ground_place(each) for each in stages]
    way, (first_s, last_s) = bend_way(clip, places, request.stage, np.array(request.at[:2]))
    plan = check_bent(way, query, facts)
    if plan is None:
        return None
    note = f"bent from {first_s:.1f} s to {last_s:.1f} s, the rest is as before"
    plan = replace(plan, method=str(facts["method"]), notes=(note, *plan.notes))
    return plan, {"kept_s": first_s, "changed_s": [round(first_s, 3), round(last_s, 3)]}


def _height(thing: Obstacle) -> float:
    """Return how high the parts of an obstacle reach above its base, metres."""
    return max(
        float(part.centre[1] + part.half[1])
        if part.kind != "mesh"
        else float(part.vertices[:, 1].max())
        for part in thing.parts
    )


def object_stages(scene: Scene, index: int) -> list[dict[str, Any]]:
    """Return what can be done with an obstacle, as stages of a task."""
    if index >= len(scene.obstacles):
        raise InputError(f"obstacle {index}", remedy=f"there are {len(scene.obstacles)}")
    thing = scene.obstacles[index]
    x, base, z = (round(float(v), 4) for v in thing.position)
    w, _, y, _ = thing.rotation.tolist()
    yaw = round(math.degrees(2.0 * math.atan2(y, w)), 2)
    found: list[dict[str, Any]] = []
    points = {n: thing.position + quat.rotate(thing.rotation, p) for n, p in thing.points.items()}
    if "seat" in points:
        seat = points["seat"]
        sit = {"do": "sit", "at": [round(float(seat[0]), 4), round(float(seat[2]), 4), yaw],
               "height_m": round(float(seat[1]) - base, 4)}  # fmt: skip
        found.append({"label": "Sit", "stages": [sit]})
        found.append({"label": "Sit and stand up", "stages": [sit, {"do": "stand up"}]})
    if "item" in points:
        at = points["item"].round(4).tolist()
        found.append({"label": "Pick", "stages": [{"do": "pick", "at": at}]})
        found.append({"label": "Put down", "stages": [{"do": "put down", "at": at}]})
    if thing.kind == "bar":
        duck = {"do": "duck", "at": [x, z], "height_m": round(min(thing.duck - 0.05, 3.0), 3)}
        found.append({"label": "Duck under", "stages": [duck]})
    steps = [part for part in thing.parts if part.walkable]
    if steps:
        top = max(steps, key=lambda part: float(part.centre[1] + part.half[1]))
        on = (thing.position + quat.rotate(thing.rotation, top.centre)).round(3).tolist()
        found.append({"label": "Stand on it", "stages": [{"do": "stand on", "at": [on[0], on[2]]}]})
    elif thing.kind in ("box", "beam", "cylinder", "wall") and _height(thing) <= _JUMPED_M:
        ahead = [math.sin(math.radians(yaw)), math.cos(math.radians(yaw))]
        sides = [{"do": "via", "at": [round(x + s * ahead[0], 3), round(z + s * ahead[1], 3)]}
                 for s in (-1.0, 1.0)]  # fmt: skip
        found.append({"label": "Pass to its other side", "stages": sides})
    return found
