"""`demo`: the default clips walk through a furnished room; or a clip of yours on its whole way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.errors import InputError
from footfall.files.formats import load, save
from footfall.files.scene.read import load_scene
from footfall.report.inspection import Inspection, inspect

if TYPE_CHECKING:
    from footfall.task import Plan

SCENE, QUERY = "room", "to the window"
_MOTION = (".glb", ".bvh", ".map.png", ".timeline.png")
_SUFFIXES = (".bvh", ".glb", ".png", ".gif")
_FILM_FPS = 12.5
_FILM_WIDTH = 400
"""A narrower animation than `render` makes by itself: the demo should be over soon."""

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Shown:
    """What the demo found out and what it wrote.

    plan      the walk through the room; None if a clip was given
    measures  of the walk, units in the names; None if a clip was given
    """

    inspection: Inspection
    files: tuple[Path, ...]
    plan: Plan | None = None
    measures: dict[str, float] | None = None


def demo(
    stem: str | Path = "out/demo",
    *,
    clip: str | Path | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Shown:
    """Plan a walk through a room with the default clips, and save it as GLB, BVH and pictures.

    With `clip`, take that clip from its file to GLB, BVH, a sheet and an animation instead.
    Files are written to `stem` with their suffixes.
    """
    tell = progress or (lambda fraction: None)
    stem = Path(stem)
    return _walk_in_a_room(stem, seed, tell) if clip is None else _whole_way(stem, clip, tell)


def demo_files(stem: str | Path, clip: str | Path | None = None) -> list[Path]:
    """The files that the demo writes."""
    suffixes = (*_MOTION, ".png", ".gif") if clip is None else _SUFFIXES
    return [Path(stem).with_name(Path(stem).name + suffix) for suffix in suffixes]


def _walk_in_a_room(stem: Path, seed: int, tell: Progress) -> Shown:
    from footfall.planning import plan
    from footfall.report.planning import measures_of, save_plan
    from footfall.report.render.in_scene import render_in_scene
    from footfall.report.render.render import render
    from footfall.task import GoTo, Place, Query

    scene = load_scene(SCENE)
    asked = scene.query(QUERY)
    start = Place(asked.start.x, asked.start.z, asked.start.yaw)
    goal = GoTo(asked.goal.x, asked.goal.z, asked.goal.yaw)
    made = plan(Query(start, goal, scene, seed=seed), watch=lambda news: tell(0.5 * news.share))
    if made.clip is None:
        raise InputError(f"no walk was found ({made.status})", remedy=made.reason)
    *motion, picture, film = demo_files(stem)
    files = save_plan(made, motion, scene)
    tell(0.6)
    files.append(render_in_scene(made.clip, scene, picture, view="corner"))
    tell(0.7)
    render(
        made.clip, film, scene=scene, width=_FILM_WIDTH, fps=_FILM_FPS,
        progress=lambda share: tell(0.7 + 0.3 * share),
    )  # fmt: skip
    return Shown(inspect(made.clip), (*files, film), made, measures_of(made))


def _whole_way(stem: Path, clip: str | Path, tell: Progress) -> Shown:
    from footfall.report.render.render import render

    targets = {suffix: stem.with_name(stem.name + suffix) for suffix in _SUFFIXES}
    read = load(clip)
    for suffix in (".bvh", ".glb"):
        save(read, targets[suffix])
    tell(0.1)
    render(read, targets[".png"], progress=lambda share: tell(0.1 + 0.3 * share))
    render(read, targets[".gif"], width=_FILM_WIDTH, progress=lambda share: tell(0.4 + 0.6 * share))
    return Shown(inspect(read), tuple(targets.values()))
