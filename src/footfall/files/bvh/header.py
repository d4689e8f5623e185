"""The HIERARCHY part of a BVH file: a tree of joints and what each column of numbers drives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from footfall.errors import FileFormatError
from footfall.files.text import plain_name, quote_word, to_count, to_number
from footfall.maths.arrays import Floats, Ints

LARGEST_JOINTS = 20_000
"""Far above any character with fingers and face; bounds what a hostile file can ask for."""

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")

_WORD = re.compile(r"[{}]|[^\s{}]+")
_CHANNEL = re.compile(r"([xyz])(position|rotation|scale)", re.I)
_KEYWORDS = "JOINT, End Site, OFFSET, CHANNELS or }"


@dataclass
class HeaderJoint:
    """A joint as the header says it.

    rotations  (axis, column) of the rotation channels, in the file's order
    positions  axis -> column of the position channels
    """

    name: str
    parent: int
    line: int
    offset: tuple[float, float, float] | None = None
    channels: int | None = None
    rotations: list[tuple[int, int]] = field(default_factory=list)
    positions: dict[int, int] = field(default_factory=dict)


@dataclass
class Header:
    """All joints in the file's order, end sites as (joint, offset), and what each column is.

    unnamed  how many joints have no name and were given one
    scales   how many columns are scale channels, which nothing uses
    """

    joints: list[HeaderJoint] = field(default_factory=list)
    ends: list[tuple[int, tuple[float, float, float]]] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    unnamed: int = 0
    scales: int = 0


class Words:
    """The words of a text one after the other; braces are words of their own."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.line = 0
        self._lines: Iterator[str] = iter(text.split("\n"))
        self._waiting: list[str] = []

    def peek(self) -> str | None:
        """Return the next word without taking it; None at the end."""
        while not self._waiting:
            line = next(self._lines, None)
            if line is None:
                return None
            self.line += 1
            self._waiting = _WORD.findall(line)[::-1]
        return self._waiting[-1]

    def take(self, what: str) -> str:
        """Return the next word; `what` says what was expected when there is none."""
        word = self.peek()
        if word is None:
            raise FileFormatError(
                f"the file ends where {what} should be",
                where=self.where,
                remedy="it may be cut off",
            )
        self._waiting.pop()
        return word

    def rest_of_line(self) -> str:
        """Return the words up to the end of the line or a brace, as one name."""
        words = []
        while self._waiting and self._waiting[-1] not in "{}":
            words.append(self._waiting.pop())
        return plain_name(" ".join(words))

    def expect(self, word: str, after: str) -> None:
        """Take `word` or say what stands in its place."""
        given = self.take(f"{word!r} after {after}")
        if given.upper() != word:
            raise FileFormatError(
                f"{after} is followed by {quote_word(given)}",
                where=self.where,
                remedy=f"expected {word}",
            )

    def vector(self, what: str) -> tuple[float, float, float]:
        """Three numbers."""
        x, y, z = (to_number(self.take(what), what, self.where) for _ in range(3))
        return x, y, z

    @property
    def where(self) -> str:
        return f"{self.file}, line {max(self.line, 1)}"


