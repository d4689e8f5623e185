"""Check clips for damage, from the motion alone, and libraries on disk.

Motions are measured as their files have them, before a library cleans and retargets them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.adapt.feet.clean import Cleaned, clean
from footfall.adapt.feet.floors import LevelFloors
from footfall.body.clip import Clip
from footfall.body.posture import changes_beyond_limits
from footfall.files.intake.suspicions import rate_suspicion
from footfall.gait.contacts import Contacts, find_contacts
from footfall.library.build.sources import stamp_of
from footfall.library.entry import Defect
from footfall.library.store.clips import ClipStore
from footfall.library.store.folder import clips_folder, index_path
from footfall.library.store.index import read_index
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.runs import runs

if TYPE_CHECKING:
    from footfall.library.library import Library

KINDS = (
    "floor drift", "skating", "spikes", "dropped frames", "wrong rate", "doubtful up", "too short",
    "no contacts",
)  # fmt: skip
"""Every kind of problem there is."""

SHORTEST_S = 0.5
DRIFT_M, SKATE_M = 0.04, 0.10
"""More than this is worth a word; marker noise and soft soles make less."""
FASTEST_TURN_RAD_S2, LEAST_SPIKE_RAD = 1500.0, 0.25
"""The largest acceleration of a joint; a frame beyond it does not belong to its neighbours."""
FASTEST_ROOT_M_S2, LEAST_SPIKE_M = 100.0, 0.03
STILL_RAD, MOVING_RAD_S = 1e-6, 0.6
GAP = 1.75
"""A step this many times as large as both its neighbours jumps over a frame."""


def clip_problems(
    clip: Clip, contacts: Contacts, cleaned: Cleaned | LevelFloors | None
) -> tuple[Defect, ...]:
    """Everything that is wrong with a clip, in the order of `KINDS`.

    contacts  as found in `clip`
    cleaned   what cleaning it gave, or None where it cannot be cleaned
    """
    found: list[Defect] = []
    if cleaned is not None and cleaned.drift_m > DRIFT_M:
        found.append(Defect("floor drift", f"the floor wanders by {_cm(cleaned.drift_m)}"))
    if cleaned is not None and cleaned.skate_m > SKATE_M:
        found.append(Defect("skating", f"a touching foot slides by {_cm(cleaned.skate_m)}"))
    if len(clip) >= 4:
        found += [*_spikes(clip), *_lost_frames(clip)]
    if "hips" in clip.skeleton.roles:
        sentences = rate_suspicion(clip.skeleton, clip.root, clip.rotations, clip.fps)
        found += [Defect("wrong rate", sentence.rstrip(".")) for sentence in sentences]
    if clip.source is not None and not clip.source.up_sure:
        settled = 'read = { up = "…" } in library.toml, or --source-up for all, settles it'
        found.append(Defect("doubtful up", f"{clip.source.up} was taken as up; {settled}"))
    if clip.seconds < SHORTEST_S:
        found.append(Defect("too short", f"it lasts {clip.seconds:.2f} s, under {SHORTEST_S:g} s"))
    if contacts.problem:
        found.append(Defect("no contacts", contacts.problem))
    return tuple(found)


def check_clips(library: Library, progress: Callable[[float], None] | None = None) -> Library:
    """Return the library with the problems of every clip stated.

    Clips of files were looked at when they were built; those that were generated, or are kept in
    memory, are now.
    """
    entries = []
    for number, entry in enumerate(library.entries):
        if not entry.source:
            clip = library.clip(entry.name)
            contacts = find_contacts(clip)
            found = clip_problems(clip, contacts, clean(contacts.with_contacts(clip)))
            entry = replace(entry, problems=found)
        entries.append(entry)
        if progress is not None:
            progress((number + 1) / len(library))
    return replace(library, entries=tuple(entries))


@dataclass(frozen=True)
class PostureChange:
    """The posture of a clip of a library and that of its source: measure -> value."""

    built: Mapping[str, float | None]
    source: Mapping[str, float | None]

    @property
    def off(self) -> dict[str, str]:
        """Measure -> "above" or "below", for what changed by more than it may."""
        return changes_beyond_limits(self.built, self.source, self.source)

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionaries for JSON."""
        return {"built": dict(self.built), "source": dict(self.source), "off": self.off}


def posture_changes(library: Library) -> dict[str, PostureChange]:
    """Clip name -> its posture beside its source's, for clips that were built from files."""
    if library.folder is None:
        return {}
    cache = ClipStore(clips_folder(library.folder))
    found = {}
    for entry in library.entries:
        facts = None if entry.mirrored else cache.facts(entry.key)
        if facts is not None and "posture" in facts:
            found[entry.name] = PostureChange(facts["posture"]["built"], facts["posture"]["source"])
    return found


