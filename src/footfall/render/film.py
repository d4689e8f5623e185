"""A clip as an animation: a camera that goes along, and frames packed as GIF or WebP."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.clip import Clip
from footfall.body.mesh import SkinnedMesh
from footfall.maths.arrays import Floats, Ints
from footfall.processes import thread_pool
from footfall.render.camera import Camera, Size, look_at
from footfall.render.in_scene import scene_items
from footfall.render.instants import bodies_at, floor_of, root_path
from footfall.render.panels import SINK_M, UP
from footfall.render.raster import DrawItem, Picture, Style, draw
from footfall.world.scene import Scene

FPS = 25.0
"""Frames per second: GIF counts in hundredths, so 25 is exact and 30 is not."""
MOST_S = 30.0
"""An animation shows at most the first so many seconds of a clip."""
_CHUNK = 16
_FOLLOW_S = 0.45
_COLOURS = 96
_LOOK_EVERY = 5
"""Every so many pictures it is seen whether something hides the character."""
_PITCH_IN_SCENE = 24.0
"""Steep enough to see the floor behind furniture, degrees."""
_SEEN_AT = np.array([(x, y) for x in (-0.1, 0.0, 0.1) for y in (0.4, 0.65, 0.9)])
"""What of the character's stature must be seen."""

ANGLES = {"corner": (38.0, 9.0), "side": (0.0, 7.0), "front": (90.0, 7.0), "top": (0.0, 68.0)}
"""Each view's turn from the side towards the front, and how steeply it looks down, degrees."""


def film(
    clip: Clip, body: SkinnedMesh, path: Path, *, views: Sequence[str], size: Size,
    scene: Scene | None = None, fps: float = FPS, progress: Callable[[float], None] | None = None,
) -> None:  # fmt: skip
    """Write an animation of the clip, in its scene if one is given.

    The views stand side by side, each of `size` pixels.
    """
    shots = _Shots(clip, body, fps, views, size, scene)
    if path.suffix.lower() == ".gif":
        _write_gif(path, shots, progress or (lambda fraction: None))
    else:
        _write_webp(path, shots, progress or (lambda fraction: None))


def _shown_frames(clip: Clip, fps: float = FPS) -> Ints:
    """(N,) the clip's frame nearest to each frame of the animation."""
    seconds = min(clip.seconds, MOST_S)
    times = np.arange(math.floor(seconds * fps + 1e-6) + 1) / fps
    return np.minimum((times * clip.fps).round(), len(clip) - 1).astype(np.int32)


class _Shots:
    """The pictures of an animation, drawn when asked for."""

    def __init__(
        self, clip: Clip, body: SkinnedMesh, fps: float, views: Sequence[str], size: Size,
        scene: Scene | None = None,
    ) -> None:  # fmt: skip
        self.fps, frames = fps, _shown_frames(clip, fps)
        self._clip, self._body, self._frames, self._size = clip, body, frames, size
        self._views = tuple(views)
        self._floor = floor_of(clip, body)
        self._way = root_path(clip)
        self._places = _camera_path(clip, frames, fps)
        self._heights = np.full(len(frames), self._floor)
        self._in_scene = scene is not None
        self._world: dict[str, list[DrawItem]] = {view: [] for view in views}
        if scene is None:
            self._tall = _stature(clip, body, self._floor)
            return
        self._heights = _smooth(_ground_under(clip, frames, scene)[:, None], fps)[:, 0]
        self._tall = float(np.ptp(bodies_at(clip, body, frames[:1]).vertices[..., 1])) * 1.1
        for view in views:
            targets = [self._target(n) for n in range(0, len(frames), _LOOK_EVERY)]
            cameras = [self._camera(view, at) for at in targets]
            looks = [
                (camera.eye, at + self._tall * (_SEEN_AT @ np.stack([camera.axes[0], UP])))
                for camera, at in zip(cameras, targets, strict=True)
            ]
            self._world[view] = scene_items(scene, looks)

    def __len__(self) -> int:
        return len(self._frames)

    def picture(self, n: int) -> Picture:
        """Picture `n` (H, W, 3)."""
        item = bodies_at(self._clip, self._body, self._frames[n : n + 1]).item(0)
        target = self._target(n)
        ground = (float(target[0]), float(target[2]))
        along = self._way.direction
        style = Style(
            floor=self._floor, sink=SINK_M, stage=(ground, ground),
            stage_radius=2.6 * self._tall, vignette=0.08 * self._size[1],
            grid_along=(float(along[0]), float(along[1])),
            grid_at=(float(self._way.points[0, 0]), float(self._way.points[0, 1])),
        )  # fmt: skip
        if self._in_scene:
            style = Style(ground=None, grid=0.0, occlusion=0.0)
        shots = [
            draw([item, *self._world[view]], self._camera(view, target), self._size, style)
            for view in self._views
        ]
        return np.concatenate(shots, axis=1)

    def _target(self, n: int) -> Floats:
        """(3,) the place on the ground that the camera follows in picture `n`."""
        return np.array([self._places[n, 0], self._heights[n], self._places[n, 1]])

    def pictures(self, pack: Callable[[Picture], NDArray[np.uint8]]) -> Iterator[Picture]:
        """All of them in order, each packed, a few at a time on all cores: memory stays flat."""
        with thread_pool() as pool:
            for start in range(0, len(self), _CHUNK):
                few = range(start, min(start + _CHUNK, len(self)))
                yield from pool.map(lambda n: pack(self.picture(n)), few)

    def _camera(self, view: str, target: Floats) -> Camera:
        turn, pitch = (math.radians(a) for a in ANGLES[view])
        if self._in_scene:
            pitch = max(pitch, math.radians(_PITCH_IN_SCENE))
        ahead = np.array([self._way.direction[0], 0.0, self._way.direction[1]])
        back = -np.cross(UP, ahead)
        level = math.cos(turn) * back + math.sin(turn) * ahead
        out = math.cos(pitch) * level + math.sin(pitch) * UP
        field = math.radians(24.0)
        narrow = min(1.0, self._size[0] / self._size[1] / 0.8)
        middle = target + UP * 0.47 * self._tall
        return look_at(
            middle + out * 0.66 * self._tall / math.tan(field / 2) / narrow, middle,
            field_of_view=field,
        )  # fmt: skip


