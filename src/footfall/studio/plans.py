"""The plans of a studio: kept in the work folder, each in a folder of its own."""

from __future__ import annotations

import json
import math
import secrets
import shutil
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.errors import InputError, choices
from footfall.files.atomic import write_bytes_atomically
from footfall.studio.files import Files
from footfall.studio.work import NotFoundError, WorkFolder

if TYPE_CHECKING:
    from footfall.body.clip import Clip
    from footfall.task import Plan

EXPORTS = ("glb", "bvh", "usda", "npz", "html", "task", "scene")
_SHORT = (
    "id", "name", "kind", "status", "reason", "found", "seconds", "frames", "fps", "method", "cost",
    "bound", "seed", "of", "created",
)  # fmt: skip


@dataclass(frozen=True)
class PlanRecord:
    """What a plan is kept with: its query as tables, and where it came from."""

    query: Mapping[str, Any]
    name: str = ""
    kind: str = "plan"
    seed: int = 0
    of: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


class PlanStore:
    """Plans by their ids."""

    def __init__(self, work: WorkFolder, files: Files) -> None:
        self.home, self.files = work.folder / "plans", files
        self._lock = threading.Lock()
        self.reload()

    def reload(self) -> None:
        """Read again which plans there are, as after a session file was restored."""
        found = {path.parent.name: facts for path, facts in self._read_all()}
        with self._lock:
            self._facts = found

    def _read_all(self) -> list[tuple[Path, dict[str, Any]]]:
        found = []
        for path in self.home.glob("*/plan.json"):
            try:
                found.append((path, json.loads(path.read_text("utf-8"))))
            except (OSError, ValueError):  # a damaged plan is not listed
                continue
        return sorted(found, key=lambda pair: float(pair[1].get("created", 0.0)))

    def list_plans(self) -> list[dict[str, Any]]:
        """Return all plans in short, the oldest first."""
        with self._lock:
            return [{k: facts.get(k) for k in _SHORT} for facts in self._facts.values()]

    def facts(self, plan: str) -> dict[str, Any]:
        """Return all that is known of a plan, without its motion."""
        with self._lock:
            if plan not in self._facts:
                raise NotFoundError(f"there is no plan {plan[:40]!r}")
            return dict(self._facts[plan])

    def add(self, plan: Plan, record: PlanRecord, instead: str = "") -> dict[str, Any]:
        """Keep a plan, its motion and what it answers; return its facts in short.

        instead  the id of an earlier plan that it replaces
        """
        from footfall.render.player.document import PlayedMotion, motion_document
        from footfall.verbs.plan_results import facts_of, measures_of

        name = instead or secrets.token_hex(6)
        folder = self.home / name
        scene = self.files.make_scene(record.query.get("scene"))
        measures = measures_of(plan)
        facts = {
            **facts_of(plan, measures), "id": name, "kind": record.kind, "found": plan.found,
            "name": record.name or plan.method or record.kind, "seed": record.seed,
            "of": record.of, "created": time.time(), **record.extra,
            "seconds": 0.0 if plan.clip is None else plan.clip.seconds,
            "fps": 0.0 if plan.clip is None else plan.clip.fps,
        }  # fmt: skip
        if plan.clip is not None:
            from footfall.files.formats import save

            folder.mkdir(exist_ok=True)
            save(plan.clip, folder / "clip.npz")
            played = PlayedMotion(plan.clip, plan, measures, name=facts["name"])
            _write(folder / "document.json", motion_document([played], scene, title=facts["name"]))
        _write(folder / "query.json", dict(record.query))
        _write(folder / "plan.json", facts)
        with self._lock:
            self._facts[name] = json.loads(_dump(facts))
        return {k: self._facts[name].get(k) for k in _SHORT}

    def query(self, plan: str) -> dict[str, Any]:
        """Return the tables that a plan answers."""
        self.facts(plan)
        return json.loads((self.home / plan / "query.json").read_text("utf-8"))  # type: ignore[no-any-return]

    def document(self, plan: str) -> bytes:
        """Return the drawing document of a plan as JSON."""
        self.facts(plan)
        path = self.home / plan / "document.json"
        if not path.exists():
            raise NotFoundError("the plan has no motion")
        return path.read_bytes()

    def clip(self, plan: str) -> Clip:
        """Return the motion of a plan."""
        from footfall.files.formats import load

        self.facts(plan)
        path = self.home / plan / "clip.npz"
        if not path.exists():
            raise NotFoundError("the plan has no motion")
        return load(path)

    def rename(self, plan: str, name: str) -> dict[str, Any]:
        facts = {**self.facts(plan), "name": name}
        _write(self.home / plan / "plan.json", facts)
        with self._lock:
            self._facts[plan] = facts
        return {k: facts.get(k) for k in _SHORT}

    def remove(self, plan: str) -> None:
        self.facts(plan)
        with self._lock:
            self._facts.pop(plan, None)
        shutil.rmtree(self.home / plan, ignore_errors=True)

    def export(self, plan: str, kind: str, to: Path) -> Path:
        """Write a plan as a file of a kind into a folder."""
        if kind not in EXPORTS:
            raise InputError(f"format is {kind[:40]!r}", remedy=choices(EXPORTS, kind))
        query, stem = self.query(plan), f"footfall-{plan}"
        if kind == "scene":
            file = to / f"{stem}.scene.toml"
            file.write_text(self.files.scene_toml(query.get("scene")), "utf-8")
            return file
        if kind == "task":
            file = to / f"{stem}.task.toml"
            file.write_text(task_toml(query["task"], query.get("scene_name") or ""), "utf-8")
            return file
        file = to / f"{stem}.{kind}"
        if kind == "html":
            from footfall.render.player.page import write_page

            return write_page(json.loads(self.document(plan)), file)
        return self._save_motion(plan, query, file)

    def _save_motion(self, plan: str, query: dict[str, Any], file: Path) -> Path:
        from footfall.files.formats import save
        from footfall.render.in_scene import save_in_scene

        scene, clip = self.files.make_scene(query.get("scene")), self.clip(plan)
        if file.suffix == ".glb" and scene is not None:
            save_in_scene(clip, scene, file)
        else:
            save(clip, file)
        return file

    def play_together(self, plans: list[str]) -> str:
        """Return a page that plays several plans in sync, in the scene of the first."""
        from footfall.render.player.document import PlayedMotion, motion_document
        from footfall.render.player.page import player_page

        if not 1 <= len(plans) <= 16:
            raise InputError(f"{len(plans)} plans", remedy="from 1 to 16")
        scene = self.files.make_scene(self.query(plans[0]).get("scene"))
        played = [PlayedMotion(self.clip(p), name=str(self.facts(p)["name"])) for p in plans]
        return player_page(motion_document(played, scene, title="Footfall"))


def task_toml(task: Mapping[str, Any], scene_name: str = "") -> str:
    """Return a task as the text of a task file."""
    import tomlkit

    table = {"scene": scene_name, **task} if scene_name else dict(task)
    kept = {k: v for k, v in table.items() if v is not None}
    plain = {k: v for k, v in kept.items() if not isinstance(v, dict) and k != "stages"}
    return tomlkit.dumps(plain | {k: v for k, v in kept.items() if k not in plain})


def _dump(value: Any) -> str:
    return json.dumps(_finite(value), separators=(",", ":"), allow_nan=False, default=_plain)


def _write(path: Path, value: Any) -> None:
    write_bytes_atomically(path, _dump(value).encode())


def _finite(value: Any) -> Any:
    """Return a value for JSON, in which numbers that are not finite are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    return value


def _plain(value: Any) -> Any:
    """Return a numpy value as a plain one."""
    return value.item() if hasattr(value, "item") else str(value)
