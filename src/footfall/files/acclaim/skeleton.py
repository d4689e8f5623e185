"""Acclaim skeletons (.asf): bones with a direction and a length, made into joints and offsets.

An Acclaim bone starts where its parent ends. Here each bone becomes a joint at its start; its end
is where its children's joints are, or an end site where it has none. At rest all joint frames lie
along the world's axes, so offsets are simply direction times length.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from footfall.errors import FileFormatError, choices
from footfall.files.text import plain_name, quote_word, read_text, to_number
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import from_euler

_LARGEST_BYTES = 4 << 20
_LARGEST_BONES = 20_000
_DOFS = ("tx", "ty", "tz", "rx", "ry", "rz", "l")
_INCH_M = 0.0254
_Line = tuple[int, list[str]]


@dataclass
class Bone:
    """A bone (or the root, whose length is zero) as the file says it.

    direction  (3,) unit, in the world at rest;  length in file units
    axis       (3,) Euler angles of the frame its motion is given in, radians, in `order`
    dofs       what an AMC line gives for it, in that order: tx ty tz rx ry rz l
    """

    name: str
    line: int
    direction: tuple[float, float, float] | None = None
    length: float | None = None
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)
    order: str = "XYZ"
    dofs: tuple[str, ...] = ()

    @property
    def frame(self) -> Floats:
        """(4,) the rotation of the motion's frame; "XYZ" turns about x first, so x is last."""
        return from_euler(self.axis[::-1], self.order[::-1])

    @property
    def reach(self) -> Floats:
        """(3,) from the bone's start to its end at rest, file units."""
        return np.array(self.direction or (0.0, 0.0, 0.0)) * (self.length or 0.0)


@dataclass
class AcclaimSkeleton:
    """bones with the root first and parents before children, and the file's units."""

    bones: list[Bone]
    parents: list[int]
    position: tuple[float, float, float]
    unit_m: float | None
    degrees: bool
    name: str
    notes: list[str] = field(default_factory=list)


def read_skeleton(path: Path) -> AcclaimSkeleton:
    """Read an .asf file."""
    sections = _sections(read_text(path, _LARGEST_BYTES), path.name)
    for needed in ("root", "bonedata", "hierarchy"):
        if needed not in sections:
            raise FileFormatError(
                f"there is no :{needed} section", where=path.name, remedy="this is not a whole ASF"
            )
    units = {words[0].lower(): (line, words[1:]) for line, words in sections.get("units", [])}
    degrees = not (units.get("angle", (0, ["deg"]))[1] or ["deg"])[0].lower().startswith("rad")
    root, position = _root(sections["root"], path.name, degrees)
    bones = _bones(sections["bonedata"], path.name, degrees)
    ordered, parents = _order_bones(sections["hierarchy"], root, bones, path.name)
    notes = []
    if len(ordered) <= len(bones):
        lost = len(bones) + 1 - len(ordered)
        notes.append(f"{lost} bones of {path.name} are not in its hierarchy and are left out.")
    name = " ".join(sections["name"][0][1]) if sections.get("name") else ""
    unit_m = _unit_m(units.get("length"), path.name)
    return AcclaimSkeleton(
        ordered, parents, position, unit_m, degrees, plain_name(name) or path.stem, notes
    )


def _unit_m(length: tuple[int, list[str]] | None, file: str) -> float | None:
    """Metres per unit: values divided by the stated length are inches (CMU's custom)."""
    if length is None or not length[1]:
        return None
    where = f"{file}, line {length[0]}"
    value = to_number(length[1][0], "the unit of length", where)
    if not 1e-6 <= value <= 1e6:
        raise FileFormatError(f"the unit of length is {value:g}", where=where, remedy="like 0.45")
    return _INCH_M / value


def _sections(text: str, file: str) -> dict[str, list[_Line]]:
    """Section name -> its lines as (line number, words); words after the name are a first line."""
    sections: dict[str, list[_Line]] = {}
    current: list[_Line] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0].startswith(":"):
            name = words.pop(0)[1:].lower()
            if name in sections:
                raise FileFormatError(
                    f"a second section :{plain_name(name)[:20]}", where=f"{file}, line {number}"
                )
            current = sections[name] = []
        if current is None:
            raise FileFormatError(
                f"{quote_word(words[0])} stands before any section", where=f"{file}, line {number}",
                remedy="an ASF file begins with :version, :name, :units …",
            )  # fmt: skip
        if words:
            current.append((number, words))
    return sections


def _root(lines: list[_Line], file: str, degrees: bool) -> tuple[Bone, tuple[float, float, float]]:
    root = Bone("root", 0, (0.0, 0.0, 0.0), 0.0)
    position = angles = (0.0, 0.0, 0.0)
    for number, words in lines:
        where, key = f"{file}, line {number}", words[0].lower()
        if key == "order":
            root.dofs = _dofs(words[1:], "root", where)
        elif key == "axis":
            root.order = _order(words[1:], "root", where)
        elif key == "position":
            position = _vector(words[1:], "the root's position", where)
        elif key == "orientation":
            angles = _vector(words[1:], "the root's orientation", where)
    root.axis = _radians(angles, degrees)
    return root, position


