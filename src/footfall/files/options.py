"""Options of reading and writing, the same for every format."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReadOptions:
    """Options that replace what would be detected.

    unit_m        metres per unit of the file   (--source-scale)
    up            the file's up axis            (--source-up)
    fps           the true frame rate           (--source-fps)
    rest          "t-pose": canonical rest; "file": keep the file's own rest pose
    first_frame   "auto": drop an inserted T-pose; "keep"; "drop"
    roles         role -> joint name, from a TOML override
    body_model    the user's SMPL body-model file, for AMASS
    animation     the name of the animation to take from a file of several (glTF); None: the first
    """

    unit_m: float | None = None
    up: str | None = None
    fps: float | None = None
    rest: str = "t-pose"
    first_frame: str = "auto"
    roles: dict[str, str] | None = None
    body_model: str | None = None
    animation: str | None = None


@dataclass(frozen=True)
class WriteOptions:
    """How a clip is written.

    unit_m  metres per unit in the file; None means the format's custom (BVH 0.01, others 1)
    up      the file's up axis, "y" or "z" (glTF is always "y")
    mesh    include the mannequin's skinned mesh where the format can hold one
    """

    unit_m: float | None = None
    up: str = "y"
    mesh: bool = True