def parse_header(text: str, file: str) -> Header:
    """Read everything before MOTION; a loop with a stack of its own, so depth costs nothing."""
    words = Words(text, file)
    header = Header()
    if (words.peek() or "").upper() != "HIERARCHY":
        raise FileFormatError(
            "the file does not begin with HIERARCHY", where=words.where, remedy="this is not BVH"
        )
    words.take("HIERARCHY")
    open_joints: list[int] = []
    while (word := words.peek()) is not None:
        words.take("a word")
        key = word.upper()
        if key in ("ROOT", "JOINT"):
            _open_joint(words, header, open_joints, key)
        elif not open_joints:
            raise FileFormatError(
                f"{quote_word(word)} stands outside the joints", where=words.where,
                remedy="expected ROOT or MOTION (is there a brace too many above?)",
            )  # fmt: skip
        elif key == "}":
            _check_joint(header.joints[open_joints.pop()], file)
        elif key == "END":
            _end_site(words, header, open_joints[-1])
        elif key == "OFFSET":
            joint = header.joints[open_joints[-1]]
            if joint.offset is not None:
                raise FileFormatError("a second OFFSET", where=f"{words.where}, joint {joint.name}")
            joint.offset = words.vector(f"the OFFSET of joint {joint.name}")
        elif key == "CHANNELS":
            _channels(words, header, header.joints[open_joints[-1]])
        else:
            raise FileFormatError(
                f"{quote_word(word)} in joint {header.joints[open_joints[-1]].name}",
                where=words.where, remedy=f"expected {_KEYWORDS}",
            )  # fmt: skip
    if open_joints:
        joint = header.joints[open_joints[-1]]
        raise FileFormatError(
            f"joint {joint.name} is not closed before MOTION", where=f"{file}, line {joint.line}",
            remedy="a closing brace is missing",
        )  # fmt: skip
    if not header.joints:
        raise FileFormatError("the hierarchy has no joints", where=file)
    return header


def _open_joint(words: Words, header: Header, open_joints: list[int], key: str) -> None:
    name, line = words.rest_of_line(), words.line
    if len(header.joints) >= LARGEST_JOINTS:
        raise FileFormatError(f"more than {LARGEST_JOINTS} joints", where=words.where)
    if (key == "ROOT") == bool(open_joints):
        place = "inside a joint" if open_joints else "outside a ROOT"
        raise FileFormatError(f"{key} {name} stands {place}", where=words.where)
    if not name:
        name = f"joint_{len(header.joints)}"
        header.unnamed += 1
    header.joints.append(HeaderJoint(name, open_joints[-1] if open_joints else -1, line))
    open_joints.append(len(header.joints) - 1)
    words.expect("{", f"{key} {name}")


def _check_joint(joint: HeaderJoint, file: str) -> None:
    if joint.offset is None:
        raise FileFormatError(
            f"joint {joint.name} has no OFFSET", where=f"{file}, line {joint.line}",
            remedy="every joint needs one",
        )  # fmt: skip


def _end_site(words: Words, header: Header, joint: int) -> None:
    words.rest_of_line()
    what = f"the End Site of joint {header.joints[joint].name}"
    words.expect("{", what)
    words.expect("OFFSET", what)
    header.ends.append((joint, words.vector(f"the OFFSET of {what}")))
    if len(header.ends) > LARGEST_JOINTS:
        raise FileFormatError(f"more than {LARGEST_JOINTS} End Sites", where=words.where)
    words.expect("}", what)


def _channels(words: Words, header: Header, joint: HeaderJoint) -> None:
    if joint.channels is not None:
        raise FileFormatError("a second CHANNELS", where=f"{words.where}, joint {joint.name}")
    what = f"the number of channels of joint {joint.name}"
    count = to_count(words.take(what), what, words.where)
    if count > 9:
        raise FileFormatError(f"{what} is {count}", where=words.where, remedy="9 is the most")
    joint.channels = count
    for _ in range(count):
        word = words.take(f"a channel of joint {joint.name}")
        match = _CHANNEL.fullmatch(word)
        if match is None:
            raise FileFormatError(
                f"joint {joint.name} has a channel {quote_word(word)}", where=words.where,
                remedy=f"it needs {count} of {', '.join(CHANNELS)}",
            )  # fmt: skip
        axis, kind = "xyz".index(match[1].lower()), match[2].lower()
        column = len(header.columns)
        header.columns.append(f"{match[1].upper()}{kind} of joint {joint.name}")
        if kind == "rotation":
            joint.rotations.append((axis, column))
        elif kind == "position":
            if axis in joint.positions:
                raise FileFormatError(f"joint {joint.name} has {word} twice", where=words.where)
            joint.positions[axis] = column
        else:
            header.scales += 1


