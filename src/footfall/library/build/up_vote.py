"""The up axis of doubtful clips, settled by the other clips of their skeleton.

Somebody who only lies or crawls leaves it open which way is up; a walk with the same joints, in
the same set of files, does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footfall.body.upright import settle_up
from footfall.library.build.settings import Corrections
from footfall.library.store.arrays import Facts


def doubtful_ups(clips: Sequence[Facts | None]) -> list[str]:
    """For each clip the up axis that others settled; empty if its own is sure, or none did.

    clips  facts as `make_clip` gives them, None for files that could not be used
    """
    known = [(clip["source_joints"], clip["source"]) for clip in clips if clip]
    settled = settle_up((joints, source["up"], source["up_sure"]) for joints, source in known)
    return [
        settled.get(clip["source_joints"], "") if clip and not clip["source"]["up_sure"] else ""
        for clip in clips
    ]


def with_up(corrections: Corrections, up: str) -> Corrections:
    """The corrections of a clip whose file is read with `up` as its up axis, if there is one."""
    return replace(corrections, read={**corrections.read, "up": up}) if up else corrections


def up_note(up: str) -> str:
    """What is said of a clip whose up axis was settled by others."""
    return f"which way is up is doubtful; {up} was taken, as in the other clips of its skeleton."
