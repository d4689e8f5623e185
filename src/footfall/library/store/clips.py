"""Clips kept by address: a hash of all that made them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from footfall.body.clip import TOUCH_PARTS, Clip, Source
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.library.store.arrays import Arrays, ArrayStore, Facts, check_types, save_arrays
from footfall.maths import quaternions as quat
from footfall.maths.rounding import POSITION_M, ROTATION, round_to_grid

KIND = "clip"
_TYPES: dict[str, type[np.generic]] = {
    "root": np.float64, "rotations": np.float32, "contacts": np.uint8, "touches": np.uint8,
}  # fmt: skip


class ClipStore(ArrayStore):
    """A folder of clips. Reading gives None where there is nothing to be trusted."""

    def __init__(self, folder: Path) -> None:
        super().__init__(KIND, folder=folder)

    def write(self, key: str, clip: Clip, facts: Mapping[str, Any]) -> None:
        """Keep a clip and what is known about it (plain values) under an address."""
        if clip.contacts is None:
            raise InputError("the clip has no contacts", remedy="find them first")
        values = {name: getattr(clip, name) for name in _TYPES}
        values["root"] = round_to_grid(clip.root, POSITION_M)
        values["rotations"] = round_to_grid(clip.rotations, ROTATION)
        if clip.touches is None:
            values["touches"] = np.zeros((0, len(TOUCH_PARTS)))  # not known
        arrays = {name: np.asarray(values[name], kind) for name, kind in _TYPES.items()}
        label = {"character": clip.skeleton.fingerprint, "clip": dict(facts)}
        save_arrays(self.path(key), KIND, arrays, label, key=key)

    def facts(self, key: str) -> Facts | None:
        """Return what is known about the clip under an address, if the whole file is sound."""
        found = self._sound(key)
        return None if found is None else found[1]

    def clip(self, key: str, character: Skeleton, name: str = "") -> Clip | None:
        """Return the clip under an address, if its file is sound and it is one of `character`."""
        found = self._sound(key)
        if found is None or found[2] != character.fingerprint:
            return None
        arrays, facts, _ = found
        try:
            return Clip(
                character,
                float(facts["fps"]),
                arrays["root"],
                quat.normalise(arrays["rotations"].astype(np.float64)),
                name,
                arrays["contacts"].astype(np.bool_),
                tuple(facts["tags"]),
                _source(facts.get("source") or {}),
                arrays["touches"].astype(np.bool_) if len(arrays["touches"]) else None,
            )
        except (InputError, KeyError, TypeError, ValueError):
            return None

    def _sound(self, key: str) -> tuple[Arrays, Facts, str] | None:
        """Arrays, facts and the character's fingerprint."""
        found = self.load(key)
        try:
            if found is not None:
                arrays = check_types(found[0], _TYPES, self.path(key))
                return arrays, dict(found[1]["clip"]), str(found[1]["character"])
        except (InputError, KeyError, TypeError, ValueError):
            pass
        return None


def plain_facts(clip: Clip) -> Facts:
    """Return the facts of a clip as plain values."""
    steps = np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=1)
    return {
        "fps": clip.fps,
        "frames": len(clip),
        "seconds": clip.seconds,
        "travel_m": round(float(steps.sum()), 3),
        "tags": list(clip.tags),
        "source": asdict(clip.source) if clip.source else {},
    }


def _source(facts: Mapping[str, Any]) -> Source:
    return Source(
        file=str(facts.get("file", "")),
        format=str(facts.get("format", "")),
        unit_m=float(facts.get("unit_m", 1.0)),
        up=str(facts.get("up", "y")),
        forward=str(facts.get("forward", "z")),
        stated_fps=float(facts.get("stated_fps", 0.0)),
        licence=str(facts.get("licence", "")),
        notes=tuple(str(n) for n in facts.get("notes", ())),
        up_sure=bool(facts.get("up_sure", True)),
    )