def _bones(lines: list[_Line], file: str, degrees: bool) -> dict[str, Bone]:
    bones: dict[str, Bone] = {}
    for block in _blocks(lines, file):
        bone = Bone("", block[0][0])
        for number, words in block:
            _bone_line(bone, words, f"{file}, line {number}", degrees)
        where = f"{file}, line {bone.line}"
        if not bone.name:
            raise FileFormatError("a bone has no name", where=where)
        if bone.name in bones or bone.name == "root":
            raise FileFormatError(
                f"bone {bone.name} occurs twice", where=where, remedy="names must differ"
            )
        if bone.direction is None or bone.length is None:
            missing = "direction" if bone.direction is None else "length"
            raise FileFormatError(f"bone {bone.name} has no {missing}", where=where)
        bones[bone.name] = bone
        if len(bones) > _LARGEST_BONES:
            raise FileFormatError(f"more than {_LARGEST_BONES} bones", where=where)
    return bones


def _blocks(lines: list[_Line], file: str) -> Iterator[list[_Line]]:
    """Yield the lines between each `begin` and `end`."""
    block: list[_Line] | None = None
    for number, words in lines:
        where, key = f"{file}, line {number}", words[0].lower()
        if key == "begin":
            if block is not None:
                raise FileFormatError("begin before the last one ended", where=where)
            block = []
        elif block is None:
            raise FileFormatError(
                f"{quote_word(words[0])} stands outside begin and end",
                where=where,
                remedy="expected begin",
            )
        elif key == "end":
            if block:
                yield block
            block = None
        else:
            block.append((number, words))
    if block is not None:
        raise FileFormatError("begin without end", where=file, remedy="the file may be cut off")


def _bone_line(bone: Bone, words: list[str], where: str, degrees: bool) -> None:
    key = words[0].lower()
    name = bone.name or "without a name"
    if key == "name":
        bone.name = plain_name(" ".join(words[1:]))
    elif key == "direction":
        x, y, z = _vector(words[1:], f"the direction of bone {name}", where)
        size = math.sqrt(x * x + y * y + z * z)
        scale = 1.0 / size if size > 0.0 else 0.0
        bone.direction = (x * scale, y * scale, z * scale)
    elif key == "length":
        if len(words) != 2:
            raise FileFormatError(f"bone {name} needs one length", where=where)
        bone.length = to_number(words[1], f"the length of bone {name}", where)
    elif key == "axis":
        bone.axis = _radians(_vector(words[1:4], f"the axis of bone {name}", where), degrees)
        bone.order = _order(words[4:] or ["XYZ"], f"bone {name}", where)
    elif key == "dof":
        bone.dofs = _dofs(words[1:], f"bone {name}", where)


def _order_bones(
    lines: list[_Line], root: Bone, bones: dict[str, Bone], file: str
) -> tuple[list[Bone], list[int]]:
    """Return the bones that hang on the root, depth first, with the indices of their parents."""
    children: dict[str, list[str]] = {}
    has_parent: set[str] = set()
    for block in _blocks(lines, file):
        for number, words in block:
            where = f"{file}, line {number}"
            for word in words:
                if word != "root" and word not in bones:
                    near = choices(list(bones)[:8], word)
                    raise FileFormatError(
                        f"the hierarchy names {quote_word(word)}, which is no bone", where=where,
                        remedy=near[:120],
                    )  # fmt: skip
            for word in words[1:]:
                if word in has_parent or word == "root":
                    raise FileFormatError(
                        f"{word} has two parents or is its own ancestor", where=where
                    )
                has_parent.add(word)
            children.setdefault(words[0], []).extend(words[1:])
    ordered, parents, stack = [], [], [("root", -1)]
    while stack:
        name, parent = stack.pop()
        ordered.append(bones[name] if name != "root" else root)
        parents.append(parent)
        here = len(ordered) - 1
        stack.extend((child, here) for child in reversed(children.get(name, [])))
    return ordered, parents


def _vector(words: list[str], what: str, where: str) -> tuple[float, float, float]:
    if len(words) != 3:
        raise FileFormatError(f"{what} has {len(words)} numbers", where=where, remedy="it needs 3")
    x, y, z = (to_number(word, what, where) for word in words)
    return x, y, z


def _radians(angles: tuple[float, float, float], degrees: bool) -> tuple[float, float, float]:
    x, y, z = (math.radians(a) if degrees else a for a in angles)
    return x, y, z


def _order(words: list[str], what: str, where: str) -> str:
    order = "".join(words).upper()
    if not re.fullmatch("XYZ|XZY|YXZ|YZX|ZXY|ZYX", order):
        raise FileFormatError(
            f"the axis order of {what} is {quote_word(order)}", where=where, remedy="it is like XYZ"
        )
    return order


def _dofs(words: Iterable[str], what: str, where: str) -> tuple[str, ...]:
    dofs = tuple(word.lower() for word in words)
    for dof in dofs:
        if dof not in _DOFS or dofs.count(dof) > 1:
            raise FileFormatError(
                f"{what} has a degree of freedom {quote_word(dof)}", where=where,
                remedy=f"each of {', '.join(_DOFS)} may occur once",
            )  # fmt: skip
    return dofs
