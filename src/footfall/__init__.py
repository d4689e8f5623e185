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

_HOMES = {
    "Clip": "footfall.body.clip",
    "Skeleton": "footfall.body.skeleton",
    "FootfallError": "footfall.errors",
    "InputError": "footfall.errors",
    "load": "footfall.files.formats",
    "save": "footfall.files.formats",
    "inspect": "footfall.verbs.inspect",
    "convert": "footfall.verbs.convert",
    "render": "footfall.verbs.render",
    "clean": "footfall.verbs.clips",
    "find_contacts": "footfall.verbs.clips",
    "footprints": "footfall.verbs.clips",
    "lock_feet": "footfall.verbs.clips",
    "retarget": "footfall.verbs.clips",
    "mirror": "footfall.verbs.clips",
    "resample": "footfall.verbs.clips",
    "join": "footfall.verbs.clips",
    "fit": "footfall.verbs.fit",
    "warmup": "footfall.verbs.warmup",
    "doctor": "footfall.verbs.doctor",
    "Library": "footfall.library.library",
    "open_library": "footfall.library.library",
    "build_library": "footfall.library.build.build",
    "Performer": "footfall.generate.performer",
    "draw_performer": "footfall.generate.performer",
    "draw_performers": "footfall.generate.performer",
    "make_library": "footfall.library.performers",
    "make_libraries": "footfall.library.performers",
    "measure": "footfall.measures.all",
    "verify": "footfall.verbs.verify",
    "demo": "footfall.verbs.demo",
    "crowd": "footfall.verbs.crowd",
    "batch": "footfall.batch.run",
    "reproduce": "footfall.papers.reproduce",
    "studio": "footfall.studio.serve",
    "plan": "footfall.verbs.planner",
    "planner": "footfall.verbs.planner",
    "controller": "footfall.verbs.planner",
    "Planner": "footfall.verbs.planner",
    "Controller": "footfall.blending.control",
    "register_method": "footfall.task.method",
    "Scene": "footfall.world.scene",
    "Query": "footfall.task",
    "Plan": "footfall.task",
    "Place": "footfall.task",
    "GoTo": "footfall.task",
    "Follow": "footfall.task",
    "Via": "footfall.task",
    "StandOn": "footfall.task",
    "Pick": "footfall.task",
    "PutDown": "footfall.task",
    "Sit": "footfall.task",
    "StandUp": "footfall.task",
    "Duck": "footfall.task",
    "News": "footfall.task",
    "Watch": "footfall.task",
    "load_path": "footfall.files.task.paths",
    "load_scene": "footfall.files.scene.read",
    "save_scene": "footfall.files.scene.write",
    "load_task": "footfall.task.file",
    "save_task": "footfall.task.file",
}

__all__ = ["__version__", *_HOMES]

if TYPE_CHECKING:
    from typing import Any

    from footfall.batch.run import batch as batch
    from footfall.blending.control import Controller as Controller
    from footfall.body.clip import Clip as Clip
    from footfall.body.skeleton import Skeleton as Skeleton
    from footfall.errors import FootfallError as FootfallError
    from footfall.errors import InputError as InputError
    from footfall.files.formats import load as load
    from footfall.files.formats import save as save
    from footfall.files.scene.read import load_scene as load_scene
    from footfall.files.scene.write import save_scene as save_scene
    from footfall.files.task.paths import load_path as load_path
    from footfall.generate.performer import Performer as Performer
    from footfall.generate.performer import draw_performer as draw_performer
    from footfall.generate.performer import draw_performers as draw_performers
    from footfall.library.build.build import build_library as build_library
    from footfall.library.library import Library as Library
    from footfall.library.library import open_library as open_library
    from footfall.library.performers import make_libraries as make_libraries
    from footfall.library.performers import make_library as make_library
    from footfall.measures.all import measure as measure
    from footfall.papers.reproduce import reproduce as reproduce
    from footfall.studio.serve import studio as studio
    from footfall.task import Duck as Duck
    from footfall.task import Follow as Follow
    from footfall.task import GoTo as GoTo
    from footfall.task import News as News
    from footfall.task import Pick as Pick
    from footfall.task import Place as Place
    from footfall.task import Plan as Plan
    from footfall.task import PutDown as PutDown
    from footfall.task import Query as Query
    from footfall.task import Sit as Sit
    from footfall.task import StandOn as StandOn
    from footfall.task import StandUp as StandUp
    from footfall.task import Via as Via
    from footfall.task import Watch as Watch
    from footfall.task.file import load_task as load_task
    from footfall.task.file import save_task as save_task
    from footfall.task.method import register_method as register_method
    from footfall.verbs.clips import clean as clean
    from footfall.verbs.clips import find_contacts as find_contacts
    from footfall.verbs.clips import footprints as footprints
    from footfall.verbs.clips import join as join
    from footfall.verbs.clips import lock_feet as lock_feet
    from footfall.verbs.clips import mirror as mirror
    from footfall.verbs.clips import resample as resample
    from footfall.verbs.clips import retarget as retarget
    from footfall.verbs.convert import convert as convert
    from footfall.verbs.crowd import crowd as crowd
    from footfall.verbs.demo import demo as demo
    from footfall.verbs.doctor import doctor as doctor
    from footfall.verbs.fit import fit as fit
    from footfall.verbs.inspect import inspect as inspect
    from footfall.verbs.planner import Planner as Planner
    from footfall.verbs.planner import controller as controller
    from footfall.verbs.planner import plan as plan
    from footfall.verbs.planner import planner as planner
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
