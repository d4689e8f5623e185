"""What `verify` finds of a plan, as sentences that tests can read."""

from __future__ import annotations

from footfall import Plan, Query
from footfall.task.verify import verify
from footfall.world.scene import Scene

_WORLD = ("collision", "footing")


def scene_failures(plan: Plan, scene: Scene, begins_s: float = 0.0) -> tuple[str, ...]:
    """Return what a motion touches in a scene, and where its feet stand badly."""
    assert plan.clip is not None
    report = verify(plan.clip, None, scene, begins_s=begins_s, rests=(False, False))
    return tuple(str(finding) for finding in report.failures if finding.check in _WORLD)


def stage_failures(plan: Plan, query: Query) -> tuple[str, ...]:
    """Return what a motion misses of the start and the stages of a query."""
    assert plan.clip is not None
    kinds = {"start", *(stage.kind for stage in query.stages)}
    found = verify(plan.clip, query).failures
    return tuple(str(finding) for finding in found if finding.check in kinds)
