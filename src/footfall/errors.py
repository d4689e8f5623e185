"""Errors that Footfall raises on purpose.

Misuse and bad input are exceptions with one clear sentence: what is wrong, where, and what
would be right. Not finding a motion is never an exception; it is a status of a plan.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import SupportsFloat, SupportsIndex


class FootfallError(Exception):
    """The base of all errors; the command line prints it as one sentence and exits with 2."""


class InputError(FootfallError):
    """A file, an option or an argument is wrong.

    `where` names the place as a person would look for it: `walk.bvh, line 12`, `joint LeftFoot`.
    """

    def __init__(self, problem: str, *, where: str = "", remedy: str = "") -> None:
        self.problem, self.where, self.remedy = problem, where, remedy
        text = f"{where}: {problem}" if where else problem
        super().__init__(f"{text}; {remedy}" if remedy else text)

    def at(self, place: str) -> InputError:
        """Return the error with `place` put before `where`."""
        where = f"{place}, {self.where}" if self.where else place
        return type(self)(self.problem, where=where, remedy=self.remedy)


class FileFormatError(InputError):
    """A file violates its format."""


class MissingJointError(InputError):
    """A skeleton lacks a joint that the work needs."""


class MissingDependencyError(FootfallError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {package}; install it with: pip install 'footfall[{extra}]'"
        )


def choices(valid: Iterable[str], given: str | None = None) -> str:
    """Return the valid choices as text, the one nearest to what was given named first."""
    names = list(valid)
    text = "choose one of " + ", ".join(names)
    near = difflib.get_close_matches(given, names, n=1) if given else []
    return f"did you mean {near[0]}? ({text})" if near else text


def check_range(
    name: str,
    value: object,
    least: float | None = None,
    most: float | None = None,
    *,
    above: float | None = None,
    below: float | None = None,
    unit: str = "",
    where: str = "",
) -> float:
    """Return `value` as a finite number within its range, or refuse it by name.

    `least` and `most` belong to the range, `above` and `below` do not; `unit` is said with it.
    """
    number = _number(value)
    if number is None or not _inside(number, least, most, above, below):
        wanted = f"a number{_range_text(least, most, above, below)}{unit and f' {unit}'}"
        raise InputError(f"{name} is {_text_of(value)}", where=where, remedy=f"it takes {wanted}")
    return number


def check_whole(
    name: str,
    value: object,
    least: int | None = None,
    most: int | None = None,
    *,
    unit: str = "",
    where: str = "",
) -> int:
    """Return `value` as a whole number within its range, or refuse it by name."""
    number = _number(value)
    if number is None or number != int(number) or not _inside(number, least, most, None, None):
        wanted = f"a whole number{_range_text(least, most, None, None)}{unit and f' {unit}'}"
        raise InputError(f"{name} is {_text_of(value)}", where=where, remedy=f"it takes {wanted}")
    return int(number)


def _number(value: object) -> float | None:
    """Return a finite number as a float; None for anything else, also for truth values and text."""
    if isinstance(value, bool) or not isinstance(value, (float, int, SupportsFloat, SupportsIndex)):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):  # arrays of several, huge integers
        return None
    return number if math.isfinite(number) else None


def _inside(
    number: float, least: float | None, most: float | None,
    above: float | None, below: float | None,
) -> bool:  # fmt: skip
    return (
        (least is None or number >= least)
        and (most is None or number <= most)
        and (above is None or number > above)
        and (below is None or number < below)
    )


def _range_text(
    least: float | None, most: float | None, above: float | None, below: float | None
) -> str:
    words = (("from", least), ("above", above), ("to" if least is not None else "up to", most),
             ("below", below))  # fmt: skip
    return "".join(f" {word} {bound:g}" for word, bound in words if bound is not None)


def _text_of(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