# Which numbers of a frame drive which joints: from a BVH header to flat arrays.


@dataclass(frozen=True, eq=False)
class ChannelPlan:
    """Which columns drive which joints of the tree that is read.

    names, parents, offsets, end_joints, end_offsets   as in `RawMotion`
    begin (J+1,), columns, axes                         rotation channels joint by joint
    movers                                              joints with position channels
    place_columns (P, 3), places (P, 3)                 their columns (-1: none) and OFFSETs
    """

    names: tuple[str, ...]
    parents: Ints
    offsets: Floats
    end_joints: Ints
    end_offsets: Floats
    begin: Ints
    columns: Ints
    axes: Ints
    movers: tuple[int, ...]
    place_columns: Ints
    places: Floats
    notes: tuple[str, ...]


def channel_plan(header: Header) -> ChannelPlan:
    """Choose the tree and lay out its channels as flat arrays."""
    kept, notes = _largest_tree(header)
    index = {joint: i for i, joint in enumerate(kept)}
    joints = [header.joints[k] for k in kept]
    names, renamed = _distinct([j.name for j in joints])
    if renamed:
        notes.append(f"{renamed} joint names occurred more than once and were numbered.")
    if header.unnamed:
        notes.append(f"{header.unnamed} joints without a name were given one.")
    if header.scales:
        notes.append(f"{header.scales} scale channels are left out.")
    ends = [(index[j], e) for j, e in header.ends if j in index and any(v != 0.0 for v in e)]
    movers = tuple(i for i, j in enumerate(joints) if j.positions)
    turns = [turn for j in joints for turn in j.rotations]
    offsets = np.array([j.offset for j in joints], dtype=np.float64).reshape(-1, 3)
    return ChannelPlan(
        names=names,
        parents=np.array([index.get(j.parent, -1) for j in joints], dtype=np.int32),
        offsets=offsets,
        end_joints=np.array([j for j, _ in ends], dtype=np.int32),
        end_offsets=np.array([e for _, e in ends], dtype=np.float64).reshape(-1, 3),
        begin=np.cumsum([0, *(len(j.rotations) for j in joints)], dtype=np.int32),
        columns=np.array([column for _, column in turns], dtype=np.int32),
        axes=np.array([axis for axis, _ in turns], dtype=np.int32),
        movers=movers,
        place_columns=np.array(
            [[joints[m].positions.get(axis, -1) for axis in range(3)] for m in movers],
            dtype=np.int32,
        ).reshape(-1, 3),
        places=offsets[list(movers)],
        notes=tuple(notes),
    )


def _largest_tree(header: Header) -> tuple[list[int], list[str]]:
    """Return the joints of the largest root, and a note if there are several roots."""
    root_of: list[int] = []
    for i, joint in enumerate(header.joints):
        root_of.append(i if joint.parent < 0 else root_of[joint.parent])
    roots = sorted(set(root_of))
    if len(roots) == 1:
        return list(range(len(header.joints))), []
    largest = max(roots, key=root_of.count) if len(roots) < 100 else _most_common(root_of)
    note = (
        f"the file has {len(roots)} roots; only {header.joints[largest].name}, "
        "the one with the most joints, is read."
    )
    return [i for i, root in enumerate(root_of) if root == largest], [note]


def _most_common(values: list[int]) -> int:
    return int(np.bincount(values).argmax())


def _distinct(names: list[str]) -> tuple[tuple[str, ...], int]:
    """Return the names with `.2`, `.3` … appended where they repeat, and how many were changed."""
    taken, result, renamed = set(names), [], 0
    seen: dict[str, int] = {}
    for name in names:
        count = seen[name] = seen.get(name, 0) + 1
        new = name
        while count > 1 and new in taken:
            new = f"{name}.{count}"
            count += 1
        if new != name:
            seen[name] = count - 1
            renamed += 1
            taken.add(new)
        result.append(new)
    return tuple(result), renamed
