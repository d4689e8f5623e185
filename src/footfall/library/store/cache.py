"""Clips as safetensors files, addressed by a hash of all that made them.

A file says under which address it was written and carries a checksum of its content, so that one
that is damaged, cut off, or belongs elsewhere is noticed. Nothing in it is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.clip import Clip, Source
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files.atomic import write_bytes_atomically
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats

FORMAT = "footfall clip 1"
_TENSORS = {"root": np.float64, "rotations": np.float32, "contacts": np.uint8}
_SUFFIX = ".safetensors"
_SUM_DIGITS = 64

Facts = dict[str, Any]


def address(*parts: object) -> str:
    """The address of what is made of these plain values."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:40]


class ClipCache:
    """A folder of clips. Reading gives None where there is nothing to be trusted."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)

    def path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"

    def write(self, key: str, clip: Clip, facts: Mapping[str, Any]) -> None:
        """Keep a clip and what is known about it (plain values) under `key`."""
        from safetensors.numpy import save

        if clip.contacts is None:
            raise InputError("the clip has no contacts", remedy="find them first")
        tensors: dict[str, NDArray[Any]] = {
            "root": np.ascontiguousarray(clip.root),
            "rotations": np.ascontiguousarray(clip.rotations, dtype=np.float32),
            "contacts": np.ascontiguousarray(clip.contacts, dtype=np.uint8),
        }
        label = json.dumps(
            {"key": key, "character": clip.skeleton.fingerprint, "facts": dict(facts)},
            sort_keys=True,
        )
        # One word of metadata: several would be written in an order that is not always the same.
        words = {FORMAT: tensor_sum(tensors, label) + label}
        write_bytes_atomically(self.path(key), save(tensors, words))

    def facts(self, key: str) -> Facts | None:
        """What is known about the clip under `key`, if the whole file is sound."""
        found = self._read(key)
        return None if found is None else found[1]

    def clip(self, key: str, character: Skeleton, name: str = "") -> Clip | None:
        """The clip under `key`, if its file is sound and it is one of `character`."""
        found = self._read(key)
        if found is None or found[2] != character.fingerprint:
            return None
        tensors, facts, _ = found
        try:
            return Clip(
                character,
                float(facts["fps"]),
                tensors["root"],
                _kept_rotations(tensors["rotations"]),
                name,
                tensors["contacts"].astype(np.bool_),
                tuple(facts["tags"]),
                _source(facts.get("source") or {}),
            )
        except (InputError, KeyError, TypeError, ValueError):
            return None

    def _read(self, key: str) -> tuple[dict[str, NDArray[Any]], Facts, str] | None:
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path(key), framework="numpy") as file:
                words = (file.metadata() or {}).get(FORMAT, "")
                tensors = {name: file.get_tensor(name) for name in _TENSORS}
            if any(tensors[n].dtype != kind for n, kind in _TENSORS.items()):
                return None
            stated, label = words[:_SUM_DIGITS], words[_SUM_DIGITS:]
            if stated != tensor_sum(tensors, label):
                return None
            told = json.loads(label)
            return (tensors, told["facts"], told["character"]) if told["key"] == key else None
        except (SafetensorError, OSError, KeyError, TypeError, ValueError):
            return None

    def keys(self) -> Iterator[str]:
        """The addresses of all files, sound or not."""
        for file in self._files():
            if file.suffix == _SUFFIX and not file.name.startswith("."):
                yield file.stem

    def tidy(self, keep: set[str]) -> None:
        """Remove what nobody needs: other clips, and what killed builds left half-written."""
        for file in self._files():
            if file.name.startswith(".") or file.suffix != _SUFFIX or file.stem not in keep:
                remove(file)

    def _files(self) -> list[Path]:
        try:
            return [Path(item.path) for item in os.scandir(self.folder) if item.is_file()]
        except OSError:
            return []


def as_kept(clip: Clip) -> Clip:
    """The clip as it comes back from a cache, to the last bit."""
    return replace(clip, rotations=_kept_rotations(clip.rotations))


def _kept_rotations(rotations: NDArray[Any]) -> Floats:
    """Unit quaternions from what was rounded to 32 bits: exact to 0.1 µrad, half the size."""
    return quat.normalise(rotations.astype(np.float32).astype(np.float64))


def remove(file: Path) -> None:
    """Remove a file if that is possible; a reader that has it open may keep it from going."""
    with suppress(OSError):
        file.unlink()


def tensor_sum(tensors: Mapping[str, NDArray[Any]], label: str) -> str:
    """A checksum of tensors: their names, kinds, shapes and values, and of what is said of them."""
    digest = hashlib.sha256(label.encode())
    for name in sorted(tensors):
        digest.update(f"{name} {tensors[name].dtype} {tensors[name].shape}\0".encode())
        digest.update(np.ascontiguousarray(tensors[name]).data)
    return digest.hexdigest()


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
    )
