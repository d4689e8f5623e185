"""Reading BVH: text in blocks, numbers and rotations straight into the final arrays.

Decisions, where BVH files in the world differ:
* position channels replace the joint's OFFSET; an axis without a channel keeps the OFFSET's value
* rotation channels apply in the order written: R = R_first R_second R_third
* of several ROOTs the one with the most joints is read, and a note says so
* joints are told apart by their place, so equal names are made different, and a note says so
* the numbers decide how many frames there are, not the header
* a last frame that is cut short is left out; a line of wrong length elsewhere is an error
* an End Site of zero length says nothing and is left out
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.errors import FileFormatError
from footfall.files.bvh_header import Header, parse_header
from footfall.files.frame_rate import snapped_rate
from footfall.files.options import ReadOptions
from footfall.files.raw import RawMotion
from footfall.files.text import (
    LARGEST_NUMBER,
    check_file,
    clipped,
    decoded,
    text_blocks,
    to_count,
    to_number,
)
from footfall.maths.arrays import Floats, Ints

_HEADER_BYTES = 8 << 20
_TWO_THREADS_FROM = 1 << 18
_MOTION = re.compile(rb"(?:^|[\r\n}])[ \t]*MOTION(?=\s|$)", re.I)
_FRAMES = re.compile(rb"\s*Frames[ \t]*:?[ \t]*(\S*)", re.I)
_FRAME_TIME = re.compile(rb"\s*Frame[ \t_]*Time[ \t]*:?[ \t]*(\S*)", re.I)
_CUT_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.)?([eE][+-]?)?", re.ASCII)


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


@dataclass(frozen=True)
class Timing:
    """What stands between MOTION and the numbers: frames (None: not said), the rate, bytes used."""

    frames: int | None
    fps: float
    used: int
    notes: tuple[str, ...]


def read(path: Path, options: ReadOptions) -> RawMotion:
    """Read a BVH file. Memory: the arrays it returns plus a few blocks of text."""
    size = check_file(path)
    blocks = text_blocks(path)
    head, rest = _split_at_motion(blocks, path.name)
    header = parse_header(decoded(head), path.name)
    plan = channel_plan(header)
    first_line = _line_ends(head) + 1
    timing = _timing(rest, path.name, first_line, options)
    notes = [*plan.notes, *timing.notes]
    if not header.columns:
        notes.append("No joint has channels; the clip is one frame of the rest pose.")
        rotations, translations = np.zeros((1, len(plan.names), 4)), np.zeros((1, 0, 3))
        rotations[..., 0] = 1.0
    else:
        line = first_line + _line_ends(rest[: timing.used])
        frames = _Frames(plan, size, timing.frames, len(header.columns), path.name)
        stream = _Numbers(header, plan, frames, path.name, line)
        stream.read_all(rest[timing.used :], blocks)
        notes += stream.verdict(timing.frames)
        rotations, translations = frames.finished()
    moving = {
        joint: translations[:, p]
        for p, joint in enumerate(plan.movers)
        if joint == 0 or not _stays_at(translations[:, p], plan.offsets[joint])
    }
    return RawMotion(
        "bvh", plan.names, plan.parents, plan.offsets, plan.end_joints, plan.end_offsets,
        rotations, moving, timing.fps, name=path.stem, notes=tuple(notes),
    )  # fmt: skip


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
    """The joints of the root with the most of them, and a note if there are several roots."""
    root_of: list[int] = []
    for i, joint in enumerate(header.joints):
        root_of.append(i if joint.parent < 0 else root_of[joint.parent])
    roots = sorted(set(root_of))
    if len(roots) == 1:
        return list(range(len(header.joints))), []
    largest = max(roots, key=root_of.count) if len(roots) < 100 else _most_common(root_of)
    note = (
        f"The file has {len(roots)} roots; only {header.joints[largest].name}, "
        "the one with the most joints, is read."
    )
    return [i for i, root in enumerate(root_of) if root == largest], [note]


def _most_common(values: list[int]) -> int:
    return int(np.bincount(values).argmax())


def _distinct(names: list[str]) -> tuple[tuple[str, ...], int]:
    """The names with `.2`, `.3` … appended where they repeat, and how many were changed."""
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


def _split_at_motion(blocks: Iterator[bytes], file: str) -> tuple[bytes, bytes]:
    """The bytes before MOTION, and those after it as far as they were read."""
    data = b""
    for block in blocks:
        searched = max(len(data) - 4096, 0)
        data += block
        match = _MOTION.search(data, searched)
        if match:
            rest = data[match.end() :]
            return data[: match.start() + 1], rest + (
                next(blocks, b"") if len(rest) < 4096 else b""
            )
        if len(data) > _HEADER_BYTES:
            break
    parse_header(decoded(data[:_HEADER_BYTES]), file)
    raise FileFormatError(
        "there is no MOTION part", where=file, remedy="the file may be cut off in its hierarchy"
    )


def _timing(rest: bytes, file: str, line: int, options: ReadOptions) -> Timing:
    """Read `Frames:` and `Frame Time:`, in either order."""
    used, frames, seconds = 0, None, None
    for _ in range(2):
        # "Frame Time" must be tried first: "Frames" would not match it, but keeps it clear.
        if seconds is None and (match := _FRAME_TIME.match(rest, used)):
            seconds, used = match, match.end()
        elif frames is None and (match := _FRAMES.match(rest, used)):
            frames, used = match, match.end()

    def where(match: re.Match[bytes]) -> str:
        return f"{file}, line {line + _line_ends(rest[: match.start(1)])}"

    notes = []
    count = None
    if frames is None:
        notes.append("The file does not say how many frames it has; all that are there are read.")
    else:
        count = to_count(decoded(frames[1]), "the number of frames", where(frames))
    if options.fps is not None:
        return Timing(count, options.fps, used, tuple(notes))
    if seconds is None:
        raise FileFormatError(
            "there is no Frame Time", where=f"{file}, line {line + _line_ends(rest[:used])}",
            remedy="it must follow Frames (or give the frame rate yourself)",
        )  # fmt: skip
    text = decoded(seconds[1])
    value = to_number(text, "the Frame Time", where(seconds))
    if not 1e-5 <= value <= 10.0:
        raise FileFormatError(
            f"the Frame Time is {clipped(text)}", where=where(seconds),
            remedy="it must be the seconds from one frame to the next, like 0.0333333",
        )  # fmt: skip
    return Timing(count, snapped_rate(value, text), used, tuple(notes))


def _line_ends(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _stays_at(translations: Floats, offset: Floats) -> bool:
    """Whether a joint's position channels only repeat its OFFSET (many exporters write them)."""
    slack = 1e-6 * max(1.0, float(np.abs(offset).max()))
    return all(
        bool(np.all(np.abs(translations[i : i + 65536] - offset) <= slack))
        for i in range(0, len(translations), 65536)
    )


