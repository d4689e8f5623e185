"""Make one clip of a library from a file: read, inspect, clean, retarget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.adapt.feet.clean import clean, inspect_floors
from footfall.adapt.feet.settle import lower_contacts
from footfall.adapt.retarget.retarget import retarget
from footfall.body.clip import CONTACT_POINTS, TOUCH_PARTS, Clip
from footfall.body.edit import mirror, resample
from footfall.body.posture import posture_figures
from footfall.body.roles import missing_role, missing_roles
from footfall.body.skeleton import Skeleton
from footfall.body.up_axis import settle_up
from footfall.errors import InputError, choices
from footfall.files.formats import load
from footfall.files.options import ReadOptions
from footfall.gait.contacts import Contacts
from footfall.gait.signatures import find_clip_touches
from footfall.gait.tags import Sight, find_tags, look_at, tag_names
from footfall.library.build.check import clip_problems
from footfall.library.build.settings import CONTACT_NAMES, Corrections, LibrarySettings
from footfall.library.store.arrays import Facts, address
from footfall.library.store.clips import plain_facts
from footfall.maths.arrays import Bools


@dataclass(frozen=True)
class MadeClip:
    """A clip on the character, and what is known about it as plain values."""

    clip: Clip
    facts: dict[str, Any]


def make_clip(
    path: Path, character: Skeleton, settings: LibrarySettings, corrections: Corrections
) -> MadeClip:
    """Read the clip in `path` and put it on `character` at the rate of the library.

    Contacts and touches are those that a person stated, else those the file carries, else those
    found; tags are those the file carries, else those found.
    """
    source = load(path, _read_options(settings, corrections))
    sight = look_at(source)
    tags = source.tags or tag_names(find_tags(source, sight))
    clip = source.derive(
        contacts=_contacts(source, sight.contacts, corrections),
        touches=_touches(source, sight, corrections),
        tags=tags,
    )
    clip = clip if abs(clip.fps - settings.fps) < 1e-9 else resample(clip, settings.fps)
    found = source.contacts is None and not set(CONTACT_POINTS) & set(corrections.contacts)
    problems = clip_problems(source, sight.contacts, inspect_floors(clip, settle=found))
    if clip.skeleton != character:
        clip = retarget(clip, character, settings.footprints, settle=found, level=settings.clean)
    elif settings.clean:
        clip = clean(clip, settle=found).clip
    facts = plain_facts(clip.derive(source=source.source)) | {
        "tags": list(tags),
        "source_fps": source.fps,
        "source_joints": address(list(source.skeleton.names), source.skeleton.parents.tolist()),
        "problems": [asdict(p) for p in problems],
        "notes": list(source.source.notes) if source.source else [],
        "posture": {"built": _plain_posture(clip), "source": _plain_posture(source)},
    }
    return MadeClip(clip, facts)


def load_character(character: str, folder: Path) -> Skeleton:
    """Return the skeleton a library's clips are put on; files are looked for from its folder."""
    if character == "default":
        from footfall.generate.skeleton import default_skeleton

        return default_skeleton()
    skeleton = load(folder / character).skeleton
    for role in missing_roles(skeleton.roles):
        raise missing_role(skeleton, role).at(Path(character).name)
    return skeleton


def mirror_image(clip: Clip) -> Clip:
    """Return the mirror image of a clip, on the same character, feet held as exactly as before."""
    image = mirror(clip)
    if image.skeleton.names == clip.skeleton.names and np.allclose(
        image.skeleton.offsets, clip.skeleton.offsets, rtol=0.0, atol=1e-9
    ):
        return mirror(clip, keep_skeleton=True)
    return retarget(image, clip.skeleton)


def contact_spans(clip: Clip) -> dict[str, list[list[float]]]:
    """Return the contacts of a clip as times, seconds, the way `library.toml` states them."""
    from footfall.maths.runs import runs

    labels = ((CONTACT_POINTS, clip.contacts), (TOUCH_PARTS, clip.touches))
    return {
        name: [
            [round(first / clip.fps, 4), round((stop - 1) / clip.fps, 4)]
            for first, stop in runs(values[:, column]).tolist()
        ]
        for names, values in labels
        if values is not None
        for column, name in enumerate(names)
        if names is CONTACT_POINTS or values[:, column].any()
    }


def _plain_posture(clip: Clip) -> dict[str, float | None]:
    """Return the figures of a clip's posture, with as many digits as anybody reads."""
    figures = posture_figures(clip).as_dict().items()
    return {name: None if value is None else round(value, 4) for name, value in figures}


def _read_options(settings: LibrarySettings, corrections: Corrections) -> ReadOptions:
    return ReadOptions(**{**settings.read, **corrections.read})


def _contacts(clip: Clip, found: Contacts, corrections: Corrections) -> Bools:
    """Return (T, 4) contacts: stated by hand over carried by the file over found."""
    if clip.contacts is None:
        clip = lower_contacts(found.with_contacts(clip))
    return _correct(clip, np.array(clip.contacts), CONTACT_POINTS, corrections)


def _touches(clip: Clip, sight: Sight, corrections: Corrections) -> Bools:
    """Return (T, 3) contacts of hands and seat: stated by hand, carried by the file, or found."""
    known = clip.touches
    if known is None:
        known = find_clip_touches(clip, sight.contacts, sight.posture)
    return _correct(clip, np.array(known), TOUCH_PARTS, corrections)


def _correct(clip: Clip, labels: Bools, names: tuple[str, ...], corrections: Corrections) -> Bools:
    """Labels (T, N) with the columns that a person stated."""
    half = 0.5 / clip.fps
    for name, spans in corrections.contacts.items():
        if name not in CONTACT_NAMES:
            raise InputError(f"contacts names {name!r}", remedy=choices(CONTACT_NAMES, str(name)))
        if name not in names:
            continue
        column = np.zeros(len(clip), np.bool_)
        for begin, end in spans:
            column |= (clip.times > begin - half) & (clip.times <= end + half)
        labels[:, names.index(name)] = column
    return labels


# The up axis of doubtful clips, settled by the other clips of their skeleton.
#
# Somebody who only lies or crawls leaves it open which way is up; a walk with the same joints, in
# the same set of files, does not.


def doubtful_ups(clips: Sequence[Facts | None]) -> list[str]:
    """Return the up axis that other clips settled, for each clip; empty if it is sure.

    clips  facts as `make_clip` gives them, None for files that could not be used
    """
    known = [(clip["source_joints"], clip["source"]) for clip in clips if clip]
    settled = settle_up((joints, source["up"], source["up_sure"]) for joints, source in known)
    return [
        settled.get(clip["source_joints"], "") if clip and not clip["source"]["up_sure"] else ""
        for clip in clips
    ]


def with_up(corrections: Corrections, up: str) -> Corrections:
    """Return a clip's corrections with `up` as the up axis of its file, if it has one."""
    return replace(corrections, read={**corrections.read, "up": up}) if up else corrections


def up_note(up: str) -> str:
    """Return the note on a clip whose up axis was settled by others."""
    return f"which way is up is doubtful; {up} was taken, as in the other clips of its skeleton."
