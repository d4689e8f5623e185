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
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.errors import FileFormatError
from footfall.files.bvh.header import Header, channel_plan, parse_header
from footfall.files.bvh.numbers import FrameArrays, Numbers
from footfall.files.intake.frame_rate import snapped_rate
from footfall.files.intake.raw import RawMotion
from footfall.files.options import ReadOptions
from footfall.files.text import (
    check_file,
    decode_text,
    line_ends,
    quote_word,
    text_blocks,
    to_count,
    to_number,
)
from footfall.maths.arrays import Floats

_HEADER_BYTES = 8 << 20
_TIMING_BYTES = 4096
_MOTION = re.compile(rb"(?:^|[\r\n}])[ \t]*MOTION(?=\s|$)", re.I)
_FRAMES = re.compile(rb"\s*Frames[ \t]*:?[ \t]*(\S*)", re.I)
_FRAME_TIME = re.compile(rb"\s*Frame[ \t_]*Time[ \t]*:?[ \t]*(\S*)", re.I)


@dataclass(frozen=True)
class Timing:
    """What stands between MOTION and the numbers: frames (None: not said), the rate, bytes used."""

    frames: int | None
    fps: float
    used: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Opened:
    """A file read up to its first number: `data[start]`, on `line`; more comes from `blocks`."""

    file: str
    size: int
    header: Header
    timing: Timing
    data: bytes
    start: int
    line: int
    blocks: Iterator[bytes]


def read(path: Path, options: ReadOptions) -> RawMotion:
    """Read a BVH file. Memory: the arrays it returns plus a few blocks of text."""
    opened = _open(path, options)
    header, timing = opened.header, opened.timing
    plan = channel_plan(header)
    notes = [*plan.notes, *timing.notes]
    if header.columns:
        frames = FrameArrays(plan, opened.size, timing.frames, len(header.columns), path.name)
        notes += _stream(opened, frames)
        rotations, translations = frames.finished()
    else:
        notes.append("no joint has channels; the clip is one frame of the rest pose.")
        rotations, translations = np.zeros((1, len(plan.names), 4)), np.zeros((1, 0, 3))
        rotations[..., 0] = 1.0
    moving = {
        joint: translations[:, p]
        for p, joint in enumerate(plan.movers)
        if joint == 0 or not _stays_at(translations[:, p], plan.offsets[joint])
    }
    return RawMotion(
        "bvh", plan.names, plan.parents, plan.offsets, plan.end_joints, plan.end_offsets,
        rotations, moving, timing.fps, name=path.stem, notes=tuple(notes),
    )  # fmt: skip


def _open(path: Path, options: ReadOptions) -> _Opened:
    """Read the header and the timing."""
    size = check_file(path)
    blocks = text_blocks(path)
    data, motion, after = _find_motion(blocks, path.name)
    header = parse_header(decode_text(data[:motion]), path.name)
    line = line_ends(data[:after]) + 1
    timing = _read_timing(data[after : after + _TIMING_BYTES], path.name, line, options)
    start = after + timing.used
    line += line_ends(data[after:start])
    return _Opened(path.name, size, header, timing, data, start, line, blocks)


def _stream(opened: _Opened, sink: FrameArrays) -> list[str]:
    """Send all frames to `sink`; gives notes on what differs from the header."""
    numbers = Numbers(opened.header.columns, sink, opened.file, opened.line)
    numbers.read_all(opened.data, opened.start, opened.blocks)
    return numbers.verdict(opened.timing.frames)


def _find_motion(blocks: Iterator[bytes], file: str) -> tuple[bytes, int, int]:
    """Return the text as far as it was read, and where the word MOTION begins and ends in it."""
    data = b""
    for block in blocks:
        searched = max(len(data) - 4096, 0)
        data += block
        match = _MOTION.search(data, searched)
        if match:
            while len(data) - match.end() < _TIMING_BYTES and (more := next(blocks, b"")):
                data += more
            return data, match.start() + 1, match.end()
        if len(data) > _HEADER_BYTES:
            break
    parse_header(decode_text(data[:_HEADER_BYTES]), file)
    raise FileFormatError(
        "there is no MOTION part", where=file, remedy="the file may be cut off in its hierarchy"
    )


def _read_timing(rest: bytes, file: str, line: int, options: ReadOptions) -> Timing:
    """Read `Frames:` and `Frame Time:`, in either order."""
    used, frames, seconds = 0, None, None
    for _ in range(2):
        # "Frame Time" must be tried first: "Frames" would not match it, but keeps it clear.
        if seconds is None and (match := _FRAME_TIME.match(rest, used)):
            seconds, used = match, match.end()
        elif frames is None and (match := _FRAMES.match(rest, used)):
            frames, used = match, match.end()

    def where(match: re.Match[bytes]) -> str:
        return f"{file}, line {line + line_ends(rest[: match.start(1)])}"

    notes = []
    count = None
    if frames is None:
        notes.append("the file does not say how many frames it has; all that are there are read.")
    else:
        count = to_count(decode_text(frames[1]), "the number of frames", where(frames))
    if options.fps is not None:
        return Timing(count, options.fps, used, tuple(notes))
    if seconds is None:
        raise FileFormatError(
            "there is no Frame Time", where=f"{file}, line {line + line_ends(rest[:used])}",
            remedy="it must follow Frames (or give the frame rate yourself)",
        )  # fmt: skip
    text = decode_text(seconds[1])
    value = to_number(text, "the Frame Time", where(seconds))
    if not 1e-5 <= value <= 10.0:
        raise FileFormatError(
            f"the Frame Time is {quote_word(text)}", where=where(seconds),
            remedy="it must be the seconds from one frame to the next, like 0.0333333",
        )  # fmt: skip
    return Timing(count, snapped_rate(value, text), used, tuple(notes))


def _stays_at(translations: Floats, offset: Floats) -> bool:
    """Return whether position channels only repeat OFFSET, as many exporters write them."""
    slack = 1e-6 * max(1.0, float(np.abs(offset).max()))
    return all(
        bool(np.all(np.abs(translations[i : i + 65536] - offset) <= slack))
        for i in range(0, len(translations), 65536)
    )
