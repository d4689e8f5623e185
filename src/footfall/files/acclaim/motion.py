"""Acclaim motion (.amc) with its skeleton (.asf): `read`.

A bone's motion M is given in the frame C that the skeleton states for it; its rotation against
its parent is C M C⁻¹. Degrees of freedom act in the order listed, the first one first.
Sources: Acclaim's ASF/AMC description as kept by the University of Wisconsin, and the custom of
the CMU database: lengths divided by the stated unit are inches, 120 frames per second.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from footfall.errors import FileFormatError, InputError
from footfall.files.acclaim.skeleton import AcclaimSkeleton, Bone, read_skeleton
from footfall.files.intake.raw import RawMotion
from footfall.files.options import ReadOptions
from footfall.files.text import (
    BLOCK_BYTES,
    LARGEST_NUMBER,
    check_file,
    decode_text,
    quote_word,
    text_blocks,
    to_number,
)
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import conjugate, multiply, rotate

_USUAL_FPS = 120.0
_BLOCK_FRAMES = 4096


def read(path: Path, options: ReadOptions) -> RawMotion:
    """Read an .amc file and the .asf beside it, or an .asf alone as one frame of its rest pose."""
    size = check_file(path)
    if path.suffix.lower() == ".asf":
        skeleton = read_skeleton(path)
        notes = [*skeleton.notes, "this is a skeleton without motion: one frame of its rest pose."]
        values = np.zeros((1, sum(len(bone.dofs) for bone in skeleton.bones)))
    else:
        skeleton = read_skeleton(find_skeleton(path))
        motion = _AmcMotion(skeleton, path.name)
        motion.read(path)
        notes = [*skeleton.notes, *motion.notes]
        values = motion.values()
    if options.fps is None:
        notes.append(f"AMC files state no frame rate; {_USUAL_FPS:g} per second is assumed.")
    return _assemble(skeleton, values, options.fps or _USUAL_FPS, path, size, notes)


def find_skeleton(path: Path) -> Path:
    """Return the .asf of an .amc: of its name, of the part before `_`, or the only one."""
    try:
        beside = sorted(p for p in path.parent.iterdir() if p.suffix.lower() == ".asf")
    except OSError as error:
        raise InputError("its folder cannot be listed", where=path.name) from error
    for stem in (path.stem, path.stem.partition("_")[0]):
        for candidate in beside:
            if candidate.stem.lower() == stem.lower():
                return candidate
    if len(beside) == 1:
        return beside[0]
    found = f"there are {len(beside)}" if beside else "there is none"
    raise InputError(
        "an AMC file needs its skeleton (.asf) in the same folder", where=path.name,
        remedy=f"{found}; name it {path.stem[:60]}.asf",
    )  # fmt: skip


@dataclass
class _AmcMotion:
    """The frames of an AMC file as rows of numbers, bone by bone in the skeleton's order."""

    skeleton: AcclaimSkeleton
    file: str
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._places: dict[str, tuple[int, int]] = {}
        width = 0
        for bone in self.skeleton.bones:
            self._places[bone.name] = (width, len(bone.dofs))
            width += len(bone.dofs)
        if width == 0:
            raise FileFormatError(
                "no bone of the skeleton has a degree of freedom", where=self.file,
                remedy="is this the right .asf?",
            )  # fmt: skip
        self._width = width
        self._wanted = {bone.name for bone in self.skeleton.bones if bone.dofs}
        self._numbers = array("d")
        self._degrees = self.skeleton.degrees
        self._frame: int | None = None
        self._row: list[float] = []
        self._seen: set[str] = set()
        self._gap = False

    def read(self, path: Path) -> None:
        """Read all frames; a last one that is cut short is left out."""
        for number, line in enumerate(_lines(path), start=1):
            words = line.split()
            if not words or words[0][0] == "#":
                continue
            if words[0][0] == ":":
                self._keyword(words[0].lower(), number)
            elif len(words) == 1 and words[0].isdecimal() and words[0].isascii():
                self._begin_frame(words[0], number)
            else:
                self._bone(line, words, number)
        self._end_file()

    def values(self) -> Floats:
        """Return (T, C) angles in degrees, lengths in file units."""
        values = np.frombuffer(self._numbers).reshape(-1, self._width)
        if self._degrees:
            return values
        turns = [dof[0] == "r" for bone in self.skeleton.bones for dof in bone.dofs]
        return np.where(turns, np.degrees(values), values)

    def _keyword(self, word: str, number: int) -> None:
        if word in (":degrees", ":radians"):
            self._degrees = word == ":degrees"
        elif word not in (":fully-specified", ":fullyspecified"):
            self.notes.append(f"{quote_word(word)} on line {number} is not known and passed over.")
            del self.notes[20:]

    def _begin_frame(self, word: str, number: int) -> None:
        frame = int(word[:18])
        if self._frame is not None:
            missing = self._close_frame()
            if missing:
                raise FileFormatError(
                    f"frame {self._frame} has no values for bone {missing}",
                    where=f"{self.file}, line {number}",
                    remedy="every frame must move every bone",
                )
            if frame <= self._frame:
                raise FileFormatError(
                    f"frame {frame} follows frame {self._frame}",
                    where=f"{self.file}, line {number}", remedy="frame numbers must increase",
                )  # fmt: skip
            if frame != self._frame + 1 and not self._gap:
                self._gap = True
                self.notes.append(f"frame numbers jump from {self._frame} to {frame}.")
        self._frame = frame
        self._row = [0.0] * self._width
        self._seen = set()

    def _close_frame(self) -> str:
        """Keep the frame if it is whole, else name a bone that it lacks."""
        if self._seen >= self._wanted:
            self._numbers.extend(self._row)
            return ""
        return next(b.name for b in self.skeleton.bones if b.name in self._wanted - self._seen)

    def _bone(self, line: str, words: list[str], number: int) -> None:
        where, name = f"{self.file}, line {number}", words[0]
        place = self._places.get(name)
        if self._frame is None or place is None:
            if self._frame is None:
                what = f"{quote_word(name)} stands before the first frame number"
                raise FileFormatError(what, where=where, remedy="this is not an AMC file")
            what = f"{quote_word(name)} is no bone of the skeleton"
            raise FileFormatError(what, where=where, remedy="is this the right .asf?")
        start, count = place
        if len(words) != count + 1:
            raise FileFormatError(
                f"bone {name} has {len(words) - 1} numbers in frame {self._frame}", where=where,
                remedy=f"the skeleton gives it {count}",
            )  # fmt: skip
        if name in self._seen:
            raise FileFormatError(f"bone {name} is twice in frame {self._frame}", where=where)
        self._seen.add(name)
        # `float` also takes words that are no decimals; those have letters, `_` or no ASCII.
        try:
            row = [float(word) for word in words[1:]]
            plain = line.isascii() and "_" not in line
        except ValueError:
            plain = False
        if not plain or not all(-LARGEST_NUMBER <= value <= LARGEST_NUMBER for value in row):
            what = f"a value of bone {name} in frame {self._frame}"
            row = [to_number(word, what, where) for word in words[1:]]
        self._row[start : start + count] = row

    def _end_file(self) -> None:
        if self._frame is not None and self._close_frame():
            self.notes.append(f"the last frame ({self._frame}) is cut short and left out.")
        if not self._numbers:
            raise FileFormatError(
                "there is no whole frame", where=self.file, remedy="the file may be cut off"
            )


