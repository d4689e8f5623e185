"""Compiled loops over text and channels. Import this module lazily: it brings in numba."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from footfall.maths.jit_kernels import kernel

POWERS = 10.0 ** np.arange(23)
"""The powers of ten that doubles hold exactly."""

_LEAST_POWER, _LARGEST_POWER = -60, 40
_ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW_HALF = np.uint64(0xFFFFFFFF)


def _powers_of_five() -> NDArray[np.uint64]:
    """Return (101, 2) high and low words of 5^q for q = -60 … 40, scaled to 128 bits.

    Truncated, but reciprocals of powers that fit 64 bits are rounded up, so that `_rounded` knows
    a number exactly half way between two doubles.
    """
    words = []
    for q in range(_LEAST_POWER, _LARGEST_POWER + 1):
        power = 5 ** abs(q)
        bits = power.bit_length()
        if q >= 0:
            value = power << (128 - bits) if bits <= 128 else power >> (bits - 128)
        elif q >= -27:
            value = (1 << (bits + 127)) // power + 1
        else:
            value = (1 << (2 * bits + 128)) // power + 1
            value >>= value.bit_length() - 128
        words.append((value >> 64, value & 0xFFFFFFFFFFFFFFFF))
    return np.array(words, dtype=np.uint64)


POWERS_OF_FIVE = _powers_of_five()


@kernel
def _byte(text, i):  # type: ignore[no-untyped-def]
    """`text[i]` as an integer. An unsigned index spares the check for counting from the end,
    which takes a third of the time of parsing."""
    return np.int64(text[np.uint64(i)])


@kernel
def _product(a, b):  # type: ignore[no-untyped-def]
    """High and low words of the product of two unsigned 64-bit integers."""
    a1, a0 = a >> np.uint64(32), a & _LOW_HALF
    b1, b0 = b >> np.uint64(32), b & _LOW_HALF
    low, middle, other = a0 * b0, a1 * b0, a0 * b1
    carry = (low >> np.uint64(32)) + (middle & _LOW_HALF) + (other & _LOW_HALF)
    high = a1 * b1 + (middle >> np.uint64(32)) + (other >> np.uint64(32))
    return high + (carry >> np.uint64(32)), a * b


@kernel
def _rounded(mantissa, power, fives):  # type: ignore[no-untyped-def]
    """The double nearest to mantissa * 10^power, or -1 where this cannot tell.

    mantissa  unsigned, at most 19 digits and not 0
    power     from -60 to 40
    fives     POWERS_OF_FIVE
    Method: Eisel and Lemire (Lemire, "Number parsing at a gigabyte per second", 2021).
    """
    zeros = 0
    for step in (32, 16, 8, 4, 2, 1):
        if mantissa >> np.uint64(64 - step) == np.uint64(0):
            mantissa <<= np.uint64(step)
            zeros += step
    high, low = _product(mantissa, fives[power - _LEAST_POWER, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        more, _ = _product(mantissa, fives[power - _LEAST_POWER, 1])
        low += more
        if low < more:
            high += np.uint64(1)
    if low == _ALL_ONES:
        return -1.0
    upper = np.int64(high >> np.uint64(63))
    shift = np.uint64(upper + 9)
    bits = high >> shift
    # Exactly half way between two doubles: to the even one.
    half_way = low <= np.uint64(1) and -4 <= power <= 23 and bits & np.uint64(3) == np.uint64(1)
    if half_way and bits << shift == high:
        bits &= ~np.uint64(1)
    bits = (bits + (bits & np.uint64(1))) >> np.uint64(1)
    exponent = ((217706 * power) >> 16) + 63 + upper - zeros
    return math.ldexp(float(bits), exponent - 52)


@kernel
def parse_numbers(text, start, stop, limit, powers, fives, numbers, hard, lines):  # type: ignore[no-untyped-def]
    """Parse the white-space separated decimals in `text[start:stop]`.

    text     (N,) bytes; `text[stop - 1]` is white space, and no carriage return if it is the last
    limit    the largest magnitude accepted
    powers   POWERS;  fives  POWERS_OF_FIVE
    numbers  (M,) receives the values; M must be at least (stop - start + 1) // 2
    hard     (M, 3) receives index, first and last byte of words that are not read here: those
             with more than 19 digits or a far exponent (which `float` must round), those too
             large, and those that are no decimals at all
    lines    (7,) holds the expected count of numbers per line in `lines[0]`, and receives: line
             ends seen; numbers before the first and after the last of them; of the whole lines
             between whose count is neither 0 nor the expected one: how many there are, and of
             the first its index, its count and the count of all words up to its end
    Returns the count of words and of hard ones.

    A decimal of mantissa m <= 2^53 and power |p| <= 22 is m * 10^p or m / 10^-p rounded once,
    which is exactly what `float` gives (Clinger 1990); `_rounded` does the same for others.
    """
    expected = lines[0]
    count, hard_count = 0, 0
    ends, head, line_start = 0, 0, 0
    odd_lines, odd_line, odd_count, odd_end = 0, 0, 0, 0
    i = start
    while i < stop:
        c = _byte(text, i)
        if c <= 32:
            if c == 10 or (c == 13 and _byte(text, i + 1) != 10):
                in_line = count - line_start
                if ends == 0:
                    head = in_line
                elif in_line != 0 and in_line != expected:
                    if odd_lines == 0:
                        odd_line, odd_count, odd_end = ends, in_line, count
                    odd_lines += 1
                ends += 1
                line_start = count
            i += 1
            continue
        first = i
        negative = c == 45
        if negative or c == 43:
            i += 1
        mantissa = 0
        digits = 0
        c = _byte(text, i) - 48
        while 0 <= c <= 9:
            mantissa = mantissa * 10 + c
            digits += 1
            i += 1
            c = _byte(text, i) - 48
        power = 0
        if _byte(text, i) == 46:
            i += 1
            whole = i
            c = _byte(text, i) - 48
            while 0 <= c <= 9:
                mantissa = mantissa * 10 + c
                i += 1
                c = _byte(text, i) - 48
            power = whole - i
            digits -= power
        good = digits > 0
        if good and (_byte(text, i) | 32) == 101:
            i += 1
            minus = _byte(text, i) == 45
            if minus or _byte(text, i) == 43:
                i += 1
            exponent, exponent_from = 0, i
            c = _byte(text, i) - 48
            while 0 <= c <= 9:
                if exponent < 100000:
                    exponent = exponent * 10 + c
                i += 1
                c = _byte(text, i) - 48
            good = i > exponent_from
            power += -exponent if minus else exponent
        value = -1.0
        if good and _byte(text, i) <= 32:
            if digits <= 18 and mantissa <= 9007199254740992 and -23 < power < 23:
                value = float(mantissa)
                if power < 0:
                    value /= powers[np.uint64(-power)]
                else:
                    value *= powers[np.uint64(power)]
            elif _LEAST_POWER <= power <= _LARGEST_POWER and mantissa != 0:
                at = first
                c = _byte(text, at)
                while c == 43 or c == 45 or c == 46 or c == 48:  # a sign, a point, leading zeros
                    digits -= c == 48
                    at += 1
                    c = _byte(text, at)
                if digits <= 19:
                    value = _rounded(np.uint64(mantissa), power, fives)
        if 0.0 <= value <= limit:
            numbers[np.uint64(count)] = -value if negative else value
        else:
            while _byte(text, i) > 32:
                i += 1
            hard[hard_count, 0], hard[hard_count, 1], hard[hard_count, 2] = count, first, i
            hard_count += 1
            numbers[np.uint64(count)] = 0.0
        count += 1
    lines[0], lines[1], lines[2] = ends, head if ends else count, count - line_start
    lines[3], lines[4], lines[5], lines[6] = odd_lines, odd_line, odd_count, odd_end
    return count, hard_count


@kernel
def channels_to_transforms(  # type: ignore[no-untyped-def]
    values, begin, columns, axes, place_columns, places, rotations, translations
):
    """Turn channel values into local rotations and translations.

    values         (F, C) channels, angles in degrees
    begin          (J + 1,) where each joint's entries in `columns` and `axes` begin
    columns, axes  column and axis (0 x, 1 y, 2 z) of every rotation channel, in the joint's order
    place_columns  (P, 3) columns of the joints that move, -1 where they have none
    places         (P, 3) what stands in for a missing column
    rotations      (F, J, 4) and translations (F, P, 3) are filled
    """
    frames = values.shape[0]
    joints, movers = begin.shape[0] - 1, places.shape[0]
    half_degree = math.pi / 360.0
    for f in range(frames):
        for j in range(joints):
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            for k in range(begin[j], begin[j + 1]):
                half = values[f, np.uint64(columns[k])] * half_degree
                s, c = math.sin(half), math.cos(half)
                axis = axes[k]
                if axis == 0:
                    w, x, y, z = w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s
                elif axis == 1:
                    w, x, y, z = w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s
                else:
                    w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s
            rotations[f, j, 0], rotations[f, j, 1] = w, x
            rotations[f, j, 2], rotations[f, j, 3] = y, z
        for p in range(movers):
            for i in range(3):
                column = place_columns[p, i]
                translations[f, p, i] = values[f, column] if column >= 0 else places[p, i]