def _camera_path(clip: Clip, frames: Ints, fps: float) -> Floats:
    """(N, 2) ground points for the camera to look at: the root's way, smoothed over time."""
    return _smooth(clip.root[frames][:, [0, 2]], fps)


def _ground_under(clip: Clip, frames: Ints, scene: Scene) -> Floats:
    """(N,) the height of the ground under the root; where there is none, the last known."""
    root = clip.root[frames]
    heights = scene.height(root[:, [0, 2]], below=root[:, 1])
    known = np.flatnonzero(np.isfinite(heights))
    if len(known) == 0:
        return np.zeros(len(frames))
    return np.asarray(np.interp(np.arange(len(frames)), known, heights[known]))


def _smooth(points: Floats, fps: float) -> Floats:
    """(N, D) points smoothed over time, the ends going on as they came."""
    reach = max(1, round(2.5 * _FOLLOW_S * fps))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (_FOLLOW_S * fps)) ** 2)
    weights /= weights.sum()
    # Beyond the ends the way goes on as it came, so the camera neither starts nor stops late.
    before = 2 * points[0] - points[np.minimum(np.arange(reach, 0, -1), len(points) - 1)]
    after = 2 * points[-1] - points[np.maximum(len(points) - 2 - np.arange(reach), 0)]
    padded = np.concatenate([before, points, after])
    columns = [np.convolve(column, weights, mode="valid") for column in padded.T]
    return np.stack(columns, axis=1)


def _stature(clip: Clip, body: SkinnedMesh, floor: float) -> float:
    """How tall the stage must be, metres: the highest and widest the character gets."""
    frames = np.unique(np.linspace(0, len(clip) - 1, 40).round().astype(np.int32))
    bodies = bodies_at(clip, body, frames)
    flat = np.ptp(bodies.vertices[..., [0, 2]], axis=1)
    high = float(bodies.vertices[..., 1].max()) - floor
    return max(high, 0.75 * float(flat.max()), 1e-3)


def _write_gif(path: Path, shots: _Shots, tell: Callable[[float], None]) -> None:
    samples = [shots.picture(int(n)) for n in np.unique(np.linspace(0, len(shots) - 1, 6).round())]
    packing = GifPacking(samples)

    def packed() -> Iterator[NDArray[np.uint8]]:
        for n, indices in enumerate(shots.pictures(packing.indices)):
            tell((n + 1) / len(shots))
            yield indices

    packing.write(packed(), path, shots.fps)


