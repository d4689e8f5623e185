"""Compute all measures of a clip, beside those of its source clips.

    found = measure(clip, path=points, sources=library)
    found.skating.skate_cm_per_frame
    found.beside["skating.skate_cm_per_frame"].mean      # of the sources
    found.as_dict()

No measure says by itself whether a motion is good: recorded people skate, sink and jerk too, each
capture in its own way. So every value stands beside the same measure of the source clips.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from footfall.body.clip import Clip, check_clip
from footfall.body.posture import PostureFigures, changes_beyond_limits, posture_figures
from footfall.body.roles import require_humanoid
from footfall.errors import InputError, choices
from footfall.files.formats import as_clip, load, readable_suffixes
from footfall.files.options import ReadOptions
from footfall.files.scene.read import load_scene
from footfall.files.task.paths import load_path
from footfall.gait.contacts import find_contacts
from footfall.gait.flow import Flow, flow
from footfall.gait.path import METHODS
from footfall.library.library import Library, open_library
from footfall.library.store.folder import MANIFEST_NAME
from footfall.measures.anatomy import Anatomy, anatomy
from footfall.measures.deviation import PathDeviation, path_deviation
from footfall.measures.effort import Effort, effort
from footfall.measures.ground import Collisions, GroundContact, collisions, ground_contact
from footfall.measures.naturalness import Comparison, compare
from footfall.measures.oscillation import Oscillation, oscillation
from footfall.measures.physics import Physics, physics
from footfall.measures.skating import Skating, skating
from footfall.measures.smoothness import Smoothness, smoothness
from footfall.measures.tracks import foot_tracks, way_m
from footfall.world.scene import Scene

GROUPS = (
    "posture", "anatomy", "flow", "skating", "ground", "oscillation", "smoothness", "physics",
    "effort", "deviation", "collisions",
)  # fmt: skip
"""The groups of measures; the last two only with a path and with a scene."""
MOST_SOURCES, MOST_REFERENCES = 120, 500
"""The most clips that are measured or compared with, evenly picked."""
MOST_FRAMES = 250_000
"""More would take more memory than a small machine has: half an hour at 120 frames a second."""
_COUNTS = {
    "skate_cm", "skate_3d_cm", "contacts", "crests", "flagged_transitions", "pops", "flights",
    "sum_cm2", "effort_total", "inner_stops", "time_stopped_s", "turned_deg", "net_turn_deg",
    "needed_s",
}  # fmt: skip
"""Sums and counts grow with the length of a clip: they are not compared."""
_LESS_IS_WORSE = {
    "log_dimensionless_jerk", "sparc", "shank_gap_cm", "foot_gap_cm", "hip_height_least_legs",
}  # fmt: skip
_NEITHER_IS_WORSE = {"planted_share", "bend_lean_ratio", "duration_ratio"}
_NO_MATTER = (
    ("_cm_per_frame", 0.05), ("_per_m", 0.05), ("_cm", 0.3), ("_mm", 2.0), ("_share", 0.02),
    ("_ratio", 0.5), ("_bw", 0.02), ("_bw_m", 0.005), ("friction_mean", 0.02),
    ("friction_max", 0.05), ("_error", 0.02), ("_deg", 2.0), ("_deg_s", 50.0), ("_cv", 0.02),
)  # fmt: skip
"""How much of a measure, by the end of its name, nobody would see."""

Sources = Library | str | Path | Sequence[Clip]


@dataclass(frozen=True)
class Beside:
    """A measure over the source clips: its mean, least and most, and how many have it."""

    mean: float
    least: float
    most: float
    clips: int

    def side(self, value: float, least: float = 0.0) -> str:
        """Return where a value is: "above", "below" or "".

        It is outside if by more than half the range of the sources, a quarter of their mean and
        `least`, what makes no difference, together.
        """
        room = 0.5 * (self.most - self.least) + 0.25 * abs(self.mean) + least
        if value > self.most + room:
            return "above"
        return "below" if value < self.least - room else ""


@dataclass(frozen=True)
class Measures:
    """Everything measured of one clip; see the groups for what their numbers mean.

    deviation    only if a path was given         collisions  only if a scene was given
    beside       "group.measure" -> the same of the source clips
    against      how natural the clip is beside a reference, if one was given
    to_sources   how near it is to its own sources by the same distance, where they are enough
    """

    name: str
    frames: int
    fps: float
    seconds: float
    travelled_m: float
    posture: PostureFigures
    anatomy: Anatomy
    flow: Flow
    skating: Skating
    ground: GroundContact
    oscillation: Oscillation
    smoothness: Smoothness
    physics: Physics
    effort: Effort
    deviation: PathDeviation | None = None
    collisions: Collisions | None = None
    beside: Mapping[str, Beside] = field(default_factory=dict)
    against: Comparison | None = None
    to_sources: Comparison | None = None

    def values(self) -> dict[str, float]:
        """Return all numbers that were measured: "group.measure" -> value."""
        out = {}
        for group in GROUPS:
            part = getattr(self, group)
            for one in fields(part) if part is not None else ():
                value = getattr(part, one.name)
                if isinstance(value, int | float):
                    out[f"{group}.{one.name}"] = float(value)
        return out

    def far_off(self) -> dict[str, str]:
        """Return what is far worse than in the sources: "group.measure" -> "above" or "below".

        For the posture that is what is beyond `footfall.body.posture.LIMITS`.
        """
        out = self._posture_off()
        for key, value in self.values().items():
            group, name = key.split(".")
            if key not in self.beside or group == "posture":
                continue
            if name in _COUNTS or name in _NEITHER_IS_WORSE:
                continue
            nothing = next((least for end, least in _NO_MATTER if name.endswith(end)), 0.0)
            side = self.beside[key].side(value, nothing)
            worse = "below" if name in _LESS_IS_WORSE else "above"
            either = group == "oscillation" and "_std" not in name
            if side == worse or (side and either):
                out[key] = side
        return out

    def _posture_off(self) -> dict[str, str]:
        beside = {n.split(".")[1]: b for n, b in self.beside.items() if n.startswith("posture.")}
        least, most = ({n: getattr(b, end) for n, b in beside.items()} for end in ("least", "most"))
        off = changes_beyond_limits(self.posture.as_dict(), least, most)
        return {f"posture.{name}": side for name, side in off.items()}

    def as_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists and numbers for JSON; unknown values are None."""
        head = ("name", "frames", "fps", "seconds", "travelled_m")
        out: dict[str, Any] = {name: getattr(self, name) for name in head}
        for group in GROUPS:
            part = getattr(self, group)
            out[group] = None if part is None else asdict(part)
        out["sources"] = {key: asdict(value) for key, value in self.beside.items()}
        out["far_off"] = self.far_off()
        out["against"] = None if self.against is None else self.against.as_dict()
        out["to_sources"] = None if self.to_sources is None else self.to_sources.as_dict()
        return dict(_plain(out))


