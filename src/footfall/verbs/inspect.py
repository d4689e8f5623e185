"""Describe a clip in numbers: skeleton, roles, units, axes, rate, travel."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from footfall.adapt.edit.rests import facings
from footfall.body.clip import Clip
from footfall.body.feet import mean_leg
from footfall.body.kinematics import forward_kinematics
from footfall.body.size import stature
from footfall.files.formats import as_clip
from footfall.files.options import ReadOptions
from footfall.maths.arrays import Floats

_SAMPLES = 2000


@dataclass(frozen=True)
class Inspection:
    """A clip in numbers; lengths in metres, times in seconds, angles in degrees."""

    file: str
    name: str
    format: str
    joints: tuple[str, ...]
    parents: tuple[int, ...]
    roles: dict[str, str]
    frames: int
    fps: float
    stated_fps: float
    seconds: float
    unit_m: float
    up: str
    up_sure: bool
    forward: str
    leg_m: float | None
    stature_m: float | None
    travel_m: float
    mean_speed_m_s: float
    heading_change_deg: float | None
    lowest_point_m: float
    tags: tuple[str, ...]
    has_contacts: bool
    notes: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The clip in one line."""
        return (
            f"{self.format}, {len(self.joints)} joints, {self.frames} frames at "
            f"{self.fps:g} fps = {self.seconds:.2f} s"
        )

    def rows(self, *, joints: bool = False) -> list[tuple[str, str]]:
        """Return the clip as two columns for people."""
        rows = [
            ("units", f"1 unit of the file = {self.unit_m:g} m"),
            ("axes", f"{self.up} up{'' if self.up_sure else '?'}, rest faces {self.forward}"),
        ]
        if self.leg_m is not None:
            rows.append(("body", f"leg {self.leg_m:.3f} m, stature {self.stature_m:.2f} m"))
        turn = (
            "" if self.heading_change_deg is None else f", turns {self.heading_change_deg:+z.0f}°"
        )
        rows.append(
            (
                "travel",
                f"the root goes {self.travel_m:.2f} m at {self.mean_speed_m_s:.2f} m/s{turn}",
            )
        )
        rows.append(("tags", ", ".join(self.tags) or "none found"))
        rows.append(("lowest point", f"{self.lowest_point_m * 100:+.1f} cm"))
        rows.append(("roles", f"{len(self.roles)} found" if self.roles else "none: not a humanoid"))
        if joints:
            rows += self._joint_rows()
        return rows

    def _joint_rows(self) -> list[tuple[str, str]]:
        role_of = {joint: role for role, joint in self.roles.items()}
        depth = [0] * len(self.joints)
        for index, parent in enumerate(self.parents):
            depth[index] = depth[parent] + 1 if parent >= 0 else 0
        return [
            (role_of.get(name, "·"), "  " * depth[index] + name)
            for index, name in enumerate(self.joints)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the same, ready for JSON."""
        return asdict(self)


def inspect(clip: str | Path | Clip, options: ReadOptions | None = None) -> Inspection:
    """Look at a clip or a file that holds one."""
    file = "" if isinstance(clip, Clip) else str(clip)
    clip = as_clip(clip, options)
    source = clip.source
    frames = _sampled_frames(clip)
    poses = forward_kinematics(clip.skeleton, clip.root[frames], clip.rotations[frames])
    travel = float(np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=1).sum())
    return Inspection(
        file=file or (source.file if source else clip.name),
        name=clip.name,
        format=source.format if source else "clip",
        joints=clip.skeleton.names,
        parents=tuple(int(p) for p in clip.skeleton.parents),
        roles={role: clip.skeleton.names[j] for role, j in clip.skeleton.roles.items()},
        frames=len(clip),
        fps=clip.fps,
        stated_fps=source.stated_fps if source else clip.fps,
        seconds=clip.seconds,
        unit_m=source.unit_m if source else 1.0,
        up=source.up if source else "y",
        up_sure=source.up_sure if source else True,
        forward=source.forward if source else "z",
        leg_m=_leg(clip),
        stature_m=_stature(clip),
        travel_m=travel,
        mean_speed_m_s=travel / clip.seconds if clip.seconds > 0 else 0.0,
        heading_change_deg=_heading_change(clip, poses.positions),
        lowest_point_m=float(poses.positions[..., 1].min()),
        tags=clip.tags or _find_tags(clip),
        has_contacts=clip.contacts is not None,
        notes=source.notes if source else (),
    )


def _find_tags(clip: Clip) -> tuple[str, ...]:
    """Return the tags that a library would give the clip; none for a skeleton without roles."""
    from footfall.gait.tags import find_tags, tag_names

    return tag_names(find_tags(clip)) if clip.skeleton.roles else ()


def _leg(clip: Clip) -> float | None:
    """Thigh plus shank, the mean of both sides; None for a skeleton without legs."""
    if not clip.skeleton.roles:
        return None
    return mean_leg(clip.skeleton)


def _stature(clip: Clip) -> float | None:
    """Return how tall the body is; None for a skeleton without roles."""
    return stature(clip.skeleton) if clip.skeleton.roles else None


def _heading_change(clip: Clip, positions: Floats) -> float | None:
    """Return the turn of the pelvis from start to end, unwrapped, left positive."""
    if not clip.skeleton.roles or len(positions) < 2:
        return None
    yaw = np.unwrap(facings(clip, positions))
    return float(np.degrees(yaw[-1] - yaw[0]))


def _sampled_frames(clip: Clip) -> slice:
    """Return every frame of a short clip, and a sufficient sample of a long one."""
    return slice(None, None, max(1, len(clip) // _SAMPLES))
