"""Plans that are made again while they are played, in a world that changes.

    walker = Replanner(roadmap, scene, start, goal)
    clip = walker.plan.clip                       # what is played, from walker.begins_s on
    ...
    plan = walker.step(now, scene)                # the scene as it is now

What was played stays as it is, to the last digit; what comes goes on from there without a jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip, join_labels
from footfall.errors import InputError
from footfall.gait.footprints import footprints_of
from footfall.maths import quaternions as quat
from footfall.maths.easing import smoothstep
from footfall.roadmap.joins import Ends
from footfall.roadmap.legs import cut_path, join_paths, split_query
from footfall.roadmap.model import Roadmap
from footfall.roadmap.plan import Wishes
from footfall.roadmap.repair import repair_roadmap
from footfall.roadmap.search import NoPath
from footfall.roadmap.spacetime import TimedPath
from footfall.roadmap.split import split_path
from footfall.roadmap.timed_plan import TimedAnswer, answer_in_time, make_timed, walk_legs
from footfall.task import GoTo, Place, Plan, Query, Segment, Watch
from footfall.task.check import find_troubles
from footfall.world.changes import changed_obstacles, without_moving
from footfall.world.scene import Scene

_LEAD_S = 0.2
"""What is played so soon is not changed any more, beside that it fades into what comes after."""
_FADE_S = 0.4
_CONTEXT = 3
"""So many moves before the first new one are made again, so that it joins them as it should."""
_NEAR_M = 2.0
"""Where there is no way to the goal it stops on a foothold that is no further."""
_JUNCTIONS = 4
"""After so many of the next moves, one after the other, another path may begin."""


class Replanner:
    """Somebody on the way to a goal, who looks about again at an interval.

    plan      what is played, from the beginning; its clip begins at `begins_s`
    roadmap   of what stands still in the scene, kept up to date
    others    the clips of other people, and when they begin
    """

    def __init__(
        self, roadmap: Roadmap, scene: Scene, start: Place, goal: GoTo, interval_s: float = 0.5,
        begins_s: float = 0.0, others: Sequence[tuple[Clip, float]] = (),
        wishes: Wishes | None = None, watch: Watch | None = None,
    ) -> None:  # fmt: skip
        if not interval_s > 0.0:
            raise InputError(f"the interval is {interval_s} s", remedy="it must be > 0")
        self.roadmap, self.scene, self.goal = roadmap, scene, goal
        self.interval_s, self.begins_s, self.others = interval_s, begins_s, tuple(others)
        self._wishes, self._watch = wishes or Wishes(), watch or Watch()
        self._query = Query(start, goal, scene)
        self._looked = begins_s
        found = answer_in_time(
            roadmap, scene, self._query, self._watch, self._wishes, self.others, begins_s
        )
        self._set(found)

    def step(
        self, now: float, scene: Scene | None = None,
        others: Sequence[tuple[Clip, float]] | None = None,
    ) -> Plan:  # fmt: skip
        """The plan at a time, in the scene as it is now; the same as before where that still holds.

        Where there is no way to the goal any more it comes to rest, and a note says so.
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
            if self._is_in_trouble(now) or self.plan.notes:
                self._go_on(now)
        return self.plan

    def _begin(self, now: float) -> None:
        """Try again from the start, where there was no way before."""
        self._looked = self.begins_s = now
        query = replace(self._query, scene=self.scene)
        found = answer_in_time(
            self.roadmap, self.scene, query, self._watch, self._wishes, self.others, now
        )
        self._set(found)

    def _set(self, found: TimedAnswer) -> None:
        """Play what was found, and know where it can be left."""
        self.plan, self._timed, self._starts = found.plan, found.timed, found.starts
        if found.timed is not None and found.starts is not None and found.plan.clip is not None:
            self._timed, self._starts = split_path(
                self.roadmap.table, without_moving(self.scene), found.timed, found.starts,
                found.plan.clip.fps,
            )  # fmt: skip

    def _is_in_trouble(self, now: float) -> bool:
        """Whether what is still to be played touches something."""
        from footfall.roadmap.people import nearest_meeting

        clip = self.plan.clip
        assert clip is not None
        frame = self._frame(now)
        troubles = find_troubles(self.plan, self.scene, self.begins_s)
        if any(t.stop > frame or t.seconds * clip.fps > frame for t in troubles):
            return True
        for other, at in self.others:
            met = nearest_meeting(clip, other, self.begins_s, at)
            if met.distance_m < 0.0 and met.seconds > now:
                return True
        return False

    def _frame(self, now: float) -> int:
        assert self.plan.clip is not None
        return max(int(np.floor((now - self.begins_s) * self.plan.clip.fps + 1e-6)), 0)

    def _go_on(self, now: float) -> None:
        """Plan anew from one of the next moves on; where that fails, stop; else go on as it was."""
        clip, timed = self.plan.clip, self._timed
        assert clip is not None
        assert timed is not None
        assert self._starts is not None
        frame = self._frame(now)
        first = int(np.searchsorted(self._starts, frame + _LEAD_S * clip.fps))
        junctions = range(first, min(first + _JUNCTIONS, len(timed.path) + 1))
        reason = ""
        rested = first == len(timed.path)
        for stop in (False,) if rested else (False, True):
            for n in junctions:
                found = self._leave_at(n, stop, now)
                reason = reason or found.plan.reason
                if found.timed is None:
                    continue
                if self._take(found, n, frame, stop, reason):
                    return
        does = "stays where it is" if rested else "goes on as it was"
        self.plan = replace(self.plan, notes=(f"it {does}: {reason}",))

    def _leave_at(self, n: int, stop: bool, now: float) -> TimedAnswer:
        """A path from the foothold before move n, to the goal or to a rest near by."""
        timed, starts, clip = self._timed, self._starts, self.plan.clip
        assert timed is not None
        assert starts is not None
        assert clip is not None
        moves, still = self.roadmap.moves, without_moving(self.scene)
        path = timed.path
        done = n == len(path)
        posture = moves.ends[path.moves[n - 1]] if done else moves.begins[path.moves[n]]
        foothold = path.footholds[n : n + 1]
        ends = Ends(foothold, np.array([posture], np.int32), np.ones(len(moves), np.bool_))
        if stop:
            goals = [self._rests_near(foothold[0])]
        else:
            query = replace(self._query, scene=self.scene, stages=(self.goal,))
            split = split_query(self.roadmap, still, query)
            if isinstance(split, NoPath):
                return TimedAnswer(Plan(split.status, split.reason))
            goals = [leg.goals for leg in split[1]]
        leaves = self.begins_s + (len(clip) - 1 if done else int(starts[n])) / clip.fps
        # Who came to rest stands until now.
        rest = max(now + _LEAD_S - leaves, 0.0) if done else 0.0
        found = walk_legs(
            self.roadmap, self.scene, ends, goals, self._watch, self._wishes, self.others,
            leaves + rest, None,
        )  # fmt: skip
        if found.timed is not None and rest:
            waits = np.array(found.timed.waits)
            waits[0] += rest
            found = replace(found, timed=replace(found.timed, waits=waits))
        return found

    def _rests_near(self, foothold: np.ndarray) -> Ends:
        """Footholds near by on which somebody may come to rest."""
        moves, nodes = self.roadmap.moves, self.roadmap.nodes
        away = np.hypot(nodes[:, 0] - foothold[0], nodes[:, 2] - foothold[2])
        near = np.flatnonzero(away <= _NEAR_M)
        near = near[np.argsort(away[near])][:40]
        rows = np.repeat(nodes[near], len(moves.standing), axis=0)
        postures = np.tile(moves.standing, len(near)).astype(np.int32)
        return Ends(rows, postures, np.ones(len(moves), np.bool_))

    def _take(self, found: TimedAnswer, n: int, frame: int, stop: bool, reason: str) -> bool:
        """Play what was found from move n on, if it touches nothing joined to what is played."""
        timed, starts, old = self._timed, self._starts, self.plan.clip
        assert timed is not None
        assert starts is not None
        assert old is not None
        assert found.timed is not None
        # From the move that is played now on, and a few before, so that joins come out the same.
        playing = int(np.searchsorted(starts, frame, side="right")) - 1
        first = max(min(playing, n) - _CONTEXT, 0)
        whole = join_paths([cut_path(timed.path, first, n), found.timed.path])
        waits = np.concatenate([timed.waits[first:n], found.timed.waits])
        made = make_timed(
            self.roadmap, without_moving(self.scene), TimedPath(whole, waits, whole.cost)
        )
        assert made.plan.clip is not None
        assert made.starts is not None
        begin = int(starts[first]) if first < len(starts) else len(old) - 1
        clip = fade_over(stand_on(old, frame + 1), made.plan.clip, frame, frame - begin)
        plan = self._with_clip(made, clip, first, begin, frame)
        if any(t.stop > frame or t.seconds * clip.fps > frame
               for t in find_troubles(plan, self.scene, self.begins_s)):  # fmt: skip
            return False
        if stop:
            plan = replace(plan, notes=(f"it stops on its way: {reason}",))
        path = join_paths([cut_path(timed.path, 0, first), whole]) if first else whole
        waits = np.concatenate([timed.waits[:first], waits])
        begins = np.concatenate([starts[:first], made.starts + begin]).astype(np.int32)
        self._set(TimedAnswer(plan, TimedPath(path, waits, timed.cost), begins))
        return True

    def _with_clip(self, made: TimedAnswer, clip: Clip, first: int, begin: int, frame: int) -> Plan:
        """The plan of a clip whose frames from `begin` on come from what was made anew."""
        before = [
            replace(s, stop=min(s.stop, begin)) for s in self.plan.segments if s.first < begin
        ]
        after = [
            Segment(s.first + begin, s.stop + begin, s.why, s.sources) for s in made.plan.segments
        ]
        return replace(
            made.plan, clip=clip, footprints=footprints_of(clip), segments=(*before, *after)
        )


def stand_on(clip: Clip, count: int) -> Clip:
    """The clip, standing as in its last frame until it has so many."""
    if len(clip) >= count:
        return clip
    rows = np.minimum(np.arange(count), len(clip) - 1)
    return replace(
        clip, root=clip.root[rows], rotations=clip.rotations[rows], **clip.labels_at(rows)
    )


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
    return replace(old, root=np.concatenate([old.root[:frame], root]), rotations=whole, **labels)