def upkeep(library: Library) -> dict[str, list[str]]:
    """Clip name -> sentences on its source and its cache; nothing for those that are in order."""
    if library.folder is None:
        return {}
    index = read_index(index_path(library.folder))
    stamps = index.stamps if index else {}
    cache = ClipStore(clips_folder(library.folder))
    found: dict[str, list[str]] = {}
    for entry in library.entries:
        if entry.mirrored:
            continue
        sentences = []
        path, before = library.folder / entry.source, stamps.get(entry.source)
        if not path.is_file():
            sentences.append(f"its source is not there ({entry.source})")
        elif before is not None and stamp_of(path, before).digest != before.digest:
            sentences.append("its source has changed since the library was built")
        if cache.facts(entry.key) is None:
            sentences.append("its cache is damaged or missing and will be made again")
        if sentences:
            found[entry.name] = sentences
    return found


def _spikes(clip: Clip) -> list[Defect]:
    """Single frames that lie apart from the line between their neighbours."""
    joints = _role_joints(clip)
    turns = clip.rotations[:, joints]
    least = max(LEAST_SPIKE_RAD, 0.5 * FASTEST_TURN_RAD_S2 / clip.fps**2)
    middle = quat.slerp(turns[:-2], turns[2:], 0.5)
    off = quat.angle_between(turns[1:-1], middle)
    # A neighbour of a spike lies off by half as much; only the tops are counted.
    around = np.pad(off, ((1, 1), (0, 0)))
    top = (off > least) & (off >= around[:-2]) & (off >= around[2:])
    found = []
    frames, which = np.nonzero(top)
    if len(frames):
        worst = int(np.argmax(off[frames, which]))
        name = clip.skeleton.names[joints[int(which[worst])]]
        degrees = np.degrees(off[frames[worst], which[worst]])
        found.append(
            Defect(
                "spikes",
                f"{_count(len(set(frames.tolist())), 'frame')} off the others, the worst frame "
                f"{int(frames[worst]) + 1} ({name} by {degrees:.0f} degrees)",
            )
        )
    line = 0.5 * (clip.root[:-2] + clip.root[2:])
    away = np.linalg.norm(clip.root[1:-1] - line, axis=1)
    if away.max() > max(LEAST_SPIKE_M, 0.5 * FASTEST_ROOT_M_S2 / clip.fps**2):
        frame = int(np.argmax(away)) + 1
        found.append(Defect("spikes", f"the hips jump by {_cm(away.max())} at frame {frame}"))
    return found


def _lost_frames(clip: Clip) -> list[Defect]:
    """Frames that repeat the one before while the body moves, and steps over missing frames."""
    steps = quat.angle_between(clip.rotations[1:], clip.rotations[:-1])[:, _role_joints(clip)]
    way = np.linalg.norm(np.diff(clip.root, axis=0), axis=1)
    still = (steps.max(axis=1) < STILL_RAD) & (way < 1e-6)
    found = []
    repeated = _repeats(still, steps.max(axis=1) * clip.fps)
    if repeated.any():
        count = int(repeated.sum())
        text = f"{_count(count, 'frame')} of {len(clip)} repeat the one before"
        moving = int((~still).sum()) + count
        if count > 0.4 * moving:
            text += f", so the true rate may be {clip.fps * (1.0 - count / moving):.0f} fps"
        found.append(Defect("dropped frames", text))
    if not still.any():
        gaps = _gaps(np.column_stack([steps, way]))
        if gaps.any():
            first = int(np.argmax(gaps)) + 1
            text = f"{_count(int(gaps.sum()), 'frame')} missing, the first before frame {first}"
            found.append(Defect("dropped frames", text))
    return found


def _repeats(still: Bools, speed: Floats) -> Bools:
    """Return (T-1,) the still steps that stand between two quick ones."""
    out = np.zeros(len(still), np.bool_)
    for first, stop in runs(still).tolist():
        inside = first > 0 and stop < len(still)
        if inside and min(speed[first - 1], speed[stop]) > MOVING_RAD_S:
            out[first:stop] = True
    return out


def _gaps(steps: Floats) -> Bools:
    """Return (T - 1,) steps in which nearly everything moves twice as far as its neighbours.

    One joint may jerk; that all of them do in the same frame, and only in it, is a lost frame.
    """
    out = np.zeros(len(steps), np.bool_)
    if len(steps) < 5:
        return out
    beside = np.maximum(steps[:-2], steps[2:])
    typical = np.maximum(np.median(steps, axis=0), 1e-9)
    moves = beside > 0.3 * typical
    far = (steps[1:-1] > GAP * beside) & moves
    enough = moves.sum(axis=1) >= max(4, steps.shape[1] // 2)
    out[1:-1] = enough & (far.sum(axis=1) >= 0.7 * np.maximum(moves.sum(axis=1), 1))
    return out


def _role_joints(clip: Clip) -> list[int]:
    """Return the joints that play a role; fingers and props are nobody's business here."""
    return sorted(set(clip.skeleton.roles.values())) or list(range(len(clip.skeleton)))


def _cm(metres: float) -> str:
    return f"{100.0 * metres:.1f} cm"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
