"""Plan one query and describe what came of it: a row of plain values, and files."""

from __future__ import annotations

import ctypes
import gc
import json
import math
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from footfall.batch.inputs import hash_file
from footfall.batch.worker import WorkerSettings, finite, resident_mb
from footfall.errors import FootfallError
from footfall.files.scene.read import load_scene
from footfall.library.entry import Entry
from footfall.library.library import open_library
from footfall.task.file import Task, make_task
from footfall.task.plan import Plan
from footfall.verbs.plan_results import measures_of, save_plan
from footfall.verbs.planner import Planner, check_query, planner

if TYPE_CHECKING:
    from footfall.world.scene import Scene

WRONG_INPUT, FAILED, NOT_WRITTEN, KILLED = "wrong input", "failed", "not written", "killed"
"""What may become of a query beside the statuses of a plan."""
_MOST_PLANNERS, _MOST_SCENES = 12, 24

Made = TypeVar("Made")


class QueryPlanner:
    """Plans queries; keeps what they share, and forgets it when memory is short."""

    def __init__(self, settings: WorkerSettings) -> None:
        self.settings, self.folder = settings, Path(settings.folder)
        self._planners: OrderedDict[str, Planner] = OrderedDict()
        self._scenes: OrderedDict[str, Scene] = OrderedDict()
        self._entries: OrderedDict[str, dict[str, Entry]] = OrderedDict()

    def row(self, key: str, table: Mapping[str, Any]) -> dict[str, Any]:
        """Plan a query, write its motion, and return its row; whatever is wrong is a status."""
        began = time.perf_counter()
        try:
            task = make_task(table, scenes=self._scene)
            check_query(task.query, task.method, dict(task.options))
            plan = self._planner(task).plan(task.query)
        except FootfallError as error:
            return failed_row(key, WRONG_INPUT, str(error), began)
        except MemoryError:
            return failed_row(key, FAILED, "it does not fit into memory", began)
        except Exception as error:  # one query must not take the others with it
            return failed_row(key, FAILED, f"{type(error).__name__}: {error}", began)
        row = plan_row(key, plan)
        try:
            written = time.perf_counter()
            row["files"] = self._write(key, plan, task)
            row["timings"]["write"] = time.perf_counter() - written
        except (FootfallError, OSError) as error:
            return {**failed_row(key, NOT_WRITTEN, str(error), began), "again": True}
        return row

    def is_full(self) -> bool:
        """Forget planners until the process is small enough; return whether it stays too large."""
        while resident_mb() > self.settings.cache_mb and (self._planners or self._scenes):
            if self._planners:
                self._planners.popitem(last=False)
            else:
                self._scenes.popitem(last=False)
            gc.collect()
            _return_memory()
        return resident_mb() > self.settings.cache_mb

    def _scene(self, name: str) -> Scene:
        return _keep(self._scenes, name, lambda: load_scene(name), _MOST_SCENES)

    def _planner(self, task: Task) -> Planner:
        how = json.dumps([task.method, task.library, task.character, dict(task.options)],
                         sort_keys=True, default=str)  # fmt: skip
        return _keep(
            self._planners, how,
            lambda: planner(
                task.method, library=task.library, character=task.character, **task.options
            ),
            _MOST_PLANNERS,
        )  # fmt: skip

    def _write(self, key: str, plan: Plan, task: Task) -> dict[str, dict[str, Any]]:
        """Write the motion in every format, and where it comes from; name, size and hash."""
        if plan.clip is None:
            return {}
        files = {name: self.folder / f"{key}.{name}" for name in self.settings.formats}
        save_plan(plan, list(files.values()), task.query.scene)
        files["plan"] = self.folder / f"{key}.plan.json"
        files["plan"].write_text(json.dumps(self._origin(plan, task), allow_nan=False))
        return {
            name: {"name": motion_name(file.name), "bytes": file.stat().st_size,
                   "sha256": hash_file(file)}
            for name, file in files.items()
        }  # fmt: skip

    def _origin(self, plan: Plan, task: Task) -> dict[str, Any]:
        """Return where every frame comes from, where feet stand, and what was asked."""
        assert plan.clip is not None
        known = _keep(self._entries, task.library, lambda: _entries(task.library), 8)
        names = dict.fromkeys(s.clip for segment in plan.segments for s in segment.sources)
        used = {name: known.get(name, Entry(name)) for name in names}
        tags = {*plan.clip.tags, *(tag for entry in used.values() for tag in entry.tags)}
        return {
            "scene": task.scene and Path(task.scene).name,
            "library": Path(task.library).name, "tags": sorted(tags),
            "path": None if plan.path is None else plan.path.tolist(),
            "stages": [stage.kind for stage in task.query.stages],
            "footprints": [
                {"foot": p.side, "p": p.p.tolist(), "yaw": p.yaw, "t": p.t, "delta": p.delta}
                for p in plan.footprints
            ],
            "segments": [
                {"first": s.first, "stop": s.stop, "why": s.why,
                 "sources": [vars(source) for source in s.sources]}
                for s in plan.segments
            ],
            # The rest of a source's name tells where this machine keeps it.
            "sources": {
                name: {"source": Path(entry.source).name, "licence": entry.licence}
                for name, entry in used.items()
            },
        }  # fmt: skip


def plan_row(key: str, plan: Plan) -> dict[str, Any]:
    """Return a plan as a row of results."""
    report = plan.report
    return {
        "key": key,
        "status": plan.status,
        "reason": plan.reason,
        "method": plan.method,
        "frames": 0 if plan.clip is None else len(plan.clip),
        "seconds": 0.0 if plan.clip is None else plan.clip.seconds,
        "footprints": len(plan.footprints),
        "cost": plan.cost if math.isfinite(plan.cost) else None,
        "bound": plan.bound if math.isfinite(plan.bound) else None,
        "verified": report is not None and report.passed,
        "values": {} if report is None else finite(report.values),
        "measures": measures_of(plan),
        "notes": list(plan.notes),
        "files": {},
        "timings": finite(plan.timings),
    }


def failed_row(key: str, status: str, reason: str, began: float | None = None) -> dict[str, Any]:
    """Return the row of a query without a plan."""
    took = {} if began is None else {"all": time.perf_counter() - began}
    reason = " ".join(reason.split())[:500]
    return {**plan_row(key, Plan("no path", "-")), "status": status, "reason": reason,
            "timings": took}  # fmt: skip


def motion_name(file: str) -> str:
    """Return where a file of a motion is kept: in one of 256 folders, by the hash of its query."""
    return f"motions/{file[:2]}/{file}"


def _entries(library: str) -> dict[str, Entry]:
    """Return what is known of every clip of a library, by name."""
    return {entry.name: entry for entry in open_library(library).entries}


def _keep(kept: OrderedDict[str, Made], key: str, make: Callable[[], Made], most: int) -> Made:
    """Return what was made for a key, now or before; the oldest use is forgotten first."""
    if key not in kept:
        kept[key] = make()
        while len(kept) > most:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]


def _return_memory() -> None:
    """Give memory that is free back to the system; glibc keeps it otherwise."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
