"""The numbers after a BVH header, parsed block by block straight into the final arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FileFormatError
from footfall.files.bvh.header import ChannelPlan
from footfall.files.text import BLOCK_BYTES, LARGEST_NUMBER, decode_text, line_ends, to_number
from footfall.maths.arrays import Floats

_TWO_THREADS_FROM = 1 << 18
_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_CUT_NUMBER = re.compile(rb"[+-]|[+-]?\.|[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?")

_Parsed = tuple[Floats, NDArray[np.int64], list[int]]
"""Numbers, words left open (see `parse_numbers`), and what was seen of the lines."""


class FrameArrays:
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
        from footfall.files.bvh.number_kernels import channels_to_transforms

        start, stop = self._count, self._count + len(values)
        if stop > self._room:
            self._room = max(stop, self._room + self._room // 4)
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
        """Return (T, J, 4) rotations and (T, P, 3) translations."""
        if self._count != self._room:
            self._resize(self._count)
        return self._rotations, self._translations


class Numbers:
    """The stream of numbers after the header, with the line structure kept in view."""

    def __init__(self, columns: list[str], sink: FrameArrays, file: str, line: int) -> None:
        self._columns, self._sink, self._file = columns, sink, file
        self._line, self._in_line, self._total = line, 0, 0
        self._odd_lines, self._odd = 0, (0, 0, 0)
        self._left: Floats = np.empty(0)
        self._cut = False

    def read_all(self, first: bytes, start: int, blocks: Iterator[bytes]) -> None:
        """Parse `first[start:]` and all blocks; after this `verdict` says whether it fits."""
        pool = None
        try:
            data, following = first, next(blocks, b"")
            if len(first) + len(following) >= _TWO_THREADS_FROM:
                pool = ThreadPoolExecutor(1)
            while following:
                cut = _last_white_space(data, start)
                self._take(data, start, cut, pool)
                if len(data) - cut > 2 * BLOCK_BYTES:
                    where = f"{self._file}, line {self._line}"
                    raise FileFormatError("no white space in megabytes of text", where=where)
                data, start = b"".join((memoryview(data)[cut:], following)), 0
                following = next(blocks, b"")
            self._take_last(data, start, pool)
        finally:
            if pool is not None:
                pool.shutdown()

    def _take_last(self, data: bytes, start: int, pool: ThreadPoolExecutor | None) -> None:
        """Parse the end of the file, without a last word that is a number cut short."""
        stop = _last_white_space(data, start)
        self._take(data, start, stop, pool)
        last = data[stop:]
        if _CUT_NUMBER.fullmatch(last):
            self._cut, last = True, b""
        # The last line need not have an end, so it is given one.
        self._take(last + b"\n", 0, len(last) + 1, None)

    def _take(self, data: bytes, start: int, stop: int, pool: ThreadPoolExecutor | None) -> None:
        """Parse `data[start:stop]`, which ends in white space, and hand whole frames on."""
        if stop == start:
            return
        text = np.frombuffer(data, dtype=np.uint8)
        half = stop if pool is None else _white_space_from(data, (start + stop) // 2, stop)
        other = pool.submit(self._parse, text, half, stop) if pool and half < stop else None
        parts = [self._account(data, start, self._parse(text, start, half))]
        if other is not None:
            parts.append(self._account(data, half, other.result()))
        values = np.concatenate([self._left, *parts])
        width = len(self._columns)
        whole = len(values) // width
        if whole:
            self._sink.add(values[: whole * width].reshape(whole, width), pool)
        self._left = values[whole * width :].copy()

    def _parse(self, text: NDArray[np.uint8], start: int, stop: int) -> _Parsed:
        from footfall.files.bvh.number_kernels import POWERS, POWERS_OF_FIVE, parse_numbers

        room = (stop - start + 1) // 2
        numbers, hard = np.empty(room), np.empty((room, 3), np.int64)
        lines = np.zeros(7, np.int64)
        lines[0] = len(self._columns)
        count, hard_count = parse_numbers(
            text, start, stop, LARGEST_NUMBER, POWERS, POWERS_OF_FIVE, numbers, hard, lines
        )
        return numbers[:count], hard[:hard_count], lines.tolist()

    def _account(self, data: bytes, start: int, parsed: _Parsed) -> Floats:
        """Read the words the kernel left open, and keep count of lines."""
        numbers, hard, lines = parsed
        for index, first, last in hard.tolist():
            word = data[first:last]
            if _DECIMAL.fullmatch(word) and abs(value := float(word)) <= LARGEST_NUMBER:
                numbers[index] = value
                continue
            line = self._line + line_ends(data[start:first])
            frame, column = divmod(self._total + index, len(self._columns))
            what = f"{self._columns[column]} in frame {frame}"
            numbers[index] = to_number(decode_text(word), what, f"{self._file}, line {line}")
        self._count_lines(lines)
        self._total += len(numbers)
        return numbers

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
        if self._cut and not over:
            notes.append("the file ends in the middle of a number, which is left out.")
        if over:
            notes.append(f"the last frame is cut short ({over} of {width} numbers) and left out.")
        if stated is not None and stated != whole:
            notes.append(
                f"the header says {stated} frames but the file holds {whole}; those are used."
            )
        return notes


def _last_white_space(data: bytes, start: int) -> int:
    """Return the place after the last white space from `start` on (`start` if there is none).

    A carriage return at the very end does not count: a line feed may follow it.
    """
    last = max(data.rfind(c, start) for c in (b"\n", b" ", b"\t"))
    return max(last, data.rfind(b"\r", start, len(data) - 1)) + 1 or start


def _white_space_from(data: bytes, start: int, stop: int) -> int:
    """Return the first place after white space (no carriage return) at or after `start`."""
    found = [p + 1 for p in (data.find(c, start, stop) for c in (b" ", b"\n", b"\t")) if p >= 0]
    return min(found, default=stop)
