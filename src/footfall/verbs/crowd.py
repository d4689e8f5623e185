"""`crowd`: give bodies to trajectories from a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.blending.space import space_of
from footfall.blending.trajectories import CrowdMotion, follow_in_turn
from footfall.errors import InputError
from footfall.files.scene.read import load_scene
from footfall.files.task.trajectories import load_trajectories
from footfall.library.library import Library
from footfall.library.performers import performer_folders
from footfall.maths.arrays import Floats
from footfall.world.corridor.free_floor import walking_corridors
from footfall.world.scene import Scene, rectangle

_TOGETHER = (".glb", ".gltf", ".html")
_DRAWN = 400
"""No more people than this are drawn."""
_FASTEST_M_S = 12.0


@dataclass(frozen=True, eq=False)
class CrowdResult:
    """What became of trajectories: the motions and the scene they are in."""

    motion: CrowdMotion
    scene: Scene | None


def crowd(
    trajectories: str | Path,
    *,
    library: Library | str | Path | None = None,
    scene: Scene | str | Path | None = None,
    fps: float = 30.0,
    rate: float | None = None,
    scale: float = 1.0,
    avoid: bool = False,
    most: int | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> CrowdResult:
    """Bodies that walk and run along the trajectories of a CSV file.

    library  whose strides are blended (default: Park's twenty); a folder of performers' libraries
             makes people differ: each in turn has somebody's body and strides
    scene    what they walk on
    fps      of the motions        rate   of the file's frames, if it counts those
    scale    metres per unit       avoid  they keep clear of each other
    most     only so many people
    """
    if not (np.isfinite(scale) and scale > 0.0):
        raise InputError(f"a scale of {scale}", remedy="metres per unit, above 0")
    given = load_trajectories(trajectories, rate)[:most]
    _check_speeds([t.times for t in given], [scale * t.points for t in given])
    folders = performer_folders(library)
    spaces = [space_of(folder) for folder in folders] or [space_of(library or "default:park")]
    world = load_scene(scene) if isinstance(scene, str | Path) else scene
    progress(0.1)
    corridors = walking_corridors(world) if world is not None and avoid else None
    motion = follow_in_turn(
        spaces, [t.name for t in given], [t.times for t in given],
        [scale * t.points for t in given], fps=fps, scene=world, corridors=corridors, avoid=avoid,
        progress=lambda share: progress(0.1 + 0.7 * share),
    )  # fmt: skip
    return CrowdResult(motion, world)


def _check_speeds(times: Sequence[Floats], points: Sequence[Floats]) -> None:
    """Refuse trajectories that are in other units than they are read as."""
    paces = [
        float(np.hypot(*np.diff(p, axis=0).T).sum() / (t[-1] - t[0]))
        for t, p in zip(times, points, strict=True)
        if len(t) > 1
    ]
    usual = float(np.median(paces)) if paces else 0.0
    if usual > _FASTEST_M_S:
        raise InputError(
            f"half of the people go faster than {usual:.0f} m/s",
            remedy="metres and seconds; for centimetres, --scale 0.01",
        )


def crowd_picture(path: Path) -> Path:
    """Return where the picture of a crowd lies that is saved at `path`."""
    return path.with_name(f"{path.stem}.crowd.png")


def draw_crowd(result: CrowdResult, path: str | Path, size: tuple[int, int] = (1600, 900)) -> Path:
    """Draw everybody where they are when there are most of them, from a corner."""
    from footfall.render.together import draw_moment

    spans = result.motion.spans_s
    # The middle of a span is a time at which at least its owner is there.
    times = spans.mean(axis=1)
    there = (spans[:, 0] <= times[:, None]) & (times[:, None] <= spans[:, 1])
    when = float(times[int(there.sum(axis=1).argmax())])
    few = [n for n in range(len(spans)) if spans[n, 0] <= when <= spans[n, 1]][:_DRAWN]
    clips = [result.motion.clips[n] for n in few]
    frames = [round((when - float(spans[n, 0])) * result.motion.clips[n].fps) for n in few]
    scene = result.scene
    if scene is None:
        places = np.stack([c.root[min(f, len(c) - 1)] for c, f in zip(clips, frames, strict=True)])
        low, high = places.min(axis=0) - 2.0, places.max(axis=0) + 2.0
        scene = Scene("plain", rectangle(low[[0, 2]], high[[0, 2]]))
    return draw_moment(clips, frames, scene, path, size=size)


def crowd_files(
    trajectories: str | Path, path: Path, rate: float | None = None, most: int | None = None
) -> list[Path]:
    """Return the files that `save_crowd` writes for the people of a CSV file."""
    if path.suffix.lower() in _TOGETHER:
        return [path]
    return _own_files(path, [t.name for t in load_trajectories(trajectories, rate)[:most]])


def _own_files(path: Path, names: Sequence[str]) -> list[Path]:
    """Return a file for each name; what cannot be in the name of a file becomes a line."""
    words = [re.sub(r"[^\w.-]+", "_", name).strip("._") or "person" for name in names]
    if len(set(words)) < len(words):
        words = [f"{n + 1}_{word}" for n, word in enumerate(words)]
    return [path.with_name(f"{path.stem}.{word}{path.suffix}") for word in words]


def save_crowd(result: CrowdResult, path: str | Path) -> list[Path]:
    """Write all people, with their scene, as one GLB, or each as a file of another format."""
    from footfall.body.mannequin import mannequin
    from footfall.files.atomic import make_folder_of
    from footfall.files.formats import save
    from footfall.files.gltf.writer import write_characters
    from footfall.files.scene.glb import write_scene_with_characters

    path = Path(path)
    make_folder_of(path)
    clips = result.motion.clips
    if path.suffix.lower() == ".html":
        from footfall.verbs.player import save_crowd_player

        return [save_crowd_player(result, path)]
    if path.suffix.lower() in _TOGETHER:
        made = {skeleton: mannequin(skeleton) for skeleton in {clip.skeleton for clip in clips}}
        bodies = [(clip, made[clip.skeleton]) for clip in clips]
        starts = [float(s) for s in result.motion.spans_s[:, 0]]
        if result.scene is None:
            write_characters(bodies, path, starts_s=starts)
        else:
            write_scene_with_characters(result.scene, path, bodies, starts)
        return [path]
    files = _own_files(path, [clip.name for clip in clips])
    for clip, file in zip(clips, files, strict=True):
        save(clip, file)
    return files