def _lines(path: Path) -> Iterator[str]:
    """Yield the file's lines, read block by block."""
    left = b""
    for block in text_blocks(path):
        data = left + block
        cut = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
        if cut == 0 and len(data) > 2 * BLOCK_BYTES:
            raise FileFormatError("no line ends in megabytes of text", where=path.name)
        if cut:
            yield from decode_text(data[:cut]).split("\n")[:-1]
        left = data[cut:]
    yield decode_text(left)


def _assemble(
    skeleton: AcclaimSkeleton, values: Floats, fps: float, path: Path, size: int, notes: list[str]
) -> RawMotion:
    from footfall.files.bvh.number_kernels import channels_to_transforms

    bones, parents = skeleton.bones, skeleton.parents
    frames = max(len(values), 1)
    if frames * len(bones) * 32 > max(1 << 30, 64 * size):
        raise FileFormatError(
            f"its {len(bones)} bones would need memory out of proportion to the file",
            where=path.name,
        )
    offsets = np.array([bones[p].reach if p >= 0 else skeleton.position for p in parents])
    offsets = offsets.reshape(-1, 3).astype(np.float64)
    leaves = sorted(set(range(len(bones))) - set(parents))
    ends = [b for b in leaves if bones[b].reach.any()]
    columns, axes, begin = _turns(bones)
    rotations = np.empty((frames, len(bones), 4))
    channels_to_transforms(
        values, begin, columns, axes, np.zeros((0, 3), np.int32), np.zeros((0, 3)),
        rotations, np.zeros((frames, 0, 3)),
    )  # fmt: skip
    into = np.array([bone.frame for bone in bones])
    for start in range(0, frames, _BLOCK_FRAMES):
        block = rotations[start : start + _BLOCK_FRAMES]
        block[:] = multiply(multiply(into, block), conjugate(into))
    return RawMotion(
        "acclaim", tuple(bone.name for bone in bones), np.array(parents, dtype=np.int32), offsets,
        np.array(ends, dtype=np.int32), np.array([bones[b].reach for b in ends]).reshape(-1, 3),
        rotations, _translations(skeleton, values, offsets), fps,
        unit_m=skeleton.unit_m, name=path.stem, notes=tuple(notes),
    )  # fmt: skip


def _turns(bones: list[Bone]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns, axes and beginnings for `channels_to_transforms`: the outermost rotation first."""
    columns, axes, begin, column = [], [], [0], 0
    for bone in bones:
        turns = [(column + i, "xyz".index(d[1])) for i, d in enumerate(bone.dofs) if d[0] == "r"]
        columns += [c for c, _ in reversed(turns)]
        axes += [a for _, a in reversed(turns)]
        begin.append(len(columns))
        column += len(bone.dofs)
    return tuple(np.array(v, dtype=np.int32) for v in (columns, axes, begin))  # type: ignore[return-value]


def _translations(skeleton: AcclaimSkeleton, values: Floats, offsets: Floats) -> dict[int, Floats]:
    """Joint -> (T, 3) translations of joints that are moved, or whose parent bone stretches."""
    moved: dict[int, Floats] = {}
    stretch: dict[int, Floats] = {}
    column = 0
    for index, bone in enumerate(skeleton.bones):
        shift = np.zeros((len(values), 3))
        for i, dof in enumerate(bone.dofs):
            if dof[0] == "t":
                shift[:, "xyz".index(dof[1])] = values[:, column + i]
            elif dof == "l":
                stretch[index] = values[:, column + i, None] * np.array(bone.direction)
        column += len(bone.dofs)
        moves = any(dof[0] == "t" for dof in bone.dofs)
        parent = skeleton.parents[index]
        if moves or index == 0 or parent in stretch:
            own = shift if index == 0 else rotate(bone.frame, shift)
            moved[index] = offsets[index] + own + stretch.get(parent, 0.0)
    return moved
