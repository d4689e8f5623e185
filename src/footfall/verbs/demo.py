"""`demo`: plan all queries of a scene with the default clips, or read and draw one clip.

One roadmap of the scene answers all of its queries. What cannot be done is reported with its
reason, and all else is saved: every motion as BVH, and all of them with their scene as one GLB.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.errors import InputError
from footfall.files.formats import load, save
from footfall.files.scene.read import load_scene
from footfall.processes import share_out
from footfall.render.player.page import is_built
from footfall.verbs.inspect import Inspection, inspect

if TYPE_CHECKING:
    from footfall.task import News, Plan
    from footfall.world.scene import Scene

SCENE, METHOD = "dungeon", "roadmap"
_NODES, _MORE = 3000, 1500
"""As many footholds as Choi, Lee & Shin have for their dungeon."""
_TOGETHER = (".glb", ".map.png", ".above.png", ".strips.png", ".gif")
"""What shows all motions at once."""
_PAGE = ".html"
"""The page that plays them, where the player is built."""
_SUFFIXES = (".bvh", ".glb", ".png", ".gif")
_FILM_WIDTH = 400
"""A narrower animation than `render` makes by itself: the demo should be over soon."""

Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Answer:
    """What came of one query of the scene: its plan, its measures (units in the names), its file.

    file  None where no motion was found
    """

    query: str
    plan: Plan
    measures: dict[str, float]
    file: Path | None


@dataclass(frozen=True)
class Shown:
    """What the demo found out and what it wrote.

    answers     to the queries of the scene, in their order; none if a clip was given
    inspection  of the clip, if one was given
    """

    files: tuple[Path, ...]
    answers: tuple[Answer, ...] = ()
    inspection: Inspection | None = None

    @property
    def found(self) -> tuple[Answer, ...]:
        """The answers that hold a motion."""
        return tuple(answer for answer in self.answers if answer.plan.found)


def demo(
    stem: str | Path = "out/demo",
    *,
    scene: str | Path = SCENE,
    clip: str | Path | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Shown:
    """Plan every query of a scene with the default clips, and save motions, scene and pictures.

    With `clip`, take that clip from its file to GLB, BVH, a sheet and an animation instead.
    Files are written to `stem` with their suffixes.
    """
    tell = progress or (lambda fraction: None)
    stem = Path(stem)
    if clip is not None:
        return _whole_way(stem, clip, tell)
    return _queries_of_a_scene(stem, _with_queries(scene), seed, tell)


def demo_files(
    stem: str | Path, clip: str | Path | None = None, scene: str | Path = SCENE
) -> list[Path]:
    """Return the files that the demo writes if every motion is found."""
    stem = Path(stem)
    if clip is not None:
        return [_beside(stem, suffix) for suffix in _SUFFIXES]
    names = [query.name for query in _with_queries(scene).queries]
    together = [*_TOGETHER, *([_PAGE] if is_built() else [])]
    return [*(_beside(stem, s) for s in together), *(_motion_file(stem, n) for n in names)]


def _with_queries(scene: str | Path) -> Scene:
    found = load_scene(scene)
    if not found.queries:
        raise InputError(
            f"the scene {found.name!r} has no queries", where=str(scene),
            remedy="give it some as [[query]] with from and to",
        )  # fmt: skip
    return found


def _beside(stem: Path, suffix: str) -> Path:
    return stem.with_name(stem.name + suffix)


def _motion_file(stem: Path, query: str) -> Path:
    """Return where the motion that answers a query goes."""
    word = re.sub(r"[^\w]+", "_", query).strip("_") or "query"
    return _beside(stem, f".{word}.bvh")


def _queries_of_a_scene(stem: Path, scene: Scene, seed: int, tell: Progress) -> Shown:
    from footfall.task import GoTo, Place, Query
    from footfall.verbs.plan_results import measures_of
    from footfall.verbs.planner import planner

    ready = planner(METHOD, scene=scene, nodes=_NODES, more=_MORE)
    answers = []
    number = len(scene.queries)
    for n, asked in enumerate(scene.queries):
        start = Place(asked.start.x, asked.start.z, asked.start.yaw)
        goal = GoTo(asked.goal.x, asked.goal.z, asked.goal.yaw)
        # The first query builds the roadmap, and with it takes longer than all others.
        first, share = (0.0, 0.4) if n == 0 else (0.4 + 0.1 * n / number, 0.1 / number)
        made = ready.plan(Query(start, goal, seed=seed), watch=_tell_share(tell, first, share))
        if made.clip is not None:
            made = replace(made, clip=made.clip.named(asked.name))
        file = _motion_file(stem, asked.name) if made.found else None
        answers.append(Answer(asked.name, made, measures_of(made), file))
    files = _save_all([a for a in answers if a.plan.found], scene, stem, tell)
    return Shown(tuple(files), tuple(answers))


def _tell_share(tell: Progress, first: float, share: float) -> Callable[[News], None]:
    """Report news as of a part of the whole work."""
    return lambda news: tell(first + share * news.share)


def _save_all(found: Sequence[Answer], scene: Scene, stem: Path, tell: Progress) -> list[Path]:
    """Write every motion, and all of them in their scene."""
    from footfall.plots.plan_map import save_plans_map
    from footfall.plots.plan_sketch import sketch_plan
    from footfall.render.together import (
        film_together,
        render_strips,
        render_together,
        save_together,
    )

    if not found:
        return []
    clips = [answer.plan.clip for answer in found if answer.plan.clip is not None]
    motions = [(c, a.file) for c, a in zip(clips, found, strict=True) if a.file is not None]
    scene_file, plan_map, above, strips, film = (_beside(stem, s) for s in _TOGETHER)
    sketches = {answer.query: sketch_plan(answer.plan) for answer in found}
    titles = [f"{answer.query}: {_headline(answer)}" for answer in found]
    # What takes longest comes first, so that no core waits for the last of it.
    jobs: list[Callable[[], object]] = [
        lambda: render_strips(titles, clips, scene, strips),
        lambda: film_together(clips, scene, film),
        lambda: render_together(clips, scene, above, above=True),
        lambda: save_plans_map(sketches, plan_map, scene),
        lambda: save_together(clips, scene, scene_file),
        lambda: [save(clip, file) for clip, file in motions],
    ]
    page = [_beside(stem, _PAGE)] if is_built() else []
    if page:
        jobs.append(lambda: _save_page(found, scene, page[0]))
    done = count(1)

    def do(job: Callable[[], object]) -> None:
        job()
        tell(0.5 + 0.5 * next(done) / len(jobs))

    share_out(do, jobs)
    return [*(file for _, file in motions), scene_file, plan_map, above, strips, film, *page]


def _save_page(found: Sequence[Answer], scene: Scene, file: Path) -> Path:
    from footfall.verbs.player import save_player

    return save_player([answer.plan for answer in found], file, scene, title=f"{scene.name}: demo")


def _headline(answer: Answer) -> str:
    made = answer.measures
    return f"{made['length_m']:.1f} m in {made['seconds']:.1f} s, {len(answer.plan.segments)} clips"


def _whole_way(stem: Path, clip: str | Path, tell: Progress) -> Shown:
    from footfall.verbs.render import render

    targets = {suffix: _beside(stem, suffix) for suffix in _SUFFIXES}
    read = load(clip)
    for suffix in (".bvh", ".glb"):
        save(read, targets[suffix])
    tell(0.1)
    render(read, targets[".png"], progress=lambda share: tell(0.1 + 0.3 * share))
    render(read, targets[".gif"], width=_FILM_WIDTH, progress=lambda share: tell(0.4 + 0.6 * share))
    return Shown(tuple(targets.values()), inspection=inspect(read))
