"""Clips made for these tests, and clips changed in ways that measures must or must not see."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from tests.clips import steady


def walk(seconds: float = 4.0, fps: float = 60.0, speed: float = 1.3) -> Clip:
    """A steady walk with exact contacts, its feet locked."""
    return steady("walk", speed, seconds=seconds, fps=fps)


def reversed_clip(clip: Clip) -> Clip:
    """The clip played backwards."""
    return clip[::-1]


def sliding(clip: Clip, metres_per_frame: float) -> Clip:
    """The whole clip moved on by so much each frame, along its way."""
    root = np.array(clip.root)
    root[:, 2] += metres_per_frame * np.arange(len(root))
    return replace(clip, root=root)


def frames(clip: Clip, which) -> Clip:
    """Some frames of a clip."""
    return clip[which]


def standing(seconds: float = 2.0, fps: float = 60.0) -> Clip:
    """One pose of a walk with both feet down, held."""
    clip = walk(1.0, fps)
    both = int(np.argmax(clip.contacts[:, :2].any(axis=1) & clip.contacts[:, 2:].any(axis=1)))
    return frames(clip, np.full(round(seconds * fps), both))
