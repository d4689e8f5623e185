"""Footfall turns motion clips, a scene and a task into natural full-body human locomotion.

    import footfall

    clip = footfall.load("walk.bvh")
    footfall.save(clip, "walk.glb")
    footfall.render(clip, "walk.png")

Everything named here is loaded when it is first used, so that importing stays fast.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False  # type checkers take it for true; `typing` would double the import's time

__version__ = "0.2.0"

_EXPORTS = {
    "footfall.body.clip": "Clip",
    "footfall.body.skeleton": "Skeleton",
    "footfall.errors": "FootfallError InputError",
    "footfall.files.formats": "load save",
    "footfall.verbs.inspect": "inspect",
    "footfall.verbs.convert": "convert",
    "footfall.verbs.render": "render",
    "footfall.verbs.clips": "clean find_contacts footprints lock_feet retarget mirror resample "
    "join",
    "footfall.verbs.fit": "fit",
    "footfall.verbs.warmup": "warmup",
    "footfall.verbs.doctor": "doctor",
    "footfall.library.library": "Library open_library",
    "footfall.library.build.build": "build_library",
    "footfall.generate.performer": "Performer draw_performer draw_performers",
    "footfall.library.performers": "make_library make_libraries",
    "footfall.measures.all": "measure",
    "footfall.verbs.verify": "verify",
    "footfall.verbs.demo": "demo",
    "footfall.verbs.crowd": "crowd",
    "footfall.batch.run": "batch",
    "footfall.papers.reproduce": "reproduce",
    "footfall.studio.serve": "studio",
    "footfall.studio.rating.pool": "make_study",
    "footfall.studio.rating.serve": "serve_study",
    "footfall.studio.rating.report": "report_study",
    "footfall.verbs.planner": "plan planner controller Planner",
    "footfall.blending.control": "Controller",
    "footfall.task.method": "register_method",
    "footfall.world.scene": "Scene",
    "footfall.task": "Query Plan Place GoTo Follow Via StandOn Pick PutDown "
    "Sit StandUp Duck News Watch",
    "footfall.files.task.paths": "load_path",
    "footfall.files.scene.read": "load_scene",
    "footfall.files.scene.write": "save_scene",
    "footfall.task.file": "load_task save_task",
}
_HOMES = {name: home for home, names in _EXPORTS.items() for name in names.split()}

__all__ = ["__version__", *_HOMES]

if TYPE_CHECKING:
    from typing import Any

    from footfall.batch.run import batch as batch
    from footfall.blending.control import Controller as Controller
    from footfall.body.clip import Clip as Clip
    from footfall.body.skeleton import Skeleton as Skeleton
    from footfall.errors import FootfallError as FootfallError, InputError as InputError
    from footfall.files.formats import load as load, save as save
    from footfall.files.scene.read import load_scene as load_scene
    from footfall.files.scene.write import save_scene as save_scene
    from footfall.files.task.paths import load_path as load_path
    from footfall.generate.performer import (
        Performer as Performer, draw_performer as draw_performer,
        draw_performers as draw_performers,
    )  # fmt: skip
    from footfall.library.build.build import build_library as build_library
    from footfall.library.library import Library as Library, open_library as open_library
    from footfall.library.performers import (
        make_libraries as make_libraries, make_library as make_library,
    )  # fmt: skip
    from footfall.measures.all import measure as measure
    from footfall.papers.reproduce import reproduce as reproduce
    from footfall.studio.rating.pool import make_study as make_study
    from footfall.studio.rating.report import report_study as report_study
    from footfall.studio.rating.serve import serve_study as serve_study
    from footfall.studio.serve import studio as studio
    from footfall.task import (
        Duck as Duck, Follow as Follow, GoTo as GoTo, News as News, Pick as Pick, Place as Place,
        Plan as Plan, PutDown as PutDown, Query as Query, Sit as Sit, StandOn as StandOn,
        StandUp as StandUp, Via as Via, Watch as Watch,
    )  # fmt: skip
    from footfall.task.file import load_task as load_task, save_task as save_task
    from footfall.task.method import register_method as register_method
    from footfall.verbs.clips import (
        clean as clean, find_contacts as find_contacts, footprints as footprints, join as join,
        lock_feet as lock_feet, mirror as mirror, resample as resample, retarget as retarget,
    )  # fmt: skip
    from footfall.verbs.convert import convert as convert
    from footfall.verbs.crowd import crowd as crowd
    from footfall.verbs.demo import demo as demo
    from footfall.verbs.doctor import doctor as doctor
    from footfall.verbs.fit import fit as fit
    from footfall.verbs.inspect import inspect as inspect
    from footfall.verbs.planner import (
        Planner as Planner, controller as controller, plan as plan, planner as planner,
    )  # fmt: skip
    from footfall.verbs.render import render as render
    from footfall.verbs.verify import verify as verify
    from footfall.verbs.warmup import warmup as warmup
    from footfall.world.scene import Scene as Scene


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'footfall' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


class _Package(ModuleType):
    """This package. Importing its folder `render` leaves the function `render` in place."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted(__all__)
