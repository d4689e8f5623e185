"""Pages that play motions in their scene: for plans, clips, crowds and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.body.clip import Clip
from footfall.errors import InputError
from footfall.render.player.document import PlayedMotion, motion_document
from footfall.render.player.page import notebook_frame, write_page
from footfall.task import Plan
from footfall.world.scene import Scene

if TYPE_CHECKING:
    from footfall.verbs.crowd import CrowdResult

Playable = Plan | Clip


def play_document(
    motions: Playable | Sequence[Playable], scene: Scene | None = None, *, title: str = ""
) -> dict[str, Any]:
    """Return the motion document of plans or clips that play together."""
    given = [motions] if isinstance(motions, Plan | Clip) else list(motions)
    played = [_played(one) for one in given]
    if not played:
        raise InputError("there is no motion to play", remedy="give a plan or a clip")
    return motion_document(played, scene, title=title or played[0].name)


def save_player(
    motions: Playable | Sequence[Playable], path: str | Path, scene: Scene | None = None, *,
    title: str = "",
) -> Path:  # fmt: skip
    """Write a page that plays plans or clips in their scene; it needs no network."""
    return write_page(play_document(motions, scene, title=title or Path(path).stem), path)


def save_crowd_player(result: CrowdResult, path: str | Path) -> Path:
    """Write a page that plays a crowd."""
    clips, spans = result.motion.clips, result.motion.spans_s
    first = float(spans[:, 0].min())
    played = [
        PlayedMotion(clip, start_s=float(spans[n, 0]) - first, name=clip.name)
        for n, clip in enumerate(clips)
    ]
    return write_page(motion_document(played, result.scene, title=Path(path).stem), path)


def notebook_player(motions: Playable | Sequence[Playable], scene: Scene | None = None) -> str:
    """Return HTML for a notebook that plays plans or clips."""
    return notebook_frame(play_document(motions, scene))


def _played(motion: Playable) -> PlayedMotion:
    from footfall.verbs.plan_results import measures_of

    if isinstance(motion, Clip):
        return PlayedMotion(motion, name=motion.name)
    if motion.clip is None:
        raise InputError(f"there is no motion to play ({motion.status})", remedy=motion.reason)
    return PlayedMotion(motion.clip, motion, measures_of(motion), name=motion.clip.name)