def measure(
    clip: Clip | str | Path, *,
    path: ArrayLike | str | Path | None = None, abstraction: str = "pelvis",
    scene: Scene | str | Path | None = None,
    transitions: Sequence[int] = (), sources: Sources = (), against: Sources | None = None,
    seed: int = 0, progress: Callable[[float], None] | None = None,
) -> Measures:  # fmt: skip
    """Compute all measures of a humanoid clip.

    path         (N, 2) x and z of the path it was to follow, metres; or its name or file
    abstraction  which of its own paths is compared with that: `footfall.gait.path.METHODS`
    scene        the world it is in, or its name or file; without one, a plain at height 0
    transitions  the frames at which one source clip passes into another
    sources      the clips it was made from, to put their values beside: clips or a library
    against      a library of real clips, to tell how natural it is
    """
    clip = as_clip(clip)
    if isinstance(path, str | Path):
        path = load_path(path).points
    if isinstance(scene, str | Path):
        scene = load_scene(scene)
    if abstraction not in METHODS:
        raise InputError(
            f"there is no path abstraction {abstraction!r}", remedy=choices(METHODS, abstraction)
        )
    tell = progress or (lambda fraction: None)
    found = _measure_clip(clip, path, abstraction, scene, transitions)
    tell(0.1)
    clips = source_clips(sources)
    beside = values_beside(clips, lambda f: tell(0.1 + 0.6 * f)) if clips else {}
    return Measures(
        **{one.name: getattr(found, one.name) for one in fields(found)}
        | {
            "beside": beside,
            "to_sources": nearness(clip, clips, seed),
            "against": None if against is None else compare_against([clip], against, seed),
        }
    )


