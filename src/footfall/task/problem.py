"""A problem: a query posed for one body, and what was learned from drafts that failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from footfall.adapt.feet.holds import GroundSurface
from footfall.body.capsules import Capsules, body_capsules
from footfall.body.feet import mean_leg
from footfall.task.draft import Draft
from footfall.task.finish import Span
from footfall.task.query import Query
from footfall.task.sole import sole_of
from footfall.world.collision.queries import FootBox
from footfall.world.ground import flat_ground
from footfall.world.scene_edit import without_moving

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.body.skeleton import Skeleton
    from footfall.task.verify import AnatomyLimits, Report
    from footfall.world.scene import Scene


@dataclass(frozen=True, eq=False)
class Rejection:
    """A draft that `verify` rejected, and the frames of the draft in which it failed."""

    draft: Draft
    report: Report

    @property
    def spans(self) -> tuple[Span, ...]:
        """The frames that failed, first in time first."""
        return tuple((finding.first, finding.stop) for finding in self.report.failures)


@dataclass(eq=False)
class Problem:
    """A query for one body in one scene.

    query     what is asked
    skeleton  the body that moves
    limits    what its sources do at most; None: only absolute limits are checked
    begins_s  the time of the first frame, for obstacles that move
    others    the clips of other people, which are not to be touched, and when these begin
    rejected  drafts that failed, the latest last; a search avoids the spans that failed
    """

    query: Query
    skeleton: Skeleton
    limits: AnatomyLimits | None = None
    begins_s: float = 0.0
    others: Sequence[tuple[Clip, float]] = ()
    rejected: list[Rejection] = field(default_factory=list)

    @property
    def scene(self) -> Scene | None:
        return self.query.scene

    @property
    def ground(self) -> GroundSurface:
        """What feet stand on: what stands still in the scene, or a plain without end."""
        return flat_ground() if self.scene is None else without_moving(self.scene)

    @cached_property
    def capsules(self) -> Capsules:
        """The body as capsules."""
        return body_capsules(self.skeleton)

    @cached_property
    def sole(self) -> tuple[FootBox, float]:
        """The sole, and how far its middle is before the place of a footprint, metres."""
        return sole_of(self.skeleton)

    @cached_property
    def leg_m(self) -> float:
        """The length of a leg, metres."""
        return mean_leg(self.skeleton)

    def avoid(self, draft: Draft, report: Report) -> None:
        """Record a rejected draft, so that the search avoids the spans that failed."""
        self.rejected.append(Rejection(draft, report))

    def rejection_of(self, draft: Draft) -> Rejection | None:
        """Return the rejection of a draft, or None if it passed."""
        return next((r for r in reversed(self.rejected) if r.draft is draft), None)

    def find_same(self, draft: Draft) -> Rejection | None:
        """Return the rejection of an earlier draft with the same motion, if there is one."""
        for rejection in self.rejected:
            if rejection.draft.is_same(draft):
                return rejection
        return None

    def reasons(self) -> Sequence[str]:
        """Return why drafts failed, one sentence each, the first draft's first."""
        found = [str(rejection.report.failures[0]) for rejection in self.rejected]
        return list(dict.fromkeys(found))
