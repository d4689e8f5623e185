"""Verify any motion: the checks of plans, for clips from files and for tasks and scenes by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from footfall.body.clip import Clip
from footfall.body.roles import require_humanoid
from footfall.files.formats import as_clip
from footfall.files.options import ReadOptions
from footfall.files.scene.read import load_scene
from footfall.library.library import Library, open_library
from footfall.task.file import Task, load_task
from footfall.task.query import Query
from footfall.task.verify import NEGATED, AnatomyLimits, Finding, Report, anatomy_limits
from footfall.task.verify import verify as verify_motion
from footfall.task.verify.limits import has_rule
from footfall.world.scene import Scene


def verify(
    clip: Clip | str | Path, *,
    task: Task | Query | str | Path | None = None, scene: Scene | str | Path | None = None,
    library: Library | str | Path | Sequence[Clip] | None = None,
    rests: tuple[bool, bool] | None = None, read: ReadOptions | None = None,
) -> Report:  # fmt: skip
    """Check a motion: its body, and, if they are given, its task and its scene.

    clip     a clip or its file
    task     what it was to do: a query, a task or its file
    scene    the world, or its name or file; None: that of the task
    library  the source clips that limits of the body are measured from; None: people in general
    rests    whether it has to rest at its beginning and its end; None: both, if there is a task
    read     how the file of the clip is read
    """
    clip = as_clip(clip, read)
    require_humanoid(clip.skeleton, clip.name)
    if isinstance(task, str | Path):
        task = load_task(task)
    query = task.query if isinstance(task, Task) else task
    if isinstance(scene, str | Path):
        scene = load_scene(scene)
    if isinstance(library, str | Path):
        library = open_library(library)
    limits = AnatomyLimits() if library is None else anatomy_limits(tuple(library))
    ends = (query is not None,) * 2 if rests is None else rests
    return verify_motion(clip, query, scene, limits=limits, rests=(ends[0], ends[1]))


def report_text(report: Report) -> list[str]:
    """Return a report as the lines of a table: values, sources, limits, then the findings.

    Of the speeds of joints only the one nearest to its limit is shown, for each kind.
    """
    limits = AnatomyLimits(report.sources)
    out = [f"  {'checked':<34}{'value':>10}{'sources':>10}{'limit':>10}"]
    for name in _values_to_print(report, limits):
        sign, source, limit = -1.0 if name in NEGATED or name.endswith(": legs") else 1.0, "", ""
        if name in report.sources:
            source = _number(sign * report.sources[name])
        if has_rule(name):
            limit = _number(sign * limits.of(name)[1])
        elif math.isfinite(report.limits.get(name, math.inf)):
            limit = _number(sign * report.limits[name])
        value = _number(sign * report.values[name])
        out.append(f"  {name:<34}{value:>10}{source:>10}{limit:>10}".rstrip())
    out += [f"  failure: {finding}" for finding in report.failures]
    out += [f"  note: {finding}" for finding in report.notes]
    return out


def _values_to_print(report: Report, limits: AnatomyLimits) -> list[str]:
    """Return the values to print: of each kind of joint speed the one nearest to its limit."""
    worst: dict[str, tuple[float, str]] = {}
    for name, value in report.values.items():
        if name.startswith("joint "):
            share, kind = value / limits.of(name)[1], name.split(":")[0]
            worst[kind] = max(worst.get(kind, (-1.0, name)), (share, name))
    nearest = {name for _, name in worst.values()}
    return [n for n in report.values if not n.startswith("joint ") or n in nearest]


def verdict(report: Report) -> str:
    """Return the verdict in one line."""
    failures, notes = len(report.failures), len(report.notes)
    if report.passed:
        return "passed" + (f" with {notes} note{'s' * (notes != 1)}" if notes else "")
    return f"failed: {failures} failure{'s' * (failures != 1)}, {_first(report.failures[0])}"


def _first(finding: Finding) -> str:
    return f"the first after {finding.seconds:.2f} s"


def _number(value: float) -> str:
    digits = 0 if abs(value) >= 100.0 else 1 if abs(value) >= 10.0 else 2
    return f"{value:.{digits}f}"
