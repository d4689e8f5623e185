"""Findings of `verify`: stage or joint, time, value and limit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

ROUNDED = 1e-4
"""A share of a value by which rounding may change it."""


@dataclass(frozen=True)
class Finding:
    """One value beyond its limit.

    check        the kind of check: "go to", "collision", "foot yaw out", …
    what         stage or part of the body: "stage 2, 'pick'", "left knee"
    seconds      the time of the worst value
    first, stop  its first frame, and the frame after its last
    value, limit in `unit`; a value above the limit fails, unless `least` says otherwise
    hard         whether it forbids the status "found"; otherwise it becomes a note
    place        x and z of where it happens, metres
    detail       what happens, in words, if check and value do not say it
    least        whether the limit is the least that is allowed
    name         the name of its value in the report
    """

    check: str
    what: str
    seconds: float
    first: int
    stop: int
    value: float
    limit: float
    unit: str
    hard: bool
    place: tuple[float, float]
    detail: str = ""
    least: bool = False
    name: str = ""

    def __str__(self) -> str:
        where = f"at ({self.place[0]:.2f}, {self.place[1]:.2f}) after {self.seconds:.2f} s"
        what = f"{self.what}: {self.detail or self.check}"
        if not math.isfinite(self.value):
            return f"{what} {where}"
        value, limit = (_amount(v, self.unit) for v in (self.value, self.limit))
        bound = "least" if self.least else "most"
        return f"{what} {value} {where}; at {bound} {limit} is allowed"

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain values for JSON."""
        value, limit = (v if math.isfinite(v) else None for v in (self.value, self.limit))
        return {
            "check": self.check, "what": self.what, "seconds": self.seconds, "first": self.first,
            "stop": self.stop, "value": value, "limit": limit, "unit": self.unit,
            "hard": self.hard, "place": list(self.place), "sentence": str(self),
        }  # fmt: skip


@dataclass
class Values:
    """The worst of each checked value, and the limit above which it is noted, by name.

    The greater a value, the worse; heights and gaps that must not be small are negated.
    """

    worst: dict[str, float] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)

    def enter(self, name: str, value: float, limit: float = math.inf) -> None:
        """Enter a value; of several with one name the worst counts."""
        self.worst[name] = max(value, self.worst.get(name, -math.inf))
        self.limits[name] = limit


@dataclass(frozen=True)
class Report:
    """All findings of a clip, and every value that was checked.

    findings  first in time first
    values    the worst value of each check, also of those that pass, by name
    limits    the limit above which each value is noted; infinite for what is only reported
    sources   the extremes of the source clips, of those values that have them
    """

    findings: tuple[Finding, ...] = ()
    values: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    sources: Mapping[str, float] = field(default_factory=dict)

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that forbid the status "found", first in time first."""
        return tuple(f for f in self.findings if f.hard)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """The findings that a viewer may overlook, first in time first."""
        return tuple(f for f in self.findings if not f.hard)

    @property
    def failed(self) -> set[str]:
        """The names of the values that forbid the status "found"."""
        return {f.name for f in self.failures}

    @property
    def passed(self) -> bool:
        """Whether nothing forbids the status "found"."""
        return not self.failures

    def forbid_worse(self, before: Report) -> Report:
        """Return the report with every value that is worse than in an earlier one as a failure."""
        worse = self.find_worse(before)
        if not worse:
            return self
        found = [
            replace(f, hard=True, limit=-worse[f.name] if f.least else worse[f.name])
            if f.name in worse and not f.hard else f
            for f in self.findings
        ]  # fmt: skip
        return replace(self, findings=tuple(found))

    def find_worse(self, before: Report) -> dict[str, float]:
        """Return the values beyond their limits and those of an earlier report, with the latter."""
        worse = {}
        for name, value in self.values.items():
            best = max(before.values.get(name, -math.inf), self.limits.get(name, math.inf))
            if value > best + ROUNDED * abs(best):
                worse[name] = best
        return worse

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        tables = [
            {k: v if math.isfinite(v) else None for k, v in table.items()}
            for table in (self.values, self.limits, self.sources)
        ]
        return {
            "passed": self.passed,
            "failures": [f.as_dict() for f in self.failures],
            "notes": [f.as_dict() for f in self.notes],
            "values": tables[0],
            "limits": tables[1],
            "sources": tables[2],
        }


def _amount(value: float, unit: str) -> str:
    """Return a value with its unit, as many digits as matter."""
    digits = 0 if abs(value) >= 100.0 or unit.startswith("°") else 1 if abs(value) >= 10.0 else 2
    return f"{value:.{digits}f}{'' if unit.startswith('°') else ' '}{unit}".rstrip()