class GifPacking:
    """Pictures as GIF wants them: in few colours, which are chosen by some samples of them."""

    def __init__(self, samples: Sequence[Picture]) -> None:
        self._palette = _palette(samples)
        self._index = np.full(1 << 24, -1, dtype=np.int16)
        self._off = np.zeros(1 << 24, dtype=np.uint8)

    def indices(self, picture: Picture) -> NDArray[np.uint8]:
        """Return (H, W) palette indices, lightly dithered where the palette is off.

        An ordered pattern stays put from frame to frame: no flicker, and small files. It may be
        called from several threads.
        """
        codes = _codes(picture)
        self._find_nearest(codes)
        index, off = self._index[codes], self._off[codes]
        y, x = np.nonzero(off > 1)
        side = len(_BAYER)
        nudge = np.floor(np.minimum(2.0 * off[y, x], 10.0) * _BAYER[y % side, x % side] + 0.5)
        nudged = _codes(np.clip(picture[y, x] + nudge[:, None], 0.0, 255.0).astype(np.uint8))
        self._find_nearest(nudged)
        index[y, x] = self._index[nudged]
        return index.astype(np.uint8)

    def _find_nearest(self, codes: Ints) -> None:
        """Note for colours, by code, the nearest colour of the palette and how far off it is."""
        new = np.unique(codes[self._index[codes] < 0])
        colours = np.stack([new >> 16, new >> 8 & 255, new & 255], axis=1).astype(np.float32)
        palette = self._palette.astype(np.float32)
        # Squared distances without the part that all colours of the palette share. They are whole
        # numbers below 2**24, hence exact. Errors in green show most, in blue least.
        scaled = palette * np.array([3.0, 4.0, 2.0], np.float32)
        near = np.argmin((scaled * palette).sum(axis=1) - 2.0 * colours @ scaled.T, axis=1)
        self._off[new] = np.abs(colours - palette[near]).max(axis=1)
        self._index[new] = near

    def write(self, frames: Iterable[NDArray[np.uint8]], path: Path, fps: float) -> None:
        """Write the animation."""
        from PIL import Image

        flat = self._palette.astype(np.uint8).tobytes()

        def images() -> Iterator[Any]:
            for indices in frames:
                image = Image.fromarray(indices)
                image.putpalette(flat)
                yield image

        rest = images()
        first = next(rest)
        first.save(
            path, format="GIF", save_all=True, append_images=rest, loop=0,
            duration=round(1000.0 / fps), optimize=False, disposal=1,
        )  # fmt: skip


def _write_webp(path: Path, shots: _Shots, tell: Callable[[float], None]) -> None:
    from PIL import Image

    def images() -> Iterator[Any]:
        for n, picture in enumerate(shots.pictures(lambda p: p)):
            tell((n + 1) / len(shots))
            yield Image.fromarray(picture)

    frames = images()
    first = next(frames)
    first.save(
        path, format="WEBP", save_all=True, append_images=frames, loop=0,
        duration=round(1000.0 / shots.fps), quality=82, method=3,
    )  # fmt: skip


def _palette(samples: Sequence[Picture]) -> Ints:
    """(96, 3) colours for these pictures: fewer than GIF can hold, for smaller files.

    Every exact colour that covers much of them is kept as it is (paper and floor are made of a
    few neighbouring greys, which would band); median cut shares out the rest.
    """
    from PIL import Image

    pixels = np.concatenate([s.reshape(-1, 3) for s in samples])
    codes = _codes(pixels)
    values, counts = np.unique(codes, return_counts=True)
    common = values[np.argsort(-counts, kind="stable")[:40]]
    common = common[np.isin(common, values[counts > 0.001 * len(codes)])]
    kept = np.stack([common >> 16, common >> 8 & 255, common & 255], axis=1)
    rest = pixels[~np.isin(codes, common)]
    left = _COLOURS - len(kept)
    if len(rest):
        # A tall strip of pixels is as good a picture as any to be quantised.
        step = max(1, len(rest) // 400_000)
        strip = Image.fromarray(np.ascontiguousarray(rest[::step][:, None]))
        cut = strip.quantize(left, method=Image.Quantize.MEDIANCUT).getpalette() or []
        found = np.array(cut[: 3 * left], dtype=np.float64).reshape(-1, 3)
        kept = np.concatenate([kept, found])
    palette = np.zeros((_COLOURS, 3), dtype=np.int32)
    palette[: len(kept)] = kept[:_COLOURS]
    palette[len(kept) :] = palette[0]
    return palette


_BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16.0 - 0.47


def _codes(picture: Picture) -> Ints:
    """Return colours (…, 3) as one number each."""
    red, green, blue = np.moveaxis(picture.astype(np.int32), -1, 0)
    return np.asarray((red << 16) + (green << 8) + blue)
