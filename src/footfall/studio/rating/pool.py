"""The pool of a rating study: blends at percentiles of three pose metrics, and original motions.

van Basten & Egges, §5.2.3. Where we differ: blends are aligned and weighted as in a motion graph
(Kovar et al. 2002, §3.2), and clips are as long as their sources allow, up to five seconds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.adapt.edit.stitch import stitch
from footfall.body.clip import Clip
from footfall.body.edit import move, resample
from footfall.errors import InputError, check_whole
from footfall.files.atomic import atomic_file, make_folder_of
from footfall.library.gaits import WALKING, names_of_gait
from footfall.library.library import Library, open_library
from footfall.maths import planar
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.pose.frames import Frames, frames_of
from footfall.pose.metrics import METRICS, Metric, distance_matrix, make_metric
from footfall.render.player.document import PlayedMotion, motion_document

PERCENTILES = (0.5, 1.0, 2.0, 8.0, 32.0)
BLEND, ORIGINAL = "blend", "original"
FPS, WINDOW = 30.0, 10
_LONGEST, _MARGIN = 151, 30
"""Frames of a clip, and how many there are at least before and after a blend."""
POOL_FILE, CLIP_FOLDER = "pool.json", "clips"
_VERSION = 1
_MOST_FRAMES = 1500
"""More frames than this are thinned out before all pairs are compared."""
_NEAREST = 40
"""How many pairs of frames next to a percentile a blend is drawn from."""


@dataclass(frozen=True)
class PoolClip:
    """A clip of the pool.

    kind        BLEND or ORIGINAL
    metric, percentile  what a blend was chosen by; "" and 0 for an original
    distances   of the blended windows, by metric
    sources     name and first frame of the clips that it is made of
    blend_s     when the blend begins
    """

    id: str
    kind: str
    seconds: float
    metric: str = ""
    percentile: float = 0.0
    distances: Mapping[str, float] | None = None
    sources: tuple[tuple[str, int], ...] = ()
    blend_s: float = 0.0


@dataclass(frozen=True)
class Pool:
    """What is rated.

    library     what the clips were made from
    shown       how many clips a rater grades
    thresholds  distance by metric and percentile, as text
    """

    library: str
    shown: int
    seed: int
    thresholds: Mapping[str, Mapping[str, float]]
    clips: tuple[PoolClip, ...]


def make_study(
    folder: str | Path, *, library: str | Path | Library = "default:basten", repeats: int = 3,
    originals: int = 5, shown: int | None = None, seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Pool:  # fmt: skip
    """Make the pool of a rating study in a new folder.

    library    where the clips come from: walks, if there are any
    repeats    blends at each of five percentiles of three metrics
    originals  clips without a blend
    shown      how many clips a rater grades, 40 unless the pool is smaller
    """
    folder = Path(folder)
    if (folder / POOL_FILE).exists():
        raise InputError("there is a study already", where=str(folder), remedy="name a new folder")
    check_whole("the number of blends at each percentile", repeats, 1, 20)
    count = 15 * repeats + check_whole("the number of originals", originals, 1, 50)
    check_whole("the number of clips shown", min(40, count) if shown is None else shown, 2, count)
    source = library if isinstance(library, Library) else open_library(library)
    rng = np.random.default_rng(seed)
    ids = iter(_random_ids(count, rng))
    draw = _Draw(*_walks_of(source), rng)
    made: list[tuple[PoolClip, Clip]] = []
    for metric in METRICS:
        for percentile in PERCENTILES:
            for _ in range(repeats):
                made.append(draw.blend(next(ids), metric, percentile))
                if progress is not None:
                    progress(0.7 * len(made) / count)
    made += [draw.original(next(ids)) for _ in range(originals)]
    made.sort(key=lambda pair: pair[0].id)
    pool = Pool(
        library=str(library) if not isinstance(library, Library) else str(library.folder or ""),
        shown=min(40, count) if shown is None else shown, seed=seed,
        thresholds={m: {f"{p:g}": draw.thresholds[m, p] for p in PERCENTILES} for m in METRICS},
        clips=tuple(clip for clip, _ in made),
    )  # fmt: skip
    for n, (clip, motion) in enumerate(made):
        _write_json(folder / CLIP_FOLDER / f"{clip.id}.json", _document(motion))
        if progress is not None:
            progress(0.7 + 0.3 * (n + 1) / count)
    _write_json(folder / POOL_FILE, {"version": _VERSION, **asdict(pool)})
    return pool


def read_pool(folder: str | Path) -> Pool:
    """Return the pool of a study's folder."""
    path = Path(folder) / POOL_FILE
    if not path.is_file():
        raise InputError(
            "there is no study", where=str(folder), remedy="make one with footfall study make"
        )
    try:
        value = json.loads(path.read_text("utf-8"))
        clips = tuple(
            PoolClip(**{**c, "sources": tuple((str(n), int(f)) for n, f in c["sources"])})
            for c in value["clips"]
        )
        if value["version"] != _VERSION or not clips:
            raise ValueError
        return Pool(
            value["library"], int(value["shown"]), int(value["seed"]), value["thresholds"], clips
        )
    except (ValueError, KeyError, TypeError):
        raise InputError("the study cannot be read", where=str(path)) from None