class _Frames:
    """The final arrays, filled block by block.

    The header's count is taken as a first size only where the file is long enough to hold it,
    so a hostile count costs nothing; the arrays grow and shrink in place.
    """

    def __init__(
        self, plan: ChannelPlan, size: int, stated: int | None, width: int, file: str
    ) -> None:
        self._plan, self._file, self._count = plan, file, 0
        joints, movers = len(plan.names), len(plan.movers)
        self._frame_bytes = 8 * (4 * joints + 3 * movers)
        self._largest_bytes = max(1 << 30, 64 * size)
        possible = size // (2 * width) + 1
        self._room = stated if stated is not None and 0 < stated <= possible else 256
        self._check(self._room)
        self._rotations = np.empty((self._room, joints, 4))
        self._translations = np.empty((self._room, movers, 3))

    def _check(self, frames: int) -> None:
        needed = frames * self._frame_bytes
        if needed > self._largest_bytes:
            raise FileFormatError(
                f"its {len(self._plan.names)} joints would need {needed / 1e9:.0f} GB, "
                "out of all proportion to the size of the file", where=self._file,
            )  # fmt: skip

    def add(self, values: Floats, pool: ThreadPoolExecutor | None) -> None:
        """Convert (F, C) channel values into the next F frames."""
        from footfall.files.number_kernels import channels_to_transforms

        start, stop = self._count, self._count + len(values)
        if stop > self._room:
            self._room = max(stop, self._room + self._room // 2)
            self._check(stop)
            self._resize(self._room)
        plan = self._plan

        def convert(a: int, b: int) -> None:
            channels_to_transforms(
                values[a:b], plan.begin, plan.columns, plan.axes, plan.place_columns, plan.places,
                self._rotations[start + a : start + b], self._translations[start + a : start + b],
            )  # fmt: skip

        if pool is None:
            convert(0, len(values))
        else:
            half = len(values) // 2
            other = pool.submit(convert, half, len(values))
            convert(0, half)
            other.result()
        self._count = stop

    def _resize(self, frames: int) -> None:
        joints, movers = len(self._plan.names), len(self._plan.movers)
        self._rotations.resize((frames, joints, 4), refcheck=False)
        self._translations.resize((frames, movers, 3), refcheck=False)

    def finished(self) -> tuple[Floats, Floats]:
        """(T, J, 4) rotations and (T, P, 3) translations."""
        if self._count != self._room:
            self._resize(self._count)
        return self._rotations, self._translations


class _Numbers:
    """The stream of numbers after the header, with the line structure kept in view."""

    def __init__(
        self, header: Header, plan: ChannelPlan, frames: _Frames, file: str, line: int
    ) -> None:
        self._columns, self._frames, self._file = header.columns, frames, file
        self._line, self._in_line, self._total = line, 0, 0
        self._odd_lines, self._odd = 0, (0, 0, 0)
        self._left: Floats = np.empty(0)

    def read_all(self, first: bytes, blocks: Iterator[bytes]) -> None:
        """Parse everything; after this `verdict` says whether it fits the header."""
        pool = None
        try:
            data = first
            following = next(blocks, b"")
            if len(first) + len(following) >= _TWO_THREADS_FROM:
                pool = ThreadPoolExecutor(1)
            while following:
                cut = max(data.rfind(b"\n"), data.rfind(b" "), data.rfind(b"\t")) + 1
                self._take(data, cut, pool, last=False)
                data = data[cut:] + following
                if cut == 0 and len(data) > _HEADER_BYTES:
                    raise FileFormatError(
                        "no white space in megabytes of text",
                        where=f"{self._file}, line {self._line}",
                    )
                following = next(blocks, b"")
            self._take(data + b"\n", len(data) + 1, pool, last=True)
        finally:
            if pool is not None:
                pool.shutdown()

    def _take(self, data: bytes, stop: int, pool: ThreadPoolExecutor | None, last: bool) -> None:
        """Parse `data[:stop]`, which ends in white space, and hand whole frames on."""
        if stop == 0:
            return
        text = np.frombuffer(data, dtype=np.uint8)
        half = _white_space_from(data, stop // 2, stop) if pool is not None else stop
        other = pool.submit(self._parse, text, half, stop) if pool and half < stop else None
        parts = [self._account(data, 0, self._parse(text, 0, half), last and other is None)]
        if other is not None:
            parts.append(self._account(data, half, other.result(), last))
        values = np.concatenate([self._left, *parts])
        width = len(self._columns)
        whole = len(values) // width
        if whole:
            self._frames.add(values[: whole * width].reshape(whole, width), pool)
        self._left = values[whole * width :].copy()

    def _parse(self, text: "np.ndarray[tuple[int], np.dtype[np.uint8]]", start: int, stop: int):  # type: ignore[no-untyped-def]
        from footfall.files.number_kernels import POWERS, parse_numbers

        room = (stop - start + 1) // 2
        numbers, hard = np.empty(room), np.empty((room, 3), np.int64)
        lines = np.zeros(7, np.int64)
        lines[0] = len(self._columns)
        count, hard_count = parse_numbers(
            text, start, stop, LARGEST_NUMBER, POWERS, numbers, hard, lines
        )
        return numbers[:count], hard[:hard_count], lines.tolist()

    def _account(self, data: bytes, start: int, parsed, last: bool) -> Floats:  # type: ignore[no-untyped-def]
        """Read the words the kernel left open, and keep count of lines."""
        numbers, hard, lines = parsed
        for index, a, b in hard.tolist():
            word = decoded(data[a:b])
            at_end = last and b == len(data) - 1 and index == len(numbers) - 1
            if at_end and _CUT_NUMBER.fullmatch(word) and not word[-1].isdigit():
                numbers = numbers[:-1]
                lines[1 if lines[0] == 0 else 2] -= 1
                break
            line = self._line + _line_ends(data[start:a])
            frame, column = divmod(self._total + index, len(self._columns))
            numbers[index] = to_number(
                word, f"{self._columns[column]} in frame {frame}", f"{self._file}, line {line}"
            )
        self._count_lines(lines)
        self._total += len(numbers)
        return numbers  # type: ignore[no-any-return]

    def _count_lines(self, lines: list[int]) -> None:
        ends, head, tail, odd_lines, odd_line, odd_count, odd_end = lines
        if ends == 0:
            self._in_line += head
            return
        self._end_line(self._line, self._in_line + head, self._total + head)
        if odd_lines and not self._odd_lines:
            self._odd = (self._line + odd_line, odd_count, self._total + odd_end)
        self._odd_lines += odd_lines
        self._line += ends
        self._in_line = tail

    def _end_line(self, line: int, count: int, total: int) -> None:
        if count not in (0, len(self._columns)):
            if not self._odd_lines:
                self._odd = (line, count, total)
            self._odd_lines += 1

    def verdict(self, stated: int | None) -> list[str]:
        """Notes on what differs from the header; an error where going on would be a guess."""
        width = len(self._columns)
        whole, over = divmod(self._total, width)
        line, count, total = self._odd
        cut_off = self._odd_lines == 1 and total == self._total and count < width
        wrapped = over == 0 and whole == stated
        if self._odd_lines and not cut_off and not wrapped:
            raise FileFormatError(
                f"the line holds {count} numbers", where=f"{self._file}, line {line}",
                remedy=f"a frame has {width}",
            )  # fmt: skip
        if whole == 0:
            raise FileFormatError(
                f"there is no whole frame after the header (a frame has {width} numbers)",
                where=self._file, remedy="the file may be cut off",
            )  # fmt: skip
        notes = []
        if over:
            notes.append(f"The last frame is cut short ({over} of {width} numbers) and left out.")
        if stated is not None and stated != whole:
            notes.append(
                f"The header says {stated} frames but the file holds {whole}; those are used."
            )
        return notes


def _white_space_from(data: bytes, start: int, stop: int) -> int:
    """The first place after white space (no carriage return) at or after `start`."""
    found = [p + 1 for p in (data.find(c, start, stop) for c in (b" ", b"\n", b"\t")) if p >= 0]
    return min(found, default=stop)
