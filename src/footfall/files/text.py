"""Helpers of the text formats: reading in blocks, encodings, numbers, places for messages."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from footfall.errors import FileFormatError, InputError
from footfall.safe_open import check_regular, open_regular

BLOCK_BYTES = 2 << 20
"""How much of a file is held as text at a time."""

LARGEST_NUMBER = 1e9
"""No unit of length or angle makes a person's motion reach this; beyond it sines lose meaning."""

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan\b.*|inf(inity)?|\d*\.?\d*#(qnan|snan|ind|inf).*)", re.I)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def check_file(path: Path) -> int:
    """Return the size of a regular, readable, non-empty file in bytes, or refuse it."""
    size = check_regular(path).st_size
    if size == 0:
        raise FileFormatError("the file is empty", where=path.name)
    return size


def text_blocks(path: Path, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Yield the file in blocks of bytes that are ASCII where it matters.

    UTF-16 and UTF-32 (by their mark, or by the pattern of zero bytes) come out as UTF-8; UTF-8
    and one-byte encodings come out as they are, without the mark. `decode_text` tells those apart.
    """
    where = path.name
    try:
        with open_regular(path) as file:
            block = file.read(block_bytes)
            mark, encoding = _encoding_of(block[:4096], where)
            block = block[mark:]
            decoder = None
            if encoding != "utf-8":
                decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
            while block:
                text = (
                    block if decoder is None else decoder.decode(block).encode("utf-8", "replace")
                )
                if text:
                    yield text
                block = file.read(block_bytes)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"cannot be read ({reason})", where=where) from None


def read_text(path: Path, largest_bytes: int) -> str:
    """Return the whole file as text; for files that are small by nature."""
    if check_file(path) > largest_bytes:
        raise FileFormatError(
            f"the file is larger than {largest_bytes >> 20} MB", where=path.name,
            remedy="no file of its kind is that large",
        )  # fmt: skip
    return decode_text(b"".join(text_blocks(path)))


def decode_text(data: bytes) -> str:
    """Text from UTF-8, else from Latin-1 (which never fails); line ends become `\\n`."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def line_ends(data: bytes) -> int:
    """Return the number of lines that end in `data`, by LF, CR LF or CR."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def quote_word(token: str, length: int = 24) -> str:
    """Return a word of a file in quotes, printable and short enough for a message."""
    return repr(token if len(token) <= length else token[:length] + "…")


def plain_name(words: str) -> str:
    """Return a joint's name without characters that would break a line or a terminal."""
    return "".join(c for c in words[:400] if c.isprintable())[:80]


def to_number(token: str, what: str, where: str) -> float:
    """Return a finite decimal, or refuse the word and name its meaning."""
    if _DECIMAL.fullmatch(token) and len(token) <= 4096:
        value = float(token)
        if abs(value) <= LARGEST_NUMBER:
            return value
        raise FileFormatError(
            f"{what} is {quote_word(token)}", where=where, remedy="that is too large"
        )
    if _NOT_FINITE.fullmatch(token):
        raise FileFormatError(
            f"{what} is {quote_word(token)}", where=where, remedy="it must be a finite number"
        )
    if _DECIMAL_COMMA.fullmatch(token):
        raise FileFormatError(
            f"{what} is {quote_word(token)}", where=where,
            remedy="write decimals with a point, not a comma",
        )  # fmt: skip
    raise FileFormatError(
        f"{what} is {quote_word(token)}", where=where, remedy="it must be a number"
    )


def to_count(token: str, what: str, where: str) -> int:
    """Return a whole number from 0; large ones are given back as they are and never trusted."""
    if re.fullmatch(r"\+?\d{1,18}(\.0*)?", token, re.ASCII):
        return int(token.split(".")[0])
    raise FileFormatError(
        f"{what} is {quote_word(token)}", where=where, remedy="it must be a whole number from 0"
    )


def _encoding_of(head: bytes, where: str) -> tuple[int, str]:
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return len(mark), encoding
    zeros_even, zeros_odd = head[0::2].count(0), head[1::2].count(0)
    half = max(len(head) // 2, 1)
    if zeros_odd > 0.6 * half and zeros_even < 0.1 * half:
        return 0, "utf-16-le"
    if zeros_even > 0.6 * half and zeros_odd < 0.1 * half:
        return 0, "utf-16-be"
    if zeros_even + zeros_odd:
        raise FileFormatError("this is not a text file (it holds zero bytes)", where=where)
    return 0, "utf-8"