def read_document(folder: str | Path, clip: PoolClip) -> dict[str, Any]:
    """Return the motion document of a clip."""
    path = Path(folder) / CLIP_FOLDER / f"{clip.id}.json"
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError):
        raise InputError("a clip of the study cannot be read", where=str(path)) from None


def _walks_of(library: Library) -> tuple[list[Clip], int]:
    """Return walks at the pool's frame rate, and how many frames all clips of a pool have."""
    names = names_of_gait(library, WALKING) or list(library.names)
    clips = [library.clip(name) for name in names]
    clips = [clip if abs(clip.fps - FPS) < 1e-9 else resample(clip, FPS) for clip in clips]
    length = min(_LONGEST, int(np.median([len(clip) for clip in clips]))) if clips else 0
    long = [clip for clip in clips if len(clip) >= length]
    if len(long) < 2 or length < 2 * _MARGIN + WINDOW:
        raise InputError(
            f"the {len(clips)} walks of the library are too few or too short",
            remedy="a study needs at least two walks of 2.4 s or more",
        )
    return long, length


class _Draw:
    """Draws clips of `length` frames for a pool from walks."""

    def __init__(self, walks: list[Clip], length: int, rng: np.random.Generator) -> None:
        self._walks, self._length, self._rng = walks, length, rng
        self._frames = frames_of(walks)
        step = -(-len(self._frames) // _MOST_FRAMES)
        self._at: Ints = np.arange(0, len(self._frames), step, dtype=np.int32)
        self._metrics: dict[str, Metric] = {
            name: make_metric(name, self._frames, WINDOW) for name in METRICS
        }
        self._distances = {n: distance_matrix(m, step) for n, m in self._metrics.items()}
        apart, usable = _pairs(self._frames, self._at, length)
        self._usable = np.flatnonzero(usable & np.isfinite(self._distances[METRICS[0]]))
        self.thresholds = {
            (name, p): float(np.percentile(d[apart & np.isfinite(d)], p))
            for name, d in self._distances.items() for p in PERCENTILES
        }  # fmt: skip
        self._taken: set[int] = set()
        self._spans: set[str] = set()

    def blend(self, id_: str, metric: str, percentile: float) -> tuple[PoolClip, Clip]:
        """Return a blend whose windows are about as far apart as a percentile of all pairs."""
        distances = self._distances[metric].reshape(-1)[self._usable]
        threshold = self.thresholds[metric, percentile]
        near = self._usable[np.argsort(np.abs(distances - threshold), kind="stable")[:_NEAREST]]
        new = [int(n) for n in near if int(n) not in self._taken]
        if not new:
            raise InputError("the clips have too few pairs of frames", remedy="give longer walks")
        place = new[int(self._rng.integers(len(new)))]
        self._taken.add(place)
        first, second = (int(self._at[k]) for k in divmod(place, len(self._at)))
        motion, blend_s, sources = self._join(first, second)
        between = {
            name: float(m.between(np.array([first]), np.array([second]))[0])
            for name, m in self._metrics.items()
        }
        clip = PoolClip(
            id_, BLEND, motion.seconds, metric, percentile, between, sources, blend_s
        )  # fmt: skip
        return clip, motion

    def original(self, id_: str) -> tuple[PoolClip, Clip]:
        """Return a part of a walk as it is; every walk serves once before one serves again."""
        left = [w for w in self._walks if w.name not in self._spans]
        if not left:
            self._spans.clear()
            left = self._walks
        walk = left[int(self._rng.integers(len(left)))]
        self._spans.add(walk.name)
        first = int(self._rng.integers(len(walk) - self._length + 1))
        motion = walk[first : first + self._length]
        return PoolClip(id_, ORIGINAL, motion.seconds, sources=((walk.name, first),)), motion

    def _join(self, first: int, second: int) -> tuple[Clip, float, tuple[tuple[str, int], ...]]:
        """Return the blend of two windows with what is before and after, and when it begins."""
        (one, leave), (two, enter) = (self._place(frame) for frame in (first, second))
        least = max(_MARGIN, self._length - (len(two) - enter))
        most = min(leave, self._length - _MARGIN - WINDOW)
        before = int(self._rng.integers(least, most + 1))
        start, stop = leave - before, enter + self._length - before
        first_part, second_part = one[start : leave + WINDOW], two[enter:stop]
        here, there = first_part[before:].positions, second_part[:WINDOW].positions
        pose = planar.align(here.reshape(-1, 3), there.reshape(-1, 3)).pose
        motion = stitch(
            first_part, move(second_part, *map(float, pose)), before, WINDOW - 1, WINDOW
        )
        return motion, before / FPS, ((one.name, start), (two.name, enter))

    def _place(self, frame: int) -> tuple[Clip, int]:
        number = int(self._frames.clip[frame])
        return self._walks[number], frame - int(self._frames.clip_start[number])


def _pairs(frames: Frames, at: Ints, length: int) -> tuple[Bools, Bools]:
    """Return (M, M) which pairs count in percentiles, and which blends of `length` can be made."""
    clip, local = frames.clip[at], at - frames.clip_start[frames.clip[at]]
    left = frames.clip_start[1:][clip] - at
    same = clip[:, None] == clip[None, :]
    apart = (at[:, None] < at[None, :]) & ~(same & (np.abs(at[:, None] - at[None, :]) < WINDOW))
    before = np.where(left >= WINDOW, np.minimum(local, length - _MARGIN - WINDOW), 0)
    least = np.maximum(_MARGIN, length - left)
    enters = left >= WINDOW + _MARGIN
    return apart, (before[:, None] >= least[None, :]) & enters[None, :] & ~same


def _document(motion: Clip) -> dict[str, Any]:
    """Return the motion document of a clip, at the origin, without what betrays a blend."""
    start: Floats = motion.root[0] * np.array([1.0, 0.0, 1.0])
    bare = replace(motion, root=motion.root - start, name="clip", contacts=None, touches=None)
    document = motion_document([PlayedMotion(bare)], title="Clip")
    for entry in document["motions"]:
        entry["lines"] = {}
    return document


def _random_ids(count: int, rng: np.random.Generator) -> list[str]:
    """Return names that say nothing about what they name."""
    ids: dict[str, None] = {}
    while len(ids) < count:
        ids[f"c{int(rng.integers(16**8)):08x}"] = None
    return list(ids)


def _write_json(path: Path, value: dict[str, Any]) -> None:
    make_folder_of(path)
    with atomic_file(path) as temporary:
        temporary.write_text(json.dumps(value, allow_nan=False), "utf-8")
