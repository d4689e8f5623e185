"""One motion of a dataset: its arrays, its caption, and where its frames come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.batch.inputs import hash_text
from footfall.batch.store import Row

if TYPE_CHECKING:
    from footfall.body.clip import Clip

_ACTS = {
    "pick": "picks something up", "put down": "puts something down", "sit": "sits down",
    "stand up": "stands up", "duck": "ducks", "stand on": "steps onto something",
    "via": "passes a place",
}  # fmt: skip
MEASURES = ("drift_max_mm", "duration_ratio", "seam_jolt_ratio", "crabwise_share", "speed_m_s",
            "length_m")  # fmt: skip
"""Measures of the batch's results that a dataset states."""

Tensors = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class DatasetMotion:
    """A motion that was found.

    row     its row of the batch's results
    origin  its plan: sources, segments, footprints, path, scene, stages, tags
    """

    row: Row
    origin: Mapping[str, Any]
    clip: Clip

    @property
    def key(self) -> str:
        return str(self.row["key"])

    @cached_property
    def caption(self) -> str:
        """One sentence on what it shows."""
        return caption(self.row, self.origin)

    @property
    def sources(self) -> list[dict[str, str]]:
        """The clips that it is made of, with their files and licences."""
        return [
            {"clip": name, "file": facts["source"], "licence": facts["licence"]}
            for name, facts in self.origin["sources"].items()
        ]

    @property
    def split(self) -> str:
        """Whether it is for training or for testing."""
        return "test" if int(hash_text(self.key)[:2], 16) < 13 else "train"


def motion_tensors(clip: Clip, origin: Mapping[str, Any]) -> Tensors:
    """Return the arrays of a motion.

    root (T, 3), positions (T, J, 3), rotations (T, J, 4) w x y z   metres, Y up
    contacts (T, 4)      left heel, left toe, right heel, right toe
    footprints (N, 7)    foot (0 left), x, y, z, yaw, time, half its duration
    path (P, 2)          what it follows
    source (T, 2)        which of the index row's sources shows most, and the frame of it
    """
    frames = len(clip)
    contacts = np.zeros((frames, 4), np.uint8) if clip.contacts is None else clip.contacts
    prints = [
        [float(f["foot"] != "left"), *f["p"], f["yaw"], f["t"], f["delta"]]
        for f in origin["footprints"]
    ]
    return {
        "root": clip.root.astype(np.float32),
        "rotations": clip.rotations.astype(np.float32),
        "positions": clip.positions.astype(np.float32),
        "contacts": contacts.astype(np.uint8),
        "footprints": np.array(prints, np.float32).reshape(-1, 7),
        "path": np.array(origin["path"] or [], np.float32).reshape(-1, 2),
        "source": frame_sources(origin, frames),
    }


def frame_sources(origin: Mapping[str, Any], frames: int) -> NDArray[np.int32]:
    """Return for each frame the number of the source that shows most, and the frame of it."""
    numbers = {name: n for n, name in enumerate(origin["sources"])}
    out = np.full((frames, 2), -1, np.int32)
    for segment in origin["segments"]:
        first, stop = segment["first"], min(segment["stop"], frames)
        if segment["sources"] and stop > first:
            most = max(segment["sources"], key=lambda source: source["weight"])
            out[first:stop, 0] = numbers[most["clip"]]
            out[first:stop, 1] = most["frame"] + np.arange(stop - first)
    return out


def caption(row: Row, origin: Mapping[str, Any]) -> str:
    """Return one sentence on what a motion shows."""
    measures = row["measures"]
    speed, length = measures.get("speed_m_s", 0.0), measures.get("length_m", 0.0)
    verb = "runs" if speed > 2.2 else "walks" if length > 0.5 else "moves in place"
    words = f"A person {verb}"
    if length > 0.5:
        words += f" {length:.1f} metres at {speed:.1f} metres per second"
    if measures.get("net_turn_deg", 0.0) > 45.0:
        words += f", turning {measures['net_turn_deg']:.0f} degrees"
    if origin["scene"]:
        words += f", in the scene {Path(origin['scene']).stem}"
    acts = [_ACTS[stage] for stage in origin["stages"] if stage in _ACTS]
    return f"{words}{', and ' if acts else ''}{', then '.join(acts)}."
