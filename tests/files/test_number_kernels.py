"""The compiled number parser: every double as Python's `float` reads it, to the last bit."""

from __future__ import annotations

import random
from decimal import Decimal, getcontext

import numpy as np
import pytest

from footfall.files.bvh.number_kernels import POWERS, POWERS_OF_FIVE, parse_numbers


def parsed(words: list[str], per_line: int = 1) -> tuple[np.ndarray, set[int], list[int]]:
    """Values, the indices of words that were left to Python, and what was seen of lines."""
    data = np.frombuffer(("\n".join(words) + "\n").encode(), dtype=np.uint8)
    room = (len(data) + 1) // 2
    numbers, hard, lines = np.empty(room), np.empty((room, 3), np.int64), np.zeros(7, np.int64)
    lines[0] = per_line
    count, left = parse_numbers(
        data, 0, len(data), 1e300, POWERS, POWERS_OF_FIVE, numbers, hard, lines
    )
    return numbers[:count], set(hard[:left, 0].tolist()), lines.tolist()


def short(rng: random.Random) -> str:
    return f"{rng.gauss(0, 90):.6f}"


def shortest(rng: random.Random) -> str:
    return repr(rng.gauss(0, 100))


def scientific(rng: random.Random) -> str:
    return f"{rng.gauss(0, 1e3):.18e}"


def small(rng: random.Random) -> str:
    return "0." + "0" * rng.randint(0, 15) + str(rng.randrange(10**19))


def far(rng: random.Random) -> str:
    return f"{rng.randrange(10**19)}e{rng.randint(-75, 45)}"


def half_way(rng: random.Random) -> str:
    """Exactly between two doubles, where the even one is right."""
    getcontext().prec = 60
    odd = rng.randrange(2**53, 2**54) * 2 + 1
    return format(Decimal(odd) / 2 ** rng.randint(0, 3), "f")


def nearly_half_way(rng: random.Random) -> str:
    getcontext().prec = 60
    value = rng.random() * rng.choice((1.0, 1e3))
    between = (Decimal(value) + Decimal(float(np.nextafter(value, 1e9)))) / 2
    return format(between, ".16f")


@pytest.mark.parametrize(
    ("kind", "left_at_most"),
    [(short, 0.0), (shortest, 0.0), (scientific, 0.0), (small, 0.0), (far, 0.2),
     (half_way, 0.6), (nearly_half_way, 0.01)],
)  # fmt: skip
def test_decimals_are_the_doubles_that_float_gives(kind, left_at_most: float) -> None:  # type: ignore[no-untyped-def]
    rng = random.Random(kind.__name__)
    words = [kind(rng) for _ in range(20_000)]
    values, left, _ = parsed(words)
    assert len(values) == len(words)
    assert len(left) <= left_at_most * len(words)
    wrong = [w for i, w in enumerate(words) if i not in left and values[i] != float(w)]
    assert wrong == []


@pytest.mark.parametrize(
    "word",
    ["", "-", ".", "e5", "1e", "1e+", "--1", "1-", "1.2.3", "nan", "inf", "0x10", "1_0", "1,5", "é",
     "1e301", "123456789012345678901", "1e-100"],
)  # fmt: skip
def test_what_is_no_plain_decimal_is_left_to_python(word: str) -> None:
    values, left, _ = parsed(["1", word, "2"])
    assert left == ({1} if word else set())
    assert (values[0], values[-1]) == (1.0, 2.0)


def test_lines_are_counted_with_their_numbers() -> None:
    text = ["1 2", "", "3 4", "5", "6 7", "8 9 10", "11"]
    _, _, lines = parsed(text, per_line=2)
    ends, before_first, after_last, odd, first_odd, odd_count, words_until = lines
    assert (ends, before_first, after_last) == (7, 2, 0)
    assert (odd, first_odd, odd_count, words_until) == (3, 3, 1, 5)


def test_signs_and_zeros_are_kept() -> None:
    values, left, _ = parsed(["-0.0", "0", "+1", "-1.5e1", "1.E2", ".5"])
    assert not left
    assert np.signbit(values[0])
    assert values.tolist() == [-0.0, 0.0, 1.0, -15.0, 100.0, 0.5]
