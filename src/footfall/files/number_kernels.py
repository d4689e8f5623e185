"""Compiled loops over text and channels. Import this module lazily: it brings in numba."""

from __future__ import annotations

import math

import numba
import numpy as np

_jit = numba.njit(cache=True, nogil=True, fastmath=False, error_model="numpy")

POWERS = 10.0 ** np.arange(23)
"""The powers of ten that doubles hold exactly."""


@_jit
def _byte(text, i):  # type: ignore[no-untyped-def]
    """`text[i]` as an integer. An unsigned index spares the check for counting from the end,
    which takes a third of the time of parsing."""
    return np.int64(text[np.uint64(i)])


@_jit
def parse_numbers(text, start, stop, limit, powers, numbers, hard, lines):  # type: ignore[no-untyped-def]
    """Parse the white-space separated decimals in `text[start:stop]`.

    text     (N,) bytes; `text[stop - 1]` is white space but no carriage return
    limit    the largest magnitude accepted
    powers   POWERS
    numbers  (M,) receives the values; M must be at least (stop - start + 1) // 2
    hard     (M, 3) receives index, first and last byte of words that are not read here: those
             with more digits than a double holds exactly (rounding needs more care), those too
             large, and those that are no decimals at all
    lines    (7,) holds the expected count of numbers per line in `lines[0]`, and receives: line
             ends seen; numbers before the first and after the last of them; of the whole lines
             between whose count is neither 0 nor the expected one: how many there are, and of
             the first its index, its count and the count of all words up to its end
    Returns the count of words and of hard ones.

    A decimal of mantissa m <= 2^53 and power |p| <= 22 is m * 10^p or m / 10^-p rounded once,
    which is exactly what `float` gives (Clinger 1990).
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
        exact = digits <= 18 and mantissa <= 9007199254740992 and -23 < power < 23
        value = 0.0
        if good and exact and _byte(text, i) <= 32:
            value = float(mantissa)
            value = (
                value / powers[np.uint64(-power)] if power < 0 else value * powers[np.uint64(power)]
            )
        else:
            good = False
        if good and value <= limit:
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


@_jit
def channels_to_transforms(
    values, begin, columns, axes, place_columns, places, rotations, translations
):  # type: ignore[no-untyped-def]
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


@_jit
def continue_angles_zxy(angles, previous):  # type: ignore[no-untyped-def]
    """Make Euler angles in the order Z X Y run on from frame to frame.

    angles    (T, J, 3) radians, changed in place: of the two triples that give the same rotation
              and their full turns, the one nearest to the frame before
    previous  (J, 3) the frame before the first; holds the last frame afterwards
    """
    turn = 2.0 * math.pi
    for t in range(angles.shape[0]):
        for j in range(angles.shape[1]):
            pa, pb, pc = previous[j, 0], previous[j, 1], previous[j, 2]
            a, b, c = angles[t, j, 0], angles[t, j, 1], angles[t, j, 2]
            if abs(math.cos(b)) < 1e-9:
                # Gimbal lock: only the sum (or difference) of the outer angles counts, so the
                # last one may stay where it was.
                a += (c - pc) if b > 0.0 else (pc - c)
                c = pc
            a += turn * round((pa - a) / turn)
            b += turn * round((pb - b) / turn)
            c += turn * round((pc - c) / turn)
            a2, b2, c2 = a + math.pi, math.pi - b, c + math.pi
            a2 += turn * round((pa - a2) / turn)
            b2 += turn * round((pb - b2) / turn)
            c2 += turn * round((pc - c2) / turn)
            near = abs(a - pa) + abs(b - pb) + abs(c - pc)
            if abs(a2 - pa) + abs(b2 - pb) + abs(c2 - pc) < near:
                a, b, c = a2, b2, c2
            angles[t, j, 0], angles[t, j, 1], angles[t, j, 2] = a, b, c
            previous[j, 0], previous[j, 1], previous[j, 2] = a, b, c
