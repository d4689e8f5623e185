"""The foothold roadmap as a planner: from one place to another, whatever that takes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from footfall.body.size import MEAN_BODY, BodySize, body_size
from footfall.errors import InputError
from footfall.gait.speed import MOVING_M_S, ground_speeds
from footfall.library.library import Library
from footfall.maths.arrays import Floats
from footfall.roadmap.model import Roadmap
from footfall.roadmap.moves import Moves
from footfall.roadmap.options import RoadmapOptions
from footfall.roadmap.paths import FootholdPath, NoPath
from footfall.roadmap.prefer import Wish, wish_of, with_wish
from footfall.roadmap.search import Drafts, draft_query, find_late
from footfall.roadmap.search_in_time import draft_in_time
from footfall.roadmap.spacetime import TimedPath
from footfall.roadmap.store import kept_moves, kept_roadmap
from footfall.task import GoTo, Plan, Query, StandOn, Via, Watch
from footfall.task.draft import Draft
from footfall.task.method import Refusal, Selection
from footfall.task.pipeline import first_passing, solve
from footfall.task.problem import Problem
from footfall.task.routes import walking_limits
from footfall.task.verify import anatomy_limits
from footfall.task.verify.people import Others
from footfall.world.corridor.free_floor import walking_corridors
from footfall.world.fingerprint import scene_fingerprint
from footfall.world.scene import Scene, rectangle
from footfall.world.scene_edit import without_moving

_AROUND_M = 4.0
"""Where there is no scene, so much ground is taken around start and goal."""
_MOST_ROADMAPS = 8
"""How many roadmaps of scenes, seeds and wishes a model holds; all are kept on disk as well."""
_HURRIES = 2
"""How often faster moves are preferred where a stage is done too late ..."""
_HASTE = 1.1
"""... by this much faster than would be in time."""

_Key = tuple[str, int, Wish | None]


@dataclass(eq=False)
class RoadmapModel:
    """Moves of a library, and roadmaps of scenes, made when they are first asked for.

    A roadmap depends on the scene, the seed and the wishes alone, not on earlier queries.

    given  the roadmap of all scenes and seeds; None: they have their own
    """

    moves: Moves
    options: RoadmapOptions
    given: Roadmap | None = None
    roadmaps: OrderedDict[_Key, Roadmap] = field(default_factory=OrderedDict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def roadmap(self, scene: Scene, seed: int, watch: Watch, wish: Wish | None = None) -> Roadmap:
        """Return the roadmap of a scene, with the costs that a wish gives it."""
        key = scene_fingerprint(without_moving(scene)), seed, wish
        with self.lock:
            if key not in self.roadmaps:
                if wish is not None:
                    made = with_wish(self.roadmap(scene, seed, watch), wish)
                else:
                    made = self.given or kept_roadmap(
                        self.moves, self.options.settings(seed), scene,
                        lambda share: watch.tell(share, note="building the roadmap"),
                    )  # fmt: skip
                self.roadmaps[key] = made
            self.roadmaps.move_to_end(key)
            while len(self.roadmaps) > _MOST_ROADMAPS:
                self.roadmaps.popitem(last=False)
            return self.roadmaps[key]


class RoadmapMethod:
    """Probabilistic roadmaps over footholds after Choi, Lee & Shin 2003."""

    name = "roadmap"
    summary = "goes to a place over footholds: around, through, over and across"
    stages = (GoTo, Via, StandOn)
    Options = RoadmapOptions
    default_clips = "default:choi"

    def suits(self, query: Query, library: Library | None) -> tuple[float, str]:
        """It suits where nobody can simply walk; where one can, others walk more freely."""
        if query.scene is None:
            return 0.1, "without a scene there is nothing to plan footholds for"
        size = MEAN_BODY if library is None else body_size(library.character)
        if not _can_walk(query.scene, query.points, size):
            return 0.8, "nobody can simply walk there, and it plans over footholds"
        if query.scene.moves:
            return 0.6, "it keeps clear of what moves"
        return 0.4, "it plans footholds among obstacles"

    def select(self, library: Library, query: Query) -> Selection | Refusal:
        """All clips whose feet touch the ground."""
        if not len(library):
            return Refusal("the library holds no clips")
        wished = [query.style] if query.style else []
        shown = {tag for entry in library.entries for tag in entry.tags} if wished else set()
        notes = [f"no clip shows the style {s!r}" for s in wished if s not in shown]
        return Selection(library, tuple(notes))

    def prepare(
        self, library: Library, scene: Scene | None, options: RoadmapOptions, watch: Watch
    ) -> RoadmapModel | Refusal:
        """Find the moves of the clips; roadmaps are built for the seeds of queries."""
        watch.tell(0.1, note="finding moves")
        moves = kept_moves(tuple(library), options.posture_m)
        if not len(moves) or not len(moves.standing):
            return Refusal("no clip leads from standing somewhere to standing elsewhere")
        return RoadmapModel(moves, options)

    def search(
        self, model: RoadmapModel, problem: Problem, watch: Watch
    ) -> Iterator[Draft | Refusal]:
        """Yield drafts until one passes; several alternatives come with the dearest first."""
        scene, seed = problem.scene or _around(problem.query), problem.query.seed
        found: FootholdPath | TimedPath | NoPath | None
        try:
            roadmap = model.roadmap(scene, seed, watch, wish_of(problem.query))
        except InputError as error:  # it has no foothold
            yield Refusal(str(error))
            return
        if scene.moves or problem.others:
            found = yield from draft_in_time(roadmap, scene, problem, watch, model.options)
        elif model.options.alternatives > 1:
            found = yield from _draft_alternatives(roadmap, scene, problem, watch, model.options)
        else:
            found = yield from _draft_by_deadline(model, scene, problem, watch)
        if isinstance(found, NoPath):
            yield Refusal(found.reason, found.status)


def plan_on_roadmap(
    roadmap: Roadmap, query: Query, watch: Watch | None = None,
    options: RoadmapOptions | None = None, others: Others = (), begins_s: float = 0.0,
) -> Plan:  # fmt: skip
    """Plan on a roadmap that somebody keeps.

    others    the clips of people to keep clear of, and when these begin
    begins_s  when the motion begins, seconds
    """
    clips = roadmap.moves.clips
    problem = Problem(query, clips[0].skeleton, anatomy_limits(clips), begins_s, others)
    model = RoadmapModel(roadmap.moves, options or RoadmapOptions(denser=0), roadmap)
    *_, last = solve(METHOD, model, problem, watch or Watch())
    return last


def _draft_by_deadline(model: RoadmapModel, scene: Scene, problem: Problem, watch: Watch) -> Drafts:
    """Yield drafts; where they are done too late, prefer faster moves."""
    wish = wish_of(problem.query)
    for hurry in range(_HURRIES + 1):
        roadmap = model.roadmap(scene, problem.query.seed, watch, wish)
        found = yield from draft_query(roadmap, scene, problem, watch, model.options)
        last = problem.rejected[-1] if isinstance(found, NoPath) and problem.rejected else None
        late = None if last is None else find_late(last.report)
        if last is None or late is None or hurry == _HURRIES:
            break
        speeds = ground_speeds(last.draft.clip)
        usual = float(np.median(speeds[speeds > MOVING_M_S])) if speeds.max() > MOVING_M_S else 1.0
        style, speed, prefer = wish or (None, None, ())
        wish = style, _HASTE * (speed or usual) * late.value / late.limit, prefer
    return found


def _draft_alternatives(
    roadmap: Roadmap, scene: Scene, problem: Problem, watch: Watch, options: RoadmapOptions
) -> Generator[Draft, None, NoPath | None]:
    """Yield drafts of different paths that pass, the dearest first, with a note on the others."""
    paths: list[FootholdPath] = []
    passed: list[Draft] = []
    for _ in range(options.alternatives):
        scratch = replace(problem, rejected=[])
        found = first_passing(draft_query(roadmap, scene, scratch, watch, options, paths), scratch)
        if not isinstance(found, tuple):
            break
        passed.append(found[0])
        paths.append(found[0].made_of.path)
    if not passed:
        problem.rejected += scratch.rejected
        return found if isinstance(found, NoPath) else None
    passed.sort(key=lambda draft: -draft.cost)
    others = [f"{100.0 * (draft.cost / passed[-1].cost - 1.0):.0f} %" for draft in passed[-2::-1]]
    if others:
        note = f"there are other paths, dearer by {', '.join(others)}"
        passed[-1] = replace(passed[-1], notes=(*passed[-1].notes, note))
    yield from passed
    return None


def _can_walk(scene: Scene, points: Floats, size: BodySize) -> bool:
    """Return whether level, wide floor leads from each point (N, 2) to the next."""
    try:
        corridors = walking_corridors(scene, walking_limits(size))
    except InputError:  # no floor is free
        return False
    return all(bool(corridors.path(a, b, size.turning_m)) for a, b in pairwise(points))


def _around(query: Query) -> Scene:
    """Flat ground around the places of a query."""
    points = query.points
    return Scene("plain", rectangle(points.min(axis=0) - _AROUND_M, points.max(axis=0) + _AROUND_M))


METHOD = RoadmapMethod()
