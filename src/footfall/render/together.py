"""Several motions in one scene: as one GLB file, as a picture, and as an animation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.clip import Clip
from footfall.body.mannequin import mannequin
from footfall.body.mesh import SkinnedMesh
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files.atomic import atomic_file, make_folder_of
from footfall.processes import thread_pool, usable_cores
from footfall.render.camera import Size
from footfall.render.in_scene import picture_in_scene
from footfall.render.instants import bodies_at, root_path, spaced_instants
from footfall.render.pictures import CHARACTERS, INK, Page
from footfall.render.raster import Picture, Style, srgb
from footfall.render.scene_view import look_into
from footfall.world.scene import Scene

_PITCH_DEG, _ABOVE_DEG = 55.0, 89.0
_APART_M, _MOST_BODIES = 1.1, 12
_CHUNK = 16


def tinted_mannequins(skeletons: Sequence[Skeleton]) -> list[SkinnedMesh]:
    """A mannequin for each skeleton, each in a colour of its own."""
    made = []
    for n, skeleton in enumerate(skeletons):
        body = mannequin(skeleton)
        shell, *rest = body.mesh.materials
        tint = replace(shell, name=f"body {n + 1}", colour=srgb(CHARACTERS[n % len(CHARACTERS)]))
        made.append(replace(body, mesh=replace(body.mesh, materials=(tint, *rest))))
    return made


def save_together(clips: Sequence[Clip], scene: Scene, path: str | Path) -> Path:
    """Write a scene with all of these motions as one .glb or .gltf file; they play together."""
    from footfall.files.scene.glb import write_scene_with_characters

    path = Path(path)
    make_folder_of(path)
    bodies = tinted_mannequins([clip.skeleton for clip in clips])
    write_scene_with_characters(scene, path, list(zip(clips, bodies, strict=True)))
    return path


def render_together(
    clips: Sequence[Clip], scene: Scene, path: str | Path, *, above: bool = False,
    size: Size = (1600, 900),
) -> Path:  # fmt: skip
    """Draw the characters along their paths in the whole scene, walls cut low.

    above  from straight above, not from a corner
    """
    yaw, pitch = (0.0, _ABOVE_DEG) if above else (None, _PITCH_DEG)
    view = look_into(scene, size, yaw, pitch, queries=False)
    items = []
    for clip, body in zip(clips, tinted_mannequins([c.skeleton for c in clips]), strict=True):
        frames = spaced_instants(clip, root_path(clip), _APART_M, _MOST_BODIES)
        bodies = bodies_at(clip, body, frames)
        items += [bodies.item(n) for n in range(len(bodies))]
    return _save_picture(view.picture(items, threads=usable_cores()), path)


def draw_moment(
    clips: Sequence[Clip], frames: Sequence[int], scene: Scene, path: str | Path, *,
    size: Size = (1600, 900),
) -> Path:  # fmt: skip
    """Draw each character at one frame of its motion in the whole scene, walls cut low."""
    view = look_into(scene, size, None, _PITCH_DEG, queries=False)
    bodies = tinted_mannequins([clip.skeleton for clip in clips[: len(CHARACTERS)]])
    items = []
    for n, (clip, frame) in enumerate(zip(clips, frames, strict=True)):
        at = np.array([min(max(frame, 0), len(clip) - 1)], np.int32)
        items.append(bodies_at(clip, bodies[n % len(bodies)], at).item(0))
    return _save_picture(view.picture(items, threads=usable_cores()), path)


def render_strips(
    titles: Sequence[str], clips: Sequence[Clip], scene: Scene, path: str | Path, *,
    size: Size = (900, 430), columns: int = 2,
) -> Path:  # fmt: skip
    """Draw a page with one picture for each motion, its character along its path."""
    rows = -(-len(clips) // columns)
    title, gap = 44, 16
    page = Page((columns * (size[0] + gap) + gap, rows * (size[1] + title + gap)), 1.0)
    with thread_pool() as pool:
        pictures = pool.map(lambda c: picture_in_scene(c, scene, view="corner", size=size), clips)
        for n, (words, picture) in enumerate(zip(titles, pictures, strict=True)):
            left = gap + n % columns * (size[0] + gap)
            top = n // columns * (size[1] + title + gap)
            page.text(left, top + title - 12, words, size=20.0, colour=INK)
            page.paste(picture, left, top + title)
    with atomic_file(Path(path)) as temporary:
        page.image.save(temporary, format="PNG")
    return Path(path)


def film_together(
    clips: Sequence[Clip], scene: Scene, path: str | Path, *, size: Size = (560, 316),
    fps: float = 6.0, most_s: float = 10.0,
) -> Path:  # fmt: skip
    """Write an animation (.gif) of all characters at once in the whole scene, walls cut low.

    It lasts as long as the longest motion, but at most `most_s` seconds; who has arrived stands
    where they are.
    """
    from footfall.render.film import GifPacking

    if not clips:
        raise InputError("there is no motion to draw", remedy="give at least one clip")
    view = look_into(scene, size, pitch_deg=_PITCH_DEG, queries=False)
    bodies = tinted_mannequins([clip.skeleton for clip in clips])
    count = int(min(max(clip.seconds for clip in clips), most_s) * fps) + 1
    still = view.still(Style(ground=None, grid=0.0, occlusion=0.0))

    def shot(n: int) -> Picture:
        items = []
        for clip, body in zip(clips, bodies, strict=True):
            frame = min(round(n / fps * clip.fps), len(clip) - 1)
            items.append(bodies_at(clip, body, np.array([frame], np.int32)).item(0))
        return still.picture(items, view.cover)

    packing = GifPacking([shot(int(n)) for n in np.unique(np.linspace(0, count - 1, 4).round())])

    def shots() -> Iterator[NDArray[np.uint8]]:
        with thread_pool() as pool:
            for start in range(0, count, _CHUNK):
                few = range(start, min(start + _CHUNK, count))
                yield from pool.map(lambda n: packing.indices(shot(n)), few)

    with atomic_file(Path(path)) as temporary:
        packing.write(shots(), temporary, fps)
    return Path(path)


def _save_picture(picture: Any, path: str | Path) -> Path:
    from PIL import Image

    with atomic_file(Path(path)) as temporary:
        Image.fromarray(picture).save(temporary, format="PNG")
    return Path(path)