def values_beside(
    clips: Iterable[Clip], progress: Callable[[float], None] | None = None
) -> dict[str, Beside]:
    """Mean and range over clips of what needs no path and no scene: "group.measure" -> values."""
    rows, chosen = [], list(clips)
    for number, clip in enumerate(chosen):
        rows.append(_measure_clip(clip).values())
        if progress is not None:
            progress((number + 1) / len(chosen))
    out = {}
    for key in rows[0] if rows else ():
        known = [row[key] for row in rows if math.isfinite(row[key])]
        if known:
            out[key] = Beside(float(np.mean(known)), min(known), max(known), len(known))
    return out


def source_clips(
    sources: Sources, most: int = MOST_SOURCES, read: ReadOptions | None = None
) -> list[Clip]:
    """Return the clips that `sources` mean; at most `most` of them, evenly picked.

    A clip or a folder of clips is measured as its files are, like the clip that is put beside
    them; a library as its clips are played.

    read  how files are read
    """
    if isinstance(sources, str | Path) and (files := _clip_files(Path(sources))):
        return _readable([files[n] for n in _pick_evenly(len(files), most)], read)
    if isinstance(sources, str | Path):
        sources = open_library(sources)
    if isinstance(sources, Library):
        names = [sources.names[n] for n in _pick_evenly(len(sources), most)]
        return list(sources.only(names))
    clips = [check_clip(one) for one in sources]
    return [clips[n] for n in _pick_evenly(len(clips), most)]


def _clip_files(source: Path) -> list[Path]:
    """Return the files of a clip or of a folder of clips; none if it is a library, or nothing."""
    if source.is_file():
        return [source]
    if not source.is_dir() or (source / MANIFEST_NAME).exists():
        return []
    suffixes = [s for s in readable_suffixes() if s != ".asf"]
    return sorted(p for p in source.rglob("*") if p.suffix.lower() in suffixes and p.is_file())


def _readable(files: Sequence[Path], read: ReadOptions | None) -> list[Clip]:
    """Return the clips of those files that hold a person; an error if that is none of them."""
    clips, problem = [], InputError("holds no clips")
    for file in files:
        try:
            clip = load(file, read)
            _check_measurable(clip)
        except InputError as error:
            problem = error
            continue
        clips.append(clip)
    if not clips:
        raise problem
    return clips


def compare_against(clips: Sequence[Clip], against: Sources, seed: int = 0) -> Comparison:
    """Return how natural clips are together, beside a library of real ones."""
    return compare(clips, source_clips(against, MOST_REFERENCES), seed=seed)


def _measure_clip(
    clip: Clip, path: ArrayLike | None = None, abstraction: str = "pelvis",
    scene: Scene | None = None, transitions: Sequence[int] = (),
) -> Measures:  # fmt: skip
    _check_measurable(clip)
    tracks, contacts = foot_tracks(clip, scene), find_contacts(clip)
    return Measures(
        name=clip.name,
        frames=len(clip),
        fps=clip.fps,
        seconds=clip.seconds,
        travelled_m=way_m(tracks.at_rate(30.0).hips[:, [0, 2]]),
        posture=posture_figures(clip),
        anatomy=anatomy(clip),
        flow=flow(clip, transitions),
        skating=skating(clip, tracks=tracks),
        ground=ground_contact(clip, tracks=tracks),
        oscillation=oscillation(clip),
        smoothness=smoothness(clip, transitions),
        physics=physics(clip, tracks=tracks, contacts=contacts),
        effort=effort(clip, contacts),
        deviation=None if path is None else path_deviation(clip, path, abstraction),
        collisions=None if scene is None else collisions(clip, scene),
    )


def _check_measurable(clip: Clip) -> None:
    if len(clip) > MOST_FRAMES:
        raise InputError(
            f"the clip has {len(clip)} frames", where=clip.name,
            remedy=f"measure at most {MOST_FRAMES}, or convert it to fewer a second",
        )  # fmt: skip
    require_humanoid(clip.skeleton, clip.name)


def nearness(clip: Clip, sources: Sequence[Clip], seed: int = 0) -> Comparison | None:
    """Return how near a clip is to its own sources, if these are long enough."""
    found = compare([clip], sources, seed=seed) if len(sources) > 1 else None
    return found if found is not None and found.behaviours else None


def _pick_evenly(count: int, most: int) -> list[int]:
    if count <= most:
        return list(range(count))
    return sorted({int(n) for n in np.linspace(0, count - 1, most)})


def _plain(value: Any) -> Any:
    """Return values with None for what is not finite, as JSON requires."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
