"""Every error that Footfall raises on purpose.

Misuse and bad input are exceptions with one clear sentence: what is wrong, where, and what
would be right. Not finding a motion is never an exception; it is a status of a plan.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class FootfallError(Exception):
    """The base of all of them; the command line prints it as one sentence and exits with 2."""


class InputError(FootfallError):
    """A file, an option or an argument is wrong.

    `where` says the place as a person would look for it: `walk.bvh, line 12`, `joint LeftFoot`.
    """

    def __init__(self, problem: str, *, where: str = "", remedy: str = "") -> None:
        self.problem, self.where, self.remedy = problem, where, remedy
        text = f"{where}: {problem}" if where else problem
        super().__init__(f"{text}; {remedy}" if remedy else text)

    def at(self, place: str) -> InputError:
        """The same error, told from one step further out (`place` is put before `where`)."""
        where = f"{place}, {self.where}" if self.where else place
        return type(self)(self.problem, where=where, remedy=self.remedy)


class FileFormatError(InputError):
    """A file does not hold what its format asks for."""


class MissingJointError(InputError):
    """A skeleton lacks a joint that the work needs."""


class MissingDependencyError(FootfallError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {package}; install it with: pip install 'footfall[{extra}]'"
        )


def choices(valid: Iterable[str], given: str | None = None) -> str:
    """The valid choices as text, the one nearest to what was given named first."""
    names = list(valid)
    text = "choose one of " + ", ".join(names)
    near = difflib.get_close_matches(given, names, n=1) if given else []
    return f"did you mean {near[0]}? ({text})" if near else text
