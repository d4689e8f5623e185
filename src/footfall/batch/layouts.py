"""Layouts of datasets: files that readers of AMASS and HumanML3D expect, and what all share.

    amass/footfall/ab/KEY_poses.npz   poses, trans, mocap_framerate, gender, source; Z up
    humanml3d/joints/KEY.npy          22 joints at 20 frames a second; texts/KEY.txt, all.txt, …

Each has a card and `sources.jsonl`: a row per motion with its clips, licences and segments.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from footfall.batch.body_joints import JOINTS, body_positions, body_rotations
from footfall.batch.dataset_motion import DatasetMotion, frame_sources
from footfall.body.edit import resample
from footfall.errors import InputError, choices
from footfall.files.atomic import write_bytes_atomically
from footfall.maths import quaternions as quat

SHARDS, AMASS, HUMANML3D, LEROBOT = "safetensors", "amass", "humanml3d", "lerobot"
LAYOUTS = (SHARDS, AMASS, HUMANML3D, LEROBOT)
SOURCES = "sources.jsonl"
HUMANML3D_FPS = 20.0
_HANDS = 30
_Z_UP = quat.about_axis(0, 0.5 * np.pi)
"""The turn from Y up to the Z up of AMASS: (x, y, z) becomes (x, -z, y)."""


class Layout(Protocol):
    """Writes motions to a folder.

    about    what the files are; the card prints it after the number of motions
    tracing  for the card: where the sources of a frame are stated
    """

    @property
    def about(self) -> str: ...

    @property
    def tracing(self) -> str: ...

    def add(self, motion: DatasetMotion) -> None:
        """Write a motion, or keep it for a file of many."""

    def close(self) -> None:
        """Write what is left, and remove motions that were there before."""


def check_layouts(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of layouts, each once; an InputError names a wrong one."""
    return check_choices("layout", names, LAYOUTS)


def check_choices(what: str, names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return names in small letters, each once; an InputError names one that is not known."""
    found = tuple(dict.fromkeys(name.strip().lower().lstrip(".") for name in names))
    for name in found:
        if name not in known:
            raise InputError(f"the {what} is {name!r}", remedy=choices(known, name))
    if not found:
        raise InputError(f"no {what} is given", remedy=choices(known))
    return found


class SourceList:
    """Rows of `sources.jsonl`: what each motion is made of, and under which licences."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys: list[str] = []
        self._lines: list[str] = []

    def add(self, motion: DatasetMotion, **where: Any) -> None:
        """Add a motion; `where` states how it is found in the layout."""
        self.keys.append(motion.key)
        clip = motion.clip
        self._lines.append(json.dumps({
            "key": motion.key, **where, "caption": motion.caption, "split": motion.split,
            "frames": len(clip), "fps": clip.fps, "sources": motion.sources,
            "segments": motion.origin["segments"],
        }))  # fmt: skip

    def close(self) -> None:
        """Write the list."""
        text = "".join(f"{line}\n" for line in self._lines)
        write_bytes_atomically(self.folder / SOURCES, text.encode())


class AmassLayout:
    """A file per motion as AMASS has it: SMPL+H poses as rotation vectors, without shape."""

    about = ("one NPZ file each, as in AMASS: `poses` (T, 156) rotation vectors of the joints of "
             "SMPL+H with hands at rest, `trans` (T, 3) of the pelvis. Metres, Z up. No `betas`: "
             "the bodies have no SMPL shape.")  # fmt: skip
    tracing = f"`source` in the files, `sources` and `segments` in `{SOURCES}`"

    def __init__(self, folder: Path) -> None:
        self.files, self.list = folder / "footfall", SourceList(folder)

    def add(self, motion: DatasetMotion) -> None:
        """Write the file of a motion."""
        out, clip = io.BytesIO(), motion.clip
        np.savez_compressed(
            out, poses=amass_poses(body_rotations(clip)), gender="neutral",
            trans=quat.rotate(_Z_UP, body_positions(clip)[:, 0]).astype(np.float32),
            mocap_framerate=np.float64(clip.fps), source=frame_sources(motion.origin, len(clip)),
        )  # fmt: skip
        name = f"{motion.key[:2]}/{motion.key}_poses.npz"
        write_bytes_atomically(self.files / name, out.getvalue())
        self.list.add(motion, file=f"footfall/{name}")

    def close(self) -> None:
        """Write the list of sources, and remove motions that were there before."""
        remove_others(self.files, "*/*_poses.npz", {f"{key}_poses.npz" for key in self.list.keys})
        self.list.close()


def amass_poses(rotations: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return local rotations (T, 22, 4), Y up, as poses (T, 156) of SMPL+H, Z up."""
    turned = rotations.copy()
    turned[:, 0] = quat.multiply(_Z_UP, rotations[:, 0])
    poses = np.zeros((len(turned), JOINTS + _HANDS, 3), np.float32)
    poses[:, :JOINTS] = quat.to_rotation_vector(turned)
    return poses.reshape(len(turned), -1)


class HumanMLLayout:
    """Joints at 20 frames a second and a text per motion, as HumanML3D is made from."""

    about = ("one .npy file each, as in HumanML3D: 22 joints (T, 22, 3) at 20 frames a second in "
             "`joints`, captions in `texts`. Metres, Y up.")  # fmt: skip
    tracing = f"`sources` and `segments` in `{SOURCES}`, with frames at its `fps`"

    def __init__(self, folder: Path) -> None:
        self.folder, self.list = folder, SourceList(folder)
        self.splits: dict[str, list[str]] = {"all": [], "train": [], "test": []}

    def add(self, motion: DatasetMotion) -> None:
        """Write the joints and the text of a motion."""
        out, key = io.BytesIO(), motion.key
        places = body_positions(resample(motion.clip, HUMANML3D_FPS))
        np.save(out, places.astype(np.float32))
        write_bytes_atomically(self.folder / "joints" / f"{key}.npy", out.getvalue())
        text = caption_line(motion.caption).encode()
        write_bytes_atomically(self.folder / "texts" / f"{key}.txt", text)
        for split in ("all", motion.split):
            self.splits[split].append(key)
        self.list.add(motion, file=f"joints/{key}.npy")

    def close(self) -> None:
        """Write lists of sources and splits, and remove motions that were there before."""
        for folder, suffix in (("joints", "npy"), ("texts", "txt")):
            kept = {f"{key}.{suffix}" for key in self.list.keys}
            remove_others(self.folder / folder, f"*.{suffix}", kept)
        for split, keys in self.splits.items():
            text = "".join(f"{key}\n" for key in keys)
            write_bytes_atomically(self.folder / f"{split}.txt", text.encode())
        self.list.close()


def caption_line(caption: str) -> str:
    """Return a line of HumanML3D's texts: caption # words # first second # last (0: the whole).

    HumanML3D tags words with their part of speech; these have its tag for all others, OTHER.
    """
    plain = caption.replace("#", " ")
    words = " ".join(f"{w}/OTHER" for w in re.findall(r"[a-z]+|\d+(?:\.\d+)?", plain.lower()))
    return f"{plain}#{words}#0.0#0.0\n"


def remove_others(folder: Path, pattern: str, kept: Collection[str]) -> None:
    """Remove files that match a pattern and whose names are not among those to keep."""
    for file in folder.glob(pattern):
        if file.name not in kept:
            file.unlink()
