"""Operations on clips that `footfall` exports; each takes a clip, or a file with one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from footfall.adapt.feet import clean as cleaning
from footfall.adapt.feet import lock
from footfall.adapt.feet.constants import FeetConstants
from footfall.adapt.retarget import retarget as retargeting
from footfall.body import edit
from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.files.formats import as_clip
from footfall.files.scene.read import load_scene
from footfall.gait import contacts as contact_search
from footfall.gait import footprints as footprint_search
from footfall.library.characters import find_character
from footfall.world.scene import Scene

AnyClip = Clip | str | Path


def clean(
    clip: AnyClip, options: FeetConstants | None = None, settle: bool | None = None
) -> cleaning.Cleaned:
    """Remove foot skating and floor drift; see `footfall.adapt.feet.clean`."""
    return cleaning.clean(as_clip(clip), options, settle)


def find_contacts(clip: AnyClip) -> contact_search.Contacts:
    """Find when heels and toes touch the ground, from the motion alone."""
    return contact_search.find_contacts(as_clip(clip))


def footprints(clip: AnyClip) -> tuple[footprint_search.Footprint, ...]:
    """Return the footprints of a clip, by its own contacts or by those that are found."""
    return footprint_search.footprints_of(lock.with_contacts(as_clip(clip)))


def lock_feet(
    clip: AnyClip, scene: Scene | str | Path | None = None,
    options: FeetConstants | None = None,
) -> Clip:  # fmt: skip
    """Hold the feet of a clip where they touch, on the ground of a scene if one is given."""
    ground = load_scene(scene) if isinstance(scene, str | Path) else scene
    return lock.lock_feet(as_clip(clip), ground, options)


def retarget(clip: AnyClip, character: Skeleton | str | Path, footprints: str = "scaled") -> Clip:
    """Put a clip on a character of other proportions; see `footfall.adapt.retarget.retarget`."""
    return retargeting.retarget(as_clip(clip), find_character(character), footprints)


def mirror(clip: AnyClip, keep_skeleton: bool = False) -> Clip:
    """Exchange left and right; see `footfall.body.edit.mirror`."""
    return edit.mirror(as_clip(clip), keep_skeleton)


def resample(clip: AnyClip, fps: float, smooth: bool = True) -> Clip:
    """Return the same motion at another frame rate; see `footfall.body.edit.resample`."""
    return edit.resample(as_clip(clip), fps, smooth)


def join(clips: Sequence[AnyClip], align: bool = False) -> Clip:
    """Put clips one after the other; see `footfall.body.edit.join`."""
    return edit.join([as_clip(clip) for clip in clips], align)
