"""Plans that are made again while they are played, in a world that changes.

    walker = Replanner(roadmap, scene, start, goal)
    clip = walker.plan.clip                       # what is played, from walker.begins_s on
    ...
    plan = walker.step(now, scene)                # the scene as it is now

What was played stays as it is, to the last digit; what comes goes on from there without a jump.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip, join_labels
from footfall.errors import InputError
from footfall.gait.footprints import footprints_of
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Ints
from footfall.maths.easing import smoothstep
from footfall.roadmap.drafts import PlayedPath
from footfall.roadmap.joins import Ends
from footfall.roadmap.legs import cut_path, join_paths, split_query
from footfall.roadmap.model import Roadmap
from footfall.roadmap.options import RoadmapOptions
from footfall.roadmap.paths import NoPath
from footfall.roadmap.repair import repair_roadmap
from footfall.roadmap.search_in_time import draft_in_time, draft_legs, draft_timed
from footfall.roadmap.spacetime import TimedPath
from footfall.roadmap.split import split_path
from footfall.task import GoTo, Place, Plan, Query, Watch
from footfall.task.draft import Draft
from footfall.task.finish import finish
from footfall.task.pipeline import first_passing
from footfall.task.problem import Problem
from footfall.task.verify import Report, anatomy_limits, verify
from footfall.task.verify.people import Others
from footfall.world.scene import Scene
from footfall.world.scene_edit import changed_obstacles, without_moving

_LEAD_S = 0.2
"""What is played this soon is not changed, except that it fades into what comes after."""
_FADE_S = 0.4
_CONTEXT = 3
"""This many moves before the first new one are made again, for the same seams."""
_NEAR_M = 2.0
"""Where no path leads to the goal it stops on a foothold that is no further."""
_JUNCTIONS = 4
"""Another path may begin after each of the next moves, up to this many."""


class Replanner:
    """A walk to a goal that is planned again, at an interval, where it fails.

    plan      what is played, from the beginning; its clip begins at `begins_s`
    roadmap   of what stands still in the scene, kept up to date
    others    the clips of other people, and when they begin
    """

    plan: Plan
    begins_s: float
    _looked: float
    _timed: TimedPath
    _starts: Ints

    def __init__(
        self, roadmap: Roadmap, scene: Scene, start: Place, goal: GoTo, interval_s: float = 0.5,
        begins_s: float = 0.0, others: Others = (), options: RoadmapOptions | None = None,
        watch: Watch | None = None,
    ) -> None:  # fmt: skip
        if not interval_s > 0.0:
            raise InputError(f"the interval is {interval_s} s", remedy="it must be > 0")
        self.roadmap, self.scene, self.goal = roadmap, scene, goal
        self.interval_s, self.others = interval_s, tuple(others)
        self._options, self._watch = options or RoadmapOptions(), watch or Watch()
        self._limits = anatomy_limits(roadmap.moves.clips)
        self._query, self._stopped = Query(start, goal, scene), False
        self._begin(begins_s)

    def step(self, now: float, scene: Scene | None = None, others: Others | None = None) -> Plan:
        """Return the plan at a time, in the scene as it is now; the same where that still holds.

        Where no path leads to the goal any more it comes to rest, with a note.
        """
        scene = self.scene if scene is None else scene
        changed = any(changed_obstacles(self.scene, scene))
        if changed:
            self.roadmap = repair_roadmap(self.roadmap, self.scene, scene)
        self.scene = scene
        if others is not None:
            changed = changed or tuple(others) != self.others
            self.others = tuple(others)
        if self.plan.clip is None:
            if changed or now >= self._looked + self.interval_s:
                self._begin(now)
            return self.plan
        if changed or now >= self._looked + self.interval_s:
            self._looked = now
            frame = self._frame(now)
            if self._stopped or not self._judge(self.plan.clip, frame).passed:
                self._go_on(now)
        return self.plan

    def _begin(self, now: float) -> None:
        """Plan from the start."""
        self._looked = self.begins_s = now
        problem = self._problem(now)
        drafts = draft_in_time(self.roadmap, self.scene, problem, self._watch, self._options)
        found = first_passing(drafts, problem)
        if isinstance(found, tuple):
            self._set(found[1], found[0].made_of)
            return
        assert isinstance(found, NoPath)
        self.plan = Plan(found.status, next(iter(problem.reasons()), found.reason))

    def _problem(self, begins_s: float) -> Problem:
        skeleton = self.roadmap.moves.clips[0].skeleton
        query = replace(self._query, scene=self.scene)
        return Problem(query, skeleton, self._limits, begins_s, self.others)

    def _set(self, plan: Plan, played: PlayedPath) -> None:
        """Play a plan, and find out where its path can be left."""
        assert plan.clip is not None
        timed = TimedPath(played.path, played.waits, played.path.cost)
        self.plan, self._stopped = plan, False
        self._timed, self._starts = split_path(
            self.roadmap.table, without_moving(self.scene), timed, played.starts, plan.clip.fps
        )

    def _judge(self, clip: Clip, frame: int, query: Query | None = None) -> Report:
        """Verify what is played from a frame on."""
        report = verify(
            clip, query, self.scene, limits=self._limits, begins_s=self.begins_s,
            others=self.others,
        )  # fmt: skip
        later = [f for f in report.findings if f.stop > frame or f.seconds * clip.fps > frame]
        return replace(report, findings=tuple(later))

    def _frame(self, now: float) -> int:
        assert self.plan.clip is not None
        return max(int(np.floor((now - self.begins_s) * self.plan.clip.fps + 1e-6)), 0)

    def _go_on(self, now: float) -> None:
        """Plan from one of the next moves on; where that fails, stop; else go on as before."""
        clip, path = self.plan.clip, self._timed.path
        assert clip is not None
        first = int(np.searchsorted(self._starts, self._frame(now) + _LEAD_S * clip.fps))
        reason, rested = "", first == len(path)
        for stop in (False,) if rested else (False, True):
            for n in range(first, min(first + _JUNCTIONS, len(path) + 1)):
                wrong = self._leave_at(n, stop, now)
                if not wrong:
                    if stop:
                        note = f"it stops on its way: {reason}"
                        self.plan, self._stopped = replace(self.plan, notes=(note,)), True
                    return
                reason = reason or wrong
        does = "stays where it is" if rested else "goes on as it was"
        note = f"it {does}: {reason}"
        self.plan, self._stopped = replace(self.plan, notes=(note,)), True

    def _leave_at(self, n: int, stop: bool, now: float) -> str:
        """Play another path from the foothold before move n on; return why that fails, or "".

        stop  whether it leads to a rest near by, not to the goal
        """
        moves, path, clip = self.roadmap.moves, self._timed.path, self.plan.clip
        assert clip is not None
        done = n == len(path)
        posture = moves.ends[path.moves[n - 1]] if done else moves.begins[path.moves[n]]
        foothold = path.footholds[n : n + 1]
        ends = Ends(foothold, np.array([posture], np.int32), np.ones(len(moves), np.bool_))
        leaves = self.begins_s + (len(clip) - 1 if done else int(self._starts[n])) / clip.fps
        rest = max(now + _LEAD_S - leaves, 0.0) if done else 0.0  # a body at rest stands until now
        problem = self._problem(leaves + rest)
        goals = [self._rests_near(foothold[0])]
        if not stop:
            split = split_query(self.roadmap, without_moving(self.scene), problem.query)
            if isinstance(split, NoPath):
                return split.reason
            goals = [leg.goals for leg in split[1]]
        drafts = draft_legs(
            self.roadmap, self.scene, problem, ends, goals, self._watch, self._options
        )
        while True:
            try:
                draft = next(drafts)
            except StopIteration as ended:
                return next(iter(problem.reasons()), str(ended.value))
            report = self._take(draft, n, rest, self._frame(now), None if stop else problem.query)
            if report is None:
                return ""
            problem.avoid(draft, report)

    def _rests_near(self, foothold: np.ndarray) -> Ends:
        """Footholds near by on which somebody may come to rest."""
        moves, nodes = self.roadmap.moves, self.roadmap.nodes
        away = np.hypot(nodes[:, 0] - foothold[0], nodes[:, 2] - foothold[2])
        near = np.flatnonzero(away <= _NEAR_M)
        near = near[np.argsort(away[near])][:40]
        rows = np.repeat(nodes[near], len(moves.standing), axis=0)
        postures = np.tile(moves.standing, len(near)).astype(np.int32)
        return Ends(rows, postures, np.ones(len(moves), np.bool_))

    def _take(
        self, draft: Draft, n: int, rest: float, frame: int, query: Query | None
    ) -> Report | None:
        """Play a draft from move n on, after a rest, if that passes; else return the failures."""
        timed, starts, old, new = self._timed, self._starts, self.plan.clip, draft.made_of
        assert old is not None
        # A few moves before the one that is played now are made again, for the same seams.
        playing = int(np.searchsorted(starts, frame, side="right")) - 1
        first = max(min(playing, n) - _CONTEXT, 0)
        path = join_paths([cut_path(timed.path, first, n), new.path])
        waits = np.concatenate([timed.waits[first:n], new.waits])
        waits[n - first] += rest
        still = without_moving(self.scene)
        whole = draft_timed(self.roadmap, still, TimedPath(path, waits, path.cost))
        begin = int(starts[first]) if first < len(starts) else len(old) - 1
        made = finish(whole, still, self._query.seed).clip
        clip = fade_over(stand_on(old, frame + 1), made, frame, frame - begin)
        report = self._judge(clip, frame, query)
        if not report.passed:
            since = begin + int(whole.made_of.starts[n - first]) + round(rest * clip.fps)
            return _shift(report, since)
        before = [
            replace(s, stop=min(s.stop, begin)) for s in self.plan.segments if s.first < begin
        ]
        after = [replace(s, first=s.first + begin, stop=s.stop + begin) for s in whole.segments]
        plan = replace(
            self.plan, clip=clip, footprints=footprints_of(clip), segments=(*before, *after),
            cost=path.cost, notes=tuple(map(str, report.notes)), report=report,
        )  # fmt: skip
        played = PlayedPath(
            join_paths([cut_path(timed.path, 0, first), path]) if first else path,
            np.concatenate([starts[:first], whole.made_of.starts + begin]).astype(np.int32),
            np.concatenate([timed.waits[:first], waits]),
        )
        self._set(plan, played)
        return None


def _shift(report: Report, since: int) -> Report:
    """Return a report with the frames of a draft that begins at frame `since`."""
    return replace(report, findings=tuple(
        replace(f, first=f.first - since, stop=f.stop - since) for f in report.findings
    ))  # fmt: skip


def stand_on(clip: Clip, count: int) -> Clip:
    """The clip, standing as in its last frame until it has so many."""
    if len(clip) >= count:
        return clip
    rows = np.minimum(np.arange(count), len(clip) - 1)
    return clip[rows]


def fade_over(old: Clip, new: Clip, frame: int, new_frame: int) -> Clip:
    """The old clip up to a frame, and from there on the new one, which shows it at `new_frame`.

    What differs at that frame dies away over the following ones.
    """
    count = len(new) - new_frame
    fade = 1.0 - smoothstep(np.arange(count) / max(round(_FADE_S * old.fps), 1))
    root = new.root[new_frame:] + fade[:, None] * (old.root[frame] - new.root[new_frame])
    turn = quat.to_rotation_vector(quat.multiply(
        quat.toward(old.rotations[frame], new.rotations[new_frame]),
        quat.conjugate(new.rotations[new_frame]),
    ))  # fmt: skip
    back = quat.from_rotation_vector(fade[:, None, None] * turn)
    rotations = quat.multiply(back, new.rotations[new_frame:])
    rotations[0] = old.rotations[frame]
    root[0] = old.root[frame]
    labels = join_labels([old.labels_at(slice(frame)), new.labels_at(slice(new_frame, None))])
    whole = quat.continuous(np.concatenate([old.rotations[:frame], rotations]))
    return old.derive(root=np.concatenate([old.root[:frame], root]), rotations=whole, **labels)
